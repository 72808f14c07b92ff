//! Owns the two key files as bytes: reading a page from both, bringing copies in step, replacing
//! pages in the one order that never leaves two damaged copies.
//!
//! Invariants:
//! - [`Copies::replace`] is called for pages in step only ([`Copies::heal`]), or for pages whose
//!   old content nobody needs.
//! - After a failed flush of either file no later call changes anything.
//!
//! May not: know what is in a slot.

use std::io::ErrorKind;
use std::sync::{Arc, OnceLock};

use ledger_format::{LedgerId, limits};

use super::page::{Flaw, Page};
use super::{KEYS_DIR, SLOTS_A, SLOTS_B};
use crate::StoreError;
use crate::storage::{RelPath, Storage, StorageError, StorageFile};

/// Bytes of a page.
pub(super) const PAGE: u64 = limits::PAGE_BYTES as u64;

/// One of the two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Copy {
    A,
    B,
}

impl Copy {
    pub(super) const BOTH: [Self; 2] = [Self::A, Self::B];

    pub(super) const fn path(self) -> RelPath {
        match self {
            Self::A => SLOTS_A,
            Self::B => SLOTS_B,
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::A => Self::B,
            Self::B => Self::A,
        }
    }
}

/// The two files of one ledger.
#[derive(Debug)]
pub(super) struct Copies {
    storage: Arc<dyn Storage>,
    ledger: LedgerId,
    /// Open for reading; not set where the file is missing.
    a: OnceLock<Box<dyn StorageFile>>,
    b: OnceLock<Box<dyn StorageFile>>,
}

/// What is needed to change the files. One exists per store, behind its lock.
#[derive(Debug, Default)]
pub(super) struct Writer {
    a: Option<Box<dyn StorageFile>>,
    b: Option<Box<dyn StorageFile>>,
    poisoned: Option<String>,
}

/// Both copies of one page as they were read.
#[derive(Debug)]
pub(super) struct Pair<P> {
    pub(super) index: u64,
    pub(super) a: Result<P, Flaw>,
    pub(super) b: Result<P, Flaw>,
}

impl<P: Page> Pair<P> {
    /// The copy that counts. At equal generations it is a, which is written first.
    pub(super) fn winner(&self) -> Option<(Copy, &P)> {
        match (&self.a, &self.b) {
            (Ok(a), Ok(b)) if b.generation() > a.generation() => Some((Copy::B, b)),
            (Ok(a), _) => Some((Copy::A, a)),
            (Err(_), Ok(b)) => Some((Copy::B, b)),
            (Err(_), Err(_)) => None,
        }
    }

    /// Whether both copies are whole and say the same.
    pub(super) fn in_step(&self) -> bool {
        matches!((&self.a, &self.b), (Ok(a), Ok(b)) if a == b)
    }

    /// As [`Pair::winner`], or what is wrong with both.
    pub(super) fn into_winner(self) -> Result<(Copy, P), StoreError> {
        let copy = self.winner().map(|(copy, _)| copy);
        match (copy, self.a, self.b) {
            (Some(Copy::A), Ok(page), _) => Ok((Copy::A, page)),
            (Some(Copy::B), _, Ok(page)) => Ok((Copy::B, page)),
            // Nothing is known to be damaged when the system gives neither.
            (_, Err(Flaw::Unreadable(error)), Err(Flaw::Unreadable(_))) => Err(error.into()),
            (_, a, b) => {
                let text = |side: Result<P, Flaw>| {
                    side.err().map_or_else(String::new, |flaw| flaw.to_string())
                };
                let what = format!("{SLOTS_A}: {}; {SLOTS_B}: {}", text(a), text(b));
                let offset = self.index.saturating_mul(PAGE);
                let expected = "one whole copy";
                Err(StoreError::damaged(&SLOTS_A, offset, None, "a key page", expected, what))
            }
        }
    }
}

impl Copies {
    /// Makes both files with this header page.
    pub(super) fn create(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        header: &[u8],
    ) -> Result<Self, StoreError> {
        storage.create_dir(&KEYS_DIR)?;
        storage.sync_dir(&RelPath::ROOT)?;
        for copy in Copy::BOTH {
            let file = storage.create_exclusive(&copy.path())?;
            file.write_all_at(header, 0)?;
            file.sync_all()?;
        }
        storage.sync_dir(&KEYS_DIR)?;
        Self::open(storage, ledger)
    }

    /// Opens what is there of the files.
    pub(super) fn open(storage: Arc<dyn Storage>, ledger: LedgerId) -> Result<Self, StoreError> {
        let copies = Self { storage, ledger, a: OnceLock::new(), b: OnceLock::new() };
        Copy::BOTH.into_iter().try_for_each(|copy| copies.open_read(copy))?;
        Ok(copies)
    }

    /// Key pages in the longer file, a last one that is cut included.
    pub(super) fn pages(&self) -> Result<u64, StoreError> {
        let mut pages = 0;
        for copy in Copy::BOTH {
            pages = pages.max(self.len(copy)?.div_ceil(PAGE).saturating_sub(1));
        }
        Ok(pages)
    }

    /// Length of one file in bytes; 0 when it is missing.
    pub(super) fn len(&self, copy: Copy) -> Result<u64, StorageError> {
        self.file(copy).map_or(Ok(0), |file| file.len())
    }

