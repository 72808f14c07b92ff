//! Owns events of the ledger itself, which rest on their own place in the log: what a rotation signs
//! holds the number of its record, and a checkpoint is signed by the key in force there.

use ledger_format::payload::Sealed;
use ledger_format::{Event, Seq};
use ledger_replay::State;

use super::{Worker, plain};
use crate::error::{Error, Result};
use crate::writer::batch::Batch;
use crate::writer::ticket::Admitted;

/// Makes the event for the record with this number, after the records in this state.
pub(crate) type MakeOwn = Box<dyn FnOnce(Seq, &State) -> Result<Event> + Send>;

impl Worker {
    /// Puts one event into the batch, made where its place is known.
    pub(super) fn own(
        &mut self,
        batch: &mut Batch,
        make: MakeOwn,
        words: Vec<Sealed>,
    ) -> Result<Admitted> {
        let stamp = self.stamper.stamp()?;
        let mut all = self.opening(stamp)?;
        let preamble = all.len();
        let next = self.state.head().map_or(0, |head| head.seq.0.saturating_add(1));
        let event = make(Seq(next.saturating_add(preamble as u64)), &self.state)?;
        let kind = event
            .kind()
            .ok_or_else(|| Error::invalid("an event of an unknown kind cannot be recorded"))?;
        let (mut record, event) = plain(event, kind, stamp)?;
        record.header.policy = self.state.policy();
        record.payloads = words;
        all.push((record, event));
        let pushed = self.push(batch, all)?;
        self.has_opened();
        let events = pushed.iter().skip(preamble);
        let outcomes = events.map(|done| self.outcome(batch, done)).collect();
        Ok(Admitted { outcomes, spent: Vec::new() })
    }
}
