//! Owns the files of a witness: its key, its lock, and one note for each log.
//!
//! ```text
//! key            the private key, mode 0600
//! lock           held by descriptor while a witness runs
//! heads/         the last checkpoint of each log that was cosigned, with the cosignature
//! ```
//!
//! Invariants: a note is on the medium, under its name, before [`WitnessDir::keep`] returns; a reader
//! finds the old note or the new one; a note that cannot be read is never taken for "nothing seen".
//! A note that is missing is: whoever deletes `heads/` lets the witness begin anew.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use ledger_proof::{MAX_NOTE_BYTES, SignedCheckpoint, WitnessKey, WitnessedLog};
use zeroize::Zeroizing;

use crate::error::{ServerError, ServerErrorKind};

const KEY: &str = "key";
const LOCK: &str = "lock";
pub(super) const HEADS: &str = "heads";
/// The ending of a note.
const NOTE: &str = ".note";
const FRESH: &str = "new";
/// Longest file name of a note.
const MAX_NAME: usize = 200;
/// Longest key file, in bytes.
const MAX_KEY: u64 = 4_096;

/// The directory of a witness, locked while this value lives.
#[derive(Debug)]
pub struct WitnessDir {
    dir: PathBuf,
    key: WitnessKey,
    /// Held, and released by the system however this process ends.
    _lock: File,
}

impl WitnessDir {
    /// Makes a witness of this name with a fresh key.
    ///
    /// # Errors
    /// [`ServerErrorKind::Invalid`] for a name that is no key name and where a witness is already;
    /// [`ServerErrorKind::Unavailable`] when the system refuses.
    pub fn init(dir: &Path, name: &str) -> Result<Self, ServerError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *seed)
            .map_err(|error| unavailable(dir, "no random bytes", &error.to_string()))?;
        let key = WitnessKey::from_seed(name, &seed).map_err(|error| {
            ServerError::new(ServerErrorKind::Invalid, format!("{name:?}: {error}"))
        })?;
        let text = Zeroizing::new(key.text(&seed) + "\n");
        make_dir(dir)?;
        let lock = lock(dir)?;
        let path = dir.join(KEY);
        if path.exists() {
            let why = format!("'{}' is the key of a witness already", path.display());
            return Err(ServerError::new(ServerErrorKind::Invalid, why));
        }
        replace(dir, &path, text.as_bytes())
            .map_err(|error| unavailable(&path, "the key cannot be kept", &error.to_string()))?;
        Ok(Self { dir: dir.to_owned(), key, _lock: lock })
    }

    /// Opens and locks the directory of a witness.
    ///
    /// # Errors
    /// [`ServerErrorKind::Unavailable`] while another process has it, [`ServerErrorKind::Invalid`]
    /// where no witness is, [`ServerErrorKind::Damaged`] for a key that cannot be read.
    pub fn open(dir: &Path) -> Result<Self, ServerError> {
        // Before the lock, which makes a file: nothing is made where no witness is.
        key_in(dir)?;
        let lock = lock(dir)?;
        Ok(Self { dir: dir.to_owned(), key: key_in(dir)?, _lock: lock })
    }

    /// The key that it cosigns with.
    #[must_use]
    pub const fn key(&self) -> &WitnessKey {
        &self.key
    }

    /// A log as far as this witness saw it.
    ///
    /// # Errors
    /// [`ServerErrorKind::Damaged`] for a note that this witness did not keep.
    pub fn resume(&self, log: WitnessedLog) -> Result<WitnessedLog, ServerError> {
        let path = self.note(log.origin())?;
        let Some(bytes) = note_bytes(&path)? else { return Ok(log) };
        SignedCheckpoint::parse(&bytes)
            .and_then(|kept| log.resumed(&kept, self.key.public()))
            .map_err(|error| damaged(&path, &error))
    }

    /// Keeps the last checkpoint of its log durably.
    ///
    /// # Errors
    /// [`ServerErrorKind::Unavailable`]: it may or may not be kept, and no cosignature may leave.
    pub fn keep(&self, kept: &SignedCheckpoint) -> Result<(), ServerError> {
        let path = self.note(&kept.checkpoint().origin)?;
        let heads = self.dir.join(HEADS);
        make_dir(&heads)?;
        replace(&heads, &path, kept.to_string().as_bytes())
            .map_err(|error| unavailable(&path, "it cannot be kept", &error.to_string()))
    }

    /// Where the note of a log lies.
    fn note(&self, origin: &str) -> Result<PathBuf, ServerError> {
        let name = file_of(origin);
        if name.len() > MAX_NAME {
            let why = format!("the name of the log {origin:?} is too long for a file");
            return Err(ServerError::new(ServerErrorKind::Invalid, why));
        }
        Ok(self.dir.join(HEADS).join(name))
    }
}

