//! Owns the command line as it is typed: verbs, flags and their help.
//!
//! Invariants: an unknown flag or word is refused, with the accepted words and the closest one.
//! May not: open anything, read the environment or say what a flag means for a ledger.

mod archive;
mod compact;
mod context;
mod help;
mod life;
mod lifecycle;
mod policy;
mod proof;
mod read;
mod skill;
mod source;
mod summary;
mod transfer;
mod uses;
mod witness;
mod words;
mod write;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use memledger::Scope;
use memledger::civil::Zone;

use crate::exit::Failure;

pub(crate) use archive::{
    KeyArgs, KeyVerb, LevelWord, LogArgs, Position, RepairArgs, ShowArgs, VerifyArgs,
};
pub(crate) use compact::CompactArgs;
pub(crate) use context::{ContextArgs, ContextVerb};
pub(crate) use life::{
    DecideArgs, PendingArgs, PendingVerb, PlanArgs, RevokeArgs, SweepArgs, TaskArgs, TaskVerb,
    UndoArgs,
};
pub(crate) use lifecycle::{
    CloseArgs, ConfirmArgs, ContestArgs, ForgetArgs, LiftArgs, PinArgs, PushdownArgs, RankArgs,
    ReopenArgs, ResolveArgs, TermsArgs, UseArgs,
};
pub(crate) use policy::{PoisonArgs, PolicyArgs, PolicySetArgs, PolicyVerb};
pub(crate) use proof::{
    AgainstArgs, CheckpointArgs, CheckpointVerb, ProveArgs, ProveCheckArgs, ProveVerb,
};
pub(crate) use read::{DiffArgs, GetArgs, IdArgs, ListArgs, ListingArgs};
pub(crate) use skill::{SkillActArgs, SkillArgs, SkillVerb};
pub(crate) use source::{SourceAddArgs, SourceArgs, SourceVerb};
pub(crate) use summary::{SummaryArgs, SummaryVerb};
pub(crate) use transfer::{
    BackupArgs, ExportVerb, ImportArgs, ImportVerb, JsonlArgs, RestoreArgs, TilesArgs,
};
pub(crate) use witness::{WitnessArgs, WitnessVerb};
pub(crate) use words::{body_type, layer, parts as confidence_parts, unknown as unknown_word};
pub(crate) use write::WriteArgs;

/// A memory ledger for agents: append-only, hash-chained, and able to say what it knew when.
#[derive(Debug, Parser)]
#[command(
    name = "memledger",
    version,
    help_template = help::TOP,
    arg_required_else_help = true,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// Flags that may stand before or after every verb.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// The ledger's directory; else as `memledger where` says
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) ledger: Option<PathBuf>,
    /// NDJSON on stdout, messages on stderr
    #[arg(long, global = true, overrides_with = "json")]
    pub(crate) json: bool,
    /// No notices and no progress
    #[arg(long, global = true, overrides_with = "quiet")]
    pub(crate) quiet: bool,
    /// Zone of dates and local times; else the ledger's own
    #[arg(long, value_name = "ZONE", global = true, value_parser = words::zone)]
    pub(crate) tz: Option<Zone>,
    /// Place such as org/acme/project/web; else as `memledger where` says
    #[arg(long, value_name = "PATH", global = true)]
    pub(crate) scope: Option<Scope>,
    /// Accept a clock that jumped ahead
    #[arg(long, global = true)]
    pub(crate) confirm_clock: bool,
    /// Accept a ledger that lacks the head remembered here, and remember its own
    #[arg(long, global = true)]
    pub(crate) accept_head: bool,
    /// How long to wait for whoever holds the ledger; else 10
    #[arg(long, value_name = "SECONDS", global = true, value_parser = words::seconds)]
    pub(crate) wait: Option<Duration>,
    #[command(flatten)]
    pub(crate) reading: Reading,
}

