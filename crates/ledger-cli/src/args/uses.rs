//! Owns which of the flags that may stand anywhere mean something for which verb. A flag without
//! meaning is refused: an answer that ignored it would look like one that did not.

use super::{
    ExportVerb, Global, ImportVerb, KeyVerb, PendingVerb, PolicyVerb, SkillVerb, SourceVerb,
    SummaryVerb, TaskVerb, Verb,
};
use crate::exit::Failure;

/// What a verb makes use of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Uses {
    /// It appends records.
    pub(crate) writes: bool,
    /// It takes hold of the ledger, and waits for whoever has it.
    pub(crate) holds: bool,
    /// It answers at an earlier basis.
    pub(crate) basis: bool,
    /// It can answer from the raw archive.
    pub(crate) archive: bool,
    /// It can also show what is not in force.
    pub(crate) history: bool,
    /// It answers in pages.
    pub(crate) pages: bool,
    /// It answers with so many at most.
    pub(crate) limit: bool,
    /// It is limited to a scope.
    pub(crate) scope: bool,
}

const NOTHING: Uses = Uses {
    writes: false,
    holds: false,
    basis: false,
    archive: false,
    history: false,
    pages: false,
    limit: false,
    scope: false,
};
const HOLDS: Uses = Uses { holds: true, ..NOTHING };
/// It records something about the ledger itself.
const RECORDS: Uses = Uses { writes: true, ..HOLDS };
const CHANGE: Uses = Uses { scope: true, ..RECORDS };
const ONE: Uses = Uses { basis: true, archive: true, scope: true, ..HOLDS };
const MANY: Uses = Uses { pages: true, limit: true, ..ONE };
const ARCHIVE: Uses = Uses { archive: true, ..HOLDS };
/// It looks at the files and takes hold of nothing.
const LOOKS: Uses = Uses { archive: true, ..NOTHING };

impl Verb {
    /// What this verb makes use of.
    pub(crate) const fn uses(&self) -> Uses {
        match self {
            Self::Init(_) | Self::Demo(_) | Self::Witness(_) | Self::Backup(_) => NOTHING,
            Self::Where => Uses { scope: true, ..NOTHING },
            Self::Rebuild => HOLDS,
            Self::Verify(_) | Self::Doctor => LOOKS,
            Self::Key(args) if matches!(args.verb, KeyVerb::Rotate) => RECORDS,
            Self::Repair(_) | Self::Restore(_) => Uses { holds: false, ..RECORDS },
            Self::Checkpoint(args) if args.verb.is_none() => RECORDS,
            Self::Prove(args) if args.verb.is_some() => NOTHING,
            Self::Source(args) => match &args.verb {
                SourceVerb::Add(_) => CHANGE,
                SourceVerb::Status { .. } => Uses { scope: false, ..ONE },
                _ => RECORDS,
            },
            Self::Skill(args) => match &args.verb {
                SkillVerb::List | SkillVerb::Show { .. } => ONE,
                _ => CHANGE,
            },
            Self::Summary(args) => match &args.verb {
                SummaryVerb::Grep { .. } => MANY,
                SummaryVerb::Expand { .. } | SummaryVerb::Verify { record: false, .. } => ONE,
                _ => CHANGE,
            },
            Self::Policy(args) => match &args.verb {
                PolicyVerb::Set(_) | PolicyVerb::Rollback { .. } => RECORDS,
                PolicyVerb::Check => ARCHIVE,
                _ => Uses { scope: false, ..ONE },
            },
            Self::Status => Uses { scope: true, ..ARCHIVE },
            Self::Key(_) | Self::Checkpoint(_) | Self::Prove(_) => ARCHIVE,
            Self::Compact(args) if args.apply => CHANGE,
            Self::Compact(_) => Uses { scope: true, ..HOLDS },
            Self::Context(args) if args.verb.is_some() => CHANGE,
            Self::Context(_) => ONE,
            Self::Poison(_) | Self::Stats => Uses { scope: false, ..ONE },
            Self::Export(ExportVerb::Jsonl(_) | ExportVerb::Tiles(_)) => ARCHIVE,
            Self::Import(ImportVerb::Jsonl(_)) => RECORDS,
            Self::Write(_)
            | Self::Close(_)
            | Self::Reopen(_)
            | Self::Confirm(_)
            | Self::Use(_)
            | Self::Pushdown(_)
            | Self::Lift(_)
            | Self::Contest(_)
            | Self::Resolve(_)
            | Self::Pin(_)
            | Self::Unpin(_)
            | Self::Forget(_)
            | Self::Promote(_)
            | Self::Demote(_)
            | Self::Import(_) => CHANGE,
            Self::Sweep(_) | Self::Undo(_) | Self::Revoke(_) => RECORDS,
            Self::Pending(args) => match args.verb {
                PendingVerb::List => ONE,
                _ => CHANGE,
            },
            Self::Review => Uses { limit: true, ..ONE },
            Self::Task(args) => match args.verb {
                TaskVerb::List { .. } => ONE,
                TaskVerb::Start { .. } => CHANGE,
                TaskVerb::End { .. } => RECORDS,
            },
            Self::Get(_) | Self::Blame(_) => ONE,
            Self::Show(_) => Uses { scope: false, ..ONE },
            Self::History(_) | Self::Log(_) => MANY,
            Self::List(_) | Self::Diff(_) => Uses { history: true, ..MANY },
        }
    }

