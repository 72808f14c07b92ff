//! Owns what the header page and a key page have in common, and what can be wrong with either.

use std::fmt;

use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::{FormatError, LedgerId};

use crate::storage::StorageError;

/// A page that is kept twice.
pub(super) trait Page: Sized + PartialEq {
    /// Decodes the page that lies at `index` of a file; the header is at 0.
    fn decode(bytes: &[u8], ledger: &LedgerId, index: u64) -> Result<Self, Flaw>;
    /// Counts the rewrites.
    fn generation(&self) -> u64;
    /// The bytes to store.
    fn encode(&self) -> Vec<u8>;
}

/// Why a copy of a page cannot be used.
#[derive(Debug)]
pub(super) enum Flaw {
    /// The bytes do not decode.
    Format(FormatError),
    /// A whole page, but of another ledger.
    Foreign(LedgerId),
    /// A whole page, but of another place in the file.
    Misplaced(u64),
    /// The file ends inside or before the page.
    Short,
    /// The file is not there.
    NoFile,
    /// The system does not give the bytes.
    Unreadable(StorageError),
}

impl Page for KeyFileHeader {
    fn decode(bytes: &[u8], ledger: &LedgerId, _index: u64) -> Result<Self, Flaw> {
        let header = Self::decode(bytes).map_err(Flaw::Format)?;
        if header.ledger == *ledger { Ok(header) } else { Err(Flaw::Foreign(header.ledger)) }
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn encode(&self) -> Vec<u8> {
        self.encode()
    }
}

impl Page for KeyPage {
    fn decode(bytes: &[u8], ledger: &LedgerId, index: u64) -> Result<Self, Flaw> {
        let page = Self::decode(bytes).map_err(Flaw::Format)?;
        if page.ledger != *ledger {
            return Err(Flaw::Foreign(page.ledger));
        }
        if Some(page.page) != index.checked_sub(1) {
            return Err(Flaw::Misplaced(page.page));
        }
        Ok(page)
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn encode(&self) -> Vec<u8> {
        self.encode()
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Format(error) => error.fmt(f),
            Self::Foreign(ledger) => write!(f, "the page belongs to ledger {ledger}"),
            Self::Misplaced(page) => write!(f, "the page here is key page {page}"),
            Self::Short => f.write_str("the file ends before the end of the page"),
            Self::NoFile => f.write_str("the file is missing"),
            Self::Unreadable(error) => error.fmt(f),
        }
    }
}
