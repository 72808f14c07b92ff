//! Owns the flags of the verbs that read memories.

use clap::Args;
use memledger::format::{BodyType, Layer, SourceKind};

use super::words;

/// `history`, `blame`.
#[derive(Debug, Args)]
pub(crate) struct IdArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
}

/// `get`.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    /// Also what it goes back to, what would end it, and what time took from it
    #[arg(long)]
    pub(crate) explain: bool,
}

/// `list`.
#[derive(Debug, Default, Args)]
pub(crate) struct ListingArgs {
    #[command(flatten)]
    pub(crate) filter: ListArgs,
    /// Also what each goes back to, what would end it, and what time took from it
    #[arg(long)]
    pub(crate) explain: bool,
}

/// The filters of `list` and `diff`.
#[derive(Debug, Default, Args)]
pub(crate) struct ListArgs {
    /// Only this layer
    #[arg(long, value_parser = words::layer)]
    pub(crate) layer: Option<Layer>,
    /// Only this shape of content
    #[arg(long, value_name = "TYPE", value_parser = words::body_type)]
    pub(crate) body_type: Option<BodyType>,
    /// Only this slot
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// Only about this person
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Option<String>,
    /// Only facts with this subject
    #[arg(long, value_name = "S")]
    pub(crate) fact_subject: Option<String>,
    /// Only facts with this predicate
    #[arg(long, value_name = "P")]
    pub(crate) predicate: Option<String>,
    /// Only with this label
    #[arg(long)]
    pub(crate) tag: Option<String>,
    /// Only with this domain label
    #[arg(long)]
    pub(crate) domain: Option<String>,
    /// Only from sources of this kind
    #[arg(long, value_name = "KIND", value_parser = words::source_kind)]
    pub(crate) source_kind: Option<SourceKind>,
    /// Only whose text holds this
    #[arg(long, value_name = "TEXT")]
    pub(crate) grep: Option<String>,
}

/// `diff`.
#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// Two moments; D..D is that whole day
    #[arg(value_name = "A..B")]
    pub(crate) range: String,
    /// Compare what held in the world, as known now (or --as-of)
    #[arg(long)]
    pub(crate) valid: bool,
    #[command(flatten)]
    pub(crate) filter: ListArgs,
}
