//! Owns what was meant: which ledger, which scope and who chose it, which basis, which zone.
//!
//! Invariants: a step that is set and wrong is an error, never passed over; results name the step
//! that chose the scope. May not: print answers or know single verbs.

use std::env;
use std::fs::OpenOptions as FileOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memledger::civil::{When, Zone};
use memledger::format::{Micros, Seq};
use memledger::{
    Basis, Clock, Ledger, OpenOptions, Question, Scope, Snapshot, SystemClock,
};

use crate::args::{Cli, Reading, Uses};
use crate::exit::Failure;
use crate::output::{Out, human};

/// Names the ledger's directory.
const VAR_DIR: &str = "MEMLEDGER_DIR";
/// Names the scope.
const VAR_SCOPE: &str = "MEMLEDGER_SCOPE";

/// Who chose a directory or a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of the line, with `--stdin`.
    Field,
    /// A flag.
    Flag,
    /// The environment.
    Environment,
    /// Nobody: the built-in choice.
    Fallback,
}

impl Step {
    /// The word used in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Fallback => "fallback",
        }
    }
}

/// What was meant.
pub(crate) struct Context<'a> {
    /// The directory of the ledger.
    pub(crate) dir: PathBuf,
    dir_step: Step,
    /// The scope that writes go to and listings are limited to.
    pub(crate) scope: Scope,
    /// Who chose it.
    pub(crate) scope_step: Step,
    /// The zone asked for.
    pub(crate) tz: Option<Zone>,
    /// The clock of this run.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where answers go.
    pub(crate) out: &'a Out,
    reading: &'a Reading,
    confirm_clock: bool,
}

/// A ledger that was opened for reading.
pub(crate) struct Opened {
    pub(crate) ledger: Ledger,
    /// Whether it is the raw archive, without the lock.
    pub(crate) archive: bool,
}

impl<'a> Context<'a> {
    /// Reads flags and environment.
    ///
    /// # Errors
    /// A usage failure when a flag means nothing for the verb, or the environment holds nonsense.
    pub(crate) fn new(cli: &'a Cli, out: &'a Out) -> Result<Self, Failure> {
        cli.verb.check(&cli.global)?;
        let (dir, dir_step) = directory(cli.global.ledger.as_deref())?;
        let dir = whole(&dir)?;
        let (scope, scope_step) = scope(cli.global.scope.as_ref(), cli.verb.uses())?;
        Ok(Self {
            dir,
            dir_step,
            scope,
            scope_step,
            tz: cli.global.tz,
            clock: Arc::new(SystemClock::default()),
            out,
            reading: &cli.global.reading,
            confirm_clock: cli.global.confirm_clock,
        })
    }

    /// The present.
    pub(crate) fn now(&self) -> Micros {
        self.clock.now().wall
    }

    /// Whether answers are for programs.
    pub(crate) const fn json(&self) -> bool {
        self.out.json()
    }

    /// The zone that dates are read in.
    pub(crate) fn zone(&self, ledger: &Ledger) -> Zone {
        self.tz.unwrap_or_else(|| ledger.zone())
    }

    /// The scope that single memories must lie in: only one that was asked for now.
    pub(crate) fn scope_limit(&self) -> Option<&Scope> {
        (self.scope_step == Step::Flag).then_some(&self.scope)
    }

    /// Opens the ledger for writing and says what was noticed.
    ///
    /// # Errors
    /// Whatever the facade says, with the directory and who named it.
    pub(crate) fn open(&self) -> Result<Ledger, Failure> {
        let ledger = Ledger::open(&self.dir, self.options()).map_err(|e| self.misplaced(e.into()))?;
        self.say_notices(&ledger);
        Ok(ledger)
    }

