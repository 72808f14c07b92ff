//! Owns what is known of an alias without its name.

use ledger_format::{AliasId, AliasKind, PayloadId, Seq};

/// An alias. Its name is a payload of the record that bound it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alias {
    /// What it stands for.
    pub kind: AliasKind,
    /// The scope segment before it, or the scope of a key.
    pub parent: Option<AliasId>,
    /// The record that bound it.
    pub bound: Seq,
    /// The payload with its name.
    pub name: Option<PayloadId>,
    /// The intent that erases its name.
    pub erased: Option<Seq>,
}

impl Alias {
    /// Whether it is of this kind and directly under `parent`; zero: it has no parent.
    #[must_use]
    pub fn is_under(&self, parent: AliasId, kind: AliasKind) -> bool {
        self.kind == kind && self.parent.unwrap_or(AliasId::ZERO) == parent
    }
}