    /// The verb as it is typed.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Init(_) => "init",
            Self::Status => "status",
            Self::Where => "where",
            Self::Demo(_) => "demo",
            Self::Key(args) => match args.verb {
                KeyVerb::Check => "key check",
                KeyVerb::Show => "key show",
                KeyVerb::Rotate => "key rotate",
            },
            Self::Checkpoint(_) => "checkpoint",
            Self::Prove(args) if args.verb.is_some() => "prove check",
            Self::Prove(_) => "prove",
            Self::Write(_) => "write",
            Self::Close(_) => "close",
            Self::Reopen(_) => "reopen",
            Self::Confirm(_) => "confirm",
            Self::Use(_) => "use",
            Self::Pushdown(_) => "pushdown",
            Self::Lift(_) => "lift",
            Self::Contest(_) => "contest",
            Self::Resolve(_) => "resolve",
            Self::Pin(_) => "pin",
            Self::Unpin(_) => "unpin",
            Self::Forget(_) => "forget",
            Self::Promote(_) => "promote",
            Self::Demote(_) => "demote",
            Self::Task(args) => args.verb.name(),
            Self::Sweep(_) => "sweep",
            Self::Undo(_) => "undo",
            Self::Revoke(_) => "revoke",
            Self::Pending(args) => args.verb.name(),
            Self::Review => "review",
            Self::Get(_) => "get",
            Self::List(_) => "list",
            Self::History(_) => "history",
            Self::Diff(_) => "diff",
            Self::Blame(_) => "blame",
            Self::Source(args) => args.verb.name(),
            Self::Skill(args) => args.verb.name(),
            Self::Summary(args) => args.verb.name(),
            Self::Context(args) if args.verb.is_some() => "context flush",
            Self::Context(_) => "context",
            Self::Compact(_) => "compact",
            Self::Poison(_) => "poison",
            Self::Stats => "stats",
            Self::Policy(args) => args.verb.name(),
            Self::Log(_) => "log",
            Self::Show(_) => "show",
            Self::Verify(_) => "verify",
            Self::Doctor => "doctor",
            Self::Repair(_) => "repair",
            Self::Rebuild => "rebuild",
            Self::Witness(_) => "witness",
            Self::Import(_) => "import",
            Self::Export(_) => "export",
            Self::Backup(_) => "backup",
            Self::Restore(_) => "restore",
        }
    }

    /// Refuses flags that mean nothing for this verb.
    ///
    /// # Errors
    /// A usage failure that names the flag and why.
    pub(crate) fn check(&self, global: &Global) -> Result<(), Failure> {
        let uses = self.uses();
        let reading = &global.reading;
        let past = if uses.writes {
            "writing happens now, the past is never rewritten"
        } else {
            "it is about the ledger as it is"
        };
        let flags = [
            ("--as-of", reading.as_of.is_some(), uses.basis, past),
            ("--valid-at", reading.valid_at.is_some(), uses.basis, past),
            ("--claimed", reading.claimed, uses.basis, past),
            ("--from-archive", reading.from_archive, uses.archive, "it needs the ledger itself"),
            (
                "--include-history",
                reading.include_history,
                uses.history,
                "it filters nothing by status",
            ),
            ("--limit", reading.limit.is_some(), uses.limit, "it is no listing"),
            ("--cursor", reading.cursor.is_some(), uses.pages, "it is no listing"),
            ("--scope", global.scope.is_some(), uses.scope, "it is about the whole ledger"),
            (
                "--wait",
                global.wait.is_some(),
                uses.holds && !reading.from_archive,
                "it holds nothing",
            ),
            ("--confirm-clock", global.confirm_clock, uses.writes, "it records nothing"),
        ];
        match flags.into_iter().find(|(_, given, used, _)| *given && !*used) {
            Some((flag, _, _, why)) => {
                Err(Failure::usage(format!("{flag} means nothing for `{}`: {why}", self.name()))
                    .hint("leave it out"))
            }
            None => Ok(()),
        }
    }
}
