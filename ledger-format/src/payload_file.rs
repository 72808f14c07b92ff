//! Owns the header of a payload file (64 bytes). After it lie the payload ranges of batches, each
//! where its batch header says; every other byte is zero.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use crate::{FormatError, LedgerId, hash};

/// First bytes of every payload file.
pub const MAGIC: [u8; 8] = *b"MLPAYLD1";
/// Version of the header.
pub const VERSION: u16 = 1;
/// Length of the header; the first range begins here or later.
pub const HEADER_BYTES: usize = 64;

/// What a payload file says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadFileHeader {
    /// The ledger.
    pub ledger: LedgerId,
    /// Number of the file.
    pub file: u32,
}

impl PayloadFileHeader {
    /// Encodes the header with its check.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(HEADER_BYTES);
        out.put(&MAGIC).u16(VERSION).zeros(2).u32(self.file).put(&self.ledger.0);
        out.pad_to(HEADER_BYTES - 16);
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    /// Decodes a header from exactly its bytes.
    ///
    /// # Errors
    /// Any [`FormatError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::new("a payload file header", bytes);
        reader.magic(&MAGIC)?;
        let mut whole = Reader::new("a payload file header", bytes);
        let checked = whole.take(HEADER_BYTES - 16)?;
        if hash::check(checked).0 != whole.array::<16>()? {
            return Err(FormatError::CheckMismatch { what: "payload file header check" });
        }
        whole.end()?;
        let version = reader.u16()?;
        if version != VERSION {
            return Err(FormatError::UnsupportedVersion { what: "a payload file", found: version });
        }
        reader.zeros(2)?;
        let file = reader.u32()?;
        let ledger = LedgerId(reader.array()?);
        reader.zeros(16)?;
        Ok(Self { ledger, file })
    }
}
