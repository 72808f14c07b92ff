//! A book of a few lines: events in the order they came, folded anew for every question.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use memledger::format::{MemoryId, Micros, Seq};
use memledger::{Command, Content, Error, Interval, Result};

use super::super::port::{Book, Held, Recorded};
use crate::encoding::digest;

/// The last instant of the small world; the first is -1.
pub(super) const LAST: i64 = 10;

struct Event {
    seq: u64,
    claim: i64,
    memory: usize,
    holds: bool,
    span: (i64, i64),
}

#[derive(Default)]
pub(super) struct FakeBook {
    events: RefCell<Vec<Event>>,
    /// Text and birth record of each memory.
    texts: RefCell<Vec<(String, Seq)>>,
    keys: RefCell<BTreeMap<String, Seq>>,
    seq: Cell<u64>,
    left: Cell<Option<u64>>,
}

impl FakeBook {
    pub(super) fn records(&self) -> u64 {
        self.seq.get()
    }

    pub(super) fn stop_after(&self, records: u64) {
        self.left.set(Some(records));
    }

    /// What a person does: closes all that holds at `from` or later, from then on.
    pub(super) fn close_everything(&self, from: i64) {
        for memory in 0..self.texts.borrow().len() {
            if self.validity_of(memory, i64::MAX).iter().any(|at| *at >= from) {
                self.change(memory, false, Some(Micros(from)), None, LAST);
                self.seq.set(self.seq.get() + 1);
            }
        }
    }

    /// The texts in force.
    pub(super) fn in_force(&self, claim: i64, valid: i64) -> Vec<String> {
        let texts = self.texts.borrow();
        let held = |memory: &usize| self.validity_of(*memory, claim).contains(&valid);
        (0..texts.len()).filter(held).map(|memory| texts[memory].0.clone()).collect()
    }

    /// As known at a claim. A memory that was not written yet at that claim holds nowhere, whatever
    /// was said about it.
    fn validity_of(&self, memory: usize, claim: i64) -> BTreeSet<i64> {
        let mut validity = BTreeSet::new();
        let birth = self
            .events
            .borrow()
            .iter()
            .find(|event| event.memory == memory)
            .map(|event| event.claim);
        if birth.is_none_or(|birth| birth > claim) {
            return validity;
        }
        for event in self.events.borrow().iter() {
            if event.memory == memory && event.claim <= claim {
                for at in event.span.0..event.span.1 {
                    if event.holds {
                        validity.insert(at)
                    } else {
                        validity.remove(&at)
                    };
                }
            }
        }
        validity
    }

    fn change(
        &self,
        memory: usize,
        holds: bool,
        from: Option<Micros>,
        until: Option<Micros>,
        claim: i64,
    ) {
        let span = (from.map_or(-1, |at| at.0), until.map_or(LAST + 1, |at| at.0));
        assert!(span.0 < span.1, "an interval ends after it begins");
        let seq = self.seq.get();
        self.events.borrow_mut().push(Event { seq, claim, memory, holds, span });
    }

    fn one(&self, command: &Command, claim: i64) -> usize {
        match command {
            Command::Write(proposal) => {
                let Content::Text(text) = &proposal.content else { panic!("documents are texts") };
                for other in &proposal.supersedes {
                    let (from, until) = (proposal.supersede_from, proposal.supersede_until);
                    self.change(number(*other), false, from, until, claim);
                }
                let memory = self.texts.borrow().len();
                self.texts.borrow_mut().push((text.clone(), Seq(self.seq.get())));
                self.change(memory, true, proposal.valid_from, proposal.valid_until, claim);
                memory
            }
            Command::Close { memory, from, until, .. } => {
                self.change(number(*memory), false, *from, *until, claim);
                number(*memory)
            }
            Command::Reopen { memory, from, until, .. } => {
                self.change(number(*memory), true, *from, *until, claim);
                number(*memory)
            }
            other => panic!("an import never does {other:?}"),
        }
    }
}

fn id(memory: usize) -> MemoryId {
    let mut bytes = [0; 16];
    bytes[15] = u8::try_from(memory).unwrap();
    MemoryId(bytes)
}

fn number(id: MemoryId) -> usize {
    usize::from(id.0[15])
}

impl Book for FakeBook {
    fn known(&self, key: &str) -> Result<Option<Seq>> {
        Ok(self.keys.borrow().get(key).copied())
    }

    fn memories(&self) -> Result<Vec<Held>> {
        let texts = self.texts.borrow();
        let held = |(memory, (text, seq)): (usize, &(String, Seq))| Held {
            id: id(memory),
            seq: *seq,
            claim: self
                .events
                .borrow()
                .iter()
                .find(|event| event.seq == seq.0)
                .map_or(Micros(0), |event| Micros(event.claim)),
            text: Some(digest(text.as_bytes())),
            gone: false,
            validity: intervals(&self.validity_of(memory, i64::MAX)),
        };
        Ok(texts.iter().enumerate().map(held).collect())
    }

    fn validity(&self, claim: Micros, memories: &[MemoryId]) -> Result<Vec<Vec<Interval>>> {
        let one = |id: &MemoryId| intervals(&self.validity_of(number(*id), claim.0));
        Ok(memories.iter().map(one).collect())
    }

    fn record(&self, commands: Vec<Command>, claim: Micros, key: Option<&str>) -> Result<Recorded> {
        if let Some(left) = self.left.get() {
            let left = left.checked_sub(1).ok_or_else(|| Error::invalid("the disk is full"))?;
            self.left.set(Some(left));
        }
        if let Some(key) = key {
            let known = self.keys.borrow_mut().insert(key.to_owned(), Seq(self.seq.get()));
            assert_eq!(known, None, "a key is used once");
        }
        let memories: Vec<usize> =
            commands.iter().map(|command| self.one(command, claim.0)).collect();
        let first = memories.first().map(|memory| id(*memory));
        self.seq.set(self.seq.get() + commands.len() as u64);
        Ok(Recorded::Taken(first))
    }
}

fn intervals(instants: &BTreeSet<i64>) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    for at in instants {
        let until = if *at == LAST { Micros::MAX } else { Micros(at + 1) };
        match intervals.last_mut() {
            Some(last) if last.until == Micros(*at) => last.until = until,
            _ => intervals.push(Interval { from: Micros(*at), until }),
        }
    }
    intervals
}
