//! Owns the words and flags of `summary`.

use clap::{Args, Subcommand};
use memledger::Actor;

/// `summary`.
#[derive(Debug, Args)]
pub(crate) struct SummaryArgs {
    #[command(subcommand)]
    pub(crate) verb: SummaryVerb,
}

/// What to do about summaries.
#[derive(Debug, Subcommand)]
pub(crate) enum SummaryVerb {
    /// Hold a summary against what it covers: exit 6 when something of that does not stand any more
    Verify {
        /// Short name (m12), id, or its first 8 hex digits or more
        id: String,
        /// Record what it came to
        #[arg(long)]
        record: bool,
        /// Who acts: person:NAME, agent:NAME
        #[arg(long, value_name = "KIND:NAME", requires = "record")]
        by: Option<Actor>,
    },
    /// Withdraw a summary; the generation before it applies again
    Rollback {
        /// Short name (m12), id, or its first 8 hex digits or more
        id: String,
        /// An earlier generation; else the highest that it covers
        #[arg(long, value_name = "ID")]
        to: Option<String>,
        /// Why
        #[arg(long)]
        reason: String,
        /// Who acts: person:NAME, agent:NAME
        #[arg(long, value_name = "KIND:NAME")]
        by: Option<Actor>,
    },
    /// What a memory was made from, down to the raw messages
    Expand {
        /// Short name (m12), id, or its first 8 hex digits or more
        id: String,
    },
    /// Raw messages that hold a text
    Grep {
        /// The text, as it stands in the message
        text: String,
    },
}

impl SummaryVerb {
    /// The verb as it is typed.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Verify { .. } => "summary verify",
            Self::Rollback { .. } => "summary rollback",
            Self::Expand { .. } => "summary expand",
            Self::Grep { .. } => "summary grep",
        }
    }
}
