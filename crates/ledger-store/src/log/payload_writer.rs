//! Owns where payload ranges go: one after another, in the file in use or a new one.
//!
//! Invariants: space is never used twice; a range lies in one file; a file begins with a header
//! that names ledger and number.
//! May not: look into payloads.

use std::sync::Arc;

use ledger_format::LedgerId;
use ledger_format::payload_file::{HEADER_BYTES, PayloadFileHeader};

use super::ahead::AheadFile;
use super::filler::Filler;
use super::segment_file::create_file;
use super::write_error::WriteError;
use crate::error::StoreError;
use crate::layout;
use crate::options::StoreOptions;
use crate::storage::{RelPath, Storage, StorageFile};

/// Where a range goes.
#[derive(Debug)]
pub(crate) struct PayloadPlace {
    pub(crate) number: u32,
    pub(crate) offset: u64,
    /// The file to write to; none for an empty range.
    pub(crate) file: Option<Arc<dyn StorageFile>>,
}

/// The payload file in use.
#[derive(Debug)]
pub(crate) struct PayloadWriter {
    ledger: LedgerId,
    number: u32,
    /// Where the last range ends while the file is not open.
    end: u64,
    file: Option<AheadFile>,
}

impl PayloadWriter {
    pub(crate) const fn new(ledger: LedgerId, number: u32, end: u64) -> Self {
        Self { ledger, number, end, file: None }
    }

    /// Finds the place of the next range and makes room for it.
    pub(crate) fn place(
        &mut self,
        storage: &dyn Storage,
        options: &StoreOptions,
        length: u64,
    ) -> Result<PayloadPlace, WriteError> {
        if length == 0 {
            return Ok(PayloadPlace { number: self.number, offset: self.end, file: None });
        }
        if !self.takes(options, length) {
            self.seal().map_err(WriteError::poison)?;
            self.number = self.number.checked_add(1).ok_or_else(|| {
                WriteError::poison(StoreError::Invalid { what: "payload files have run out" })
            })?;
            self.end = HEADER_BYTES as u64;
        }
        let mut open = match self.file.take() {
            Some(open) => open,
            None => self.open(storage, options)?,
        };
        let room = open.reserve(length);
        let file = Arc::clone(open.file());
        self.file = Some(open);
        room?;
        Ok(PayloadPlace { number: self.number, offset: self.end, file: Some(file) })
    }

    /// Whether the file in use is the one for a range of so many bytes.
    pub(crate) fn takes(&self, options: &StoreOptions, length: u64) -> bool {
        self.end <= HEADER_BYTES as u64 || self.end + length <= options.payload_file_bytes
    }

    /// Takes a range that was placed and written.
    pub(crate) fn advance(&mut self, length: u64) {
        if let Some(open) = &mut self.file {
            open.advance(length);
            self.end = open.end();
        }
    }

    pub(crate) const fn number(&self) -> u32 {
        self.number
    }

    pub(crate) const fn end(&self) -> u64 {
        self.end
    }

    pub(crate) fn fill_ahead(&mut self, filler: Option<&Filler>) -> Result<(), WriteError> {
        self.file.as_mut().map_or(Ok(()), |open| open.fill_ahead(filler))
    }

    /// Cuts the zeros off the file in use and closes it.
    pub(crate) fn seal(&mut self) -> Result<(), StoreError> {
        match self.file.take() {
            Some(mut open) => open.seal(),
            None => Ok(()),
        }
    }

    fn open(&self, storage: &dyn Storage, options: &StoreOptions) -> Result<AheadFile, WriteError> {
        let path = layout::payload_file(self.number);
        let cap = options.payload_file_bytes;
        if storage.exists(&path).map_err(WriteError::poison)? {
            let file: Arc<dyn StorageFile> =
                storage.open_write(&path).map_err(WriteError::poison)?.into();
            check_header(&*file, self.ledger, self.number).map_err(WriteError::poison)?;
            return Ok(AheadFile::new(file, self.end, self.end, cap, options));
        }
        if self.end > HEADER_BYTES as u64 {
            return Err(WriteError::poison(missing(&path, self.end)));
        }
        let header = PayloadFileHeader { ledger: self.ledger, file: self.number }.encode();
        // Copies leave out empty directories.
        if self.number == 0
            && !storage.exists(&layout::PAYLOADS).map_err(WriteError::before_write)?
        {
            storage.create_dir(&layout::PAYLOADS).map_err(WriteError::before_write)?;
            storage.sync_dir(&RelPath::ROOT).map_err(WriteError::before_write)?;
        }
        create_file(storage, &path, &layout::PAYLOADS, &header, cap, options)
    }
}

/// Checks that a payload file belongs to this ledger and has this number.
pub(crate) fn check_header(
    file: &dyn StorageFile,
    ledger: LedgerId,
    number: u32,
) -> Result<(), StoreError> {
    let mut bytes = vec![0; HEADER_BYTES];
    let what = "a payload file header";
    let path = file.path();
    match file.read_exact_at(&mut bytes, 0) {
        Err(error) if error.is_unexpected_end() => {
            let found = format!("{} bytes", file.len()?);
            return Err(StoreError::damaged(path, 0, None, what, "64 bytes", found));
        }
        done => done?,
    }
    let header = PayloadFileHeader::decode(&bytes)
        .map_err(|error| StoreError::undecodable(path, 0, None, what, error))?;
    if header.ledger != ledger {
        return Err(StoreError::Foreign {
            file: path.clone(),
            expected: ledger,
            found: header.ledger,
        });
    }
    if header.file != number {
        let what = "the number of a payload file";
        return Err(StoreError::damaged(path, 0, None, what, number, header.file));
    }
    Ok(())
}

/// A payload file that is not there although ranges lie in it.
pub(crate) fn missing(path: &RelPath, end: u64) -> StoreError {
    let what = "a payload file";
    StoreError::damaged(path, 0, None, what, format!("a file of {end} bytes"), "no file")
}
