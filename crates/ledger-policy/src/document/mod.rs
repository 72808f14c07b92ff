//! Owns the policy document: its fields, what they are when it is silent, and how it is read.
//!
//! Invariants: a field that this version does not know is an error, at any depth; what a document
//! leaves out is as in [`BUILT_IN`], so that a policy is always whole. Version 0 is the built-in text
//! itself.

mod approval;
mod facts;
mod gate;
mod grant;
mod layers;
mod questions;
mod ranking;
mod skills;
mod trust;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

pub use self::approval::Approval;
pub use self::facts::{FactRule, Facts, Resolution};
pub use self::gate::{Gate, OnFinding, Unauthorised};
pub use self::grant::{Act, Grant, Right};
pub use self::layers::{Deletion, Expiry, LayerRule, Layers};
pub use self::questions::Questions;
pub use self::ranking::Ranking;
pub use self::skills::Skills;
pub use self::trust::TrustOf;
use crate::authority::Authority;
use crate::error::PolicyError;

/// The text of version 0.
pub(crate) const BUILT_IN: &str = include_str!("built_in.toml");

/// The form of documents that this version reads.
const FORM: u32 = 1;

/// Longest document in bytes. It is one payload of the ledger.
pub(crate) const DOCUMENT_BYTES: usize = 262_144;

/// A policy.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    format: u32,
    /// What is done with what is seen in a proposal.
    #[serde(default)]
    pub gate: Gate,
    /// Trust by kind of source.
    #[serde(default)]
    pub trust: TrustOf,
    /// The same, where an authenticated person says it directly.
    #[serde(default = "TrustOf::of_persons")]
    pub trust_of_persons: TrustOf,
    /// The rules of each layer.
    #[serde(default)]
    pub layers: Layers,
    /// Who wins.
    #[serde(default)]
    pub authority: Authority,
    /// What is known about predicates.
    #[serde(default)]
    pub facts: Facts,
    /// Ranking of what is found.
    #[serde(default)]
    pub ranking: Ranking,
    /// What a skill has to show.
    #[serde(default)]
    pub skills: Skills,
    /// When an item asks to be confirmed.
    #[serde(default)]
    pub questions: Questions,
    /// Who may do what where, in the order in which they are asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<Grant>,
    /// What needs the approval of persons before it counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub approvals: Vec<Approval>,
}

impl Policy {
    /// Version 0.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            format: FORM,
            gate: Gate::default(),
            trust: TrustOf::default(),
            trust_of_persons: TrustOf::of_persons(),
            layers: Layers::default(),
            authority: Authority::default(),
            facts: Facts::default(),
            ranking: Ranking::default(),
            skills: Skills::default(),
            questions: Questions::default(),
            grants: Vec::new(),
            approvals: Vec::new(),
        }
    }

    /// The text of version 0, with its comments.
    #[must_use]
    pub const fn built_in_text() -> &'static str {
        BUILT_IN
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`PolicyError`] with line and field when it is no policy.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        if text.len() > DOCUMENT_BYTES {
            return Err(PolicyError::new(format!(
                "the document has {} bytes, the limit is {DOCUMENT_BYTES}",
                text.len()
            )));
        }
        let policy: Self =
            toml::from_str(text).map_err(|error| PolicyError::new(place(text, &error)))?;
        policy.check()?;
        Ok(policy)
    }

    /// Whether somebody may do something somewhere. `who` is the authenticated actor, `kind:name`.
    #[must_use]
    pub fn right(&self, act: Act, who: &str, scope: &str) -> Right {
        grant::right(&self.grants, act, who, scope)
    }

    fn check(&self) -> Result<(), PolicyError> {
        if self.format != FORM {
            return Err(PolicyError::new(format!(
                "the document says format = {}; this version reads format = {FORM}",
                self.format
            )));
        }
        self.authority.check()?;
        self.grants.iter().try_for_each(Grant::check)?;
        self.approvals.iter().try_for_each(Approval::check)
    }
}

pub(crate) fn place(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().trim_end().to_string();
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("line {}: {message}", before.matches('\n').count() + 1),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_text_says_what_the_defaults_are() {
        assert_eq!(Policy::parse(BUILT_IN), Ok(Policy::built_in()));
        assert_eq!(Policy::parse("format = 1"), Ok(Policy::built_in()));
    }

    #[test]
    fn what_is_not_known_is_an_error_with_its_line() {
        for (text, says) in [
            ("format = 1\nspeed = 2", "line 2: unknown field `speed`"),
            ("format = 1\n[gate]\nsecret = \"refuse\"", "line 3: unknown field `secret`"),
            ("format = 1\n[gate]\nsecrets = \"perhaps\"", "line 3: unknown variant `perhaps`"),
            (
                "format = 1\n[layers.session]\nttl = \"soon\"",
                "line 3: \"soon\" is no length of time",
            ),
            ("format = 1\n[layers.attic]\nttl = \"7d\"", "line 2: unknown field `attic`"),
            ("format = 1\n[trust]\nweb = \"total\"", "line 2: \"total\" is no trust"),
            ("format = 1\n[authority]\norder = [\"canonical\"]", "names each class once"),
            ("format = 2", "this version reads format = 1"),
            ("", "missing field `format`"),
            ("format = 1\nformat = 1", "duplicate key"),
        ] {
            let error = Policy::parse(text).expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }
}
