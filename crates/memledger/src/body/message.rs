//! Owns the shape of a message: exactly what was said, archived raw. It is found by grep, expand and
//! history and is never returned as a claim.

use ledger_format::BodyType;

use super::shape::{Field, Kind, Shape};

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Message,
    about: "what was said, word for word",
    fields: &[
        Field::needed("role", Kind::Choice(&["user", "assistant", "tool", "system", "developer"])),
        Field::needed("text", Kind::Text),
        Field::maybe("conversation", Kind::Word),
        Field::maybe("turn", Kind::Number),
        Field::maybe("tool_call", Kind::Word),
    ],
};
