//! Owns copying a backup into the place of a ledger.
//!
//! Invariants: a directory that holds anything else is not touched; until [`Restore::finish`] the
//! directory is no ledger and `restore.toml` says which backup it is being made from; the same restore
//! run again goes on where it was.

use std::sync::Arc;

use super::content::Content;
use super::manifest::Manifest;
use super::stage::put;
use super::view::BackupView;
use super::{BackupError, Copied};
use crate::config::{CONFIG_FILE, LedgerConfig};
use crate::error::StoreError;
use crate::layout;
use crate::storage::{LOCK_FILE, RelPath, Storage};

/// Says that a restore is under way in this directory.
pub const RESTORE_FILE: RelPath = RelPath::from_static("restore.toml");
const UNFINISHED_MARK: RelPath = RelPath::from_static("restore.toml.new");
const HEADER: &str = "\
# `memledger restore` was stopped in this directory. It is no ledger yet: run the same restore again.
";
/// No such file is longer.
const LONGEST: u64 = 4_096;

/// How far a restore has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Files are being copied.
    Copying,
    /// All files were copied; records may have been appended since.
    Copied,
}

/// A restore under way.
#[derive(Debug)]
pub struct Restore {
    view: Arc<BackupView>,
    target: Arc<dyn Storage>,
    config: LedgerConfig,
    stage: Stage,
    /// What was copied by this run.
    pub copied: Copied,
    /// Whether an earlier run was interrupted.
    pub resumed: bool,
}

impl Restore {
    /// Begins to restore a backup that was checked, or goes on with it.
    ///
    /// # Errors
    /// [`BackupError::Occupied`] where anything but a restore of this backup was begun.
    pub fn begin(view: Arc<BackupView>, target: Arc<dyn Storage>) -> Result<Self, BackupError> {
        let names = target.list(&RelPath::ROOT)?;
        let is_ours =
            |name: &String| *name == LOCK_FILE.as_str() || *name == UNFINISHED_MARK.as_str();
        let begun = match read_mark(&*target)? {
            Some((stage, of)) if of == mark_of(view.manifest()) => Some(stage),
            Some(_) => {
                return Err(BackupError::Occupied(
                    "an interrupted restore of another backup".to_owned(),
                ));
            }
            None if names.iter().all(is_ours) => None,
            None if names.iter().any(|name| *name == CONFIG_FILE.as_str() || *name == "log") => {
                return Err(BackupError::Occupied("a ledger".to_owned()));
            }
            None => {
                let first = names.iter().find(|name| !is_ours(name));
                return Err(BackupError::Occupied(format!("other things ({first:?})")));
            }
        };
        let config = LedgerConfig::read(&*view)?;
        let mut restore = Self {
            view,
            target,
            config,
            stage: begun.unwrap_or(Stage::Copying),
            copied: Copied::default(),
            resumed: begun.is_some(),
        };
        if begun.is_none() {
            restore.mark(Stage::Copying)?;
        }
        Ok(restore)
    }

    /// What is restored.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        self.view.manifest()
    }

    /// The configuration of the ledger.
    #[must_use]
    pub const fn config(&self) -> &LedgerConfig {
        &self.config
    }

    /// Copies every file but `ledger.toml`. Does nothing once all were copied: then the directory may
    /// have gone on.
    ///
    /// # Errors
    /// [`StoreError::Busy`] while another process holds the directory, or a failing storage.
    pub fn copy(&mut self) -> Result<(), BackupError> {
        if self.stage == Stage::Copied {
            return Ok(());
        }
        let _lock = self.target.try_lock().map_err(StoreError::from)?;
        for dir in [layout::LOG, layout::PAYLOADS, layout::QUARANTINE] {
            self.target.create_dir(&dir)?;
        }
        self.target.sync_dir(&RelPath::ROOT)?;
        for entry in &self.view.manifest().files {
            if entry.path == CONFIG_FILE {
                continue;
            }
            let file = self.view.open_read(&entry.path)?;
            let content = Content::Prefix(file.into(), entry.length);
            let places = [entry.path.clone()];
            let copied = put(&*self.target, &places, &entry.path, &content, &mut self.copied)?;
            if copied.digest != entry.digest {
                let what = "it changed while it was copied".to_owned();
                return Err(BackupError::Damaged { file: entry.path.to_string(), what });
            }
        }
        self.mark(Stage::Copied)
    }

    /// Makes the directory a ledger.
    ///
    /// # Errors
    /// When the storage fails.
    pub fn finish(&self) -> Result<(), BackupError> {
        let unfinished = RelPath::from_static("ledger.toml.new");
        if self.target.exists(&unfinished)? {
            self.target.remove_file(&unfinished)?;
        }
        if !self.target.exists(&CONFIG_FILE)? {
            self.config.write(&*self.target)?;
        }
        self.target.remove_file(&RESTORE_FILE)?;
        self.target.sync_dir(&RelPath::ROOT)?;
        Ok(())
    }

    fn mark(&mut self, stage: Stage) -> Result<(), BackupError> {
        let word = match stage {
            Stage::Copying => COPYING,
            Stage::Copied => COPIED,
        };
        let text = format!("{HEADER}{}\n{word}\n", mark_of(self.manifest()));
        if self.target.exists(&UNFINISHED_MARK)? {
            self.target.remove_file(&UNFINISHED_MARK)?;
        }
        let file = self.target.create_exclusive(&UNFINISHED_MARK)?;
        file.write_all_at(text.as_bytes(), 0)?;
        file.sync_all()?;
        self.target.rename(&UNFINISHED_MARK, &RESTORE_FILE)?;
        self.target.sync_dir(&RelPath::ROOT)?;
        self.stage = stage;
        Ok(())
    }
}

const COPYING: &str = "stage = \"copying\"";
const COPIED: &str = "stage = \"copied\"";

/// The line that names a backup.
fn mark_of(manifest: &Manifest) -> String {
    format!("backup = \"{} {} {}\"", manifest.ledger, manifest.last, manifest.hash)
}

/// Whether a restore was begun in this directory and not finished.
///
/// # Errors
/// When the storage fails.
pub fn unfinished_restore(storage: &dyn Storage) -> Result<bool, StoreError> {
    Ok(storage.exists(&RESTORE_FILE)? && !storage.exists(&CONFIG_FILE)?)
}

fn read_mark(target: &dyn Storage) -> Result<Option<(Stage, String)>, BackupError> {
    let file = match target.open_read(&RESTORE_FILE) {
        Err(error) if error.is_not_found() => return Ok(None),
        opened => opened?,
    };
    let length = file.len()?;
    let mut bytes = vec![0; usize::try_from(length.min(LONGEST)).unwrap_or_default()];
    file.read_exact_at(&mut bytes, 0)?;
    let text = String::from_utf8_lossy(&bytes);
    let rest = text.strip_prefix(HEADER).and_then(|rest| rest.split_once('\n'));
    Ok(match rest {
        Some((of, word)) if word.trim_end() == COPYING => Some((Stage::Copying, of.to_owned())),
        Some((of, word)) if word.trim_end() == COPIED => Some((Stage::Copied, of.to_owned())),
        _ => return Err(BackupError::Occupied(format!("a {RESTORE_FILE} that nobody wrote"))),
    })
}
