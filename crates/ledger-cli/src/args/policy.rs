//! Owns the words and flags of `policy`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use memledger::Actor;

/// `policy`.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    #[command(subcommand)]
    pub(crate) verb: PolicyVerb,
}

/// What to do about the policy.
#[derive(Debug, Subcommand)]
pub(crate) enum PolicyVerb {
    /// The policy in force, or at an earlier moment
    Show {
        /// A version that was in force once; 0: the built-in one
        #[arg(long, value_name = "N")]
        version: Option<u32>,
        /// As a table: owner, lifetime, review, expiry and deletion of each layer
        #[arg(long)]
        table: bool,
    },
    /// Put a document in force, from the next write on, once the poisoning suite held under it
    Set(PolicySetArgs),
    /// Try cases under a policy: exit 7 when one differs
    Test {
        /// The cases
        file: PathBuf,
        /// A document that is not set yet; else the policy in force
        #[arg(long, value_name = "FILE")]
        policy: Option<PathBuf>,
    },
    /// What two policies say differently
    Diff {
        /// A version, or a file
        from: String,
        /// A version, or a file; else the policy in force
        to: Option<String>,
    },
    /// Give every recorded verdict again: exit 3 when one differs
    Check,
    /// Put an earlier version in force again, as a new version
    Rollback {
        /// The version
        version: u32,
        /// Why
        #[arg(long)]
        reason: String,
        /// Who acts: person:NAME
        #[arg(long, value_name = "KIND:NAME")]
        by: Option<Actor>,
        /// Although the poisoning suite fails under it; a person answers for that
        #[arg(long = "override", requires = "by")]
        overriding: bool,
    },
}

/// `poison`.
#[derive(Debug, Args)]
pub(crate) struct PoisonArgs {
    /// A document that is not set yet; else the policy in force
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// Also what held
    #[arg(long)]
    pub(crate) all: bool,
}

/// `policy set`.
#[derive(Debug, Args)]
pub(crate) struct PolicySetArgs {
    /// The document; - is stdin
    pub(crate) file: PathBuf,
    /// Why
    #[arg(long)]
    pub(crate) reason: String,
    /// Who acts: person:NAME
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
    /// Although the poisoning suite fails under it; a person answers for that
    #[arg(long = "override", requires = "by")]
    pub(crate) overriding: bool,
    /// Cases that must pass before it is set
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<PathBuf>,
}

impl PolicyVerb {
    /// The verb as it is typed.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Show { .. } => "policy show",
            Self::Set(_) => "policy set",
            Self::Test { .. } => "policy test",
            Self::Diff { .. } => "policy diff",
            Self::Check => "policy check",
            Self::Rollback { .. } => "policy rollback",
        }
    }
}
