//! Owns who chose the directory and the scope. Six steps are asked in turn, and the first that says
//! something decides: the flag, the environment, a dotfile upward from the working directory, the
//! longest matching prefix of the user's configuration, the default in it, the built-in choice.
//!
//! Invariants: each answer names its step; what is set and means nothing is an error with its place,
//! never passed over; a step behind the one that decides is not read. May not: open a ledger.

mod files;

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memledger::Scope;

use self::files::{Fields, Files, Found};
use crate::exit::Failure;

/// Names the ledger's directory.
pub(super) const VAR_DIR: &str = "MEMLEDGER_DIR";
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
    /// A file in the working directory or above it.
    Dotfile,
    /// The longest matching prefix of the user's configuration.
    Prefix,
    /// The default of the user's configuration.
    Default,
    /// Nobody: the built-in choice.
    Fallback,
}

/// The steps in the order in which they are asked.
const STEPS: [Step; 6] =
    [Step::Flag, Step::Environment, Step::Dotfile, Step::Prefix, Step::Default, Step::Fallback];

impl Step {
    /// The word used in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Dotfile => "dotfile",
            Self::Prefix => "prefix",
            Self::Default => "default",
            Self::Fallback => "fallback",
        }
    }
}

/// What one step says.
pub(crate) struct Said<T> {
    pub(crate) step: Step,
    /// Where it was looked for.
    pub(crate) place: String,
    /// What it says; none: nothing.
    pub(crate) value: Result<Option<T>, Failure>,
}

/// One thing that is asked of the six steps.
struct Asked<'a, T> {
    /// The flag as it is typed, and its value.
    flag: (&'static str, Option<&'a T>),
    var: &'static str,
    /// Reads the variable.
    spoken: fn(OsString) -> Result<T, Failure>,
    field: fn(&Fields) -> Option<&str>,
    /// Reads the field of a file that lies in this directory.
    written: fn(&str, &Path) -> Result<T, Failure>,
    fallback: fn() -> T,
}

impl<T: Clone> Asked<'_, T> {
    fn said(&self, step: Step, files: &mut Files) -> Said<T> {
        let (place, value) = match step {
            Step::Flag | Step::Field => (self.flag.0.to_owned(), Ok(self.flag.1.cloned())),
            Step::Environment => (self.var.to_owned(), self.environment()),
            Step::Dotfile => self.of_file(files.dotfile(self.field)),
            Step::Prefix => self.of_file(files.prefix(self.field)),
            Step::Default => self.of_file(files.usual(self.field)),
            Step::Fallback => ("built in".to_owned(), Ok(Some((self.fallback)()))),
        };
        Said { step, place, value }
    }

    fn environment(&self) -> Result<Option<T>, Failure> {
        let Some(text) = env::var_os(self.var) else { return Ok(None) };
        (self.spoken)(text).map(Some).map_err(|failure| failure.within(self.var))
    }

    fn of_file(&self, found: Result<Found, Failure>) -> (String, Result<Option<T>, Failure>) {
        match found {
            Err(failure) => ("a file".to_owned(), Err(failure)),
            Ok(Found { place, value: None, .. }) => (place, Ok(None)),
            Ok(Found { place, value: Some(text), dir }) => {
                let value = (self.written)(&text, &dir).map(Some);
                let value = value.map_err(|failure| failure.within(&place));
                (place, value)
            }
        }
    }

    /// The first that says something.
    fn first(&self, files: &mut Files) -> Result<(T, Step), Failure> {
        for step in STEPS {
            if let Some(value) = self.said(step, files).value? {
                return Ok((value, step));
            }
        }
        Ok(((self.fallback)(), Step::Fallback))
    }

    fn all(&self) -> Vec<Said<T>> {
        let mut files = Files::default();
        STEPS.into_iter().map(|step| self.said(step, &mut files)).collect()
    }
}

fn asked_ledger(flag: Option<&PathBuf>) -> Asked<'_, PathBuf> {
    Asked {
        flag: ("-C", flag),
        var: VAR_DIR,
        spoken: |text| {
            if text.is_empty() {
                return Err(Failure::usage("it is set and empty")
                    .hint(format!("unset {VAR_DIR}, or name a directory")));
            }
            Ok(text.into())
        },
        field: |fields| fields.ledger.as_deref(),
        written: files::path,
        fallback: || PathBuf::from("."),
    }
}

fn asked_scope(flag: Option<&Scope>) -> Asked<'_, Scope> {
    Asked {
        flag: ("--scope", flag),
        var: VAR_SCOPE,
        spoken: |text| {
            let text = text.into_string().map_err(|_| Failure::usage("it is not valid UTF-8"))?;
            Ok(text.parse::<Scope>()?)
        },
        field: |fields| fields.scope.as_deref(),
        written: |text, _| Ok(text.parse::<Scope>()?),
        fallback: Scope::root,
    }
}

/// What a run means: which ledger, which scope, and who chose them.
pub(super) struct Places {
    pub(super) dir: PathBuf,
    pub(super) dir_step: Step,
    pub(super) scope: Scope,
    pub(super) scope_step: Step,
}

/// The ledger, and the scope where the verb makes use of one.
pub(super) fn places(
    ledger: Option<&PathBuf>,
    scope: Option<&Scope>,
    uses_scope: bool,
) -> Result<Places, Failure> {
    let mut files = Files::default();
    let (dir, dir_step) = asked_ledger(ledger).first(&mut files)?;
    let (scope, scope_step) = if uses_scope {
        asked_scope(scope).first(&mut files)?
    } else {
        (Scope::root(), Step::Fallback)
    };
    Ok(Places { dir: whole(&dir)?, dir_step, scope, scope_step })
}

/// What every step says about the ledger.
pub(crate) fn every_ledger(flag: Option<&PathBuf>) -> Vec<Said<PathBuf>> {
    asked_ledger(flag).all()
}

/// What every step says about the scope.
pub(crate) fn every_scope(flag: Option<&Scope>) -> Vec<Said<Scope>> {
    asked_scope(flag).all()
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
