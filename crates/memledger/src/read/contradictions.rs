//! Owns what stands beside a memory because a failure contradicts it, in both directions.
//!
//! A failure carries a tag for each memory, and for the version of a skill, that it contradicts
//! (`body/links.rs`), so both ways are looks at the members of one label, at any basis. Cost: for a
//! ledger without such a failure, one look for each answer; else one more for each item.

use ledger_format::{AliasId, AliasKind, BodyType, MemoryId, limits};
use ledger_replay::Birth;

use crate::answer::Item;
use crate::body::tag_of_any_contradiction;
use crate::body::{contradicted, contradiction_tag, skill_contradicted, skill_contradiction_tag};
use crate::error::Result;
use crate::names::AliasSource;
use crate::read::assemble::Assembler;
use crate::read::past::Members;

impl Assembler<'_> {
    /// Fills in what contradicts an item, or what it contradicts.
    pub(super) fn contradictions(&self, item: &mut Item, birth: &Birth) -> Result<()> {
        if item.body_type == BodyType::Failure {
            item.contradicts = contradicted(&item.tags);
            if let Some(key) = skill_contradicted(&item.tags) {
                item.contradicts.extend(self.skill(birth.scope, key)?);
            }
            return Ok(());
        }
        if !self.any_contradiction()? {
            return Ok(());
        }
        item.contradicted_by = self.failures(&contradiction_tag(&item.id), None)?;
        if let (BodyType::Skill, Some(key)) = (item.body_type, &item.key) {
            let tag = skill_contradiction_tag(key);
            item.contradicted_by.extend(self.failures(&tag, Some(birth.scope))?);
        }
        item.contradicted_by.sort_unstable();
        item.contradicted_by.dedup();
        Ok(())
    }

    /// Whether a failure contradicts anything at all. Asking it fills the book of names with the tags.
    fn any_contradiction(&self) -> Result<bool> {
        if let Some(known) = self.contradictions.get() {
            return Ok(*known);
        }
        let named = |name: &str| {
            self.names.alias(self.vault, self.past, AliasKind::Tag, AliasId::ZERO, name)
        };
        let found = named(tag_of_any_contradiction())?.is_some();
        if found {
            // A name that was never bound is looked for in all of them.
            named("")?;
        }
        Ok(*self.contradictions.get_or_init(|| found))
    }

    /// Failures in force with a tag; with a scope, those in it or below.
    fn failures(&self, tag: &str, within: Option<AliasId>) -> Result<Vec<MemoryId>> {
        let tag = self.names.among(self.past, AliasKind::Tag, AliasId::ZERO, tag)?;
        let Some(tag) = tag else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for born in self.past.members(Members::Tag(tag), false)? {
            let stands =
                self.past.version(born)?.is_some_and(|life| life.status(self.at).in_force());
            let Some(birth) = self.past.birth_at(born)?.filter(|_| stands) else { continue };
            let lies = match within {
                Some(scope) => self.upward(birth.scope)?.contains(&scope),
                None => true,
            };
            if birth.body == BodyType::Failure && lies {
                found.push(birth.id);
            }
        }
        Ok(found)
    }

    /// The versions of a skill under this key, in a scope or above it.
    fn skill(&self, scope: AliasId, key: &str) -> Result<Vec<MemoryId>> {
        let mut found = Vec::new();
        for scope in self.upward(scope)? {
            let alias = self.names.alias(self.vault, self.past, AliasKind::Key, scope, key)?;
            let Some(alias) = alias else { continue };
            for born in self.past.members(Members::Key(alias), false)? {
                let birth = self.past.birth_at(born)?;
                found.extend(birth.filter(|birth| birth.body == BodyType::Skill).map(|one| one.id));
            }
        }
        Ok(found)
    }

    /// A scope and those above it, up to the ledger itself.
    fn upward(&self, scope: AliasId) -> Result<Vec<AliasId>> {
        let (mut way, mut at) = (Vec::new(), scope);
        while !at.is_zero() && way.len() <= limits::SCOPE_DEPTH {
            way.push(at);
            at = AliasSource::alias(self.past, at)?
                .and_then(|alias| alias.parent)
                .unwrap_or(AliasId::ZERO);
        }
        way.push(AliasId::ZERO);
        Ok(way)
    }
}
