//! Owns the shape of a skill: a way to do something, in one version of it.

use ledger_format::{BodyType, limits};
use serde_json::Value;

use super::links::SkillName;
use super::shape::{Field, Kind, Shape};
use crate::error::{Error, Result};

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Skill,
    about: "a way to do something, step by step",
    fields: &[
        Field::needed("name", Kind::Word),
        Field::needed("version", Kind::Number),
        Field::needed("steps", Kind::Objects(STEP)),
        Field::maybe("trigger", Kind::Text),
        Field::maybe("preconditions", Kind::Texts),
        Field::maybe("inputs", Kind::Texts),
        Field::maybe("success", Kind::Texts),
        Field::maybe("failure", Kind::Texts),
        Field::maybe("in_scope", Kind::Texts),
        Field::maybe("out_of_scope", Kind::Texts),
    ],
};

/// One version of a skill, as others name it.
pub(super) const VERSION: &[Field] =
    &[Field::needed("name", Kind::Word), Field::needed("version", Kind::Number)];

const STEP: &[Field] = &[Field::needed("do", Kind::Text), Field::maybe("tool", Kind::Word)];

/// A skill has steps, and a name that leaves room for its version.
pub(super) fn check(value: &Value) -> Result<()> {
    if value.get("steps").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        return Err(Error::invalid("a skill without steps; say what is done, one step at a time"));
    }
    let key = SkillName::of(value).map(|skill| skill.key().len()).unwrap_or_default();
    if key > limits::NAME_BYTES {
        return Err(Error::invalid("the name of the skill is too long"));
    }
    Ok(())
}
