//! Owns what the gate does with what was seen in a proposal.

use serde::{Deserialize, Serialize};

use crate::{Length, Parts};

/// What is done when something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFinding {
    /// The proposal is refused.
    Refuse,
    /// It is stored with a mark.
    Mark,
    /// It is stored as if nothing had been found.
    Allow,
}

/// What becomes of a canonical clause that no person wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unauthorised {
    /// It is refused.
    Refuse,
    /// A person decides.
    Pending,
}

/// What the gate does with what was seen in a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Gate {
    /// Passwords, keys, tokens.
    pub secrets: OnFinding,
    /// Addresses, numbers of persons.
    pub personal: OnFinding,
    /// Raw reasoning of a model.
    pub hidden_reasoning: OnFinding,
    /// From this score on, words that are not a person's own are marked as data.
    pub instruction_like: Parts,
    /// From this similarity on, two memories of one scope are the same.
    pub duplicate: Parts,
    /// From here on, words merely repeat the recall or the summary they came from.
    pub repeats: Parts,
    /// An episode whose writer is less sure than this becomes a draft.
    pub guess: Parts,
    /// How long a draft lives.
    pub draft_ttl: Length,
    /// What becomes of a canonical clause that no person wrote.
    pub canonical_by_agents: Unauthorised,
}

impl Default for Gate {
    fn default() -> Self {
        Self {
            secrets: OnFinding::Refuse,
            personal: OnFinding::Mark,
            hidden_reasoning: OnFinding::Refuse,
            instruction_like: Parts::of(5_000),
            duplicate: Parts::of(9_800),
            repeats: Parts::of(9_000),
            guess: Parts::of(3_000),
            draft_ttl: Length::For(24 * 3_600 * 1_000_000),
            canonical_by_agents: Unauthorised::Refuse,
        }
    }
}
