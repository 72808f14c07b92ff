//! Owns when an item asks to be confirmed before it is relied on.

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use crate::Length;

/// When an item asks to be confirmed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Questions {
    /// Domains and tags that mean a preference.
    pub preferences: Vec<String>,
    /// A preference that nobody used or confirmed for so long is asked for once; `"none"`: never.
    pub confirm_preferences: Length,
}

impl Default for Questions {
    fn default() -> Self {
        Self { preferences: vec!["preference".to_string()], confirm_preferences: Length::days(90) }
    }
}
