//! Owns events of the ledger itself, which rest on their own place in the log: what a rotation signs
//! holds the number of its record, and a checkpoint is signed by the key in force there.

use ledger_format::payload::Sealed;
use ledger_format::{Event, Seq};
use ledger_policy::Policy;
use ledger_replay::State;

use super::{Worker, plain};
use crate::error::{Error, Result};
use crate::scope::Actor;
use crate::writer::batch::Batch;
use crate::writer::bind::Binder;
use crate::writer::ticket::Admitted;

/// Makes the event for the record with this number, after the records in this state.
pub(crate) type MakeOwn = Box<dyn FnOnce(Seq, &State) -> Result<Event> + Send>;

/// An event of the ledger itself, with what goes with it.
pub(crate) struct Own {
    pub(crate) make: MakeOwn,
    pub(crate) words: Vec<Sealed>,
    /// Who asked for it; none: the ledger itself.
    pub(crate) by: Option<Actor>,
    /// The policy that it puts in force.
    pub(crate) policy: Option<Box<Policy>>,
}

impl Worker {
    /// Puts one event into the batch, made where its place is known.
    pub(super) fn own(&mut self, batch: &mut Batch, own: Own) -> Result<Admitted> {
        let Own { make, words, by, policy } = own;
        let stamp = self.stamper.stamp()?;
        let mut all = self.opening(stamp)?;
        let (keys, names, chance) = self.to_bind();
        let mut binder = Binder {
            ledger: self.ledger,
            names: &names,
            keys: &keys,
            chance: &*chance,
            stamp,
            policy: self.state.policy(),
            records: Vec::new(),
            bound: Vec::new(),
        };
        let actor = by.as_ref().map(|actor| binder.actor(actor)).transpose()?;
        all.append(&mut binder.records);
        let bound = binder.bound;
        let preamble = all.len();
        let next = self.state.head().map_or(0, |head| head.seq.0.saturating_add(1));
        let event = make(Seq(next.saturating_add(preamble as u64)), &self.state)?;
        let kind = event
            .kind()
            .ok_or_else(|| Error::invalid("an event of an unknown kind cannot be recorded"))?;
        let (mut record, event) = plain(event, kind, stamp, self.state.policy())?;
        if let (Some(actor), Some(by)) = (actor, by) {
            (record.header.actor, record.header.actor_kind) = (actor, by.kind);
        }
        record.payloads = words;
        all.push((record, event));
        let pushed = self.push(batch, all)?;
        Binder::settle(&names, bound);
        self.has_opened();
        if let Some(policy) = policy {
            self.gate.set(*policy);
        }
        let events = pushed.iter().skip(preamble);
        let outcomes = events.map(|done| self.outcome(batch, done)).collect();
        Ok(Admitted { outcomes, spent: Vec::new() })
    }
}
