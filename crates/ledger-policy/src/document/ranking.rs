//! Owns the weights of ranking.

use serde::{Deserialize, Serialize};

use crate::Parts;

/// Weights of ranking, and what decays how far.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ranking {
    /// Weight of how well it matches.
    pub similarity: Parts,
    /// Weight of how new it is.
    pub recency: Parts,
    /// Weight of how far its source is trusted.
    pub source_trust: Parts,
    /// Weight of a person's word.
    pub human_override: Parts,
    /// What is not verified matches no better than this.
    pub unverified_similarity_cap: Parts,
    /// Decay takes no more than down to this.
    pub decay_floor: Parts,
    /// After so many days without use or confirmation, decay has reached its floor for what is
    /// verified, and half its way for what is not.
    pub decay_days: u32,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            similarity: Parts::of(5_000),
            recency: Parts::of(1_500),
            source_trust: Parts::of(2_500),
            human_override: Parts::of(1_000),
            unverified_similarity_cap: Parts::of(8_000),
            decay_floor: Parts::of(3_000),
            decay_days: 90,
        }
    }
}
