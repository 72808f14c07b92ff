//! Owns the flags of the verbs that look at the archive itself.

use clap::{Args, Subcommand, ValueEnum};

use super::words;

/// `log`.
#[derive(Debug, Args)]
pub(crate) struct LogArgs {
    /// How many; the same as --limit
    #[arg(short = 'n', value_name = "N", conflicts_with = "limit")]
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

fn position(text: &str) -> Result<Position, String> {
    if text.eq_ignore_ascii_case("head") {
        return Ok(Position::Head);
    }
    words::seq(text).map(Position::At)
}

/// `verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// How deep; else views, or content where there are none
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelWord>,
}

/// How deep to verify; each level includes the ones before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelWord {
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
}
