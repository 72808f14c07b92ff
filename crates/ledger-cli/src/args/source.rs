//! Owns the words and flags of `source`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use memledger::Actor;

/// `source`.
#[derive(Debug, Args)]
pub(crate) struct SourceArgs {
    #[command(subcommand)]
    pub(crate) verb: SourceVerb,
}

/// What to do about registered sources.
#[derive(Debug, Subcommand)]
pub(crate) enum SourceVerb {
    /// Register a canonical file; `sync` reads it
    Add(SourceAddArgs),
    /// Bring the ledger to what the files say now: exit 1 when one is not there
    Sync {
        /// Which one; else all of them
        name: Option<String>,
        /// Who acts; else service:memledger-sync
        #[arg(long, value_name = "KIND:NAME")]
        by: Option<Actor>,
    },
    /// Registered sources, and whether the ledger holds what they say
    Status {
        /// Which one; else all of them
        name: Option<String>,
    },
    /// End a registration, and close the clauses that came from it
    Remove {
        /// Its name
        name: String,
        /// Why
        #[arg(long)]
        reason: String,
        /// Who acts; else service:memledger-sync
        #[arg(long, value_name = "KIND:NAME")]
        by: Option<Actor>,
    },
}

/// `source add`.
#[derive(Debug, Args)]
pub(crate) struct SourceAddArgs {
    /// A name for it
    pub(crate) name: String,
    /// The file
    #[arg(required_unless_present = "git")]
    pub(crate) file: Option<PathBuf>,
    /// A repository, and the file's path from the root of it
    #[arg(long, value_names = ["REPO", "PATH"], num_args = 2, conflicts_with = "file")]
    pub(crate) git: Option<Vec<PathBuf>>,
    /// Name of the document; else the name of the source
    #[arg(long, value_name = "ID")]
    pub(crate) document: Option<String>,
    /// One clause for all of it; else one for each Markdown heading
    #[arg(long)]
    pub(crate) whole: bool,
    /// Who acts; else service:memledger-sync
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
}

impl SourceVerb {
    /// The verb as it is typed.
    pub(super) const fn name(&self) -> &'static str {
        match self {
            Self::Add(_) => "source add",
            Self::Sync { .. } => "source sync",
            Self::Status { .. } => "source status",
            Self::Remove { .. } => "source remove",
        }
    }
}
