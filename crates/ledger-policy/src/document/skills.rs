//! Owns what a skill has to show before it is promoted.

use serde::{Deserialize, Serialize};

/// The way of a skill into general use.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Skills {
    /// Verified successes in a row, with no failure since, that earn a promotion.
    pub successes: u32,
}

impl Default for Skills {
    fn default() -> Self {
        Self { successes: 3 }
    }
}
