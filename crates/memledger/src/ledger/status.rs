//! Owns the summary of a ledger: its size, its head, what is anchored, how far the views are.

use ledger_format::names::Job;
use ledger_format::{LedgerId, Micros, RecordHash, Seq, TreeRoot};
use ledger_replay::Schedule;
use ledger_store::read_anchors;
use ledger_views::ViewDigest;

use crate::error::Result;
use crate::ledger::Ledger;

/// A ledger in numbers. Sizes are in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct StatusReport {
    /// Its id.
    pub id: LedgerId,
    /// Its public name.
    pub origin: String,
    /// Its civil zone.
    pub zone: String,
    /// When it was made.
    pub created_at: Micros,
    /// Whether its times are declared by the writer.
    pub clock_declared: bool,
    /// The last record and its hash.
    pub head: Option<(Seq, RecordHash)>,
    /// Merkle root over all records.
    pub root: Option<TreeRoot>,
    /// Number of records.
    pub size: u64,
    /// When the last record was recorded.
    pub last_recorded_at: Option<Micros>,
    /// Epoch of the last holder that wrote.
    pub epoch: u64,
    /// The last record that the head anchor covers.
    pub anchored: Option<Seq>,
    /// The last record that the views hold.
    pub views_applied: Option<Seq>,
    /// Digest of the views.
    pub views_digest: Option<[u8; 32]>,
    /// Memories ever written.
    pub memories: Option<u64>,
    /// Versions of memories.
    pub versions: Option<u64>,
    /// Segments of the log.
    pub segments: u64,
    /// Size of the log.
    pub log_bytes: u64,
    /// Size of the views.
    pub view_bytes: Option<u64>,
    /// Key slots there are.
    pub key_slots: u64,
    /// Where the master key was found.
    pub master: String,
    /// When the sweep of what ran out was run and is due, where that is on record.
    pub sweep: Option<Schedule>,
    /// Whether this process may write.
    pub writable: bool,
}

impl Ledger {
    /// The ledger in numbers.
    ///
    /// # Errors
    /// When the views or the anchor cannot be read.
    pub fn status(&self) -> Result<StatusReport> {
        let reader = self.vault.reader();
        let head = reader.head();
        let views = match (&self.views, head) {
            (Some(feed), Some(head)) => Some(feed.wait_for(head.seq)?),
            _ => None,
        };
        let counts = views.map(ledger_views::Views::counts).transpose()?;
        let anchors = read_anchors(&*self.storage)?;
        let segments = reader.segments();
        Ok(StatusReport {
            id: self.id(),
            origin: self.genesis.origin.clone(),
            zone: self.genesis.zone.clone(),
            created_at: self.genesis.created_at,
            clock_declared: self.genesis.clock == 2,
            head: head.map(|head| (head.seq, head.hash)),
            root: head.map(|head| head.root),
            size: head.map_or(0, |head| head.seq.0 + 1),
            last_recorded_at: head.map(|head| head.recorded_at),
            epoch: head.map_or(0, |head| head.epoch),
            anchored: anchors.best().map(|anchor| anchor.seq),
            views_applied: views.and_then(|views| views.applied()).map(|applied| applied.seq),
            views_digest: views.map(|views| {
                let ViewDigest(digest) = views.digest();
                digest
            }),
            memories: counts.map(|counts| counts.memories),
            versions: counts.map(|counts| counts.versions),
            segments: segments.len() as u64,
            log_bytes: segments.iter().map(|segment| segment.length).sum(),
            view_bytes: counts.map(|counts| counts.bytes_on_disk),
            key_slots: self.vault.keys().slots(),
            master: self.master.clone(),
            sweep: views.map(|views| views.schedule(Job::ExpirySweep)).transpose()?.flatten(),
            writable: self.writable(),
        })
    }
}
