//! Owns what needs the approval of persons before it counts.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ledger_format::{ActorKind, BodyType, Layer};
use serde::{Deserialize, Serialize};

use crate::error::PolicyError;

/// What needs approval: proposals that fit every condition given.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Into this layer; none: into any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<String>,
    /// Of this shape; none: of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// By these kinds of actors; none: by agents and services.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub by: Vec<String>,
    /// How many persons have to agree, 1 or 2. The one who wrote it does not count.
    #[serde(default = "one")]
    pub persons: u8,
}

const fn one() -> u8 {
    1
}

impl Approval {
    /// Whether a proposal needs this approval.
    #[must_use]
    pub fn asks(&self, actor: ActorKind, body: BodyType, layer: Layer) -> bool {
        let by = if self.by.is_empty() {
            matches!(actor, ActorKind::Agent | ActorKind::Service | ActorKind::System)
        } else {
            self.by.iter().any(|name| name == actor.name())
        };
        by && self.layer.as_ref().is_none_or(|name| name == layer.name())
            && self.body.as_ref().is_none_or(|name| name == body.name())
    }

    pub(super) fn check(&self) -> Result<(), PolicyError> {
        let wrong = |what: &str, name: &str| {
            Err(PolicyError::new(format!(
                "an approval names the {what} {name:?}, and there is none"
            )))
        };
        if let Some(name) = self.layer.as_ref().filter(|name| Layer::from_name(name).is_none()) {
            return wrong("layer", name);
        }
        if let Some(name) = self.body.as_ref().filter(|name| BodyType::from_name(name).is_none()) {
            return wrong("body", name);
        }
        if let Some(name) = self.by.iter().find(|name| ActorKind::from_name(name).is_none()) {
            return wrong("kind of actor", name);
        }
        if matches!(self.persons, 1 | 2) {
            return Ok(());
        }
        Err(PolicyError::new(format!("an approval by {} persons; it is 1 or 2", self.persons)))
    }
}
