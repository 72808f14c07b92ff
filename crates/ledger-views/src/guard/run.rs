//! Owns the form of a run: blocks of rows in order, each block with its length and its check.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use ledger_format::hash;

use crate::error::ViewError;
use crate::guard::files::failed;

/// Bytes of rows after which a block ends.
const BLOCK: usize = 128 << 10;
/// Length and check before a block.
const HEAD: usize = 4 + 16;

/// Appends a row: length of its key, length of its value, both.
pub(crate) fn put_entry(out: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    for length in [key.len(), value.len()] {
        // A row comes from one record, whose bytes are fewer.
        out.extend(u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes());
    }
    out.extend_from_slice(key);
    out.extend_from_slice(value);
}

/// The first row of some bytes, and how many bytes it takes.
pub(crate) fn take_entry(bytes: &[u8]) -> Option<(&[u8], &[u8], usize)> {
    let (key_length, rest) = bytes.split_first_chunk()?;
    let (value_length, rest) = rest.split_first_chunk()?;
    let (key, rest) = rest.split_at_checked(u32::from_le_bytes(*key_length) as usize)?;
    let value = rest.get(..u32::from_le_bytes(*value_length) as usize)?;
    Some((key, value, 8 + key.len() + value.len()))
}

/// Writes a run.
#[derive(Debug)]
pub(crate) struct RunWriter {
    path: PathBuf,
    file: File,
    /// Room for the head, then rows.
    block: Vec<u8>,
}

impl RunWriter {
    pub(crate) fn create(path: PathBuf) -> Result<Self, ViewError> {
        let file = File::create_new(&path).map_err(failed("creating", &path))?;
        let mut block = Vec::with_capacity(HEAD + 2 * BLOCK);
        block.resize(HEAD, 0);
        Ok(Self { path, file, block })
    }

    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), ViewError> {
        put_entry(&mut self.block, key, value);
        if self.block.len() >= BLOCK { self.end_block() } else { Ok(()) }
    }

    fn end_block(&mut self) -> Result<(), ViewError> {
        if let Some((head, rows)) = self.block.split_at_mut_checked(HEAD) {
            let check = hash::check(rows).0;
            let length = u32::try_from(rows.len()).unwrap_or(u32::MAX).to_le_bytes();
            head.iter_mut().zip(length.iter().chain(&check)).for_each(|(to, from)| *to = *from);
        }
        self.file.write_all(&self.block).map_err(failed("writing", &self.path))?;
        self.block.truncate(HEAD);
        Ok(())
    }

    pub(crate) fn end(mut self) -> Result<PathBuf, ViewError> {
        if self.block.len() > HEAD {
            self.end_block()?;
        }
        Ok(self.path)
    }
}

/// Reads a run, row by row.
#[derive(Debug)]
pub(crate) struct RunReader {
    path: PathBuf,
    file: File,
    block: Vec<u8>,
    /// Where the rows begin that were not read yet.
    next: usize,
    /// Key and value of the row in hand, as they lie in the block.
    key: (usize, usize),
    value: (usize, usize),
}

impl RunReader {
    pub(crate) fn open(path: &Path) -> Result<Self, ViewError> {
        let file = File::open(path).map_err(failed("opening", path))?;
        let (path, block) = (path.to_owned(), Vec::new());
        Ok(Self { path, file, block, next: 0, key: (0, 0), value: (0, 0) })
    }

    /// Goes to the next row; `false` at the end.
    pub(crate) fn advance(&mut self) -> Result<bool, ViewError> {
        if self.next >= self.block.len() && !self.read_block()? {
            return Ok(false);
        }
        let rows = self.block.get(self.next..).unwrap_or_default();
        let (key, value, length) =
            take_entry(rows).ok_or_else(|| self.bad("a row does not read"))?;
        let end = self.next + length;
        let split = end - value.len();
        (self.key, self.value) = ((split - key.len(), split), (split, end));
        self.next = end;
        Ok(true)
    }

    pub(crate) fn key(&self) -> &[u8] {
        self.block.get(self.key.0..self.key.1).unwrap_or_default()
    }

    pub(crate) fn value(&self) -> &[u8] {
        self.block.get(self.value.0..self.value.1).unwrap_or_default()
    }

    fn read_block(&mut self) -> Result<bool, ViewError> {
        let mut head = [0; HEAD];
        match self.file.read_exact(&mut head) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            read => read.map_err(failed("reading", &self.path))?,
        }
        let (length, check) = head.split_at(4);
        let mut bytes = [0; 4];
        bytes.copy_from_slice(length);
        let length = u32::from_le_bytes(bytes);
        self.block.clear();
        let mut rows = (&mut self.file).take(u64::from(length));
        let read = rows.read_to_end(&mut self.block).map_err(failed("reading", &self.path))?;
        self.next = 0;
        let whole = read > 0 && read == length as usize;
        if whole && hash::check(&self.block).0.as_slice() == check {
            Ok(true)
        } else {
            Err(self.bad("a block is not what was written"))
        }
    }

    fn bad(&self, found: &str) -> ViewError {
        ViewError::File { doing: "reading", path: self.path.clone(), found: found.to_owned() }
    }
}
