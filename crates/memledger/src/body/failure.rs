//! Owns the shape of a failure: "we tried this and it failed" is worth as much as a success.

use ledger_format::BodyType;

use super::shape::{Field, Kind, Shape};
use super::skill::VERSION;

/// How many memories one failure can contradict: each is a label of it.
const CONTRADICTS: usize = 16;

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Failure,
    about: "what was tried and did not work",
    fields: &[
        Field::needed("tried", Kind::Text),
        Field::needed("happened", Kind::Text),
        Field::maybe("evidence", Kind::Text),
        Field::maybe("contradicts", Kind::Ids(CONTRADICTS)),
        Field::maybe("skill", Kind::Object(VERSION)),
    ],
};
