//! Owns the flags of checkpoints, proofs and what a ledger is compared with.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::archive::Position;
use super::help;

/// `checkpoint`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct CheckpointArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<CheckpointVerb>,
    /// Ask the witnesses of this C2SP tlog-policy to cosign it; exit 4 when its quorum is missed
    #[arg(long, value_name = "FILE")]
    pub(crate) witness_policy: Option<PathBuf>,
    /// Ask the witness here too: its key stands in the policy
    #[arg(long, value_name = "URL", requires = "witness_policy")]
    pub(crate) witness: Vec<String>,
}

/// What to do about checkpoints; without a word, make one.
#[derive(Debug, Subcommand)]
pub(crate) enum CheckpointVerb {
    /// The checkpoints that are kept here
    List,
    /// One checkpoint, as others check it
    Show {
        /// Its number of records; else the newest
        size: Option<u64>,
    },
}

/// `prove`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ProveArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<ProveVerb>,
    /// The record to prove
    #[arg(value_name = "SEQ", value_parser = super::archive::position)]
    pub(crate) seq: Option<Position>,
    /// Instead: prove that the log of N records is the beginning of a later one
    #[arg(long, value_name = "N", conflicts_with = "seq")]
    pub(crate) from: Option<u64>,
    /// The later one; else the newest checkpoint
    #[arg(long, value_name = "N", requires = "from", conflicts_with_all = ["size", "checkpoint"])]
    pub(crate) to: Option<u64>,
    /// In the checkpoint of N records; else the newest
    #[arg(long, value_name = "N", conflicts_with = "checkpoint")]
    pub(crate) size: Option<u64>,
    /// In the checkpoint of this file
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Where to write the proof; else stdout
    #[arg(short = 'o', value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// What to do about proofs; without a word, make one.
#[derive(Debug, Subcommand)]
pub(crate) enum ProveVerb {
    /// Check a proof that somebody made: needs no ledger
    #[command(after_help = help::PROVE_CHECK)]
    Check(ProveCheckArgs),
}

/// `prove check`.
#[derive(Debug, Args)]
pub(crate) struct ProveCheckArgs {
    /// The proof; - is stdin
    pub(crate) file: PathBuf,
    /// A key you trust: NAME+ID+KEY, or a file that holds it
    #[arg(long, value_name = "KEY", required = true)]
    pub(crate) key: Vec<String>,
    /// The record's bytes, where the proof does not carry them
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// The earlier checkpoint that a consistency proof begins with
    #[arg(long, value_name = "FILE")]
    pub(crate) old: Option<PathBuf>,
    /// C2SP tlog-policy: which witnesses have to vouch for the checkpoint
    #[arg(long, value_name = "FILE")]
    pub(crate) witness_policy: Option<PathBuf>,
}

/// What `verify` compares a ledger with.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Compared with")]
pub(crate) struct AgainstArgs {
    /// A checkpoint that was kept elsewhere
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Vec<PathBuf>,
    /// A key you trust: NAME+ID+KEY, or a file that holds it; else those that the log names
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Vec<String>,
    /// C2SP tlog-policy: which witnesses have to vouch for each checkpoint
    #[arg(long, value_name = "FILE", requires = "checkpoint")]
    pub(crate) witness_policy: Option<PathBuf>,
}