    /// Opens the ledger for reading. Without the right to write, or when asked to, it is the raw
    /// archive.
    ///
    /// # Errors
    /// As [`Context::open`].
    pub(crate) fn open_to_read(&self) -> Result<Opened, Failure> {
        let takes_no_writes = read_only(&self.dir);
        if !self.reading.from_archive && !takes_no_writes {
            return self.open().map(|ledger| Opened { ledger, archive: false });
        }
        let opened = self.open_archive()?;
        if takes_no_writes && !self.reading.from_archive {
            self.out.note("the directory takes no writes: answering from the raw archive, up to its anchor");
        }
        Ok(opened)
    }

    /// Opens the raw archive, without the lock.
    ///
    /// # Errors
    /// As [`Context::open`].
    pub(crate) fn open_archive(&self) -> Result<Opened, Failure> {
        let ledger =
            Ledger::open_archive(&self.dir, self.options()).map_err(|e| self.misplaced(e.into()))?;
        self.say_notices(&ledger);
        Ok(Opened { ledger, archive: true })
    }

    /// Opens the ledger and makes its views anew.
    ///
    /// # Errors
    /// As [`Context::open`].
    pub(crate) fn open_to_rebuild(&self) -> Result<Ledger, Failure> {
        let options = OpenOptions { rebuild: true, ..self.options() };
        let ledger = Ledger::open(&self.dir, options).map_err(|e| self.misplaced(e.into()))?;
        self.say_notices(&ledger);
        Ok(ledger)
    }

    /// Whether `-C` named the directory.
    pub(crate) fn dir_is_flag(&self) -> bool {
        self.dir_step == Step::Flag
    }

    fn options(&self) -> OpenOptions {
        OpenOptions {
            clock: Arc::clone(&self.clock),
            confirm_clock: self.confirm_clock,
            ..OpenOptions::default()
        }
    }

    fn say_notices(&self, ledger: &Ledger) {
        for notice in ledger.notices() {
            self.out.note(notice);
        }
    }

    /// Adds which directory was looked at, and why that one.
    fn misplaced(&self, failure: Failure) -> Failure {
        if failure.kind() != "invalid" {
            return failure;
        }
        let dir = self.dir.display();
        let step = match self.dir_step {
            Step::Flag | Step::Field => "named by -C".to_owned(),
            Step::Environment => format!("named by {VAR_DIR}"),
            Step::Fallback => "the working directory".to_owned(),
        };
        failure.hint(format!(
            "looked in '{dir}' ({step}); name another with -C DIR or {VAR_DIR}, or make one with `memledger init`"
        ))
    }

    /// What is asked about.
    ///
    /// # Errors
    /// A usage failure when a time cannot be read.
    pub(crate) fn question(&self, opened: &Opened) -> Result<Question, Failure> {
        let zone = self.zone(&opened.ledger);
        let known = self.when("--as-of", self.reading.as_of.as_deref(), &zone)?;
        let valid = self.when("--valid-at", self.reading.valid_at.as_deref(), &zone)?;
        Ok(Question {
            known: known.unwrap_or(When::Head),
            valid,
            zone,
            claimed: self.reading.claimed,
            from_archive: opened.archive,
        })
    }

