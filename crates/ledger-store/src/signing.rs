//! Owns the files of a ledger's signing key: where they lie, and how one key follows another.
//!
//! Invariants:
//! - They lie outside the ledger directory, beside the master key: a copy of the directory cannot
//!   sign as the ledger, so it cannot make a second history that looks signed.
//! - They have the form of master key files: 64 hex digits, mode 0600, made exclusively, on the
//!   medium before they are used.
//! - During a rotation the next key lies beside the one in force and takes its place after the log
//!   names it. Which of the two is in force the log says, so a crash between the two loses neither.
//!
//! May not: know what the seed is for, or look into the ledger directory.

use std::fs::{remove_file, rename};
use std::io;
use std::path::{Path, PathBuf};

use ledger_format::LedgerId;
use zeroize::Zeroizing;

use crate::StoreError;
use crate::master::{
    MasterEnv, MasterKey, cannot_read, open_key_file, read_key_file, source, sync_dir,
};

/// The seed of a signing key. Wiped when it is dropped and never printed.
pub type Seed = Zeroizing<[u8; 32]>;

/// Where a ledger's signing key lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningFiles {
    current: PathBuf,
}

impl SigningFiles {
    /// The files of this ledger: the one that the environment names, else one beside the default
    /// place of its master key.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when there is no place for key files.
    pub fn locate(env: &MasterEnv, ledger: &LedgerId) -> Result<Self, StoreError> {
        if let Some(path) = &env.signing_file {
            return Ok(Self { current: path.clone() });
        }
        Ok(Self { current: env.default_file(ledger)?.with_extension("signing") })
    }

    /// The file of the key in force.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.current
    }

    fn next(&self) -> PathBuf {
        let mut name = self.current.clone().into_os_string();
        name.push(".next");
        name.into()
    }

    /// The key in force; none when there is no file.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when the file holds no key or others may read it.
    pub fn load(&self) -> Result<Option<Seed>, StoreError> {
        read(&self.current)
    }

    /// The key that a rotation is about to put in force; none outside a rotation.
    ///
    /// # Errors
    /// As [`SigningFiles::load`].
    pub fn load_next(&self) -> Result<Option<Seed>, StoreError> {
        read(&self.next())
    }

    /// Keeps the first key of a ledger.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when there is one already or the system refuses.
    pub fn create(&self, seed: &Seed) -> Result<(), StoreError> {
        MasterKey::from_bytes(**seed).write_file(&self.current)
    }

    /// Keeps the next key beside the one in force. One that an earlier rotation left behind, and
    /// that the log does not name, is replaced.
    ///
    /// # Errors
    /// As [`SigningFiles::create`].
    pub fn create_next(&self, seed: &Seed) -> Result<(), StoreError> {
        self.drop_next()?;
        MasterKey::from_bytes(**seed).write_file(&self.next())
    }

    /// Puts the next key in the place of the one in force, which is gone then.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when the system refuses.
    pub fn promote_next(&self) -> Result<(), StoreError> {
        let failed = |error: io::Error| {
            source(self.current.display(), format!("the next key cannot take its place: {error}"))
        };
        rename(self.next(), &self.current).map_err(failed)?;
        self.current.parent().map_or(Ok(()), sync_dir).map_err(failed)
    }

    /// Removes a next key that was never put in force.
    ///
    /// # Errors
    /// [`StoreError::MasterSource`] when the system refuses.
    pub fn drop_next(&self) -> Result<(), StoreError> {
        match remove_file(self.next()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(source(self.next().display(), format!("cannot be removed: {error}")))
            }
            _ => Ok(()),
        }
    }
}

fn read(path: &Path) -> Result<Option<Seed>, StoreError> {
    match open_key_file(path) {
        Ok(file) => Ok(Some(Zeroizing::new(*read_key_file(path, file)?.bytes()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(cannot_read(path, &error)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn files(dir: &Path) -> SigningFiles {
        let env = MasterEnv { key_dir: Some(dir.join("keys")), ..MasterEnv::default() };
        SigningFiles::locate(&env, &LedgerId([7; 16])).unwrap()
    }

    fn seed(byte: u8) -> Seed {
        Zeroizing::new([byte; 32])
    }

    #[test]
    fn a_key_is_kept_outside_and_never_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let files = files(dir.path());
        assert_eq!(files.load().unwrap(), None);
        files.create(&seed(1)).unwrap();
        assert_eq!(files.load().unwrap(), Some(seed(1)));
        assert!(files.create(&seed(2)).is_err(), "the key in force was overwritten");
        assert!(files.path().starts_with(dir.path().join("keys")));
    }

    #[test]
    fn the_next_key_waits_beside_the_one_in_force() {
        let dir = tempfile::tempdir().unwrap();
        let files = files(dir.path());
        files.create(&seed(1)).unwrap();
        files.create_next(&seed(2)).unwrap();
        files.create_next(&seed(3)).unwrap();
        assert_eq!(
            (files.load().unwrap(), files.load_next().unwrap()),
            (Some(seed(1)), Some(seed(3)))
        );
        files.promote_next().unwrap();
        assert_eq!((files.load().unwrap(), files.load_next().unwrap()), (Some(seed(3)), None));
        files.drop_next().unwrap();
        assert!(files.promote_next().is_err(), "a key that is not there took its place");
    }

    #[test]
    fn a_named_file_wins() {
        let named = PathBuf::from("/somewhere/else");
        let env = MasterEnv { signing_file: Some(named.clone()), ..MasterEnv::default() };
        assert_eq!(SigningFiles::locate(&env, &LedgerId([7; 16])).unwrap().path(), named);
    }
}
