//! Owns the two streams: answers on stdout, messages on stderr.
//!
//! Invariants: with `--json` stdout holds one JSON object a line and nothing else; a reader that
//! goes away ends the run quietly. May not: decide what is said.

pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod width;

use std::ffi::OsString;
use std::io::{self, BufWriter, IsTerminal as _, Stdout, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::exit::Failure;

/// Where answers and messages go.
pub(crate) struct Out {
    stdout: Mutex<BufWriter<Stdout>>,
    json: bool,
    quiet: bool,
}

impl Out {
    /// The streams for these arguments, before they are understood: a refusal of the arguments
    /// themselves must already have the right form.
    pub(crate) fn for_typed(typed: &[OsString]) -> Self {
        let flags = || typed.iter().take_while(|arg| *arg != "--");
        Self {
            stdout: Mutex::new(BufWriter::new(io::stdout())),
            json: flags().any(|arg| arg == "--json"),
            quiet: flags().any(|arg| arg == "--quiet"),
        }
    }

    /// Takes over what the arguments turned out to say.
    pub(crate) const fn settle(&mut self, json: bool, quiet: bool) {
        self.json = json;
        self.quiet = quiet;
    }

    pub(crate) const fn json(&self) -> bool {
        self.json
    }

    fn stdout(&self) -> MutexGuard<'_, BufWriter<Stdout>> {
        self.stdout.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one line of an answer for people.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        writeln!(self.stdout(), "{text}").map_err(|error| Failure::stdout(&error))
    }

    /// Writes text as it is.
    pub(crate) fn raw(&self, text: &str) -> Result<(), Failure> {
        self.stdout().write_all(text.as_bytes()).map_err(|error| Failure::stdout(&error))
    }

    /// Stdout for those who write bytes.
    pub(crate) const fn pipe(&self) -> Pipe<'_> {
        Pipe { out: self, failed: None }
    }

    /// Writes one object of an answer for programs.
    pub(crate) fn object(&self, value: &Value) -> Result<(), Failure> {
        self.line(&value.to_string())
    }

    /// Sends everything on its way.
    pub(crate) fn flush(&self) -> Result<(), Failure> {
        self.stdout().flush().map_err(|error| Failure::stdout(&error))
    }

    /// Says something on stderr, unless nothing is to be said. What cannot be said is lost: there
    /// is no third place.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr(), "memledger: {text}");
        }
    }

    /// Shows the plan of a verb that takes something away, on stderr: stdout holds the results. It
    /// is shown even when nothing else is to be said.
    pub(crate) fn plan(&self, plan: &Value) {
        let _ = writeln!(io::stderr(), "{plan}");
    }

    /// Replaces the last line on a terminal; nothing elsewhere.
    pub(crate) fn progress(&self, text: &str) {
        if self.shows_progress() {
            let _ = write!(io::stderr(), "\r{text}\x1b[K");
        }
    }

    /// Ends the line of [`Out::progress`].
    pub(crate) fn progress_done(&self) {
        if self.shows_progress() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }

    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Asks on the terminal. `None` when there is none to ask.
    pub(crate) fn ask(&self, question: &str) -> Option<bool> {
        if !io::stdin().is_terminal() {
            return None;
        }
        let _ = write!(io::stderr(), "{question} [y/N] ");
        let mut answer = String::new();
        io::stdin().read_line(&mut answer).ok()?;
        Some(matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
    }

    /// Says why a run ended early.
    pub(crate) fn failure(&self, failure: &Failure) {
        if failure.silent() {
            return;
        }
        let text = if self.json {
            match failure.basis() {
                Some(basis) => json!({ "error": error(failure), "basis": basis }),
                None => json!({ "error": error(failure) }),
            }
            .to_string()
        } else {
            match failure.what_next() {
                // Most messages of the facade say what to do already.
                Some(hint) if !failure.message().contains("; ") => {
                    format!("memledger: {}; {hint}", failure.message())
                }
                _ => format!("memledger: {}", failure.message()),
            }
        };
        let _ = writeln!(io::stderr(), "{text}");
    }
}

/// Stdout for those who write bytes. Remembers why it took no more.
pub(crate) struct Pipe<'a> {
    out: &'a Out,
    failed: Option<io::Error>,
}

impl Pipe<'_> {
    /// Why it took no more, if so.
    pub(crate) fn failure(&self) -> Option<Failure> {
        self.failed.as_ref().map(Failure::stdout)
    }

    fn remember<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        done.map_err(|error| {
            let again = error.kind().into();
            self.failed.get_or_insert(error);
            again
        })
    }
}

impl io::Write for Pipe<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.stdout().write(bytes);
        self.remember(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.stdout().flush();
        self.remember(done)
    }
}

/// A failure as an object.
pub(crate) fn error(failure: &Failure) -> Value {
    json!({
        "kind": failure.kind(),
        "code": failure.code().number(),
        "message": failure.message(),
        "hint": failure.what_next(),
    })
}
