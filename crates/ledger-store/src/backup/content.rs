//! Owns what goes into a backup, as bytes that can be read more than once: a part of a file, bytes in
//! memory, or the key pages that count.

use std::sync::Arc;

use ledger_format::hash::FileHasher;

use super::BackupError;
use crate::keys::Snapshot;
use crate::storage::StorageFile;

/// Bytes read and written at once.
const PIECE: usize = 1 << 20;

/// The bytes of one file of a backup.
#[derive(Debug)]
pub(super) enum Content {
    /// A file from its first byte, so many bytes.
    Prefix(Arc<dyn StorageFile>, u64),
    /// Just these.
    Bytes(Vec<u8>),
    /// Key pages as they count now: another reading may find newer ones.
    Keys(Arc<Snapshot>),
}

impl Content {
    /// How many bytes.
    pub(super) fn length(&self) -> u64 {
        match self {
            Self::Prefix(_, length) => *length,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Keys(keys) => keys.length(),
        }
    }

    /// Hands over all bytes in order.
    pub(super) fn each(
        &self,
        take: &mut dyn FnMut(&[u8]) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        match self {
            Self::Bytes(bytes) => take(bytes),
            Self::Prefix(file, length) => each_piece(&**file, *length, take),
            Self::Keys(keys) => (0..keys.pages()).try_for_each(|page| take(&keys.page(page)?)),
        }
    }

    /// The digest of the bytes as they are now.
    pub(super) fn digest(&self) -> Result<[u8; 32], BackupError> {
        let mut hasher = FileHasher::new();
        self.each(&mut |piece| {
            hasher.update(piece);
            Ok(())
        })?;
        Ok(hasher.digest())
    }
}

fn each_piece(
    file: &dyn StorageFile,
    length: u64,
    take: &mut dyn FnMut(&[u8]) -> Result<(), BackupError>,
) -> Result<(), BackupError> {
    let mut piece = vec![0; PIECE.min(usize::try_from(length).unwrap_or(PIECE))];
    let mut at = 0;
    while at < length {
        let rest = usize::try_from(length - at).unwrap_or(PIECE);
        let part = piece.get_mut(..rest.min(PIECE)).unwrap_or_default();
        file.read_exact_at(part, at)?;
        take(part)?;
        at += part.len() as u64;
    }
    Ok(())
}
