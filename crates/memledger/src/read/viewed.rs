//! Owns looking at the past through the views: every look is a seek.

use ledger_format::{AliasId, AliasKind, MemoryId, Seq};
use ledger_replay::{Alias, Birth, Lifecycle, Task};
use ledger_views::{Group, Views};

use crate::error::Result;
use crate::names::AliasSource;
use crate::read::past::{Members, Past};

/// The views at one record.
pub(crate) struct Viewed<'a> {
    pub(crate) views: &'a Views,
    /// The last record that counts; none: nothing had been recorded.
    pub(crate) seq: Option<Seq>,
}

impl AliasSource for Viewed<'_> {
    fn alias(&self, id: AliasId) -> Result<Option<Alias>> {
        AliasSource::alias(self.views, id)
    }

    fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
    ) -> Result<Vec<(AliasId, Alias)>> {
        AliasSource::children(self.views, parent, kind, from)
    }
}

impl Past for Viewed<'_> {
    fn birth(&self, id: &MemoryId) -> Result<Option<Birth>> {
        match self.views.birth(*id)? {
            Some(born) => self.birth_at(born),
            None => Ok(None),
        }
    }

    fn birth_at(&self, born: Seq) -> Result<Option<Birth>> {
        Ok(self.views.birth_at(born)?.filter(|birth| Some(birth.seq) <= self.seq))
    }

    fn version(&self, born: Seq) -> Result<Option<Lifecycle>> {
        match self.seq {
            Some(seq) => Ok(self.views.version_at(born, seq)?),
            None => Ok(None),
        }
    }

    fn versions(&self, born: Seq) -> Result<Vec<Lifecycle>> {
        let mut versions = self.views.versions(born)?;
        versions.retain(|version| Some(version.since) <= self.seq);
        Ok(versions)
    }

    fn erased(&self, born: Seq) -> Result<Option<Seq>> {
        let Some(applied) = self.views.applied() else { return Ok(None) };
        let newest = self.views.version_at(born, applied.seq)?;
        Ok(newest.and_then(|version| version.erased))
    }

    fn members(&self, members: Members, live_only: bool) -> Result<Vec<Seq>> {
        let Some(seq) = self.seq else { return Ok(Vec::new()) };
        let group = group(members);
        if live_only && group.has_live_set() {
            return Ok(self.views.live_at(group, seq)?);
        }
        let all = self.views.all_until(group, Seq(0), seq)?;
        Ok(all.collect::<std::result::Result<Vec<_>, _>>()?)
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<Seq>> {
        match self.seq {
            Some(seq) => Ok(self.views.derived_from_this(*id, seq)?),
            None => Ok(Vec::new()),
        }
    }

    fn task(&self, task: AliasId) -> Result<Option<Task>> {
        match self.seq {
            Some(seq) => Ok(self.views.task_at(task, seq)?),
            None => Ok(None),
        }
    }

    fn with_prefix(&self, prefix: &str) -> Result<Vec<MemoryId>> {
        self.with_prefix_where(prefix, |_| Ok(true))
    }
}

impl Viewed<'_> {
    /// Memories whose id begins with `prefix`, that were known and of which `counts` says so. Ids of
    /// memories that came later may lie between them, so this goes on until enough are found.
    pub(super) fn with_prefix_where(
        &self,
        prefix: &str,
        counts: impl Fn(&MemoryId) -> Result<bool>,
    ) -> Result<Vec<MemoryId>> {
        let mut from = super::first_with_prefix(prefix);
        let mut found = Vec::new();
        while let Some(first) = from {
            let page = self.views.ids_from(first, super::PREFIX_MATCHES)?;
            from = page
                .last()
                .filter(|_| page.len() == super::PREFIX_MATCHES)
                .and_then(|(id, _)| next(id));
            for (id, born) in page {
                if !super::has_prefix(&id, prefix) || found.len() == super::PREFIX_MATCHES {
                    return Ok(found);
                }
                if Some(born) <= self.seq && counts(&id)? {
                    found.push(id);
                }
            }
        }
        Ok(found)
    }
}

/// The id that follows in order.
fn next(id: &MemoryId) -> Option<MemoryId> {
    u128::from_be_bytes(id.0).checked_add(1).map(|next| MemoryId(next.to_be_bytes()))
}

const fn group(members: Members) -> Group {
    match members {
        Members::Scope(alias) => Group::Scope(alias),
        Members::Key(alias) => Group::Key(alias),
        Members::Person(alias) => Group::Person(alias),
        Members::FactSubject(alias) => Group::Subject(alias),
        Members::Predicate(alias) => Group::Predicate(alias),
        Members::Tag(alias) => Group::Tag(alias),
        Members::Domain(alias) => Group::Domain(alias),
    }
}
