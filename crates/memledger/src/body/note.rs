//! Owns the shape of a note: text, and whatever goes with it.

use ledger_format::BodyType;

use super::shape::{Field, Kind, Shape};

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Note,
    about: "anything worth keeping",
    fields: &[Field::needed("text", Kind::Text), Field::maybe("data", Kind::Any)],
};
