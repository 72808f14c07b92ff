//! Owns making a segment file and reading its header.
//!
//! Invariants: a segment is created exclusively, and is durable with its header and its name
//! before a batch is written into it. A holder that finds the name taken is not the only holder.

use std::sync::Arc;

use ledger_format::segment::{HEADER_BYTES, SegmentHeader};
use ledger_format::{FormatError, LedgerId, SegmentNo};

use super::ahead::AheadFile;
use super::write_error::WriteError;
use crate::error::StoreError;
use crate::layout;
use crate::options::StoreOptions;
use crate::storage::{RelPath, Storage, StorageFile};

/// Makes a segment that begins with this header.
pub(crate) fn create(
    storage: &dyn Storage,
    header: &SegmentHeader,
    options: &StoreOptions,
) -> Result<AheadFile, WriteError> {
    let path = layout::segment(header.segment);
    let bytes = header.encode();
    let cap = options.segment_bytes;
    create_file(storage, &path, &layout::LOG, &bytes, cap, options)
}

/// Makes a file with a header and zeros ahead. When the disk is full the name is removed again.
pub(crate) fn create_file(
    storage: &dyn Storage,
    path: &RelPath,
    dir: &RelPath,
    header: &[u8],
    cap: u64,
    options: &StoreOptions,
) -> Result<AheadFile, WriteError> {
    let file: Arc<dyn StorageFile> =
        storage.create_exclusive(path).map_err(WriteError::before_write)?.into();
    let end = header.len() as u64;
    let filled = (end + options.fill_first).min(cap).max(end);
    let written = file.write_all_at(header, 0).and_then(|()| file.zero_fill(end, filled - end));
    if let Err(error) = written {
        let failed = WriteError::before_write(error);
        // An entry that stays would look like another holder's segment to the next attempt.
        return match storage.remove_file(path) {
            Err(error) if failed.clean => Err(WriteError::poison(error)),
            _ => Err(failed),
        };
    }
    file.sync_all().map_err(WriteError::poison)?;
    storage.sync_dir(dir).map_err(WriteError::poison)?;
    Ok(AheadFile::new(file, end, filled, cap, options))
}

/// What was found where a segment header must be.
pub(crate) enum FoundHeader {
    /// A header of this ledger.
    Valid(SegmentHeader),
    /// Something else, and why.
    Undecodable(FormatError),
}

/// Reads the header of a segment file and checks ledger and number.
pub(crate) fn read_header(
    file: &dyn StorageFile,
    ledger: LedgerId,
    number: SegmentNo,
) -> Result<FoundHeader, StoreError> {
    let mut bytes = vec![0; HEADER_BYTES];
    match file.read_exact_at(&mut bytes, 0) {
        Err(error) if error.is_unexpected_end() => {
            let found = usize::try_from(file.len()?).unwrap_or(HEADER_BYTES);
            return Ok(FoundHeader::Undecodable(FormatError::Truncated {
                what: "a segment header",
                needed: HEADER_BYTES,
                found,
            }));
        }
        done => done?,
    }
    let header = match SegmentHeader::decode(&bytes) {
        Ok(header) => header,
        Err(error) => return Ok(FoundHeader::Undecodable(error)),
    };
    let path = file.path();
    if header.ledger != ledger {
        return Err(StoreError::Foreign {
            file: path.clone(),
            expected: ledger,
            found: header.ledger,
        });
    }
    if header.segment != number {
        let what = "the number of a segment";
        return Err(StoreError::damaged(
            path,
            0,
            Some(header.first_seq),
            what,
            number,
            header.segment,
        ));
    }
    Ok(FoundHeader::Valid(header))
}
