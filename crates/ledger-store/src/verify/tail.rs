//! Owns looking at bytes that should be zero, in pieces.

use ledger_format::BatchNo;
use ledger_format::batch::{BatchHeader, HEADER_BYTES, MAGIC};

use crate::storage::{StorageError, StorageFile};

/// Bytes of one read.
const PIECE: usize = 64 * 1024;

/// The first byte in the range that is not zero. Ends with the file.
pub(crate) fn not_zero(
    file: &dyn StorageFile,
    from: u64,
    to: u64,
) -> Result<Option<u64>, StorageError> {
    let (mut buffer, zeros) = (vec![0; PIECE], vec![0; PIECE]);
    let mut at = from;
    while at < to {
        let wanted = usize::try_from(to - at).unwrap_or(PIECE).min(PIECE);
        let part = buffer.get_mut(..wanted).unwrap_or_default();
        let count = file.read_at(part, at)?;
        if count == 0 {
            break;
        }
        // Comparing with zeros is several times faster than looking at each byte.
        if part.get(..count) != zeros.get(..count)
            && let Some(place) = part.iter().take(count).position(|byte| *byte != 0)
        {
            return Ok(Some(at + place as u64));
        }
        at += count as u64;
    }
    Ok(None)
}

/// The last byte in the range that is not zero. Reads from the end.
pub(crate) fn last_not_zero(
    file: &dyn StorageFile,
    from: u64,
    to: u64,
) -> Result<Option<u64>, StorageError> {
    let mut buffer = vec![0; PIECE];
    let mut end = to;
    while end > from {
        let begin = end.saturating_sub(PIECE as u64).max(from);
        let part = buffer.get_mut(..usize::try_from(end - begin).unwrap_or(PIECE));
        let part = part.unwrap_or_default();
        file.read_exact_at(part, begin)?;
        if let Some(place) = part.iter().rposition(|byte| *byte != 0) {
            return Ok(Some(begin + place as u64));
        }
        end = begin;
    }
    Ok(None)
}

/// Where a batch with a number above `failed` begins. Whoever wrote it had seen the failed one
/// durable, so what failed was not an unfinished write.
pub(crate) fn later_batch(
    file: &dyn StorageFile,
    from: u64,
    to: u64,
    failed: BatchNo,
) -> Result<Option<u64>, StorageError> {
    // Pieces overlap by one header less a byte, so that every header lies whole in one of them.
    let mut buffer = vec![0; PIECE + HEADER_BYTES];
    let mut at = from;
    while at < to {
        let wanted = usize::try_from(to - at).unwrap_or(usize::MAX).min(buffer.len());
        let part = buffer.get_mut(..wanted).unwrap_or_default();
        file.read_exact_at(part, at)?;
        let mut skip = 0;
        while let Some(rest) = part.get(skip..) {
            let Some(place) = rest.windows(MAGIC.len()).position(|window| *window == MAGIC) else {
                break;
            };
            let header = BatchHeader::decode(rest.get(place..).unwrap_or_default());
            if header.is_ok_and(|header| header.batch > failed) {
                return Ok(Some(at + (skip + place) as u64));
            }
            skip += place + 1;
        }
        at += PIECE as u64;
    }
    Ok(None)
}
