//! Owns how a run ends: the exit codes, and the one place that maps what went wrong to a code and a
//! hint what to do next.

use std::fmt;
use std::process::ExitCode;

use memledger::{Error, ErrorKind};
use serde_json::Value;

/// The exit codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    /// Done. Also when `--stdin` was partly refused: the results say which.
    Ok = 0,
    /// Not found, or nothing to show.
    NotFound = 1,
    /// The request is wrong.
    Usage = 2,
    /// Stored bytes are damaged or were changed.
    Damaged = 3,
    /// Cannot be checked with what is at hand.
    Unproven = 4,
    /// A hold forbids it.
    Held = 5,
    /// The ledger stands differently than assumed, or another process holds it.
    Conflict = 6,
    /// The policy says no.
    Refused = 7,
}

impl Code {
    /// The number that the shell sees.
    pub(crate) const fn number(self) -> u8 {
        self as u8
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> Self {
        Self::from(code.number())
    }
}

/// Why a run ends early.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    kind: &'static str,
    code: Code,
    message: String,
    hint: Option<String>,
    /// The basis that was looked at, as an object.
    basis: Option<Box<Value>>,
    silent: bool,
}

impl Failure {
    fn new(kind: &'static str, code: Code, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), hint: None, basis: None, silent: false }
    }

    /// The request is wrong.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new("usage", Code::Usage, message)
    }

    /// Nothing was found, or there is nothing to show.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self::new("not_found", Code::NotFound, message)
    }

    /// More than one thing could be meant.
    pub(crate) fn ambiguous(message: impl Into<String>) -> Self {
        Self::new("conflict", Code::Conflict, message)
    }

    /// The policy, or a trial of one, says no.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self::new("refused", Code::Refused, message)
    }

    /// It cannot be checked with what is at hand.
    pub(crate) fn unproven(message: impl Into<String>) -> Self {
        Self::new("unproven", Code::Unproven, message)
    }

    /// A proof from elsewhere does not hold.
    pub(crate) fn broken(message: impl Into<String>) -> Self {
        Self::new("damaged", Code::Damaged, message)
    }

    /// A file outside the ledger cannot be read or written.
    pub(crate) fn file(message: impl Into<String>) -> Self {
        Self::new("usage", Code::Usage, message)
    }

    /// A fault of this program. What is acknowledged is on disk and is not touched by it.
    pub(crate) fn internal() -> Self {
        Self::new("internal", Code::Damaged, "internal failure; the ledger on disk is unharmed")
            .hint("run `memledger verify` to see for yourself, and report what you ran")
    }

    /// The reader of the answer went away: no failure of ours, and nobody to tell.
    pub(crate) fn stdout(error: &std::io::Error) -> Self {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Self { silent: true, ..Self::new("closed", Code::Ok, String::new()) };
        }
        Self::new("unavailable", Code::Conflict, format!("the answer cannot be written: {error}"))
            .hint("what was asked for may be recorded all the same: see `memledger log` before you repeat it")
    }

    /// The same with what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same with the basis at which it was found.
    pub(crate) fn at(mut self, basis: Value) -> Self {
        self.basis = Some(Box::new(basis));
        self
    }

    /// The same with something said before the message.
    pub(crate) fn within(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    pub(crate) const fn kind(&self) -> &'static str {
        self.kind
    }

    pub(crate) const fn code(&self) -> Code {
        self.code
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn what_next(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    pub(crate) fn basis(&self) -> Option<&Value> {
        self.basis.as_deref()
    }

    /// Whether there is nothing to say.
    pub(crate) const fn silent(&self) -> bool {
        self.silent
    }

    /// Whether going on with other requests makes no sense either.
    pub(crate) const fn is_fatal(&self) -> bool {
        self.silent || matches!(self.code, Code::Damaged | Code::Unproven) || self.unavailable()
    }

    /// Whether the ledger was not to be had, now or here.
    pub(crate) const fn unavailable(&self) -> bool {
        matches!(self.kind.as_bytes(), b"unavailable")
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (kind, code, hint) = match error.kind() {
            ErrorKind::Invalid => ("invalid", Code::Usage, None),
            ErrorKind::NotFound => (
                "not_found",
                Code::NotFound,
                Some("`memledger list --include-history` shows what there is"),
            ),
            ErrorKind::Refused => ("refused", Code::Refused, Some("nothing was written")),
            ErrorKind::Conflict => {
                ("conflict", Code::Conflict, Some("nothing was written: read again, then decide"))
            }
            ErrorKind::Unavailable => {
                ("unavailable", Code::Conflict, Some("--from-archive reads without the lock"))
            }
            ErrorKind::Unproven => (
                "unproven",
                Code::Unproven,
                Some(
                    "`memledger key check` says about the key; `memledger verify --level log` needs none",
                ),
            ),
            ErrorKind::Damaged => {
                ("damaged", Code::Damaged, Some("`memledger verify` shows the extent"))
            }
            ErrorKind::Held => ("held", Code::Held, Some("lift the hold first")),
            // The kinds are open-ended: one that is not known here is a matter of versions.
            _ => ("unavailable", Code::Conflict, None),
        };
        let failure = Self::new(kind, code, error.to_string());
        match hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_is_silent_and_a_full_disk_is_not() {
        let closed = Failure::stdout(&std::io::ErrorKind::BrokenPipe.into());
        assert!(closed.silent());
        assert_eq!(closed.code(), Code::Ok);
        let full = Failure::stdout(&std::io::ErrorKind::StorageFull.into());
        assert!(!full.silent());
        assert_eq!(full.code().number(), 6);
        assert!(full.what_next().is_some_and(|hint| hint.contains("before you repeat it")));
    }

    #[test]
    fn a_wrong_request_is_usage() {
        let failure = Failure::from(Error::invalid("no"));
        assert_eq!((failure.kind(), failure.code()), ("invalid", Code::Usage));
    }
}
