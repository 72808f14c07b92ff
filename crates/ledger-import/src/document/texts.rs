//! Owns the distinct texts of one document: a number for each, and the memory that holds it.
//!
//! Invariant: one number for equal bytes. Texts are compared by digest, so that a long history does
//! not have to fit into memory.

use std::collections::HashMap;

use memledger::format::MemoryId;

use super::port::Held;
use super::timeline::TextNo;

/// The memory of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// None yet, or none that can be told.
    None,
    /// This one.
    Memory(MemoryId),
    /// It was forgotten or erased: the text must not come back.
    Gone,
}

/// The texts seen so far.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    numbers: HashMap<[u8; 32], TextNo>,
    homes: Vec<Home>,
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

    /// Takes a memory in. Of several with the same text the last one that stands counts.
    pub(crate) fn hold(&mut self, held: &Held) -> TextNo {
        let number = match held.text {
            Some(digest) => self.number(digest),
            None => self.unread(),
        };
        let home = if held.gone { Home::Gone } else { Home::Memory(held.id) };
        if !held.gone || self.home(number) == Home::None {
            self.settle(number, home);
        }
        number
    }

    /// Says that the text behind `digest` is this one, where nothing better is known.
    pub(crate) fn recognise(&mut self, digest: [u8; 32], number: TextNo) {
        self.numbers.entry(digest).or_insert(number);
    }

    /// All memories that stand.
    pub(crate) fn memories(&self) -> Vec<MemoryId> {
        let standing = self.homes.iter().filter_map(|home| match home {
            Home::Memory(id) => Some(*id),
            Home::None | Home::Gone => None,
        });
        standing.collect()
    }

    /// What became of a text.
    pub(crate) fn home(&self, number: TextNo) -> Home {
        self.homes.get(number.0).copied().unwrap_or(Home::None)
    }

    /// The memory of a text, where it stands.
    pub(crate) fn memory(&self, number: TextNo) -> Option<MemoryId> {
        match self.home(number) {
            Home::Memory(id) => Some(id),
            Home::None | Home::Gone => None,
        }
    }

    pub(crate) fn settle(&mut self, number: TextNo, home: Home) {
        if let Some(slot) = self.homes.get_mut(number.0) {
            *slot = home;
        }
    }

    /// A number for a text that cannot be read.
    fn unread(&mut self) -> TextNo {
        self.homes.push(Home::None);
        TextNo(self.homes.len() - 1)
    }
}
