//! Owns the master key: where it comes from, what it looks like, and its default key file.
//!
//! Invariants:
//! - Sources are asked in one order and the first that is set decides. What it holds is a key or
//!   an error; nothing falls through to the next source.
//! - A key file is made exclusively, with mode 0600 in a directory with mode 0700, and is on the
//!   medium (file and directories) before its key is used. One that others may read is refused.
//! - The key is wiped from memory when it is dropped and never printed.
//!
//! May not: look into the ledger directory, or decide what a missing key means.

use std::ffi::OsString;
use std::fmt;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ledger_format::{Digest16, LedgerId, hash};
use rustix::fs::OFlags;
use zeroize::Zeroizing;

use crate::StoreError;

/// Holds the key itself as 64 hex digits.
pub const VAR_KEY: &str = "MEMLEDGER_MASTER_KEY";
/// Holds the path of a file with the key.
pub const VAR_FILE: &str = "MEMLEDGER_MASTER_KEY_FILE";
/// Holds a command line for `sh -c` that prints the key.
pub const VAR_COMMAND: &str = "MEMLEDGER_MASTER_KEY_COMMAND";
/// Holds the path of a file with the ledger's signing key.
pub const VAR_SIGNING: &str = "MEMLEDGER_SIGNING_KEY_FILE";
/// Holds the directory of the default key files.
pub const VAR_DIR: &str = "MEMLEDGER_KEY_DIR";

/// Hex digits of a key.
const DIGITS: usize = 64;
/// Most bytes read from a source: a key and some white space, and not a whole disk by mistake.
const LONGEST_SOURCE: u64 = 4_096;

/// The key that masks every key of a ledger.
#[derive(Clone)]
pub struct MasterKey(Zeroizing<[u8; 32]>);

/// What the environment says about master keys. Passed in, so that only the outermost caller reads
/// the process environment. `Debug` does not show the key.
#[derive(Clone, Default)]
pub struct MasterEnv {
    /// Content of [`VAR_KEY`].
    pub key: Option<Zeroizing<Vec<u8>>>,
    /// Content of [`VAR_FILE`].
    pub key_file: Option<PathBuf>,
    /// Content of [`VAR_COMMAND`].
    pub key_command: Option<OsString>,
    /// Content of [`VAR_SIGNING`].
    pub signing_file: Option<PathBuf>,
    /// Content of [`VAR_DIR`].
    pub key_dir: Option<PathBuf>,
    /// Content of `XDG_DATA_HOME`.
    pub xdg_data_home: Option<PathBuf>,
    /// Content of `HOME`.
    pub home: Option<PathBuf>,
}

/// Where a master key was found or put.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MasterLocation {
    /// In [`VAR_KEY`].
    Variable,
    /// In the file that [`VAR_FILE`] names.
    NamedFile(PathBuf),
    /// Printed by the command in [`VAR_COMMAND`].
    Command,
    /// In the default key file of the ledger.
    DefaultFile(PathBuf),
}

