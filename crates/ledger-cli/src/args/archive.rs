//! Owns the flags of the verbs that look at the archive itself.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use memledger::format::TreeRoot;
use memledger::proof::parse_root;
use memledger::repair::RepairPart;

use super::proof::AgainstArgs;
use super::words;

/// `log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// How many; the same as --limit
    #[arg(short = 'n', value_name = "N", value_parser = words::count, conflicts_with = "limit")]
    pub(crate) count: Option<usize>,
}

/// `show`.
#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The record's number, or head
    #[arg(value_name = "SEQ", value_parser = position)]
    pub(crate) seq: Position,
    /// Also its stored bytes, in hex
    #[arg(long)]
    pub(crate) raw: bool,
}

/// Which record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    /// The last one at the basis.
    Head,
    /// The one with this number.
    At(u64),
}

pub(super) fn position(text: &str) -> Result<Position, String> {
    if text.eq_ignore_ascii_case("head") {
        return Ok(Position::Head);
    }
    words::seq(text).map(Position::At)
}

/// `repair`.
#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// What
    #[arg(value_enum, value_name = "PART")]
    pub(crate) part: PartWord,
    /// Why; it is recorded
    #[arg(long)]
    pub(crate) reason: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
}

/// What may be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PartWord {
    /// An unfinished batch at the end of the log, never acknowledged: cut off and kept aside
    Tail,
    /// The views: made anew from the log
    Views,
    /// One copy of the head anchor: written again from the other, where the log confirms it
    Anchor,
}

impl From<PartWord> for RepairPart {
    fn from(word: PartWord) -> Self {
        match word {
            PartWord::Tail => Self::Tail,
            PartWord::Views => Self::Views,
            PartWord::Anchor => Self::Anchor,
        }
    }
}

/// `verify`.
#[derive(Debug, Default, Args)]
pub(crate) struct VerifyArgs {
    /// How deep; else views, or content where there are none to compare
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelWord>,
    /// Read only what came after a signed checkpoint or result; at --level fast compare bytes
    #[arg(long, value_name = "FILE")]
    pub(crate) since: Option<PathBuf>,
    /// For a timer: remember the result, go on from it the next time, and leave writers alone
    #[arg(long)]
    pub(crate) scheduled: bool,
    /// How often the timer runs, such as 6h, else 1d: `status` says when a run is overdue
    #[arg(long, value_name = "TIME", value_parser = words::span, requires = "scheduled")]
    pub(crate) every: Option<Duration>,
    /// Of so many scheduled runs one reads everything; else of 7
    #[arg(long, value_name = "N", requires = "scheduled")]
    pub(crate) whole_every: Option<u32>,
    /// A head kept elsewhere: how many records, and the root over them in hex; may be repeated
    #[arg(long, value_name = "SIZE:ROOT", value_parser = remembered)]
    pub(crate) remembered: Vec<(u64, TreeRoot)>,
    /// Write the result there too, signed by the ledger's key
    #[arg(long, value_name = "FILE")]
    pub(crate) result: Option<PathBuf>,
    /// Check such a file, and nothing else: by --key, or by the keys that the log names
    #[arg(long, value_name = "FILE", conflicts_with_all = ["level", "since", "scheduled", "remembered", "result", "checkpoint", "witness_policy"])]
    pub(crate) check_result: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) against: AgainstArgs,
}

fn remembered(text: &str) -> Result<(u64, TreeRoot), String> {
    let wrong = || format!("{text:?} is not SIZE:ROOT, a number of records and 32 bytes in hex");
    let (size, root) = text.split_once(':').ok_or_else(wrong)?;
    let size = size.parse().map_err(|_| wrong())?;
    Ok((size, parse_root(root).ok_or_else(wrong)?))
}

/// How deep to verify; each level includes the ones before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelWord {
    /// Headers, links between batches, the first and last record of each
    Fast,
    /// Records, hashes, order, anchor
    Log,
    /// Also the stored payloads, sealed as they are
    Payloads,
    /// Also what is inside them; needs the master key
    Content,
    /// Also that replay gives the views
    Views,
}

/// `key`.
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(subcommand)]
    pub(crate) verb: KeyVerb,
}

/// What to do about keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeyVerb {
    /// Whether the master key is at hand and belongs to this ledger
    Check,
    /// The signing keys that the log names: what others verify with
    Show,
    /// Put a new signing key in force, signed by the one before it; the first, where there is none
    Rotate,
}