    /// The snapshot that the flags ask for.
    ///
    /// # Errors
    /// A usage failure for an unreadable time; whatever the facade says.
    pub(crate) fn snapshot<'l>(&self, opened: &'l Opened) -> Result<Snapshot<'l>, Failure> {
        Ok(opened.ledger.snapshot(&self.question(opened)?)?)
    }

    fn when(&self, flag: &str, text: Option<&str>, zone: &Zone) -> Result<Option<When>, Failure> {
        text.map(|text| self.parse_when(flag, text, zone)).transpose()
    }

    /// Reads a moment as people write it.
    ///
    /// # Errors
    /// A usage failure that names the flag.
    pub(crate) fn parse_when(&self, flag: &str, text: &str, zone: &Zone) -> Result<When, Failure> {
        When::parse(text, zone, self.now())
            .map_err(|error| Failure::usage(error.to_string()).within(flag))
    }

    /// Begins an answer for people: an answer at another basis than now says which.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub(crate) fn announce(&self, basis: &Basis) -> Result<(), Failure> {
        if self.json() || !self.elsewhere(basis) {
            return Ok(());
        }
        self.out.line(&basis.line())?;
        self.announce_valid(basis)
    }

    /// Says which instant of the valid axis counts, where one was named.
    ///
    /// # Errors
    /// When stdout takes no more.
    pub(crate) fn announce_valid(&self, basis: &Basis) -> Result<(), Failure> {
        match &self.reading.valid_at {
            Some(typed) => self.out.line(&human::valid(basis, typed)),
            None => Ok(()),
        }
    }

    fn elsewhere(&self, basis: &Basis) -> bool {
        let reading = self.reading;
        reading.as_of.is_some() || reading.valid_at.is_some() || basis.claimed || basis.from_archive
    }

    /// Whether what is not in force is asked for too.
    pub(crate) const fn include_history(&self) -> bool {
        self.reading.include_history
    }

    /// Whether the known axis was named.
    pub(crate) const fn names_as_of(&self) -> bool {
        self.reading.as_of.is_some()
    }

    /// Whether the valid axis was named.
    pub(crate) const fn names_valid_at(&self) -> bool {
        self.reading.valid_at.is_some()
    }

    /// How many at most; 0 for all.
    pub(crate) fn limit(&self, usual: usize) -> usize {
        self.reading.limit.unwrap_or(usual)
    }

    /// Where to go on.
    ///
    /// # Errors
    /// A usage failure for what no page ever gave.
    pub(crate) fn cursor(&self) -> Result<Option<Seq>, Failure> {
        self.reading
            .cursor
            .as_deref()
            .map(|text| {
                text.parse().map(Seq).map_err(|_| {
                    Failure::usage(format!("{text:?} is no cursor"))
                        .hint("write what the page before gave as `next`")
                })
            })
            .transpose()
    }
}

fn directory(flag: Option<&Path>) -> Result<(PathBuf, Step), Failure> {
    if let Some(dir) = flag {
        return Ok((dir.to_path_buf(), Step::Flag));
    }
    match env::var_os(VAR_DIR) {
        Some(dir) if dir.is_empty() => Err(Failure::usage(format!("{VAR_DIR} is set and empty"))
            .hint("unset it, or name a directory")),
        Some(dir) => Ok((dir.into(), Step::Environment)),
        None => Ok((PathBuf::from("."), Step::Fallback)),
    }
}

/// The path from the root: what is said about a directory must not depend on where it is read.
///
/// # Errors
/// When there is no working directory any more.
pub(crate) fn whole(dir: &Path) -> Result<PathBuf, Failure> {
    let whole = std::path::absolute(dir)
        .map_err(|error| Failure::file(format!("'{}' leads nowhere: {error}", dir.display())))?;
    // The path of the working directory ends with a dot that nobody typed.
    Ok(whole.components().collect())
}

fn scope(flag: Option<&Scope>, uses: Uses) -> Result<(Scope, Step), Failure> {
    if let Some(scope) = flag {
        return Ok((scope.clone(), Step::Flag));
    }
    match env::var(VAR_SCOPE) {
        _ if !uses.scope => Ok((Scope::root(), Step::Fallback)),
        Ok(text) => text
            .parse()
            .map(|scope| (scope, Step::Environment))
            .map_err(|error: memledger::Error| Failure::from(error).within(VAR_SCOPE)),
        Err(env::VarError::NotPresent) => Ok((Scope::root(), Step::Fallback)),
        Err(env::VarError::NotUnicode(_)) => {
            Err(Failure::usage(format!("{VAR_SCOPE} is not valid UTF-8")))
        }
    }
}

/// Whether the ledger in `dir` may be read but not written. Opens its lock file for writing to find
/// out, and writes nothing.
fn read_only(dir: &Path) -> bool {
    let probe = FileOptions::new().write(true).open(dir.join("lock"));
    probe.is_err_and(|error| {
        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    })
}
