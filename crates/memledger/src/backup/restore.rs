//! Owns making a ledger of a backup: what is checked first, and the record that tells of it.
//!
//! Invariants: the target is touched only after the backup was checked as a whole, with its master key;
//! the restore is recorded before the directory counts as a ledger; a run that was stopped is gone on
//! with by the same command, and is recorded once.

use std::path::Path;
use std::sync::Arc;

use ledger_format::event::ledger::Restored as RestoredEvent;
use ledger_format::{Event, Kind, Seq};
use ledger_store::backup::{BackupError, BackupView, Found, Manifest, Restore, find};
use ledger_store::storage::Storage;
use ledger_store::{Appender, Check, KeyStore, MasterKey};

use super::{BackupHead, Copied, KeyPlaces, check_whole, erasures, explain};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::{Ledger, OpenOptions, open_disk, settle_keys};
use crate::machine::Machine;
use crate::vault::{decode, kind_of};
use crate::verify::{VerifyLevel, Watch};

/// What is restored, where to, and why.
#[derive(Clone, Copy, Debug)]
pub struct RestoreRequest<'a> {
    /// The directory that [`Ledger::backup`] wrote.
    pub backup: &'a Path,
    /// What it lies on.
    pub backup_machine: &'a Machine,
    /// A directory that is missing or empty, or in which the same restore was stopped.
    pub dir: &'a Path,
    /// Why: it is recorded.
    pub reason: &'a str,
}

/// A ledger that was restored.
#[derive(Clone, Debug)]
pub struct Restored {
    /// What the backup ended with.
    pub head: BackupHead,
    /// The record that tells of it.
    pub seq: Seq,
    /// The epoch that it began.
    pub epoch: u64,
    /// Keys that were destroyed because an erasure in the log covers them.
    pub erased: u64,
    /// What was copied.
    pub copied: Copied,
    /// Whether an earlier run was stopped there.
    pub resumed: bool,
    /// Where the keys lie that it needs.
    pub keys: KeyPlaces,
}

impl Ledger {
    /// Makes a ledger of a backup.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] without a reason, where no backup is, or when `dir` holds anything;
    /// [`ErrorKind::Damaged`] when the backup is damaged; [`ErrorKind::Unproven`] without the master
    /// key, which recording needs. The target is not touched then.
    pub fn restore(
        request: RestoreRequest<'_>,
        options: &OpenOptions,
        watch: Watch<'_>,
    ) -> Result<Restored> {
        if request.reason.trim().is_empty() {
            return Err(Error::invalid("a restore needs a reason: it is recorded"));
        }
        let view = backup_in(request.backup, request.backup_machine)?;
        check(request.backup, &view, options, watch)?;
        let target = options.machine.create(request.dir).map_err(|error| {
            Error::new(ErrorKind::Unavailable, format!("{}: {error}", request.dir.display()))
        })?;
        let failed = |error| explain(request.dir, error);
        let mut restore = Restore::begin(view, Arc::clone(&target)).map_err(failed)?;
        restore.copy().map_err(failed)?;
        let erased = erase_again(&restore, &target, options)?;
        let (seq, epoch) = record(&restore, target, request, options)?;
        restore.finish().map_err(failed)?;
        let manifest = restore.manifest();
        Ok(Restored {
            head: head_of(manifest),
            seq,
            epoch,
            erased,
            copied: restore.copied,
            resumed: restore.resumed,
            keys: KeyPlaces::find(&options.master, &manifest.ledger),
        })
    }
}

fn head_of(manifest: &Manifest) -> BackupHead {
    BackupHead {
        ledger: manifest.ledger,
        last: manifest.last,
        hash: manifest.hash,
        root: manifest.root,
    }
}

