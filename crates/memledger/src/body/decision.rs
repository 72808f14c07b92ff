//! Owns the shape of a decision.

use ledger_format::BodyType;

use super::shape::{Field, Kind, Shape};

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Decision,
    about: "what was decided, why, and who approved",
    fields: &[
        Field::needed("text", Kind::Text),
        Field::maybe("why", Kind::Text),
        Field::maybe("approved_by", Kind::Word),
    ],
};
