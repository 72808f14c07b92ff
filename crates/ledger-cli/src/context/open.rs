//! Owns opening: for writing, for reading, or the raw archive where that is all there is.

use std::fs::{self, OpenOptions as FileOptions};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use memledger::{ErrorKind, Ledger, OpenOptions};

use super::place::VAR_DIR;
use super::{Context, Step};
use crate::exit::Failure;

/// How long somebody waits without being told.
const IN_SILENCE: Duration = Duration::from_secs(1);

/// A ledger that was opened for reading.
pub(crate) struct Opened {
    pub(crate) ledger: Ledger,
    /// Whether it is the raw archive, without the lock.
    pub(crate) archive: bool,
}

impl Context<'_> {
    /// Opens the ledger for writing and says what was noticed.
    ///
    /// # Errors
    /// Whatever the facade says, with the directory and who named it.
    pub(crate) fn open(&self) -> Result<Ledger, Failure> {
        self.hold(false)
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
            self.out.note(
                "the directory takes no writes: answering from the raw archive, up to its anchor",
            );
        }
        Ok(opened)
    }

    /// Opens the raw archive, without the lock.
    ///
    /// # Errors
    /// As [`Context::open`].
    pub(crate) fn open_archive(&self) -> Result<Opened, Failure> {
        let ledger = Ledger::open_archive(&self.dir, self.options())
            .map_err(|e| self.misplaced(e.into()))?;
        self.say_notices(&ledger);
        self.hold_to_remembered(&ledger)?;
        Ok(Opened { ledger, archive: true })
    }

    /// Opens the ledger and makes its views anew.
    ///
    /// # Errors
    /// As [`Context::open`].
    pub(crate) fn open_to_rebuild(&self) -> Result<Ledger, Failure> {
        self.hold(true)
    }

    /// Takes hold of the ledger and says what was noticed. Whoever has to wait for long is told so.
    fn hold(&self, rebuild: bool) -> Result<Ledger, Failure> {
        let first = self.wait.min(IN_SILENCE);
        let open = |wait| {
            let options = OpenOptions { rebuild, wait, ..self.options() };
            Ledger::open(&self.dir, options)
        };
        let opened = open(first).or_else(|error| {
            if error.kind() != ErrorKind::Conflict || first == self.wait {
                return Err(error);
            }
            self.out.note(&format!(
                "another process holds the ledger; waiting for it, {} seconds at most",
                self.wait.as_secs_f32()
            ));
            open(self.wait - first)
        });
        let ledger = opened.map_err(|error| match error.kind() {
            ErrorKind::Conflict => Failure::from(error).hint(self.waited()),
            _ => self.misplaced(error.into()),
        })?;
        self.say_notices(&ledger);
        self.hold_to_remembered(&ledger)?;
        Ok(ledger)
    }

    /// What to say to whoever did not get hold of the ledger.
    fn waited(&self) -> String {
        let waited = if self.wait.is_zero() {
            "--wait SECONDS waits for it".to_owned()
        } else {
            format!("waited {} seconds for it (--wait)", self.wait.as_secs_f32())
        };
        format!("nothing was done; {waited}; --from-archive reads what is anchored")
    }

    /// How a ledger is opened.
    pub(crate) fn options(&self) -> OpenOptions {
        OpenOptions {
            clock: Arc::clone(&self.clock),
            confirm_clock: self.confirm_clock,
            ..OpenOptions::default()
        }
    }

    /// Says what was noticed while opening.
    pub(crate) fn say_notices(&self, ledger: &Ledger) {
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
            Step::Dotfile | Step::Prefix | Step::Default => {
                format!("named by the {} step, see `memledger where`", self.dir_step.name())
            }
            Step::Fallback => "the working directory".to_owned(),
        };
        failure.hint(format!(
            "looked in '{dir}' ({step}); name another with -C DIR or {VAR_DIR}, or make one with `memledger init`"
        ))
    }
}

/// Whether the ledger in `dir` may be read but not written. Opens its lock file for writing to find
/// out, and writes nothing.
fn read_only(dir: &Path) -> bool {
    let lock = dir.join("lock");
    // To open a pipe would wait for its reader; whoever takes the lock says what is wrong with it.
    if fs::symlink_metadata(&lock).is_ok_and(|found| !found.is_file()) {
        return false;
    }
    let probe = FileOptions::new().write(true).open(lock);
    probe.is_err_and(|error| {
        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    })
}
