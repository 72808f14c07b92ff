//! Owns a naive model of what a history means: it keeps every event and answers each question by
//! going through all of them again.
//!
//! Invariants: written from the rules of the domain and the doc comments of the event bodies; no
//! state machine, no interval arithmetic, no code shared with `ledger-replay` (of which only the
//! event type is used). May not: be fast. Where the rules leave a choice, the reading is here:
//!
//! - a lifetime that ran out before a confirmation no longer counts; one that has not stays unless
//!   the confirmation gives another;
//! - reopening ends the mark of a sweep and the closure in effect, not the lifetime, not a
//!   rejection, not a tombstone;
//! - approval makes a memory `approved`, never less;
//! - of several contests of a memory the newest open one is named; the mark stays while one is open;
//! - a restriction stands until the hold (or the objection without a hold) behind it is lifted;
//! - feedback is recorded for the reader: its effects are events of their own;
//! - of several words the gravest is used: erased, forgotten, pending, closed, restricted, expired,
//!   contested, pushed down.

pub mod answers;
mod erasure;
mod ledger;
mod scope;
mod story;

use ledger_format::{Micros, Seq};
use ledger_replay::Sequenced;

pub use erasure::Told;
pub use ledger::{AliasTold, TaskTold};
pub use story::{Deed, What, inside};

/// All events of a ledger.
#[derive(Clone, Debug)]
pub struct Oracle {
    events: Vec<Sequenced>,
}

/// What was known at some point: some of the events, in the order of the log.
#[derive(Clone, Debug)]
pub struct Moment<'a> {
    events: Vec<&'a Sequenced>,
}

impl Oracle {
    #[must_use]
    pub const fn new(events: Vec<Sequenced>) -> Self {
        Self { events }
    }

    /// What was known once record `seq` was there.
    #[must_use]
    pub fn at(&self, seq: Seq) -> Moment<'_> {
        self.of(|event| event.seq() <= seq)
    }

    /// What was known at an instant: everything up to the last record of that time or before.
    #[must_use]
    pub fn known(&self, at: Micros) -> Moment<'_> {
        let last = self.events.iter().rfind(|event| event.header.recorded_at <= at);
        self.of(|event| last.is_some_and(|last| event.seq() <= last.seq()))
    }

    /// What foreign systems say they knew at an instant, and this ledger where nobody says.
    #[must_use]
    pub fn claimed(&self, at: Micros) -> Moment<'_> {
        self.of(|event| event.claimed_at.unwrap_or(event.header.recorded_at) <= at)
    }

    /// What is known now.
    #[must_use]
    pub fn head(&self) -> Moment<'_> {
        self.of(|_| true)
    }

    fn of(&self, known: impl Fn(&Sequenced) -> bool) -> Moment<'_> {
        Moment { events: self.events.iter().filter(|event| known(event)).collect() }
    }
}

impl<'a> Moment<'a> {
    /// The events that are known.
    #[must_use]
    pub fn events(&self) -> &[&'a Sequenced] {
        &self.events
    }
}