impl MasterKey {
    /// A new random key.
    ///
    /// # Errors
    /// [`StoreError::Random`] when the system gives no random bytes.
    pub fn generate() -> Result<Self, StoreError> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(key.as_mut_slice())
            .map_err(|error| StoreError::Random { what: error.to_string() })?;
        Ok(Self(key))
    }

    /// The key with these bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The key's bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The value by which a ledger recognises this key.
    #[must_use]
    pub fn check(&self, ledger: &LedgerId) -> Digest16 {
        hash::key_check(self.bytes(), ledger)
    }

    /// Finds the master key of a ledger. `None` when no source is set and the default key file
    /// does not exist.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when the first source that is set holds no key, cannot be
    /// read or is readable by others, and when there is no directory for key files.
    pub fn load(
        env: &MasterEnv,
        ledger: &LedgerId,
    ) -> Result<Option<(Self, MasterLocation)>, StoreError> {
        if let Some(found) = Self::from_variables(env)? {
            return Ok(Some(found));
        }
        let path = env.default_file(ledger)?;
        match open_key_file(&path) {
            Ok(file) => {
                let key = read_key_file(&path, file)?;
                Ok(Some((key, MasterLocation::DefaultFile(path))))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(cannot_read(&path, &error)),
        }
    }

    /// The master key for a ledger that is being made: the one that a variable gives, or else a
    /// new random one in the default key file.
    ///
    /// # Errors
    /// As [`MasterKey::load`]; also when the default key file exists already or cannot be made.
    pub fn create(
        env: &MasterEnv,
        ledger: &LedgerId,
    ) -> Result<(Self, MasterLocation), StoreError> {
        if let Some(found) = Self::from_variables(env)? {
            return Ok(found);
        }
        let path = env.default_file(ledger)?;
        let key = Self::generate()?;
        key.write_file(&path)?;
        Ok((key, MasterLocation::DefaultFile(path)))
    }

    /// Writes the key to a new file with mode 0600 and flushes the file and its directories. A stop in
    /// the middle leaves no file of this name.
    /// Missing directories are made with mode 0700.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when the file exists, its directory may be written by others,
    /// or the system refuses.
    pub fn write_file(&self, path: &Path) -> Result<(), StoreError> {
        let failed = |error: io::Error| source(path.display(), format!("cannot be made: {error}"));
        let path = std::path::absolute(path).map_err(failed)?;
        let dir = path.parent().ok_or_else(|| source(path.display(), "is not a file name"))?;
        let made = make_dir(dir).map_err(failed)?;
        let mode = std::fs::metadata(dir).map_err(failed)?.permissions().mode();
        if mode & 0o022 != 0 {
            let what = format!("others may write to it; run: chmod 700 '{}'", dir.display());
            return Err(source(dir.display(), what));
        }
        // The name appears only with the whole key: half of one would be in the way for ever.
        let mut part = path.clone().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        match std::fs::remove_file(&part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&part)
            .map_err(failed)?;
        let written = file
            .write_all(self.hex().as_bytes())
            .and_then(|()| file.write_all(b"\n"))
            .and_then(|()| file.sync_all())
            // A link and no renaming, because that would take the place of a key that is there.
            .and_then(|()| std::fs::hard_link(&part, &path));
        let removed = std::fs::remove_file(&part);
        written
            .and(removed)
            .and_then(|()| made.iter().try_for_each(|dir| sync_dir(dir)))
            .map_err(failed)
    }

    fn from_variables(env: &MasterEnv) -> Result<Option<(Self, MasterLocation)>, StoreError> {
        if let Some(text) = &env.key {
            let key = Self::parse(text).ok_or_else(|| not_a_key(VAR_KEY))?;
            return Ok(Some((key, MasterLocation::Variable)));
        }
        if let Some(path) = &env.key_file {
            let file = open_key_file(path).map_err(|error| cannot_read(path, &error))?;
            let key = read_key_file(path, file)?;
            return Ok(Some((key, MasterLocation::NamedFile(path.clone()))));
        }
        match &env.key_command {
            Some(line) => Ok(Some((run_command(line)?, MasterLocation::Command))),
            None => Ok(None),
        }
    }

    /// Reads 64 hex digits with white space around them.
    fn parse(text: &[u8]) -> Option<Self> {
        let digits = text.trim_ascii();
        let (pairs, rest) = digits.as_chunks::<2>();
        if digits.len() != DIGITS || !rest.is_empty() {
            return None;
        }
        let mut key = Zeroizing::new([0; 32]);
        for (byte, [high, low]) in key.iter_mut().zip(pairs) {
            *byte = (nibble(*high)? << 4) | nibble(*low)?;
        }
        Some(Self(key))
    }

    fn hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(DIGITS));
        for byte in self.bytes() {
            for nibble in [byte >> 4, byte & 15] {
                text.push(char::from_digit(u32::from(nibble), 16).unwrap_or('0'));
            }
        }
        text
    }
}

impl fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MasterKey(..)")
    }
}

impl MasterEnv {
    /// What the environment of this process says.
    #[must_use]
    pub fn from_process() -> Self {
        let var = |name: &str| std::env::var_os(name);
        // An empty base directory means "not set" by the XDG specification.
        let base = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        Self {
            key: var(VAR_KEY).map(|value| Zeroizing::new(value.into_vec())),
            key_file: var(VAR_FILE).map(PathBuf::from),
            key_command: var(VAR_COMMAND),
            signing_file: var(VAR_SIGNING).map(PathBuf::from),
            key_dir: var(VAR_DIR).map(PathBuf::from),
            xdg_data_home: base("XDG_DATA_HOME"),
            home: base("HOME"),
        }
    }