/// Flags of reading verbs.
#[derive(Debug, Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// As known then: instant, date, #seq, head, size:N
    #[arg(long, value_name = "WHEN", global = true)]
    pub(crate) as_of: Option<String>,
    /// As it held then in the world: instant or date
    #[arg(long, value_name = "WHEN", global = true)]
    pub(crate) valid_at: Option<String>,
    /// Answer from the raw archive: no views, no lock
    #[arg(long, global = true)]
    pub(crate) from_archive: bool,
    /// Imports count from when their source claims to have known
    #[arg(long, global = true)]
    pub(crate) claimed: bool,
    /// Also what is closed, expired or restricted
    #[arg(long, global = true)]
    pub(crate) include_history: bool,
    /// How many at most; 0 for all
    #[arg(long, value_name = "N", global = true, value_parser = words::count)]
    pub(crate) limit: Option<usize>,
    /// Go on where the page before ended
    #[arg(long, value_name = "C", global = true)]
    pub(crate) cursor: Option<String>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
#[command(disable_help_subcommand = false)]
pub(crate) enum Verb {
    /// Make a ledger
    #[command(after_help = help::INIT)]
    Init(InitArgs),
    /// Size, head, anchor, lag
    #[command(after_help = help::STATUS)]
    Status,
    /// Which ledger and which scope are meant, and who says so
    #[command(after_help = help::WHERE)]
    Where,
    /// A guided real run in a fresh directory
    Demo(DemoArgs),
    /// The master key, and the key that signs
    #[command(after_help = help::KEY)]
    Key(KeyArgs),
    /// Propose a memory
    #[command(after_help = help::WRITE)]
    Write(Box<WriteArgs>),
    /// A memory stops applying
    #[command(after_help = help::CLOSE)]
    Close(CloseArgs),
    /// A memory applies again
    #[command(after_help = help::REOPEN)]
    Reopen(ReopenArgs),
    /// Memories were confirmed
    Confirm(ConfirmArgs),
    /// Memories were used in an answer or an action
    Use(UseArgs),
    /// A memory misled: it ranks after its alternatives
    #[command(after_help = help::PUSHDOWN)]
    Pushdown(PushdownArgs),
    /// Take all push-downs of a memory back
    Lift(LiftArgs),
    /// Memories contradict each other
    #[command(after_help = help::CONTEST)]
    Contest(ContestArgs),
    /// Decide a contest
    #[command(after_help = help::RESOLVE)]
    Resolve(ResolveArgs),
    /// Keep a memory through summarising and compaction
    Pin(PinArgs),
    /// Take a pin back
    Unpin(PinArgs),
    /// Take memories out of every ordinary read
    #[command(after_help = help::FORGET)]
    Forget(ForgetArgs),
    /// Raise trust or layer
    #[command(after_help = help::PROMOTE)]
    Promote(RankArgs),
    /// Lower trust or layer
    #[command(after_help = help::DEMOTE)]
    Demote(RankArgs),
    /// The task in hand: what is for it steps aside when it ends
    #[command(after_help = help::TASK)]
    Task(TaskArgs),
    /// Record what ran out
    #[command(after_help = help::SWEEP)]
    Sweep(SweepArgs),
    /// Take a submission back
    #[command(after_help = help::UNDO)]
    Undo(UndoArgs),
    /// Withdraw what came from a source, with everything made from it
    #[command(after_help = help::REVOKE)]
    Revoke(RevokeArgs),
    /// What waits for persons
    #[command(after_help = help::PENDING)]
    Pending(PendingArgs),
    /// What needs a person
    #[command(after_help = help::REVIEW)]
    Review,
    /// One memory
    #[command(after_help = help::GET)]
    Get(GetArgs),
    /// What is in force
    #[command(after_help = help::LIST)]
    List(Box<ListingArgs>),
    /// What a model gets to work with, within a budget
    #[command(after_help = help::CONTEXT)]
    Context(ContextArgs),
    /// The life of one memory
    History(IdArgs),
    /// What changed between two moments
    #[command(after_help = help::DIFF)]
    Diff(DiffArgs),
    /// Where a memory comes from and what came from it
    Blame(IdArgs),
    /// Canonical files that the ledger follows
    #[command(after_help = help::SOURCE)]
    Source(SourceArgs),
    /// Skills: versions, how they did, which one is in use
    #[command(after_help = help::SKILL)]
    Skill(SkillArgs),
    /// Summaries: whether they still stand, and what they were made from
    #[command(after_help = help::SUMMARY)]
    Summary(SummaryArgs),
    /// What the write gate goes by
    #[command(after_help = help::POLICY)]
    Policy(PolicyArgs),
    /// Attack a ledger in memory under the policy: exit 7 when something does not hold
    #[command(after_help = help::POISON)]
    Poison(PoisonArgs),
    /// What the ledger did, counted from its records
    Stats,
    /// Merge what says the same, close noise, propose promotions; nothing is lost
    #[command(after_help = help::COMPACT)]
    Compact(CompactArgs),
    /// The last records
    #[command(after_help = help::LOG)]
    Log(LogArgs),
    /// One record
    #[command(after_help = help::SHOW)]
    Show(ShowArgs),
    /// Check what is stored
    #[command(after_help = help::VERIFY)]
    Verify(VerifyArgs),
    /// What every byte is, where damage begins, and what is safe to do
    #[command(after_help = help::DOCTOR)]
    Doctor,
    /// Mend what can be mended without losing anything
    #[command(after_help = help::REPAIR)]
    Repair(RepairArgs),
    /// Sign the head, so that others can hold the ledger to it
    #[command(after_help = help::CHECKPOINT)]
    Checkpoint(CheckpointArgs),
    /// Prove a record, or that a log continues another
    #[command(after_help = help::PROVE)]
    Prove(ProveArgs),
    /// A witness that vouches for the checkpoints of others
    #[command(after_help = help::WITNESS)]
    Witness(WitnessArgs),
    /// Throw the views away and build them from the log
    Rebuild,
    /// Bring data in
    #[command(subcommand)]
    Import(ImportVerb),
    /// Take data out
    #[command(subcommand)]
    Export(ExportVerb),
    /// Copy the ledger as it is now, beside whoever writes to it
    #[command(after_help = help::BACKUP)]
    Backup(BackupArgs),
    /// Make a ledger of a backup
    #[command(after_help = help::RESTORE)]
    Restore(RestoreArgs),
}