/// The file name of a log's note: readable, and another one for every origin.
pub(super) fn file_of(origin: &str) -> String {
    let mut name = String::new();
    for byte in origin.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.".contains(&byte) {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    name + NOTE
}

/// The key of the witness in a directory.
pub(super) fn key_in(dir: &Path) -> Result<WitnessKey, ServerError> {
    let path = dir.join(KEY);
    let mut text = Zeroizing::new(String::new());
    let read = File::open(&path).and_then(|file| file.take(MAX_KEY).read_to_string(&mut text));
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => ServerError::new(
            ServerErrorKind::Invalid,
            format!("no witness is in '{}'; `memledger witness init` makes one", dir.display()),
        ),
        _ => unavailable(&path, "the key cannot be read", &error.to_string()),
    })?;
    WitnessKey::parse(text.trim_end()).map_err(|error| damaged(&path, &error))
}

/// The names of all notes, in order; none where nothing was cosigned yet.
pub(super) fn notes_in(heads: &Path) -> Result<Vec<String>, ServerError> {
    let failed = |error: io::Error| unavailable(heads, "it cannot be read", &error.to_string());
    let entries = match fs::read_dir(heads) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(failed)?,
    };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry.map_err(failed)?.file_name().to_string_lossy().into_owned());
    }
    names.retain(|name| name.ends_with(NOTE));
    names.sort_unstable();
    Ok(names)
}

/// The bytes of a note, one more than a note may have at most; none where there is no file.
pub(super) fn note_bytes(path: &Path) -> Result<Option<Vec<u8>>, ServerError> {
    let mut bytes = Vec::new();
    let limit = MAX_NOTE_BYTES as u64 + 1;
    match File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes)) {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unavailable(path, "it cannot be read", &error.to_string())),
    }
}

fn lock(dir: &Path) -> Result<File, ServerError> {
    let path = dir.join(LOCK);
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = file.map_err(|error| unavailable(&path, "no lock", &error.to_string()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            Err(unavailable(dir, "it is in use", "another process runs this witness"))
        }
        Err(TryLockError::Error(error)) => Err(unavailable(&path, "no lock", &error.to_string())),
    }
}

/// Makes a directory whose name is on the medium.
fn make_dir(dir: &Path) -> Result<(), ServerError> {
    if dir.is_dir() {
        return Ok(());
    }
    let made = DirBuilder::new().mode(0o700).create(dir).and_then(|()| match dir.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    });
    made.map_err(|error| unavailable(dir, "it cannot be made", &error.to_string()))
}

/// Beside the old file, flushed, then in its place.
fn replace(dir: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let fresh = dir.join(FRESH);
    match fs::remove_file(&fresh) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&fresh)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&fresh, path)?;
    File::open(dir)?.sync_all()
}

fn unavailable(path: &Path, what: &str, why: &str) -> ServerError {
    ServerError::new(ServerErrorKind::Unavailable, format!("'{}': {what}: {why}", path.display()))
}

fn damaged(path: &Path, why: &dyn std::fmt::Display) -> ServerError {
    ServerError::new(
        ServerErrorKind::Damaged,
        format!("'{}': {why}; put back the file that this witness wrote", path.display()),
    )
}
