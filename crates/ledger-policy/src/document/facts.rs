//! Owns what is known about predicates, and the rules by which facts contradict each other.

use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

/// What is known about predicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Facts {
    /// Predicates with one value at a time. Case and spaces do not matter.
    pub single_valued: Vec<String>,
    /// What is done with a contest that was found.
    pub resolve: Resolution,
}

/// What is done with a contest that the ledger itself found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Resolution {
    /// A person decides.
    #[default]
    Never,
    /// Where one value ranks above all others, it stands and the others rank last.
    Authority,
}

/// The rules that contest and resolve by themselves. Their numbers are stored in the events; 0 stands
/// for a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum FactRule {
    /// One scope, subject and predicate of one value at a time, other objects, overlapping times.
    SingleValued = 1,
    /// A contest goes on in a larger one that holds all of its members.
    Joined = 2,
    /// The value that ranks above all others stands.
    Authority = 3,
}

impl FactRule {
    /// Every rule.
    pub const ALL: [Self; 3] = [Self::SingleValued, Self::Joined, Self::Authority];

    /// The stored number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self as u32
    }

    /// The rule with this number, if this version knows it.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.number() == number)
    }

    /// The setting of the policy, or what the rule is called where it has none.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleValued => "facts.single_valued",
            Self::Joined => "joined",
            Self::Authority => "facts.resolve",
        }
    }
}
