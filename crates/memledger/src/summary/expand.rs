//! Owns the way from a summary down to the raw memories that it was made from.

use std::collections::HashSet;

use ledger_format::{BodyType, MemoryId};

use crate::answer::Item;
use crate::error::{Error, ErrorKind, Result};
use crate::read::Snapshot;

/// Most memories of one answer.
const MOST: usize = 10_000;

/// What a memory was made from, down to the raw archive.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// Where it began.
    pub item: Item,
    /// What lies at the bottom, in the order in which it was recorded.
    pub leaves: Vec<Leaf>,
    /// Whether there is more than one answer holds.
    pub cut: bool,
}

/// One memory that nothing else was made for.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// The memory.
    pub item: Item,
    /// How many steps lie between.
    pub depth: u32,
    /// Whether it is a raw message; anything else is the lowest that is known.
    pub raw: bool,
}

impl Snapshot<'_> {
    /// Walks from a memory to the memories that it was made from, at this basis: through summaries and
    /// everything else, down to what names no sources. Each comes once.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when the memory was not known; otherwise when a record or payload it needs
    /// cannot be read.
    pub fn expand(&self, id: &MemoryId) -> Result<Expanded> {
        let item = self.get(id)?.ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("there is no memory {}", id.hyphenated()))
        })?;
        let mut seen = HashSet::from([*id]);
        let mut level: Vec<MemoryId> = item.derived_from.clone();
        let (mut leaves, mut cut, mut depth) = (Vec::new(), false, 0);
        while !level.is_empty() && !cut {
            depth += 1;
            let mut next = Vec::new();
            for id in level {
                if !seen.insert(id) {
                    continue;
                }
                let Some(item) = self.get(&id)? else { continue };
                cut = seen.len() > MOST;
                let raw = item.body_type == BodyType::Message;
                if raw || item.derived_from.is_empty() {
                    leaves.push(Leaf { item, depth, raw });
                } else {
                    next.extend(&item.derived_from);
                }
                if cut {
                    break;
                }
            }
            level = next;
        }
        leaves.sort_by_key(|leaf: &Leaf| leaf.item.seq);
        Ok(Expanded { item, leaves, cut })
    }
}
