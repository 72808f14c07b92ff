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

/// Which spans each memory holds in; none: the one to be written.
type Holding = BTreeMap<Option<MemoryId>, Vec<Interval>>;

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
    /// What is missing. Where the text is new, the first change writes it.
    pub(crate) fn changes(&self, views: &[View]) -> Result<Vec<Change>> {
        let Some(own) = views.first() else { return Ok(Vec::new()) };
        let window = Interval { from: self.row.author, until: own.end };
        let memories = self.texts.memories();
        let text = self.row.text.map(|text| self.texts.memory(text));
        let mut changes: Vec<Change> = Vec::new();
        for view in views {
            // As long as nothing is recorded for it, only what reaches into its span matters.
            if changes.is_empty() && !view.disturbed && !self.begun {
                continue;
            }
            let validity = self.book.validity(view.claim, &memories)?;
            let found: Holding = memories
                .iter()
                .zip(validity)
                .map(|(id, validity)| (Some(*id), within(&validity, window)))
                .chain(text.is_some_and(|text| text.is_none()).then(|| (None, Vec::new())))
                .collect();
            let shown = Interval { from: self.row.author, until: view.end };
            for (memory, found) in &found {
                let now = changes.iter().filter(|change| change.memory == *memory);
                let now = now.fold(found.clone(), |now, change| match change.holds {
                    true => plus(&now, &[change.span]),
                    false => minus(&now, &[change.span]),
                });
                let beside = self.beside(*memory, found, view, window);
                let wanted = match text {
                    Some(text) if text == *memory => plus(&minus(&beside, &[shown]), &span(shown)),
                    _ => minus(&beside, &[shown]),
                };
                let change =
                    |holds| move |span| Change { claim: view.claim, span, memory: *memory, holds };
                changes.extend(minus(&now, &wanted).into_iter().map(change(false)));
                changes.extend(minus(&wanted, &now).into_iter().map(change(true)));
            }
        }
        // A text must be written before anything can be said about it.
        changes.sort_by_key(|change| (change.claim, change.memory.is_some()));
        Ok(changes)
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
            if text.is_some_and(|text| self.texts.memory(text) == memory) && memory.is_some() {
                said = plus(&said, &[Interval { from, until }]);
            }
        }
        said
    }
}

fn span(interval: Interval) -> Vec<Interval> {
    if interval.is_empty() { Vec::new() } else { vec![interval] }
}
