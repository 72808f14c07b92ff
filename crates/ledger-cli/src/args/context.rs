//! Owns the words and flags of `context`.

use clap::{Args, Subcommand};

use super::lifecycle::TermsArgs;

/// `context`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ContextArgs {
    /// Estimated tokens that it may take
    #[arg(long, value_name = "N", default_value_t = 4_000)]
    pub(crate) budget: u64,
    #[command(subcommand)]
    pub(crate) verb: Option<ContextVerb>,
}

/// What else to do about the context.
#[derive(Debug, Subcommand)]
pub(crate) enum ContextVerb {
    /// Keep what a client is about to lose: proposals, one JSON object a line, all or none
    Flush(TermsArgs),
}
