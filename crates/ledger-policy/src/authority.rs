//! Owns who wins: the classes of authority and their order.

use alloc::string::ToString;
use alloc::vec::Vec;

use ledger_format::{BodyType, Layer, SourceKind};
use serde::{Deserialize, Serialize};

use crate::error::PolicyError;

/// A class of authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// The original words of a direct order.
    Instruction,
    /// A canonical clause.
    Canonical,
    /// A decision of the project.
    Decision,
    /// A long-term memory with a source.
    Sourced,
    /// What came back from a recall.
    Retrieval,
    /// A compressed summary, or anything without a source.
    Compressed,
}

impl Class {
    /// Every class, in the built-in order.
    pub const ALL: [Self; 6] = [
        Self::Instruction,
        Self::Canonical,
        Self::Decision,
        Self::Sourced,
        Self::Retrieval,
        Self::Compressed,
    ];

    /// The class of a memory by what it is; lineage can only lower it.
    #[must_use]
    pub const fn of(layer: Layer, body: BodyType, source: SourceKind) -> Self {
        match (layer, body, source) {
            (_, _, SourceKind::None) => Self::Compressed,
            (Layer::Instruction, BodyType::Instruction | BodyType::Message, _) => Self::Instruction,
            (Layer::Canonical, _, _) => Self::Canonical,
            (Layer::Project, BodyType::Decision, _) => Self::Decision,
            (_, _, SourceKind::Recall) => Self::Retrieval,
            (Layer::Summary, _, _) | (_, BodyType::Summary, _) => Self::Compressed,
            _ => Self::Sourced,
        }
    }
}

/// The order of the classes, highest first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Authority {
    order: Vec<Class>,
}

impl Authority {
    /// The rank of a class, 1 is the highest.
    #[must_use]
    pub fn rank(&self, class: Class) -> u8 {
        let at = self.order.iter().position(|one| *one == class).unwrap_or(self.order.len());
        u8::try_from(at + 1).unwrap_or(u8::MAX)
    }

    pub(crate) fn check(&self) -> Result<(), PolicyError> {
        let whole = Class::ALL.iter().all(|class| self.order.contains(class));
        if whole && self.order.len() == Class::ALL.len() {
            return Ok(());
        }
        Err(PolicyError::new("authority.order names each class once: instruction, canonical, decision, sourced, retrieval, compressed".to_string()))
    }
}

impl Default for Authority {
    fn default() -> Self {
        Self { order: Class::ALL.to_vec() }
    }
}
