//! Owns which segments there are and whether their headers continue each other.
//!
//! Invariant: numbers have no gaps. May not: read batches.

use std::sync::Arc;

use ledger_format::segment::SegmentHeader;
use ledger_format::{
    BatchHash, BatchNo, FormatError, LedgerId, RecordHash, SegmentNo, Seq, limits,
};

use super::Walk;
use crate::error::StoreError;
use crate::layout;
use crate::log::segment_file::{FoundHeader, read_header};
use crate::storage::{RelPath, Storage};

/// The headers of a log, as far as they are sound.
#[derive(Debug)]
pub(crate) struct Headers {
    pub(crate) list: Vec<Arc<SegmentHeader>>,
    /// Length of every file in `list`, and of the one after it if there is one.
    pub(crate) lengths: Vec<u64>,
    /// Why the list ends before the files do.
    pub(crate) stop: Option<Stop>,
    /// There is one more file, in the making of which the last holder ended.
    pub(crate) torn_last: bool,
}

/// The first header that is not sound.
#[derive(Debug)]
pub(crate) struct Stop {
    /// Whether an unfinished creation leaves this.
    pub(crate) torn: bool,
    pub(crate) error: StoreError,
}

impl Headers {
    pub(super) fn length(&self, index: usize) -> u64 {
        self.lengths.get(index).copied().unwrap_or_default()
    }

    /// Whether there are files behind the one that holds the head.
    pub(super) fn has_more(&self, walk: &Walk) -> bool {
        let used = walk.position.map_or(0, |position| position.segment.next().0);
        self.list.len() as u64 > used || self.torn_last
    }
}

/// No holder makes a segment file longer: its batches, and the zeros laid ahead of them.
pub(crate) const LONGEST_FILE: u64 = 2 * limits::SEGMENT_BYTES;

/// The numbers of all segment files, in order.
pub(crate) fn list_segments(storage: &dyn Storage) -> Result<Vec<SegmentNo>, StoreError> {
    let names = match storage.list(&layout::LOG) {
        Err(error) if error.is_not_found() => return Ok(Vec::new()),
        names => names?,
    };
    let mut numbers = Vec::new();
    for name in names {
        match layout::segment_number(&name) {
            None => {}
            Some(Ok(number)) => numbers.push(number),
            Some(Err(())) => {
                let file = layout::inside(&layout::LOG, &name);
                let what = "the name of a segment";
                let expected = "ten digits";
                return Err(StoreError::damaged(&file, 0, None, what, expected, name));
            }
        }
    }
    numbers.sort_unstable();
    for (expected, found) in (0..).map(SegmentNo).zip(&numbers) {
        if expected != *found {
            let what = "the row of segments";
            let file = layout::segment(expected);
            return Err(StoreError::damaged(&file, 0, None, what, "this file", "no file"));
        }
    }
    Ok(numbers)
}

/// Reads the headers of these segments up to the first that is not sound.
pub(crate) fn read_headers(
    storage: &dyn Storage,
    ledger: LedgerId,
    numbers: &[SegmentNo],
) -> Result<Headers, StoreError> {
    let mut headers =
        Headers { list: Vec::new(), lengths: Vec::new(), stop: None, torn_last: false };
    for number in numbers {
        let file = storage.open_read(&layout::segment(*number))?;
        let length = file.len()?;
        let found = match read_header(&*file, ledger, *number) {
            Err(error @ StoreError::Storage(_)) => return Err(error),
            Err(error) => Err(Stop { torn: false, error }),
            // Before anything is read by this length: a hole makes a file of any length for nothing.
            Ok(_) if length > LONGEST_FILE => {
                let expected = format!("at most {LONGEST_FILE} bytes, zeros ahead included");
                let found = format!("{length} bytes");
                let what = "the length of a segment file";
                let error =
                    StoreError::damaged(file.path(), LONGEST_FILE, None, what, expected, found);
                Err(Stop { torn: false, error })
            }
            Ok(FoundHeader::Undecodable(error)) => Err(undecodable(file.path(), error)),
            Ok(FoundHeader::Valid(header)) => follows(&headers, &header, file.path())
                .map(|()| header)
                .map_err(|error| Stop { torn: false, error }),
        };
        headers.lengths.push(length);
        match found {
            Ok(header) => headers.list.push(Arc::new(header)),
            Err(stop) => {
                headers.stop = Some(stop);
                break;
            }
        }
    }
    Ok(headers)
}

fn undecodable(file: &RelPath, error: FormatError) -> Stop {
    let torn = matches!(
        error,
        FormatError::Truncated { .. }
            | FormatError::BadMagic { .. }
            | FormatError::CheckMismatch { .. }
    );
    Stop { torn, error: StoreError::undecodable(file, 0, None, "a segment header", error) }
}

/// Checks what can be told of a header without reading the batches before it.
fn follows(before: &Headers, header: &SegmentHeader, file: &RelPath) -> Result<(), StoreError> {
    let wrong = |what, expected: String, found: String| {
        StoreError::damaged(file, 0, Some(header.first_seq), what, expected, found)
    };
    let Some(previous) = before.list.last() else {
        let begins = header.first_seq == Seq(0)
            && header.first_batch == BatchNo(0)
            && header.previous_record == RecordHash::ZERO
            && header.previous_batch == BatchHash::ZERO
            && header.previous_length == 0;
        let what = "the first segment header";
        return if begins {
            Ok(())
        } else {
            Err(wrong(what, "the beginning of a log".to_owned(), "a continuation".to_owned()))
        };
    };
    let length = before.length(before.list.len() - 1);
    if header.previous_length != length {
        let found = format!("{length} bytes");
        let previous = layout::segment(previous.segment);
        let expected = format!("{} bytes", header.previous_length);
        let at = length.min(header.previous_length);
        let what = "the length of a closed segment";
        return Err(StoreError::damaged(&previous, at, None, what, expected, found));
    }
    if header.first_seq <= previous.first_seq || header.first_batch <= previous.first_batch {
        return Err(wrong(
            "the first record of a segment",
            format!("one after {}", previous.first_seq),
            header.first_seq.to_string(),
        ));
    }
    if header.epoch < previous.epoch {
        let least = format!("{} or more", previous.epoch);
        return Err(wrong("the epoch of a segment", least, header.epoch.to_string()));
    }
    Ok(())
}
