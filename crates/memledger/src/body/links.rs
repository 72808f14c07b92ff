//! Owns what a body says about other memories, in the words that the ledger finds memories by: keys,
//! tags and lineage. Labels that begin as these are part of the record like any other, so they tell the
//! same at every moment and from views and archive alike.

use std::fmt;

use ledger_format::{BodyType, MemoryId};
use serde_json::Value;

use super::check::id;
use crate::command::{Content, Proposal};
use crate::error::{Error, Result};
use crate::writer::body_and_layer;

/// Begins the tag of everything about a skill.
const SKILL: &str = "skill:";
/// Begins the tag of a failure that contradicts something.
const CONTRADICTS: &str = "contradicts:";

/// One version of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillName {
    /// Its name, unique within a scope.
    pub name: String,
    /// Its version.
    pub version: u32,
}

impl SkillName {
    /// The skill that an object with name and version is or names.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let name = value.get("name")?.as_str()?.to_owned();
        let version = u32::try_from(value.get("version")?.as_u64()?).ok()?;
        Some(Self { name, version })
    }

    /// The slot of this version.
    pub(crate) fn key(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

impl fmt::Display for SkillName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} version {}", self.name, self.version)
    }
}

/// The tag of everything about a skill, whatever the version.
#[must_use]
pub fn skill_tag(name: &str) -> String {
    format!("{SKILL}{name}")
}

/// The tag of a failure that contradicts a memory.
pub(crate) fn contradiction_tag(id: &MemoryId) -> String {
    format!("{CONTRADICTS}{}", id.hyphenated())
}

/// The tag that every failure with a contradiction has.
pub(crate) const fn tag_of_any_contradiction() -> &'static str {
    CONTRADICTS
}

/// The tag of a failure of one version of a skill.
pub(crate) fn skill_contradiction_tag(key: &str) -> String {
    format!("{CONTRADICTS}{key}")
}

/// The key of the version of a skill that these tags say is contradicted.
pub(crate) fn skill_contradicted(tags: &[String]) -> Option<&str> {
    tags.iter().filter_map(|tag| tag.strip_prefix(CONTRADICTS)).find(|key| key.contains('@'))
}

/// The memories that these tags say are contradicted.
#[must_use]
pub fn contradicted(tags: &[String]) -> Vec<MemoryId> {
    let named = tags.iter().filter_map(|tag| tag.strip_prefix(CONTRADICTS));
    named.filter_map(|text| id(&Value::from(text))).collect()
}

/// The skill that a body is, or that it names.
pub(crate) fn skill_of(shape: BodyType, body: &Value) -> Option<SkillName> {
    match shape {
        BodyType::Skill => SkillName::of(body),
        BodyType::Episode | BodyType::Failure => SkillName::of(body.get("skill")?),
        _ => None,
    }
}

/// The ids in a list of a body.
pub(crate) fn ids(body: &Value, field: &str) -> Vec<MemoryId> {
    let list = body.get(field).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(id).collect()
}

/// Adds to a proposal what its body says about other memories.
///
/// # Errors
/// When the proposal itself says something else.
pub(crate) fn complete(proposal: &mut Proposal) -> Result<()> {
    let (shape, _) = body_and_layer(proposal);
    let Content::Body(body) = &proposal.content else { return Ok(()) };
    let (mut tags, mut lineage) = (Vec::new(), Vec::new());
    if let Some(skill) = skill_of(shape, body) {
        tags.push(skill_tag(&skill.name));
        if shape == BodyType::Skill {
            let key = skill.key();
            if proposal.key.as_ref().is_some_and(|given| *given != key) {
                return Err(Error::invalid(format!(
                    "the key of a skill is its name and version, {key:?}; leave the key out"
                )));
            }
            proposal.key = Some(key);
        }
    }
    match shape {
        BodyType::Summary => lineage = ids(body, "covers"),
        BodyType::Instruction => lineage.extend(body.get("message").and_then(id)),
        BodyType::Failure => {
            tags.extend(ids(body, "contradicts").iter().map(contradiction_tag));
            let skill = skill_of(shape, body);
            tags.extend(skill.map(|skill| skill_contradiction_tag(&skill.key())));
            if tags.iter().any(|tag| tag.starts_with(CONTRADICTS)) {
                tags.push(CONTRADICTS.to_owned());
            }
        }
        _ => {}
    }
    tags.retain(|tag| !proposal.tags.contains(tag));
    lineage.retain(|id| !proposal.derived_from.contains(id));
    proposal.tags.append(&mut tags);
    proposal.derived_from.append(&mut lineage);
    Ok(())
}
