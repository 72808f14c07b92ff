//! Backups of a ledger, and ledgers made of them again.
//!
//! A backup is taken beside whoever holds the ledger, which is only read. It ends with the last record
//! that the head anchor covers, and is checked as a whole before it takes effect. A ledger that is
//! restored begins a new epoch and says so in its log: which record the backup ended with, when, why,
//! and up to where erasures are known. Whoever kept a later head is told of a rollback by that record.
//!
//! Invariants: nothing of the ledger is changed by a backup; the master key and the signing key are in
//! no backup; a restored ledger is none until its restore is recorded in it. May not: copy views, which
//! are made from the log, or quarantine, which is evidence of the machine it lies on.

mod erasures;
mod restore;
mod take;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger_format::{LedgerId, RecordHash, Seq, TreeRoot};
use ledger_store::MasterEnv;
use ledger_store::backup::BackupError;
use ledger_store::signing::SigningFiles;
use ledger_store::storage::Storage;

pub use ledger_store::backup::Copied;
pub use restore::{RestoreRequest, Restored};

use crate::error::{Error, ErrorKind, Result};
use crate::proof::{Heads, compare_in};
use crate::verify::{
    Access, CheckVerdict, VerifyLevel, VerifyReport, VerifyRequest, Watch, Watching, check_dir,
};

/// The head that a backup ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupHead {
    /// The ledger.
    pub ledger: LedgerId,
    /// The last record.
    pub last: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Merkle root over all records.
    pub root: TreeRoot,
}

impl BackupHead {
    /// The number of records.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.last.0.saturating_add(1)
    }
}

/// A backup that was taken.
#[derive(Clone, Debug)]
pub struct BackupReport {
    /// What it ends with.
    pub head: BackupHead,
    /// What the backup that was there before ended with.
    pub before: Option<Seq>,
    /// What was copied.
    pub copied: Copied,
    /// Whether an earlier try was interrupted there.
    pub resumed: bool,
    /// Files and bytes of the whole backup.
    pub files: u64,
    /// See `files`.
    pub bytes: u64,
    /// Where the keys lie that are not in it.
    pub keys: KeyPlaces,
}

/// Where the keys of a ledger lie, which no backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPlaces {
    /// The master key, without which no content can be read; none when it was not found.
    pub master: Option<String>,
    /// The key that signs checkpoints; none where there is none.
    pub signing: Option<PathBuf>,
}

impl KeyPlaces {
    fn find(env: &MasterEnv, ledger: &LedgerId) -> Self {
        let master = ledger_store::MasterKey::load(env, ledger).ok().flatten();
        let signing = SigningFiles::locate(env, ledger).ok();
        Self {
            master: master.map(|(_, location)| location.to_string()),
            signing: signing.map(|files| files.path().to_path_buf()).filter(|path| path.is_file()),
        }
    }
}

/// Checks everything that a backup claims, as it lies there.
fn check_whole(
    dir: &Path,
    storage: &Arc<dyn Storage>,
    ledger: LedgerId,
    master: &MasterEnv,
    level: VerifyLevel,
    watch: Watch<'_>,
) -> Result<()> {
    let request = VerifyRequest::from(level);
    let how = (ledger, Access::LooksOnly);
    let report = check_dir(dir, storage, how, master, &request, Watching::only(watch))?;
    let compared = compare_in(storage, ledger, &Heads::default());
    let checks = [report.checks.clone(), compared.checks].concat();
    refuse_damage(&VerifyReport { checks, ..report })
}

fn refuse_damage(report: &VerifyReport) -> Result<()> {
    let bad = report.checks.iter().find(|check| check.verdict == CheckVerdict::Damaged);
    let Some(bad) = bad else { return Ok(()) };
    let finding = bad.findings.first().map_or("", String::as_str);
    Err(Error::new(ErrorKind::Damaged, format!("{}: {finding}", bad.name)))
}

/// What the store says, with the place and what to do.
fn explain(dir: &Path, error: BackupError) -> Error {
    let place = dir.display();
    let with = |kind, next: &str| Error::new(kind, format!("{place}: {error}; {next}"));
    match &error {
        BackupError::Occupied(_) => with(
            ErrorKind::Invalid,
            "nothing in it was touched; name a directory that is missing or empty",
        ),
        BackupError::Foreign { .. } => with(
            ErrorKind::Conflict,
            "nothing in it was touched; name a directory of its own for each ledger",
        ),
        BackupError::Newer { .. } | BackupError::OtherHistory { .. } => with(
            ErrorKind::Conflict,
            "nothing in it was touched; if this ledger was restored to an older head, keep that backup and begin another directory",
        ),
        BackupError::NoBackup(_) => {
            with(ErrorKind::Invalid, "name the directory that `memledger backup` wrote")
        }
        BackupError::Damaged { .. } => with(
            ErrorKind::Damaged,
            "nothing was restored or replaced; take a new backup into another directory, or use an older one",
        ),
        BackupError::Unsupported(_) => with(ErrorKind::Unproven, "nothing was touched"),
        BackupError::Empty => with(ErrorKind::Invalid, "there is nothing to back up"),
        BackupError::Restless(_) => with(ErrorKind::Unavailable, "try again in a while"),
        BackupError::Store(_) => match error {
            BackupError::Store(inner) => {
                let inner = Error::from(inner);
                Error::new(inner.kind(), format!("{place}: {inner}"))
            }
            other => Error::new(ErrorKind::Unavailable, other.to_string()),
        },
        _ => Error::new(ErrorKind::Unavailable, format!("{place}: {error}")),
    }
}