    /// Reads both copies of a page; the header is at index 0.
    pub(super) fn read<P: Page>(&self, index: u64) -> Pair<P> {
        let side = |copy| {
            let bytes = self.read_copy(self.file(copy), index)?;
            P::decode(&bytes, &self.ledger, index)
        };
        Pair { index, a: side(Copy::A), b: side(Copy::B) }
    }

    fn read_copy(&self, file: Option<&dyn StorageFile>, index: u64) -> Result<Vec<u8>, Flaw> {
        let file = file.ok_or(Flaw::NoFile)?;
        let mut bytes = vec![0; limits::PAGE_BYTES];
        match file.read_exact_at(&mut bytes, index.saturating_mul(PAGE)) {
            Ok(()) => Ok(bytes),
            Err(error) if error.source.kind() == ErrorKind::UnexpectedEof => Err(Flaw::Short),
            Err(error) => Err(Flaw::Unreadable(error)),
        }
    }

    /// Brings both copies of a page in step and returns it, and whether anything was written.
    pub(super) fn heal<P: Page>(
        &self,
        writer: &mut Writer,
        index: u64,
    ) -> Result<(P, bool), StoreError> {
        let pair = self.read::<P>(index);
        if pair.in_step() {
            return Ok((pair.into_winner()?.1, false));
        }
        let both_whole = pair.a.is_ok() && pair.b.is_ok();
        let (copy, page) = pair.into_winner()?;
        let bytes = page.encode();
        // The winner may never have reached the medium. As long as the other copy is whole it can
        // be written again without risk; when it is the only whole one it is only flushed.
        if both_whole {
            self.write(writer, copy, index, &bytes)?;
        }
        self.flush(writer, copy)?;
        self.write(writer, copy.other(), index, &bytes)?;
        self.flush(writer, copy.other())?;
        Ok((page, true))
    }

    /// Replaces pages: all of them in a, which is flushed, then all of them in b.
    pub(super) fn replace(
        &self,
        writer: &mut Writer,
        pages: &[(u64, Vec<u8>)],
    ) -> Result<(), StoreError> {
        for copy in Copy::BOTH {
            for (index, bytes) in pages {
                self.write(writer, copy, *index, bytes)?;
            }
            self.flush(writer, copy)?;
        }
        Ok(())
    }

    /// Takes away everything from a page on, in both files.
    pub(super) fn cut(&self, writer: &mut Writer, index: u64) -> Result<(), StoreError> {
        for copy in Copy::BOTH {
            let end = index.saturating_mul(PAGE);
            if self.len(copy)? > end {
                self.open_write(writer, copy)?.set_len(end)?;
                self.flush(writer, copy)?;
            }
        }
        Ok(())
    }

    /// Makes a file that is missing, without pages.
    pub(super) fn create_missing(&self, writer: &mut Writer) -> Result<(), StoreError> {
        for copy in Copy::BOTH {
            if self.file(copy).is_none() && !self.storage.exists(&copy.path())? {
                let file = self.storage.create_exclusive(&copy.path())?;
                file.sync_all()?;
                self.storage.sync_dir(&KEYS_DIR)?;
                *writer.file(copy) = Some(file);
            }
            self.open_read(copy)?;
        }
        Ok(())
    }

    fn open_read(&self, copy: Copy) -> Result<(), StorageError> {
        if self.file(copy).is_some() {
            return Ok(());
        }
        match self.storage.open_read(&copy.path()) {
            Ok(file) => {
                // One that another thread was faster to open is the same file.
                let _ = self.place(copy).set(file);
                Ok(())
            }
            Err(error) if error.is_not_found() => Ok(()),
            Err(error) => Err(error),
        }
    }

    const fn place(&self, copy: Copy) -> &OnceLock<Box<dyn StorageFile>> {
        match copy {
            Copy::A => &self.a,
            Copy::B => &self.b,
        }
    }

    fn file(&self, copy: Copy) -> Option<&dyn StorageFile> {
        self.place(copy).get().map(|file| &**file)
    }

    fn write(
        &self,
        writer: &mut Writer,
        copy: Copy,
        index: u64,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        self.open_write(writer, copy)?.write_all_at(bytes, index.saturating_mul(PAGE))?;
        Ok(())
    }

    fn flush(&self, writer: &mut Writer, copy: Copy) -> Result<(), StoreError> {
        let done = self.open_write(writer, copy)?.sync_data();
        done.map_err(|error| {
            writer.poisoned = Some(error.to_string());
            error.into()
        })
    }

    fn open_write<'w>(
        &self,
        writer: &'w mut Writer,
        copy: Copy,
    ) -> Result<&'w dyn StorageFile, StoreError> {
        if let Some(cause) = &writer.poisoned {
            return Err(StoreError::Poisoned { cause: cause.clone() });
        }
        let place = writer.file(copy);
        if place.is_none() {
            *place = Some(self.storage.open_write(&copy.path()).map_err(|error| {
                if error.is_not_found() {
                    let expected = "the file, which repair makes again from its twin";
                    StoreError::damaged(&copy.path(), 0, None, "a key file", expected, "none")
                } else {
                    error.into()
                }
            })?);
        }
        place.as_deref().ok_or(StoreError::Invalid { what: "a file that was just opened is gone" })
    }
}

impl Writer {
    fn file(&mut self, copy: Copy) -> &mut Option<Box<dyn StorageFile>> {
        match copy {
            Copy::A => &mut self.a,
            Copy::B => &mut self.b,
        }
    }
}
