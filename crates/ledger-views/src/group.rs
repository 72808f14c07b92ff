//! Owns what memories are listed by.

use ledger_format::AliasId;
use ledger_replay::Birth;

use crate::key::{Key, Kind};

/// A set of memories that share something. For scopes and keys the views also know which members
/// were live at any record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Memories of exactly this scope; the zero alias is the ledger itself.
    Scope(AliasId),
    /// Memories in this slot.
    Key(AliasId),
    /// Memories about this person.
    Person(AliasId),
    /// Facts with this subject.
    Subject(AliasId),
    /// Facts with this predicate.
    Predicate(AliasId),
    /// Memories with this label.
    Tag(AliasId),
    /// Memories of this domain.
    Domain(AliasId),
}

impl Group {
    /// Whether the views know which members were live at any record.
    #[must_use]
    pub const fn has_live_set(&self) -> bool {
        matches!(self, Self::Scope(_) | Self::Key(_))
    }

    /// The groups that a memory is part of from its birth on, each once and in order.
    pub(crate) fn of(birth: &Birth) -> Vec<Self> {
        let mut groups = vec![Self::Scope(birth.scope)];
        groups.extend(birth.key.map(Self::Key));
        groups.extend(birth.subjects.iter().copied().map(Self::Person));
        groups.extend(birth.fact.map(|fact| Self::Subject(fact.subject)));
        groups.extend(birth.fact.map(|fact| Self::Predicate(fact.predicate)));
        groups.extend(birth.tags.iter().copied().map(Self::Tag));
        groups.extend(birth.domain.map(Self::Domain));
        groups.sort_unstable();
        groups.dedup();
        groups
    }

    pub(crate) fn key(&self) -> Vec<u8> {
        let (number, alias) = match self {
            Self::Scope(alias) => (1, alias),
            Self::Key(alias) => (2, alias),
            Self::Person(alias) => (3, alias),
            Self::Subject(alias) => (4, alias),
            Self::Predicate(alias) => (5, alias),
            Self::Tag(alias) => (6, alias),
            Self::Domain(alias) => (7, alias),
        };
        Key::new(Kind::Group).byte(number).alias(*alias).into_vec()
    }
}
