//! Owns what a snapshot remembers once it is asked about more than one valid time: the known axis
//! stands still, so every birth and version that was read stays what it is.
//!
//! Invariant: an answer is the same with and without it. Costs memory for each memory that was looked
//! at, so it begins with the second valid time.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ledger_format::{AliasId, AliasKind, MemoryId, Seq};
use ledger_replay::{Alias, Birth, Lifecycle, Task};

use crate::error::Result;
use crate::names::AliasSource;
use crate::read::past::{Members, Past};
use crate::read::snapshot::Way;

/// A moment of the known axis that is read once.
pub(crate) struct Remembered<'a> {
    way: Box<Way<'a>>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    births: HashMap<Seq, Option<Birth>>,
    versions: HashMap<Seq, Option<Lifecycle>>,
    /// With whether only what was live was asked for.
    members: HashMap<(Members, bool), Vec<Seq>>,
}

impl<'a> Remembered<'a> {
    pub(crate) fn new(way: Way<'a>) -> Self {
        Self { way: Box::new(way), seen: Mutex::default() }
    }

    fn past(&self) -> &dyn Past {
        self.way.past()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        // Every entry is whole when it is put, so a panic elsewhere does not make one wrong.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AliasSource for Remembered<'_> {
    fn alias(&self, id: AliasId) -> Result<Option<Alias>> {
        self.past().alias(id)
    }

    fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
    ) -> Result<Vec<(AliasId, Alias)>> {
        self.past().children(parent, kind, from)
    }
}

impl Past for Remembered<'_> {
    fn birth(&self, id: &MemoryId) -> Result<Option<Birth>> {
        self.past().birth(id)
    }

    fn birth_at(&self, born: Seq) -> Result<Option<Birth>> {
        if let Some(known) = self.seen().births.get(&born) {
            return Ok(known.clone());
        }
        let birth = self.past().birth_at(born)?;
        self.seen().births.insert(born, birth.clone());
        Ok(birth)
    }

    fn version(&self, born: Seq) -> Result<Option<Lifecycle>> {
        if let Some(known) = self.seen().versions.get(&born) {
            return Ok(known.clone());
        }
        let version = self.past().version(born)?;
        self.seen().versions.insert(born, version.clone());
        Ok(version)
    }

    fn versions(&self, born: Seq) -> Result<Vec<Lifecycle>> {
        self.past().versions(born)
    }

    fn erased(&self, born: Seq) -> Result<Option<Seq>> {
        self.past().erased(born)
    }

    fn members(&self, members: Members, live_only: bool) -> Result<Vec<Seq>> {
        if let Some(known) = self.seen().members.get(&(members, live_only)) {
            return Ok(known.clone());
        }
        let found = self.past().members(members, live_only)?;
        self.seen().members.insert((members, live_only), found.clone());
        Ok(found)
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<Seq>> {
        self.past().derived(id)
    }

    fn task(&self, task: AliasId) -> Result<Option<Task>> {
        self.past().task(task)
    }

    fn with_prefix(&self, prefix: &str) -> Result<Vec<MemoryId>> {
        self.past().with_prefix(prefix)
    }
}