    /// Where the default key file of a ledger lies, whether or not it exists.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when no variable names a usable directory.
    pub fn default_file(&self, ledger: &LedgerId) -> Result<PathBuf, StoreError> {
        let (variable, base, below) = match (&self.key_dir, &self.xdg_data_home, &self.home) {
            (Some(dir), ..) => (VAR_DIR, dir, ""),
            (None, Some(data), _) => ("XDG_DATA_HOME", data, "memledger/keys"),
            (None, None, Some(home)) => ("HOME", home, ".local/share/memledger/keys"),
            (None, None, None) => {
                let what = "neither HOME nor XDG_DATA_HOME is set, so there is no place for key \
                            files; set MEMLEDGER_KEY_DIR to a directory outside the ledger";
                return Err(source("the directory of key files", what));
            }
        };
        // A relative one would give another key in another working directory.
        if !base.is_absolute() {
            let what = format!("'{}' is not an absolute path", base.display());
            return Err(source(variable, what));
        }
        Ok(base.join(below).join(format!("{ledger}.key")))
    }
}

impl fmt::Debug for MasterEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MasterEnv")
            .field("key", &self.key.as_ref().map(|_| ".."))
            .field("key_file", &self.key_file)
            .field("key_command", &self.key_command)
            .field("signing_file", &self.signing_file)
            .field("key_dir", &self.key_dir)
            .field("xdg_data_home", &self.xdg_data_home)
            .field("home", &self.home)
            .finish()
    }
}

impl fmt::Display for MasterLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable => write!(f, "the environment variable {VAR_KEY}"),
            Self::NamedFile(path) => write!(f, "{} (named by {VAR_FILE})", path.display()),
            Self::Command => write!(f, "the command in {VAR_COMMAND}"),
            Self::DefaultFile(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Opens without waiting for the other end of a pipe.
pub(crate) fn open_key_file(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

pub(crate) fn read_key_file(path: &Path, file: File) -> Result<MasterKey, StoreError> {
    let failed = |error: io::Error| cannot_read(path, &error);
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(source(path.display(), "is not a regular file"));
    }
    if metadata.permissions().mode() & 0o077 != 0 {
        let what = format!(
            "others may read the key in it; run: chmod 600 '{}', and replace the key if \
             somebody may have read it",
            path.display()
        );
        return Err(source(path.display(), what));
    }
    let text = read_source(file).map_err(failed)?;
    MasterKey::parse(&text).ok_or_else(|| not_a_key(path.display()))
}

/// The command may ask its user: only its standard output is ours.
fn run_command(line: &OsString) -> Result<MasterKey, StoreError> {
    let failed = |error: io::Error| source(VAR_COMMAND, format!("cannot be run: {error}"));
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(line)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let text = match child.stdout.take() {
        Some(output) => read_source(output),
        None => Ok(Zeroizing::new(Vec::new())),
    };
    // Waited for even when reading failed: no child is left behind.
    let status = child.wait().map_err(failed)?;
    let text = text.map_err(failed)?;
    if !status.success() {
        return Err(source(VAR_COMMAND, format!("the command failed ({status})")));
    }
    MasterKey::parse(&text).ok_or_else(|| not_a_key(VAR_COMMAND))
}

fn read_source(from: impl io::Read) -> io::Result<Zeroizing<Vec<u8>>> {
    // Allocated once, so that growing leaves no copy of the key behind.
    let mut text = Zeroizing::new(Vec::with_capacity(2 * 4_096));
    from.take(LONGEST_SOURCE).read_to_end(&mut text)?;
    Ok(text)
}

/// Makes a directory and its missing parents for the owner alone. Returns the directories whose
/// entries must be flushed for the new names, and `dir` itself, to be durable.
fn make_dir(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let missing = dir.ancestors().take_while(|dir| !dir.exists()).count();
    DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    Ok(dir.ancestors().take(missing + 1).map(Path::to_path_buf).collect())
}

pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

pub(crate) fn source(place: impl fmt::Display, what: impl Into<String>) -> StoreError {
    StoreError::MasterSource { place: place.to_string(), what: what.into() }
}

fn not_a_key(place: impl fmt::Display) -> StoreError {
    source(place, "does not hold a key: 64 hex digits are expected and nothing else")
}

pub(crate) fn cannot_read(path: &Path, error: &io::Error) -> StoreError {
    source(path.display(), format!("the key in it cannot be read: {error}"))
}

#[cfg(test)]
mod tests;
