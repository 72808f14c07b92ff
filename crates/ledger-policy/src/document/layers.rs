//! Owns the rules of each layer: owner, lifetime, review, what happens at its end.

use alloc::string::{String, ToString};

use ledger_format::Layer;
use serde::{Deserialize, Serialize};

use crate::Length;

/// What time does to a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Expiry {
    /// It ends at its time and does not fade before.
    Hard,
    /// It ends when something closes it.
    Closing,
    /// It fades until it is used or confirmed.
    Decay,
}

/// How a memory of a layer leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Deletion {
    /// It runs out.
    Expire,
    /// Somebody closes it.
    Close,
    /// It is forgotten.
    Forget,
    /// Its content is destroyed.
    Erase,
}

/// The rules of one layer. A layer without owner, lifetime and deletion takes no writes of agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LayerRule {
    /// Who answers for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// How long a memory counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Length>,
    /// How long one that is not verified counts, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_unverified: Option<Length>,
    /// When a person should look at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub review_by: Option<Length>,
    /// What time does to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expiry: Option<Expiry>,
    /// How it leaves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion: Option<Deletion>,
}

impl LayerRule {
    fn new(owner: &str, ttl: Length, expiry: Expiry, deletion: Deletion) -> Self {
        Self {
            owner: Some(owner.to_string()),
            ttl: Some(ttl),
            expiry: Some(expiry),
            deletion: Some(deletion),
            ..Self::default()
        }
    }

    const fn reviewed(mut self, after: Length) -> Self {
        self.review_by = Some(after);
        self
    }

    const fn unverified(mut self, ttl: Length) -> Self {
        self.ttl_unverified = Some(ttl);
        self
    }

    /// Whether somebody answers for it and its end is settled.
    #[must_use]
    pub const fn is_settled(&self) -> bool {
        self.owner.is_some() && self.ttl.is_some() && self.deletion.is_some()
    }
}

macro_rules! layers {
    ($($(#[$doc:meta])* $field:ident = $layer:ident => $rule:expr;)+) => {
        /// The rules of all layers. A document that names a layer says all of its rules.
        #[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct Layers { $($(#[$doc])* pub $field: LayerRule,)+ }

        impl Default for Layers {
            fn default() -> Self {
                Self { $($field: $rule,)+ }
            }
        }

        impl Layers {
            /// The rules of a layer; none for one that this version does not know.
            #[must_use]
            pub const fn rule(&self, layer: Layer) -> Option<&LayerRule> {
                match layer {
                    $(Layer::$layer => Some(&self.$field),)+
                    _ => None,
                }
            }
        }
    };
}

layers! {
    /// Context of the task in hand.
    session = Session => LayerRule::new("agents", Length::For(24 * 3_600 * 1_000_000), Expiry::Hard, Deletion::Expire);
    /// Where today's work stands.
    day = Day => LayerRule::new("agents", Length::Day, Expiry::Hard, Deletion::Expire);
    /// Lessons, decisions, preferences.
    project = Project => LayerRule::new("project", Length::None, Expiry::Decay, Deletion::Close)
        .reviewed(Length::days(90));
    /// What happened.
    episodic = Episodic => LayerRule::new("agents", Length::days(180), Expiry::Decay, Deletion::Expire);
    /// What is held to be true.
    semantic = Semantic => LayerRule::new("project", Length::None, Expiry::Closing, Deletion::Close)
        .unverified(Length::days(7))
        .reviewed(Length::days(90));
    /// Skills.
    procedural = Procedural => LayerRule::new("project", Length::None, Expiry::Hard, Deletion::Close);
    /// Canonical rules.
    canonical = Canonical => LayerRule::new("persons", Length::None, Expiry::Hard, Deletion::Close);
    /// Direct orders.
    instruction = Instruction => LayerRule::new("persons", Length::None, Expiry::Hard, Deletion::Close);
    /// Compressed views.
    summary = Summary => LayerRule::new("agents", Length::None, Expiry::Decay, Deletion::Erase);
}
