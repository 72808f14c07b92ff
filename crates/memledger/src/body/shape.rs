//! Owns how a shape is written down.

use ledger_format::BodyType;

/// The fields of one type of body.
#[derive(Debug)]
pub struct Shape {
    /// The type.
    pub body: BodyType,
    /// What it is for, in a line.
    pub about: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
}

/// One field of a body.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether a body without it is refused.
    pub needed: bool,
}

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Text of any length, not empty.
    Text,
    /// One line of text: a name.
    Word,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A whole number from 1 on.
    Number,
    /// A list of texts.
    Texts,
    /// The id of a memory, whole.
    Id,
    /// A list of ids of at most so many memories.
    Ids(usize),
    /// An object with these fields.
    Object(&'static [Field]),
    /// A list of such objects.
    Objects(&'static [Field]),
    /// Whatever JSON can say.
    Any,
}

impl Field {
    /// A field that has to be there.
    pub(super) const fn needed(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, needed: true }
    }

    /// A field that may be left out.
    pub(super) const fn maybe(name: &'static str, kind: Kind) -> Self {
        Self { name, kind, needed: false }
    }
}

impl Kind {
    /// What it holds, in words.
    #[must_use]
    pub fn about(&self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Word => "a line".to_owned(),
            Self::Choice(words) => words.join(" or "),
            Self::Number => "a number from 1 on".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Id => "an id".to_owned(),
            Self::Ids(_) => "a list of ids".to_owned(),
            Self::Object(fields) => format!("{{{}}}", names(fields)),
            Self::Objects(fields) => format!("a list of {{{}}}", names(fields)),
            Self::Any => "any JSON".to_owned(),
        }
    }
}

/// The names of fields in a line; those that may be left out are marked.
pub(super) fn names(fields: &[Field]) -> String {
    let name = |field: &Field| {
        if field.needed { field.name.to_owned() } else { format!("{}?", field.name) }
    };
    fields.iter().map(name).collect::<Vec<_>>().join(" ")
}
