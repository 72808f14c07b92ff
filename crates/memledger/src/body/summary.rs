//! Owns the shape of a summary: what it covers, and what of that has to survive in it.

use ledger_format::{BodyType, limits};
use serde_json::Value;

use super::links::ids;
use super::shape::{Field, Kind, Shape};
use crate::error::{Error, Result};

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Summary,
    about: "a short form of other memories",
    fields: &[
        Field::needed("text", Kind::Text),
        Field::needed("covers", Kind::Ids(limits::DERIVED_FROM)),
        Field::maybe("pinned", Kind::Ids(limits::DERIVED_FROM)),
        Field::maybe("made_by", Kind::Object(MADE_BY)),
    ],
};

const MADE_BY: &[Field] =
    &[Field::needed("model", Kind::Word), Field::maybe("version", Kind::Word)];

/// A summary covers something.
pub(super) fn check(value: &Value) -> Result<()> {
    if ids(value, "covers").is_empty() {
        return Err(Error::invalid("a summary that covers nothing; name what it was made from"));
    }
    Ok(())
}
