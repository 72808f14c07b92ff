//! Owns taking a backup: which directories may be used, and what is checked before it takes effect.

use std::path::Path;
use std::sync::Arc;

use ledger_store::backup::{self, BackupError, TakeOptions};
use ledger_store::storage::Storage;
use ledger_store::{LedgerConfig, Reader};

use super::{BackupHead, BackupReport, KeyPlaces, check_whole, explain};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::{Ledger, OpenOptions, open_disk};
use crate::machine::Machine;
use crate::verify::{VerifyLevel, Watch};

/// What stopped a backup.
enum Stop {
    Backup(BackupError),
    Whole(Error),
}

impl From<BackupError> for Stop {
    fn from(error: BackupError) -> Self {
        Self::Backup(error)
    }
}

impl Ledger {
    /// Takes a backup of the ledger in `dir` into `to`, which is missing, empty, or holds an earlier
    /// backup of the same ledger. Needs no lock, and no key. `to_machine` is what `to` lies on.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] where no ledger is, or `to` holds something else;
    /// [`ErrorKind::Conflict`] when `to` holds a backup of another ledger, of a later head or of
    /// another history; [`ErrorKind::Damaged`] when the ledger is damaged: then the backup that was
    /// there stays in force.
    pub fn backup(
        dir: &Path,
        to: &Path,
        options: &OpenOptions,
        to_machine: &Machine,
        watch: Watch<'_>,
    ) -> Result<BackupReport> {
        if options.machine.disk.is_none() && to_machine.disk.is_none() {
            refuse_nested(dir, to)?;
        }
        let from = open_disk(dir, &options.machine, true)?;
        let config =
            LedgerConfig::read(&*from).map_err(|error| crate::ledger::no_ledger(dir, error))?;
        let reader = Reader::open(Arc::clone(&from), config.ledger)?;
        let target = to_machine.create(to).map_err(|error| {
            Error::new(ErrorKind::Unavailable, format!("{}: {error}", to.display()))
        })?;
        let about = TakeOptions {
            taken_at: options.clock.now().wall,
            program: concat!("memledger ", env!("CARGO_PKG_VERSION")).to_owned(),
        };
        let mut accept = |copy: &Arc<dyn Storage>| {
            let level = VerifyLevel::Payloads;
            check_whole(to, copy, config.ledger, &options.master, level, watch).map_err(Stop::Whole)
        };
        let taken = backup::take(&from, &reader, &target, &about, &mut accept);
        let taken = taken.map_err(|stop| match stop {
            Stop::Backup(error @ BackupError::Empty) => explain(dir, error),
            Stop::Backup(error) => explain(to, error),
            Stop::Whole(error) => Error::new(
                error.kind(),
                format!(
                    "what was copied from {} is not whole, and no backup was made of it: {error}; what {} held before stays in force; look at `memledger verify` of the ledger",
                    dir.display(),
                    to.display()
                ),
            ),
        })?;
        let manifest = taken.manifest;
        Ok(BackupReport {
            head: BackupHead {
                ledger: manifest.ledger,
                last: manifest.last,
                hash: manifest.hash,
                root: manifest.root,
            },
            before: taken.before.map(|before| before.last),
            copied: taken.copied,
            resumed: taken.resumed,
            files: manifest.files.len() as u64,
            bytes: manifest.bytes(),
            keys: KeyPlaces::find(&options.master, &config.ledger),
        })
    }
}

/// A backup inside its ledger would be lost with it, and copied by the next one.
fn refuse_nested(dir: &Path, to: &Path) -> Result<()> {
    let real = |path: &Path| {
        // What is missing has no real path: that of the nearest directory above it counts.
        let mut rest = Vec::new();
        let mut at = path;
        loop {
            if let Ok(real) = at.canonicalize() {
                return rest.iter().rev().fold(real, |path, name| path.join(name));
            }
            let (Some(above), Some(name)) = (at.parent(), at.file_name()) else {
                return path.to_path_buf();
            };
            rest.push(name.to_owned());
            at = above;
        }
    };
    let (from, into) = (real(dir), real(to));
    if into.starts_with(&from) || from.starts_with(&into) {
        return Err(Error::invalid(format!(
            "the backup cannot be in {} while the ledger is in {}: one lies in the other; name a directory apart, best on another disk",
            to.display(),
            dir.display()
        )));
    }
    Ok(())
}
