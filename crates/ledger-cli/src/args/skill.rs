//! Owns the words and flags of `skill`.

use clap::{Args, Subcommand};
use memledger::Actor;

/// `skill`.
#[derive(Debug, Args)]
pub(crate) struct SkillArgs {
    #[command(subcommand)]
    pub(crate) verb: SkillVerb,
}

/// What to do about skills.
#[derive(Debug, Subcommand)]
pub(crate) enum SkillVerb {
    /// Skills, the version in use, and how it did
    List,
    /// One skill: its versions, their phases, scores and failures
    Show {
        /// Its name
        name: String,
    },
    /// Put a version into general use: exit 7 when it is not earned and no person says why
    Promote(SkillActArgs),
    /// Try a version on low-risk tasks first; the one in use stays
    Canary(SkillActArgs),
    /// Withdraw the canary, else the version in use; the last good one applies again
    Rollback {
        /// Its name
        name: String,
        /// Why
        #[arg(long)]
        reason: String,
        /// Who acts: person:NAME, agent:NAME
        #[arg(long, value_name = "KIND:NAME")]
        by: Option<Actor>,
    },
}

/// `skill promote` and `skill canary`.
#[derive(Debug, Args)]
pub(crate) struct SkillActArgs {
    /// Its name
    pub(crate) name: String,
    /// Which version; else the newest
    #[arg(long, value_name = "N")]
    pub(crate) version: Option<u32>,
    /// Why
    #[arg(long)]
    pub(crate) reason: Option<String>,
    /// Who acts: person:NAME, agent:NAME
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
}

impl SkillVerb {
    /// The verb as it is typed.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::List => "skill list",
            Self::Show { .. } => "skill show",
            Self::Promote(_) => "skill promote",
            Self::Canary(_) => "skill canary",
            Self::Rollback { .. } => "skill rollback",
        }
    }
}
