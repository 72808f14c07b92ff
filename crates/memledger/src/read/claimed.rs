//! Owns looking at the past on the claimed axis through the views: the views say which records
//! touched a memory, and those that were known by the claimed time are replayed for it alone.
//!
//! Claimed times need not follow the order of the log, so a stored version cannot answer here.

use ledger_format::{AliasId, AliasKind, MemoryId, Micros, Seq};
use ledger_replay::{Alias, Birth, Change, Lifecycle, State, Task, apply};

use crate::error::Result;
use crate::names::AliasSource;
use crate::read::past::{Members, Past};
use crate::read::viewed::Viewed;
use crate::vault::Vault;

/// The views by claimed time.
pub(crate) struct Claimed<'a> {
    pub(crate) viewed: Viewed<'a>,
    pub(crate) vault: &'a Vault,
    pub(crate) by: Micros,
}

impl AliasSource for Claimed<'_> {
    fn alias(&self, id: AliasId) -> Result<Option<Alias>> {
        self.viewed.alias(id)
    }

    fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
    ) -> Result<Vec<(AliasId, Alias)>> {
        self.viewed.children(parent, kind, from)
    }
}

impl Past for Claimed<'_> {
    fn birth(&self, id: &MemoryId) -> Result<Option<Birth>> {
        Ok(self.viewed.birth(id)?.filter(|birth| self.counts(birth)))
    }

    fn birth_at(&self, born: Seq) -> Result<Option<Birth>> {
        Ok(self.viewed.birth_at(born)?.filter(|birth| self.counts(birth)))
    }

    fn version(&self, born: Seq) -> Result<Option<Lifecycle>> {
        Ok(self.versions(born)?.pop())
    }

    fn versions(&self, born: Seq) -> Result<Vec<Lifecycle>> {
        let mut state = State::default();
        let mut versions = Vec::new();
        for touched in self.viewed.versions(born)? {
            let event = self.vault.load(touched.since)?.event;
            if event.claimed_or_recorded() > self.by {
                // Nothing said about a memory counts before the memory itself does.
                if touched.since == born {
                    break;
                }
                continue;
            }
            for change in apply(&mut state, &event).list {
                if let Change::Version { born: of, lifecycle, .. } = change
                    && of == born
                {
                    versions.push(lifecycle);
                }
            }
        }
        Ok(versions)
    }

    fn erased(&self, born: Seq) -> Result<Option<Seq>> {
        self.viewed.erased(born)
    }

    /// Live sets follow the recorded axis, so every member is looked at.
    fn members(&self, members: Members, _live_only: bool) -> Result<Vec<Seq>> {
        self.viewed.members(members, false)
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<Seq>> {
        self.viewed.derived(id)
    }

    /// Nobody claims to have known of a task: tasks are the ledger's own.
    fn task(&self, task: AliasId) -> Result<Option<Task>> {
        let recorded = |seq: Seq| {
            Ok::<_, crate::Error>(self.vault.load(seq)?.event.claimed_or_recorded() <= self.by)
        };
        let Some(mut task) = self.viewed.task(task)? else { return Ok(None) };
        if !recorded(task.started)? {
            return Ok(None);
        }
        if let Some(seq) = task.ended
            && !recorded(seq)?
        {
            task.ended = None;
        }
        Ok(Some(task))
    }

    fn with_prefix(&self, prefix: &str) -> Result<Vec<MemoryId>> {
        self.viewed.with_prefix_where(prefix, |id| Ok(self.birth(id)?.is_some()))
    }
}

impl Claimed<'_> {
    fn counts(&self, birth: &Birth) -> bool {
        birth.claimed_at.unwrap_or(birth.recorded_at) <= self.by
    }
}
