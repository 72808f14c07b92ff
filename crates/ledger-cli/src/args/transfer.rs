//! Owns the flags of import, export, backup and restore.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use memledger::Actor;
use memledger::format::Trust;

use super::{help, words};

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

/// What every import of foreign rows takes.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Who imports; else service:memledger-import
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
    /// Where rows that cannot be taken are kept
    #[arg(long, value_name = "FILE", default_value = "import-quarantine.ndjson")]
    pub(crate) quarantine: PathBuf,
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
    #[command(flatten)]
    pub(crate) how: ImportArgs,
}

/// `import history`.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {
    /// The folder
    pub(crate) dir: PathBuf,
    /// Name of the document; else the folder's
    #[arg(long, value_name = "NAME")]
    pub(crate) document: Option<String>,
    #[command(flatten)]
    pub(crate) how: ImportArgs,
}

/// `import triples`.
#[derive(Debug, Args)]
pub(crate) struct TriplesArgs {
    /// The file
    pub(crate) file: PathBuf,
    /// The trust you vouch for; else as any file
    #[arg(long, value_parser = words::trust)]
    pub(crate) trust: Option<Trust>,
    #[command(flatten)]
    pub(crate) how: ImportArgs,
}

/// `import jsonl`.
#[derive(Debug, Args)]
pub(crate) struct JsonlArgs {
    /// The file; - is stdin
    pub(crate) file: PathBuf,
}

/// `backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// Where to: missing, empty, or with an earlier backup of this ledger
    pub(crate) dir: PathBuf,
}

/// `restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The directory that `backup` wrote
    pub(crate) backup: PathBuf,
    /// Where to: missing or empty
    pub(crate) dir: PathBuf,
    /// Why: it is recorded
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: String,
}

/// `export`.
#[derive(Debug, Subcommand)]
pub(crate) enum ExportVerb {
    /// Every record, one JSON object a line, to stdout
    #[command(after_help = help::EXPORT_JSONL)]
    Jsonl(ExportArgs),
    /// The records as tiles for a web server, up to the newest checkpoint
    #[command(after_help = help::EXPORT_TILES)]
    Tiles(TilesArgs),
}

/// `export tiles`.
#[derive(Debug, Args)]
pub(crate) struct TilesArgs {
    /// Where to; an earlier export there is continued
    pub(crate) dir: PathBuf,
}

/// `export jsonl`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// Leave the keys out: it can be verified, but not read
    #[arg(long)]
    pub(crate) sealed: bool,
}
