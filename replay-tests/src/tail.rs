//! Owns a ledger in memory whose holder was killed: several segments, an anchor, and one batch above it
//! that was answered. Faults are put into copies of its disk.

use ledger_format::{Micros, RecordHash, Seq};
use ledger_store::Reader;
use ledger_store::storage::{MemStorage, RelPath, Survival};
use memledger::{Command, Content, Ledger, Proposal, Scope, Submission, Terms};

use crate::stand::{Stand, honest};
use crate::workload::time;

/// The ledger, as its disk was left.
#[derive(Debug)]
pub struct Tail {
    disk: MemStorage,
    /// Every record, by number.
    pub hashes: Vec<RecordHash>,
    /// Records before the last batch.
    pub before: usize,
    /// The segment of the last batch, and where it begins and ends there.
    pub segment: RelPath,
    pub start: u64,
    pub end: u64,
    /// Where the batch before it begins, in the same segment.
    pub earlier: u64,
}

impl Default for Tail {
    fn default() -> Self {
        Self::new()
    }
}

impl Tail {
    /// Makes the ledger.
    #[must_use]
    pub fn new() -> Self {
        let mut stand = Stand::new(3, Micros(time::BASE), honest());
        stand.init().unwrap().close().unwrap();
        for session in 0..3 {
            let ledger = stand.open().unwrap();
            for number in 0..4 {
                say(&ledger, &format!("memory {number} of session {session}"));
            }
            ledger.close().unwrap();
        }
        let ledger = stand.open().unwrap();
        say(&ledger, "the first of the last session");
        let mut ends = vec![end(&stand.disk, &ledger)];
        loop {
            say(&ledger, "one more");
            let status = ledger.status().unwrap();
            ends.push(end(&stand.disk, &ledger));
            if ends.len() > 2 && status.anchored < status.head.map(|(seq, _)| seq) {
                break;
            }
        }
        let hashes = hashes(&ledger);
        let position = position(&stand.disk, &ledger);
        let segment = ledger_store::layout::segment(position.segment);
        drop(ledger);
        let [.., earlier, start, end] = ends[..] else { panic!("too few batches") };
        let before = hashes.len() - 1;
        Self { disk: stand.disk, hashes, before, segment, start, end, earlier }
    }

    /// A machine with a copy of the disk, changed.
    #[must_use]
    pub fn stand(&self, change: impl FnOnce(&MemStorage)) -> Stand {
        let disk = self.disk.crash(Survival::Everything);
        change(&disk);
        Stand::on(disk, 4, Micros(time::BASE), honest())
    }

    /// As [`Tail::stand`], with the bytes of the last segment changed.
    #[must_use]
    pub fn edited(&self, change: impl FnOnce(&mut Vec<u8>)) -> Stand {
        self.stand(|disk| disk.edit(&self.segment, change).unwrap())
    }
}

/// Writes a text.
pub fn say(ledger: &Ledger, text: &str) -> Seq {
    try_say(ledger, text).unwrap()
}

/// Writes a text, if the ledger takes it.
///
/// # Errors
/// As [`Ledger::submit`].
pub fn try_say(ledger: &Ledger, text: &str) -> memledger::Result<Seq> {
    let proposal = Proposal::new(Content::Text(text.into()), Scope::root());
    let submission = Submission::of(Command::Write(Box::new(proposal)), Terms::default());
    Ok(ledger.submit(submission)?[0].seq)
}

/// Every record of a ledger.
#[must_use]
pub fn hashes(ledger: &Ledger) -> Vec<RecordHash> {
    ledger.records(Seq(0), false).map(|record| record.unwrap().hash).collect()
}

fn position(disk: &MemStorage, ledger: &Ledger) -> ledger_store::Position {
    let opened = Reader::open_unanchored(std::sync::Arc::new(disk.clone()), ledger.id()).unwrap();
    opened.reader.position().unwrap()
}

fn end(disk: &MemStorage, ledger: &Ledger) -> u64 {
    position(disk, ledger).segment_end
}
