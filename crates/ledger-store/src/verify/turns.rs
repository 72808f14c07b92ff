//! Owns the order in which groups that were hashed at once are put together.
//!
//! Invariants: groups are merged in the order of their numbers, by one thread at a time, which is
//! whichever has one to hand in; so many wait at most. The group whose turn it is never waits, so
//! nobody waits for ever.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::group::Group;
use super::segments::{Merge, Told};

/// Where threads hand in their groups.
pub(super) struct Turns<'a, 'w> {
    state: Mutex<State<'a, 'w>>,
    moved: Condvar,
    most: usize,
}

struct State<'a, 'w> {
    next: usize,
    waiting: BTreeMap<usize, Group>,
    /// Not here while a thread merges.
    merge: Option<Merge<'a, 'w>>,
}

impl<'a, 'w> Turns<'a, 'w> {
    /// So many groups may wait for those before them.
    pub(super) const fn new(merge: Merge<'a, 'w>, most: usize) -> Self {
        let state = State { next: 0, waiting: BTreeMap::new(), merge: Some(merge) };
        Self { state: Mutex::new(state), moved: Condvar::new(), most }
    }

    /// Hands in a group. Merges what can be merged, unless another thread does. Gives the buffers
    /// of what was merged.
    pub(super) fn pass(&self, number: usize, group: Group, tell: &dyn Fn(Told)) -> Vec<Vec<u8>> {
        let mut buffers = Vec::new();
        let mut state = self.lock();
        while state.waiting.len() >= self.most && number != state.next {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.insert(number, group);
        let Some(mut merge) = state.merge.take() else {
            return buffers;
        };
        loop {
            let next = state.next;
            let Some(group) = state.waiting.remove(&next) else {
                break;
            };
            drop(state);
            buffers.push(merge.group(group, tell));
            state = self.lock();
            state.next += 1;
            self.moved.notify_all();
        }
        state.merge = Some(merge);
        buffers
    }

    /// The merge, when all threads are done.
    pub(super) fn into_merge(self) -> Option<Merge<'a, 'w>> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).merge
    }

    fn lock(&self) -> MutexGuard<'_, State<'a, 'w>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
