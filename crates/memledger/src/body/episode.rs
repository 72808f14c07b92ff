//! Owns the shape of an episode: what happened. It never proves that the same way works today.

use ledger_format::BodyType;

use super::shape::{Field, Kind, Shape};
use super::skill::VERSION;

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Episode,
    about: "what was done, and how it went",
    fields: &[
        Field::needed("task", Kind::Text),
        Field::needed("outcome", Kind::Choice(&["ok", "failed", "partial"])),
        Field::maybe("skill", Kind::Object(VERSION)),
        Field::maybe("tools", Kind::Objects(TOOL)),
        Field::maybe("errors", Kind::Texts),
        Field::maybe("resolution", Kind::Text),
        Field::maybe("tags", Kind::Texts),
    ],
};

const TOOL: &[Field] = &[
    Field::needed("name", Kind::Word),
    Field::maybe("arguments", Kind::Any),
    Field::maybe("status", Kind::Choice(&["ok", "failed"])),
];
