//! Owns the flags of the verbs that change how a memory stands. Each is one event.

use clap::Args;
use memledger::Actor;
use memledger::format::{Layer, Trust};

use super::words;

/// What goes with every change.
#[derive(Debug, Args)]
pub(crate) struct TermsArgs {
    /// Who acts: person:NAME, agent:NAME, service:NAME
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
    /// Safe retries: the same key and content give the first result
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
    /// Only if the ledger ends with this record
    #[arg(long, value_name = "SEQ", value_parser = words::seq)]
    pub(crate) expected_head: Option<u64>,
    /// Only if the memories named are still in the version this record made
    #[arg(long, value_name = "SEQ", value_parser = words::seq)]
    pub(crate) expected_version: Option<u64>,
}

/// `close`.
#[derive(Debug, Args)]
pub(crate) struct CloseArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    /// Why
    #[arg(long)]
    pub(crate) reason: String,
    /// From when on; else now
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "wrong")]
    pub(crate) at: Option<String>,
    /// Until when, exclusive; else for good
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, conflicts_with = "wrong")]
    pub(crate) until: Option<String>,
    /// It was never true
    #[arg(long)]
    pub(crate) wrong: bool,
    /// What took its place
    #[arg(long, value_name = "ID")]
    pub(crate) replaced_by: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `reopen`.
#[derive(Debug, Args)]
pub(crate) struct ReopenArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// From when on; else now. The gap stays a gap
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) from: Option<String>,
    /// Until when, exclusive; else open
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) until: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `confirm`.
#[derive(Debug, Args)]
pub(crate) struct ConfirmArgs {
    /// Short names (m12), ids or unique prefixes
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// New lifetime: 30m, 24h, 7d, or an instant
    #[arg(long, value_name = "DURATION")]
    pub(crate) ttl: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `use`.
#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// Short names (m12), ids or unique prefixes
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// What for
    #[arg(long)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `pushdown`.
#[derive(Debug, Args)]
pub(crate) struct PushdownArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    /// Why
    #[arg(long)]
    pub(crate) reason: String,
    /// Only for questions like this one
    #[arg(long)]
    pub(crate) query: Option<String>,
    /// What shows it
    #[arg(long)]
    pub(crate) evidence: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `lift`.
#[derive(Debug, Args)]
pub(crate) struct LiftArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `contest`.
#[derive(Debug, Args)]
pub(crate) struct ContestArgs {
    /// Two or more: short names (m12), ids or unique prefixes
    #[arg(required = true, num_args = 2.., value_name = "ID")]
    pub(crate) ids: Vec<String>,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `resolve`.
#[derive(Debug, Args)]
pub(crate) struct ResolveArgs {
    /// The record that contested
    #[arg(value_name = "SEQ", value_parser = words::seq)]
    pub(crate) contest: u64,
    /// The members that stand
    #[arg(long, required = true, num_args = 1.., value_name = "ID")]
    pub(crate) keep: Vec<String>,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `pin` and `unpin`.
#[derive(Debug, Args)]
pub(crate) struct PinArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `forget`.
#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// Short names (m12), ids or unique prefixes
    #[arg(value_name = "ID", required_unless_present = "subject", conflicts_with = "subject")]
    pub(crate) ids: Vec<String>,
    /// All memories about this person
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Option<String>,
    /// Why
    #[arg(long)]
    pub(crate) reason: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}

/// `promote` and `demote`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("to").required(true).multiple(true).args(["trust", "layer"]))]
pub(crate) struct RankArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    /// New trust: draft, unverified, verified, approved
    #[arg(long, value_parser = words::trust)]
    pub(crate) trust: Option<Trust>,
    /// New layer
    #[arg(long, value_parser = words::layer)]
    pub(crate) layer: Option<Layer>,
    /// Why (demote needs one)
    #[arg(long)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}
