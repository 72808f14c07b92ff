//! Owns the shape of an instruction: the words as said, and the message that said them.

use ledger_format::BodyType;

use super::shape::{Field, Kind, Shape};

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Instruction,
    about: "an order, in the words in which it was given",
    fields: &[
        Field::needed("text", Kind::Text),
        Field::maybe("message", Kind::Id),
        Field::maybe("task", Kind::Word),
    ],
};
