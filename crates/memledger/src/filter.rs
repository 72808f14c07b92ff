//! Owns the choice of memories in a listing.

use ledger_format::{BodyType, Layer, Seq, SourceKind};

use crate::scope::Scope;

/// Which memories a listing holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Filter {
    /// Only in this scope and below.
    pub scope: Scope,
    /// Not below it.
    pub alone: bool,
    /// Only this layer.
    pub layer: Option<Layer>,
    /// Only this body.
    pub body: Option<BodyType>,
    /// Only this key.
    pub key: Option<String>,
    /// Only about this person.
    pub subject: Option<String>,
    /// Only facts with this subject.
    pub fact_subject: Option<String>,
    /// Only facts with this predicate.
    pub predicate: Option<String>,
    /// Only with this label.
    pub tag: Option<String>,
    /// Only with this domain label.
    pub domain: Option<String>,
    /// Only with this source kind.
    pub source_kind: Option<SourceKind>,
    /// Only whose text holds this.
    pub grep: Option<String>,
    /// Also what is closed, expired or restricted.
    pub include_history: bool,
    /// Where the page before ended.
    pub after: Option<Seq>,
    /// How many items at most; 0: no limit.
    pub limit: usize,
}
