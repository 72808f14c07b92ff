//! Owns the flags of `compact`.

use clap::Args;
use memledger::Actor;

/// `compact`.
#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// Show what would be done; also without any flag
    #[arg(long, conflicts_with = "apply")]
    pub(crate) plan: bool,
    /// Do it, as one batch
    #[arg(long)]
    pub(crate) apply: bool,
    /// With --apply: also raise the trust of what proved itself; a person decides that
    #[arg(long, requires = "apply", requires = "by")]
    pub(crate) promote: bool,
    /// Without use or confirmation for so many days an unverified memory is noise
    #[arg(long, value_name = "DAYS", default_value_t = 90)]
    pub(crate) untouched: u32,
    /// So many confirmations and uses propose more trust
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(crate) touches: usize,
    /// Who acts: person:NAME, agent:NAME, service:NAME
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
}
