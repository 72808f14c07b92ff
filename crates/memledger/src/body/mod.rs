//! Typed bodies: the shape of each, and what a body says about other memories.
//!
//! Owns which fields a body has, what each holds, and what of them the ledger can be asked by: a skill is
//! found under its name and version, an episode under the skill it used, a failure beside what it
//! contradicts. Invariants: a field that a shape does not have is refused, with those that it has; what
//! is stored is what came, field by field and in its order. May not: look at the ledger. A fact has its
//! own rules, because facts are listed by subject and predicate.

mod canonical;
mod check;
mod decision;
mod episode;
mod failure;
mod instruction;
mod links;
mod message;
mod note;
mod shape;
mod skill;
mod summary;

use ledger_format::BodyType;
use serde_json::Value;

pub use self::links::{SkillName, contradicted, skill_tag};
pub(crate) use self::links::{
    complete, contradiction_tag, ids, skill_contradicted, skill_contradiction_tag, skill_of,
    tag_of_any_contradiction,
};
pub use self::shape::{Field, Kind, Shape};
pub use crate::command::SourceEvent;
// What only those need who deal with skills and summaries.
use crate::error::{Error, Result};
pub use crate::skill::{Act, Score, Skill, SkillChange, SkillVersion};
pub use crate::summary::{Drift, DriftKind, Expanded, Leaf, SummaryChange, SummaryCheck};

/// The shapes of typed bodies, without those of facts and of opaque state.
pub const SHAPES: [&Shape; 9] = [
    &note::SHAPE,
    &message::SHAPE,
    &episode::SHAPE,
    &skill::SHAPE,
    &instruction::SHAPE,
    &decision::SHAPE,
    &canonical::SHAPE,
    &summary::SHAPE,
    &failure::SHAPE,
];

/// Checks a typed body against its shape.
///
/// # Errors
/// What is wrong, with the field and what is accepted there.
pub(crate) fn check(body: BodyType, value: &Value) -> Result<()> {
    let Some(shape) = SHAPES.into_iter().find(|shape| shape.body == body) else {
        return Err(Error::invalid(format!(
            "a body of type {body} is no JSON object; give it as text or bytes"
        )));
    };
    check::object(&body.to_string(), shape.fields, value)?;
    match body {
        BodyType::Skill => skill::check(value),
        BodyType::Summary => summary::check(value),
        _ => Ok(()),
    }
}

/// Checks the body of a summary, whose words are looked at before the others are.
pub(crate) fn check_summary(value: &Value) -> Result<()> {
    check(BodyType::Summary, value)
}

/// Whether content of this type can be plain text: the others have fields that the ledger goes by.
pub(crate) const fn takes_text(body: BodyType) -> bool {
    !matches!(body, BodyType::Fact | BodyType::Episode | BodyType::Skill | BodyType::Failure)
}
