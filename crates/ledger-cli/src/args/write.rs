//! Owns the flags of `write`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;
use memledger::Source;
use memledger::format::{BodyType, Layer};

use super::{TermsArgs, words};

/// With `--stdin` each line says these for itself.
const PER_MEMORY: [&str; 20] = [
    "qualifier",
    "body_type",
    "layer",
    "source",
    "supersedes",
    "valid_from",
    "valid_until",
    "observed_at",
    "ttl",
    "review_by",
    "subject",
    "tag",
    "domain",
    "key",
    "task",
    "derived_from",
    "confidence",
    "by",
    "idempotency_key",
    "expected_version",
];

/// `write`.
#[derive(Debug, Args)]
pub(crate) struct WriteArgs {
    /// The words; - reads them from stdin. They come back byte for byte
    #[arg(value_name = "TEXT", conflicts_with_all = ["fact", "body", "text_file", "stdin"])]
    pub(crate) text: Option<OsString>,
    /// A fact: subject, predicate, object
    #[arg(long, num_args = 3, value_names = ["S", "P", "O"], conflicts_with_all = ["body", "text_file", "stdin"])]
    pub(crate) fact: Option<Vec<String>>,
    /// When the fact holds: environment=production, place=Kiel (repeatable)
    #[arg(long, value_name = "NAME=VALUE", requires = "fact", conflicts_with_all = ["text", "body", "text_file"], value_parser = words::named)]
    pub(crate) qualifier: Vec<(String, String)>,
    /// A typed body: a file with one JSON object
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text_file", "stdin"])]
    pub(crate) body: Option<PathBuf>,
    /// The words, from a file
    #[arg(long, value_name = "FILE", conflicts_with = "stdin")]
    pub(crate) text_file: Option<PathBuf>,
    /// One JSON object a line from stdin, one result a line to stdout
    #[arg(long, conflicts_with_all = PER_MEMORY)]
    pub(crate) stdin: bool,
    /// The shape of the content
    #[arg(long, value_name = "TYPE", value_parser = words::body_type)]
    pub(crate) body_type: Option<BodyType>,
    /// What it is for: session, day, project, episodic, semantic, …
    #[arg(long, value_parser = words::layer)]
    pub(crate) layer: Option<Layer>,
    /// Where the words come from: kind:uri or kind:uri#span
    #[arg(long, value_name = "KIND:URI")]
    pub(crate) source: Option<Source>,
    /// Memories it replaces: m12, ids or unique prefixes, up to 32, all or none
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub(crate) supersedes: Vec<OsString>,
    /// True since: instant, local time, or date (its start)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) valid_from: Option<String>,
    /// True until, exclusive
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) valid_until: Option<String>,
    /// When the writer saw it
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub(crate) observed_at: Option<String>,
    /// Stops counting after 30m, 24h, 7d, or at an instant, unless confirmed
    #[arg(long, value_name = "DURATION")]
    pub(crate) ttl: Option<String>,
    /// When a person should look at it: a duration or an instant
    #[arg(long, value_name = "DURATION")]
    pub(crate) review_by: Option<String>,
    /// A person it is about (repeatable)
    #[arg(long, value_name = "NAME")]
    pub(crate) subject: Vec<String>,
    /// A label (repeatable)
    #[arg(long)]
    pub(crate) tag: Vec<String>,
    /// A domain label
    #[arg(long)]
    pub(crate) domain: Option<String>,
    /// The slot it fills
    #[arg(long)]
    pub(crate) key: Option<String>,
    /// The task in hand; else MEMLEDGER_TASK
    #[arg(long, value_name = "NAME")]
    pub(crate) task: Option<String>,
    /// Memories it was made from: m12, ids or unique prefixes
    #[arg(long, value_name = "ID", num_args = 1..)]
    pub(crate) derived_from: Vec<OsString>,
    /// The writer's confidence, 0 to 1
    #[arg(long, value_name = "0..1", value_parser = words::confidence)]
    pub(crate) confidence: Option<u16>,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
}