/// The backup in a directory.
fn backup_in(dir: &Path, machine: &Machine) -> Result<Arc<BackupView>> {
    let storage = open_disk(dir, machine, true)?;
    let why = match find(&storage).map_err(|error| explain(dir, error))? {
        Found::Backup(view) => return Ok(Arc::new(view)),
        Found::Nothing => "it is empty".to_owned(),
        Found::Unfinished => {
            "the first one was stopped before it was whole; run `memledger backup` again".to_owned()
        }
        Found::Other(what) => format!("there is no backup.toml, and it holds {what}"),
    };
    Err(explain(dir, BackupError::NoBackup(why)))
}

/// Everything that can be told of the backup before anything is written.
fn check(
    dir: &Path,
    view: &Arc<BackupView>,
    options: &OpenOptions,
    watch: Watch<'_>,
) -> Result<()> {
    let manifest = view.manifest();
    let ledger = manifest.ledger;
    let total = manifest.bytes();
    view.check(&|done| watch("backup", done, total)).map_err(|error| explain(dir, error))?;
    let master = MasterKey::load(&options.master, &ledger)?;
    let Some((master, _)) = master else {
        return Err(Error::new(
            ErrorKind::Unproven,
            format!(
                "the master key of ledger {ledger} is not in its backup and was not found; put its key file back, or name it with MEMLEDGER_MASTER_KEY_FILE: without it nothing in the backup can be read, and the restore cannot be recorded"
            ),
        ));
    };
    let storage: Arc<dyn Storage> = Arc::clone(view) as Arc<dyn Storage>;
    KeyStore::open(Arc::clone(&storage), ledger, Some(&master))?;
    let level = VerifyLevel::Content;
    check_whole(dir, &storage, ledger, &options.master, level, watch).map_err(|error| {
        Error::new(
            error.kind(),
            format!("the backup in {} is damaged: {error}; nothing was restored", dir.display()),
        )
    })
}

/// Erasures that the log holds are carried out before anything is decrypted.
fn erase_again(restore: &Restore, target: &Arc<dyn Storage>, options: &OpenOptions) -> Result<u64> {
    let ledger = restore.manifest().ledger;
    let (mut appender, recovery) =
        Appender::open(Arc::clone(target), ledger, options.store.clone())?;
    let keys = KeyStore::open(Arc::clone(target), ledger, None)?;
    settle_keys(&keys, &recovery)?;
    let erased = erasures::carry_out(&mut appender, &keys)?;
    appender.close()?;
    Ok(erased)
}

/// Records the restore, or finds the record that a run before this one wrote.
fn record(
    restore: &Restore,
    target: Arc<dyn Storage>,
    request: RestoreRequest<'_>,
    options: &OpenOptions,
) -> Result<(Seq, u64)> {
    let manifest = restore.manifest();
    // Views are made by the first who opens it.
    let machine = Machine { views: false, ..options.machine.clone() };
    let options = OpenOptions { machine, ..options.clone() };
    let ledger = Ledger::open_restored(request.dir, target, restore.config(), options)?;
    let seq = match recorded(&ledger, manifest)? {
        Some(seq) => seq,
        None => {
            let event = RestoredEvent {
                last: manifest.last,
                hash: manifest.hash,
                // All that the log holds; later ones are not known here.
                erasures_through: Some(manifest.last),
            };
            let make = Box::new(move |_, _: &_| Ok(Event::Restored(event)));
            ledger.own_because(make, request.reason)?.seq
        }
    };
    let epoch = ledger.vault.reader().head().map_or(0, |head| head.epoch);
    ledger.close()?;
    Ok((seq, epoch))
}

/// The record that tells of this restore, if it is there.
fn recorded(ledger: &Ledger, manifest: &Manifest) -> Result<Option<Seq>> {
    for stored in ledger.vault.reader().stream(manifest.last.next(), Check::Chain) {
        let stored = stored?;
        if kind_of(&stored.bytes) == Some(Kind::Restored)
            && let Event::Restored(event) = decode(&stored)?.event
            && (event.last, event.hash) == (manifest.last, manifest.hash)
        {
            return Ok(Some(stored.seq));
        }
    }
    Ok(None)
}