/// `init`.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Where; else -C, MEMLEDGER_DIR or the working directory
    pub(crate) dir: Option<PathBuf>,
    /// A name for this ledger, for people
    #[arg(long, value_name = "NAME")]
    pub(crate) origin: Option<String>,
}

/// `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// A directory that does not exist yet
    pub(crate) dir: Option<PathBuf>,
}

/// What the arguments come to.
pub(crate) enum Parsed {
    /// A text that was asked for.
    Help(String),
    /// Something to do.
    Verb(Box<Cli>),
}

/// Reads the arguments.
///
/// # Errors
/// A usage failure that names the argument and what is accepted.
pub(crate) fn parse(typed: &[OsString]) -> Result<Parsed, Failure> {
    if let [_, help, page] = typed
        && help == "help"
        && page == "bodies"
    {
        return Ok(Parsed::Help(help::bodies()));
    }
    let mut command = help::shortened(Cli::command());
    let cli =
        command.try_get_matches_from_mut(typed).and_then(|matches| Cli::from_arg_matches(&matches));
    match cli {
        Ok(cli) => Ok(Parsed::Verb(Box::new(cli))),
        Err(error) => match error.kind() {
            ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
                Ok(Parsed::Help(error.render().to_string()))
            }
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
                Err(Failure::usage("a verb is missing")
                    .hint("`memledger help` lists the verbs, `memledger demo` shows them at work"))
            }
            _ => Err(help::refusal(&error.render().to_string())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_verb_stands_in_a_group_of_the_help() {
        for verb in Cli::command().get_subcommands() {
            let name = verb.get_name();
            assert!(
                help::TOP.lines().any(|line| line.split_whitespace().next() == Some(name)),
                "{name} is in no group"
            );
        }
    }
}
