//! Owns the flags of import and export.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use memledger::Actor;

use super::help;

/// `import`.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportVerb {
    /// The versions of a file in a git repository
    #[command(after_help = help::IMPORT_GIT)]
    Git(GitArgs),
    /// A folder of dated revisions of one document
    #[command(after_help = help::IMPORT_HISTORY)]
    History(HistoryArgs),
    /// Tab-separated facts with times
    #[command(after_help = help::IMPORT_TRIPLES)]
    Triples(TriplesArgs),
    /// What `export jsonl` wrote
    #[command(after_help = help::IMPORT_JSONL)]
    Jsonl(JsonlArgs),
}

/// `import git`.
#[derive(Debug, Args)]
pub(crate) struct GitArgs {
    /// The repository
    pub(crate) repo: PathBuf,
    /// The file in it, from its root
    pub(crate) path: String,
    /// Name of the document; else the path
    #[arg(long, value_name = "NAME")]
    pub(crate) document: Option<String>,
    /// Who imports
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
}

/// `import history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The folder
    pub(crate) dir: PathBuf,
    /// Name of the document; else the folder's
    #[arg(long, value_name = "NAME")]
    pub(crate) document: Option<String>,
    /// Who imports
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
}

/// `import triples`.
#[derive(Debug, Args)]
pub(crate) struct TriplesArgs {
    /// The file
    pub(crate) file: PathBuf,
    /// Who imports
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
}

/// `import jsonl`.
#[derive(Debug, Args)]
pub(crate) struct JsonlArgs {
    /// The file; - is stdin
    pub(crate) file: PathBuf,
}

/// `export`.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportVerb {
    /// Every record, one JSON object a line, to stdout
    #[command(after_help = help::EXPORT_JSONL)]
    Jsonl,
}
