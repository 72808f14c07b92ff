//! Owns the bounded cache of decoded key pages.
//!
//! Invariant: a page read before a change is never put in after it. Pages hold masked keys only,
//! but a masked key that was erased must not live on here.

use std::collections::VecDeque;
use std::sync::Arc;

use ledger_format::key_page::KeyPage;

/// Most pages kept: about 1 MiB.
const MOST: usize = 256;

/// Pages in the order in which they were read; the oldest goes first.
#[derive(Debug, Default)]
pub(super) struct Cache {
    pages: VecDeque<(u64, Arc<KeyPage>)>,
    changes: u64,
}

/// The state of the files on which a read is based.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Basis(u64);

impl Cache {
    pub(super) fn get(&self, number: u64) -> Option<Arc<KeyPage>> {
        let found = self.pages.iter().find(|(at, _)| *at == number);
        found.map(|(_, page)| Arc::clone(page))
    }

    /// To be taken before reading what will be [`Cache::put`].
    pub(super) const fn basis(&self) -> Basis {
        Basis(self.changes)
    }

    pub(super) fn put(&mut self, basis: Basis, number: u64, page: &Arc<KeyPage>) {
        if basis != self.basis() || self.get(number).is_some() {
            return;
        }
        if self.pages.len() >= MOST {
            self.pages.pop_front();
        }
        self.pages.push_back((number, Arc::clone(page)));
    }

    /// The numbers ascend.
    pub(super) fn forget(&mut self, numbers: &[u64]) {
        self.changes += 1;
        self.pages.retain(|(at, _)| numbers.binary_search(at).is_err());
    }
}
