//! Owns reading back what was recorded: records with their payloads, opened under their keys.
//!
//! Invariants: every read recomputes digest, place and commitment; what cannot be read is said to
//! be erased, locked or damaged, never left out. May not: write.

use std::sync::Arc;

use ledger_format::{Kind, LedgerId, PayloadRef, RecordView, Role, Seq, payload};
use ledger_replay::Sequenced;
use ledger_store::{KeyState, KeyStore, Reader, StoreError, StoredRecord};
use zeroize::Zeroizing;

use crate::answer::Text;
use crate::error::{Error, ErrorKind, Result};

/// What opening a payload gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opened {
    /// The plaintext.
    Plain(Vec<u8>),
    /// The key was destroyed.
    Erased,
    /// The master key is not at hand.
    Locked,
}

impl Opened {
    /// As text for people: bytes that are no UTF-8 stay bytes.
    pub(crate) fn into_text(self, erased_at: Option<Seq>) -> Text {
        match self {
            Self::Plain(bytes) => String::from_utf8(bytes)
                .map_or_else(|error| Text::Bytes(error.into_bytes()), Text::Words),
            Self::Erased => Text::Erased(erased_at.unwrap_or_default()),
            Self::Locked => Text::Locked,
        }
    }
}

/// Reads records and opens their payloads.
#[derive(Clone)]
pub(crate) struct Vault {
    ledger: LedgerId,
    reader: Reader,
    keys: Arc<KeyStore>,
}

/// A stored record with its event.
pub(crate) struct Loaded {
    pub(crate) stored: StoredRecord,
    pub(crate) event: Sequenced,
}

impl Vault {
    pub(crate) const fn new(ledger: LedgerId, reader: Reader, keys: Arc<KeyStore>) -> Self {
        Self { ledger, reader, keys }
    }

    pub(crate) const fn reader(&self) -> &Reader {
        &self.reader
    }

    pub(crate) fn keys(&self) -> &KeyStore {
        &self.keys
    }

    /// What keys the digests of this ledger.
    pub(crate) fn pepper(&self) -> Result<Zeroizing<[u8; 32]>> {
        match self.keys.pepper()? {
            KeyState::Key(key) => Ok(key),
            KeyState::NoMaster => Err(StoreError::NoMaster.into()),
            _ => Err(Error::new(
                ErrorKind::Damaged,
                "the pepper's key slot is empty; restore the key files from a backup",
            )),
        }
    }

    pub(crate) fn shared_keys(&self) -> Arc<KeyStore> {
        Arc::clone(&self.keys)
    }

    /// Loads one record.
    pub(crate) fn load(&self, seq: Seq) -> Result<Loaded> {
        let stored = self.reader.record(seq)?;
        let event = decode(&stored)?;
        Ok(Loaded { stored, event })
    }

    /// Opens the first payload with this role; none when the record has none.
    pub(crate) fn open(&self, loaded: &Loaded, role: Role) -> Result<Option<Opened>> {
        let mut offset = loaded.stored.payload_offset;
        for reference in &loaded.event.payloads {
            if reference.role == role {
                return self.open_at(&loaded.stored, reference, offset).map(Some);
            }
            offset = offset.saturating_add(u64::from(reference.length));
        }
        Ok(None)
    }

    /// Opens a payload that begins at `offset` of the record's payload file.
    pub(crate) fn open_at(
        &self,
        stored: &StoredRecord,
        reference: &PayloadRef,
        offset: u64,
    ) -> Result<Opened> {
        let key: Zeroizing<[u8; 32]> = match self.keys.key(reference.id)? {
            KeyState::Key(key) => key,
            KeyState::NoMaster => return Ok(Opened::Locked),
            KeyState::Zero if self.may_be_erased() => return Ok(Opened::Erased),
            _ => {
                return Err(Error::new(
                    ErrorKind::Damaged,
                    format!(
                        "the key of payload {} (record {}, {}) is gone without an erasure; restore the key files from a backup",
                        reference.id, stored.seq, reference.role
                    ),
                ));
            }
        };
        let bytes = self.reader.payload(stored.payload_file, offset, reference.length)?;
        payload::open(&self.ledger, reference, &bytes, &key).map(Opened::Plain).map_err(|error| {
            Error::new(
                ErrorKind::Damaged,
                format!(
                    "payload {} of record {} ({}; payload file {}, offset {offset}): {error}; run `memledger verify`",
                    reference.id, stored.seq, reference.role, stored.payload_file
                ),
            )
        })
    }

    /// Without any erasure in the log a destroyed key is damage. With one, `verify` tells which.
    fn may_be_erased(&self) -> bool {
        self.reader.head().is_some_and(|head| head.last_erasure.is_some())
    }
}

/// The kind of a record, from its header alone; none where it is not known, or there is no header.
pub(crate) fn kind_of(record: &[u8]) -> Option<Kind> {
    let number = record.get(2..4)?.try_into().ok()?;
    Kind::from_number(u16::from_le_bytes(number))
}

/// The event of a stored record.
pub(crate) fn decode(stored: &StoredRecord) -> Result<Sequenced> {
    let view = RecordView::decode(&stored.bytes).map_err(|error| undecodable(stored, &error))?;
    Sequenced::from_view(&view, stored.hash).map_err(|error| undecodable(stored, &error))
}

fn undecodable(stored: &StoredRecord, error: &ledger_format::FormatError) -> Error {
    Error::new(
        ErrorKind::Damaged,
        format!("record {} does not decode: {error}; run `memledger verify`", stored.seq),
    )
}
