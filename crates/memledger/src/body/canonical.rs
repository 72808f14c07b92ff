//! Owns the shape of a canonical clause: one clause of a document, or `*` for the whole of it.

use ledger_format::BodyType;

use super::shape::{Field, Kind, Shape};

pub(super) const SHAPE: Shape = Shape {
    body: BodyType::Canonical,
    about: "one clause of a canonical document, or * for all of it",
    fields: &[
        Field::needed("document", Kind::Word),
        Field::needed("clause", Kind::Word),
        Field::needed("text", Kind::Text),
        Field::maybe("version", Kind::Word),
    ],
};
