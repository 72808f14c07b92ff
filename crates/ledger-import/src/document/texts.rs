//! Owns the distinct texts of one document: a number for each, and the memories that hold it.
//!
//! Nearly always that is one memory. A second one is written only for a revision that is claimed to
//! have been known before the first: at that claim the first is not there yet. Invariant: one number for
//! equal bytes. Texts are compared by digest, so that a long history does not have to fit into memory.

use std::collections::HashMap;

use memledger::format::{MemoryId, Micros};

use super::port::Held;
use super::timeline::TextNo;

/// The texts seen so far.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    numbers: HashMap<[u8; 32], TextNo>,
    homes: Vec<Home>,
}

/// Where a text is.
#[derive(Debug, Default)]
struct Home {
    /// Memories that stand, each with the claim of its birth, the earliest first.
    memories: Vec<(Micros, MemoryId)>,
    /// Whether a memory of it was forgotten or erased.
    gone: bool,
}

impl Texts {
    /// The number of a text, a new one where it was never seen.
    pub(crate) fn number(&mut self, digest: [u8; 32]) -> TextNo {
        if let Some(known) = self.numbers.get(&digest) {
            return *known;
        }
        let number = self.unread();
        self.numbers.insert(digest, number);
        number
    }

    /// Takes a memory in.
    pub(crate) fn hold(&mut self, held: &Held) -> TextNo {
        let number = match held.text {
            Some(digest) => self.number(digest),
            None => self.unread(),
        };
        match (held.gone, self.homes.get_mut(number.0)) {
            (true, Some(home)) => home.gone = true,
            (false, _) => self.settle(number, held.claim, held.id),
            (true, None) => {}
        }
        number
    }

    /// Says that the text behind `digest` is this one, where nothing better is known.
    pub(crate) fn recognise(&mut self, digest: [u8; 32], number: TextNo) {
        self.numbers.entry(digest).or_insert(number);
    }

    /// Notes a memory of a text.
    pub(crate) fn settle(&mut self, number: TextNo, born: Micros, id: MemoryId) {
        if let Some(home) = self.homes.get_mut(number.0) {
            home.memories.push((born, id));
            home.memories.sort_unstable();
        }
    }

    /// All memories that stand.
    pub(crate) fn memories(&self) -> Vec<MemoryId> {
        self.homes.iter().flat_map(|home| &home.memories).map(|(_, id)| *id).collect()
    }

    /// The memory that can hold a text as known at `claim`.
    pub(crate) fn memory(&self, number: TextNo, claim: Micros) -> Option<MemoryId> {
        let first = self.homes.get(number.0)?.memories.first();
        first.filter(|(born, _)| *born <= claim).map(|(_, id)| *id)
    }

    /// The memories of a text, the one that is claimed to be the oldest first.
    pub(crate) fn memories_of(&self, number: TextNo) -> impl Iterator<Item = MemoryId> {
        self.homes.get(number.0).into_iter().flat_map(|home| &home.memories).map(|(_, id)| *id)
    }

    /// Whether more than one memory may hold a text.
    pub(crate) fn is_split(&self, number: TextNo) -> bool {
        self.homes.get(number.0).is_some_and(|home| home.memories.len() > 1)
    }

    /// Whether a text was forgotten or erased and must not come back.
    pub(crate) fn is_gone(&self, number: TextNo) -> bool {
        self.homes.get(number.0).is_some_and(|home| home.gone && home.memories.is_empty())
    }

    /// A number for a text that cannot be read.
    fn unread(&mut self) -> TextNo {
        self.homes.push(Home::default());
        TextNo(self.homes.len() - 1)
    }
}
