//! Skills: versions by name within a scope, and how each did.
//!
//! Owns the view of a skill over its versions, the episodes that used them and the failures they led to,
//! and the way of a version into general use and out of it. Everything here is computed from memories and
//! from `skill_state` records as they stood at a basis; nothing is kept beside them. May not: judge an
//! episode by its words.

mod change;
mod phase;
mod record;

use ledger_format::names::SkillPhase;
use ledger_format::{BodyType, MemoryId};

pub use self::change::{Act, SkillChange};
pub use self::record::Score;
use crate::answer::Item;
use crate::body::{SkillName, skill_of, skill_tag};
use crate::error::Result;
use crate::filter::Filter;
use crate::read::Snapshot;
use crate::scope::Scope;

/// A skill with all its versions.
#[derive(Clone, Debug, PartialEq)]
pub struct Skill {
    /// Its name.
    pub name: String,
    /// The scope it is unique in.
    pub scope: Scope,
    /// Its versions, in the order in which they were written.
    pub versions: Vec<SkillVersion>,
    /// The version in general use: the last one promoted that stands.
    pub in_use: Option<u32>,
}

/// One version of a skill.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillVersion {
    /// Its number.
    pub version: u32,
    /// Its phase; none: written, and not tried yet by decision.
    pub phase: Option<SkillPhase>,
    /// The memory.
    pub item: Item,
    /// How it did.
    pub score: Score,
}

impl Skill {
    /// A version by its number.
    #[must_use]
    pub fn version(&self, version: u32) -> Option<&SkillVersion> {
        self.versions.iter().find(|one| one.version == version)
    }
}

impl SkillVersion {
    /// Whether it stands as it was promoted.
    fn is_in_use(&self) -> bool {
        self.phase == Some(SkillPhase::Promoted) && self.item.status.in_force()
    }
}

impl Snapshot<'_> {
    /// The skills of a scope and below, in the order of their first versions. Costs a look at every skill
    /// there, and at the episodes of each.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn skills(&self, scope: &Scope) -> Result<Vec<Skill>> {
        let filter = Filter {
            scope: scope.clone(),
            body: Some(BodyType::Skill),
            include_history: true,
            ..Filter::default()
        };
        let mut names: Vec<(Scope, String)> = Vec::new();
        for item in self.list(&filter)?.items {
            let Some(SkillName { name, .. }) = named(&item) else { continue };
            let skill = (item.scope, name);
            if !names.contains(&skill) {
                names.push(skill);
            }
        }
        let all = names.into_iter().map(|(scope, name)| self.skill(&scope, &name));
        Ok(all.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    /// One skill; none where there is no such name in exactly this scope. Costs a look at everything about
    /// the skill, in this scope and below.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn skill(&self, scope: &Scope, name: &str) -> Result<Option<Skill>> {
        let filter = Filter {
            scope: scope.clone(),
            tag: Some(skill_tag(name)),
            include_history: true,
            ..Filter::default()
        };
        let about = self.list(&filter)?.items;
        let mut versions = Vec::new();
        for item in &about {
            let is_version = item.body_type == BodyType::Skill && item.scope == *scope;
            let Some(skill) = named(item).filter(|_| is_version) else { continue };
            let score = Score::of(&skill, &about);
            let phase = self.phase(&item.id)?;
            let version = skill.version;
            versions.push(SkillVersion { version, phase, item: item.clone(), score });
        }
        if versions.is_empty() {
            return Ok(None);
        }
        let in_use = versions.iter().rev().find(|one| one.is_in_use()).map(|one| one.version);
        Ok(Some(Skill { name: name.to_owned(), scope: scope.clone(), versions, in_use }))
    }

    fn phase(&self, id: &MemoryId) -> Result<Option<SkillPhase>> {
        phase::of(&self.assembler()?, id)
    }
}

/// The skill that an item is, or that it names.
fn named(item: &Item) -> Option<SkillName> {
    skill_of(item.body_type, item.body.as_ref()?)
}
