//! Owns what an earlier run left: the timeline of a document, rebuilt from its source and its
//! ledger.
//!
//! Invariant: where both agree, the timeline is that of the revisions recorded. Where the ledger
//! differs (a person closed a text, the source lost revisions), the ledger stands. Revisions that said
//! nothing new left no record, so they are looked at again, and say nothing new again: where the ledger
//! differs that is judged by the source alone, because a revision that only repeats what its source
//! said before is no reason to undo what a person did. The first one that says something else counts.

use std::collections::{BTreeMap, BTreeSet};

use memledger::Result;
use memledger::format::{Micros, Seq};

use super::port::{Bodies, Body, Book, Held, Revision};
use super::texts::Texts;
use super::timeline::{Row, TextNo, Timeline};
use super::{Slot, keys, text_digest};

/// What earlier runs did with a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Past {
    /// Nothing that left a trace.
    Unknown,
    /// It is recorded.
    Recorded,
}

/// Where a run begins.
#[derive(Debug, Default)]
pub(crate) struct Start {
    pub(crate) timeline: Timeline,
    /// The revisions recorded, without what the ledger says otherwise.
    pub(crate) source: Timeline,
    pub(crate) texts: Texts,
    /// For each revision: what became of it.
    pub(crate) past: Vec<Past>,
    /// Places where the ledger differs from the source.
    pub(crate) differences: usize,
}

/// Reads where the last run ended.
pub(crate) fn start(
    book: &dyn Book,
    slot: &Slot,
    revisions: &[Revision],
    bodies: &mut dyn Bodies,
) -> Result<Start> {
    let mut start = Start::default();
    let held = book.memories()?;
    let texts: Vec<TextNo> = held.iter().map(|memory| start.texts.hold(memory)).collect();
    let born: BTreeMap<Seq, TextNo> =
        held.iter().map(|memory| memory.seq).zip(texts.iter().copied()).collect();
    let mut interrupted = false;
    for (index, revision) in revisions.iter().enumerate() {
        let keys = keys(slot, revision);
        match book.known(&keys.whole)? {
            Some(seq) => {
                start.past.push(Past::Recorded);
                start.recall(revision, &bodies.body(index)?, born.get(&seq).copied());
            }
            None => {
                start.past.push(Past::Unknown);
                interrupted = interrupted || book.known(&keys.begun)?.is_some();
            }
        }
    }
    // Half a revision makes the ledger differ in ways that its completion puts right.
    if !interrupted && !held.is_empty() {
        start.differ(&held, &texts, revisions);
    }
    Ok(start)
}

impl Start {
    /// Counts a revision that is recorded.
    fn recall(&mut self, revision: &Revision, body: &Body, born: Option<TextNo>) {
        let text = match text_digest(body) {
            None => return,
            Some(None) => None,
            Some(Some(digest)) => {
                // Words that are gone cannot be compared, but the record that wrote them is known.
                if let Some(number) = born {
                    self.texts.recognise(digest, number);
                }
                Some(self.texts.number(digest)).filter(|number| !self.texts.is_gone(*number))
            }
        };
        let Revision { author, claim, order, .. } = *revision;
        self.timeline.count(Row { author, claim, order, text });
        self.source.count(Row { author, claim, order, text });
    }

    /// Makes the timeline say what the ledger says where the two differ.
    fn differ(&mut self, held: &[Held], texts: &[TextNo], revisions: &[Revision]) {
        let standing: Vec<(&Held, TextNo)> =
            held.iter().zip(texts.iter().copied()).filter(|(memory, _)| !memory.gone).collect();
        let mut edges: BTreeSet<Micros> = self.timeline.boundaries().collect();
        for interval in standing.iter().flat_map(|(memory, _)| &memory.validity) {
            edges.extend([interval.from, interval.until]);
        }
        edges.remove(&Micros::MAX);
        // Where a revision without a record begins, later ones may have taken it into account.
        for (revision, past) in revisions.iter().zip(&self.past) {
            if *past == Past::Unknown {
                edges.remove(&revision.author);
            }
        }
        let latest = self.timeline.latest_claim().unwrap_or(Micros::MIN);
        for edge in edges {
            let holder = standing
                .iter()
                .rev()
                .find(|(memory, _)| memory.validity.iter().any(|span| span.contains(edge)));
            let text = holder.map(|(_, text)| *text);
            if self.timeline.at(Micros::MAX, edge) != text {
                let claim = holder.map_or(latest, |(memory, _)| memory.claim);
                self.timeline.count(Row { author: edge, claim, order: u64::MAX, text });
                self.differences += 1;
            }
        }
    }
}
