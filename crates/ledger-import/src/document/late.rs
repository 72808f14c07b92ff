//! Owns what has to be recorded for a revision that is claimed to have been known before others
//! that are recorded already.
//!
//! What is recorded now comes after theirs and so outdoes them at every claim from its own on. Each
//! later claim at which that would be wrong is put right. Invariant: the result is compared with what
//! the ledger holds, so that a run that was interrupted is completed and nothing is recorded twice.

use std::collections::BTreeMap;

use memledger::format::{MemoryId, Micros};
use memledger::{Interval, Result};

use super::port::Book;
use super::spans::{minus, plus, within};
use super::texts::Texts;
use super::timeline::{Row, TextNo, Timeline, View};

/// A memory begins or ceases to hold in a span of valid time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) claim: Micros,
    pub(crate) span: Interval,
    /// The memory; none: the one that the revision itself writes.
    pub(crate) memory: Option<MemoryId>,
    /// Whether it holds from now on, or no more.
    pub(crate) holds: bool,
}

/// A memory, or none for the one to be written.
type Who = Option<MemoryId>;

/// A late revision among the others.
pub(crate) struct Late<'a> {
    pub(crate) book: &'a dyn Book,
    pub(crate) timeline: &'a Timeline,
    pub(crate) texts: &'a Texts,
    pub(crate) row: &'a Row,
    /// Whether an earlier run began to record it.
    pub(crate) begun: bool,
}

impl Late<'_> {
    /// What is missing. Where no memory can hold the text at the claim of the revision, the first
    /// change writes one.
    pub(crate) fn changes(&self, views: &[View]) -> Result<Vec<Change>> {
        let Some(own) = views.first() else { return Ok(Vec::new()) };
        let window = Interval { from: self.row.author, until: own.end };
        let memories = self.texts.memories();
        let mut changes: Vec<Change> = Vec::new();
        for view in views {
            // As long as nothing is recorded for it, only what reaches into its span matters.
            if changes.is_empty() && !view.disturbed && !self.begun {
                continue;
            }
            let validity = self.book.validity(view.claim, &memories)?;
            let mut found: BTreeMap<Who, Vec<Interval>> =
                memories.iter().map(|id| Some(*id)).zip(validity).collect();
            found.values_mut().for_each(|spans| *spans = within(spans, window));
            found.insert(None, Vec::new());
            self.step(view, window, &found, &mut changes);
        }
        // A text must be written before anything can be said about it.
        changes.sort_by_key(|change| (change.claim, change.memory.is_some()));
        Ok(changes)
    }

    /// Adds what is missing at one claim, where the memories hold what was `found`.
    fn step(
        &self,
        view: &View,
        window: Interval,
        found: &BTreeMap<Who, Vec<Interval>>,
        changes: &mut Vec<Change>,
    ) {
        let now: BTreeMap<Who, Vec<Interval>> =
            found.iter().map(|(who, spans)| (*who, after(spans, *who, changes))).collect();
        let shown = Interval { from: self.row.author, until: view.end };
        let own = self.own();
        // What one of its memories holds already stays there; the first one takes the rest.
        let held = own.iter().filter_map(|who| now.get(who));
        let held = held.fold(Vec::new(), |held, spans| plus(&held, spans));
        let mut left = span(shown);
        for who in own.iter().chain(now.keys().filter(|who| !own.contains(who))) {
            let (Some(found), Some(now)) = (found.get(who), now.get(who)) else { continue };
            let mut wanted = minus(&self.beside(*who, found, view, window), &[shown]);
            if own.contains(who) {
                let rest =
                    if own.first() == Some(who) { minus(&[shown], &held) } else { Vec::new() };
                let part = minus(&plus(&within(now, shown), &rest), &minus(&[shown], &left));
                left = minus(&left, &part);
                wanted = plus(&wanted, &part);
            }
            let change =
                |holds| move |span| Change { claim: view.claim, span, memory: *who, holds };
            changes.extend(minus(now, &wanted).into_iter().map(change(false)));
            changes.extend(minus(&wanted, now).into_iter().map(change(true)));
        }
    }

    /// The memories that may hold the text of the revision, the one that takes it first.
    fn own(&self) -> Vec<Who> {
        let Some(text) = self.row.text else { return Vec::new() };
        let new = self.texts.memory(text, self.row.claim).is_none().then_some(None);
        new.into_iter().chain(self.texts.memories_of(text).map(Some)).collect()
    }

    /// What a memory holds where the revision does not show: what the ledger has, but after an
    /// interrupted run what the other revisions say.
    fn beside(
        &self,
        memory: Option<MemoryId>,
        found: &[Interval],
        view: &View,
        window: Interval,
    ) -> Vec<Interval> {
        if !self.begun {
            return found.to_vec();
        }
        let starts =
            self.timeline.boundaries().filter(|at| window.from < *at && *at < window.until);
        let mut starts: Vec<Micros> = std::iter::once(window.from).chain(starts).collect();
        starts.dedup();
        let ends: Vec<Micros> = starts.iter().skip(1).copied().chain([window.until]).collect();
        let mut said = Vec::new();
        for (from, until) in starts.into_iter().zip(ends) {
            let text: Option<TextNo> = self.timeline.at(view.claim, from);
            let holder = text.and_then(|text| self.texts.memory(text, view.claim));
            if memory.is_some() && holder == memory {
                said = plus(&said, &[Interval { from, until }]);
            }
        }
        said
    }
}

/// What a memory holds after these changes.
fn after(found: &[Interval], who: Who, changes: &[Change]) -> Vec<Interval> {
    let own = changes.iter().filter(|change| change.memory == who);
    own.fold(found.to_vec(), |now, change| match change.holds {
        true => plus(&now, &[change.span]),
        false => minus(&now, &[change.span]),
    })
}

fn span(interval: Interval) -> Vec<Interval> {
    if interval.is_empty() { Vec::new() } else { vec![interval] }
}
