//! Owns looking at the past through the views: every look is a seek.

use ledger_format::{AliasId, AliasKind, MemoryId, Seq};
use ledger_replay::{Alias, Birth, Lifecycle};
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

    fn children(&self, parent: AliasId, kind: AliasKind) -> Result<Vec<(AliasId, Alias)>> {
        AliasSource::children(self.views, parent, kind)
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

    fn with_prefix(&self, prefix: &str) -> Result<Vec<MemoryId>> {
        let Some(first) = super::first_with_prefix(prefix) else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (id, born) in self.views.ids_from(first, super::PREFIX_MATCHES)? {
            if super::has_prefix(&id, prefix) && Some(born) <= self.seq {
                found.push(id);
            }
        }
        Ok(found)
    }
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
