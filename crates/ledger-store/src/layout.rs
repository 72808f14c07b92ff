//! Owns the names of files and directories of the log, the payloads and the anchors.
//!
//! Invariant: a number has one name, and a name that is read back gives its number or is not ours.
//! May not: touch a storage.

use ledger_format::SegmentNo;

use crate::storage::RelPath;

/// Directory of the segments.
pub const LOG: RelPath = RelPath::from_static("log");
/// Directory of the payload files.
pub const PAYLOADS: RelPath = RelPath::from_static("payloads");
/// Directory of what recovery took out of the log.
pub const QUARANTINE: RelPath = RelPath::from_static("quarantine");
/// Directory of the signed checkpoints.
pub const CHECKPOINTS: RelPath = RelPath::from_static("checkpoints");
/// The two copies of the head anchor.
pub const ANCHORS: [RelPath; 2] =
    [RelPath::from_static("anchor.a"), RelPath::from_static("anchor.b")];

const SEGMENT: &str = ".seg";
const PAYLOAD: &str = ".pay";

/// The file of a segment.
#[must_use]
pub fn segment(number: SegmentNo) -> RelPath {
    inside(&LOG, &format!("{:010}{SEGMENT}", number.0))
}

/// The file of payloads with this number.
#[must_use]
pub fn payload_file(number: u32) -> RelPath {
    inside(&PAYLOADS, &format!("{number:010}{PAYLOAD}"))
}

/// What a name in the log directory means. Names that do not end like a segment's are not ours and
/// give `None`; one that does and is no number is `Some(Err(()))`, so that nothing hides there.
pub(crate) fn segment_number(name: &str) -> Option<Result<SegmentNo, ()>> {
    number(name, SEGMENT).map(|number| number.map(SegmentNo))
}

/// As [`segment_number`], for the payload directory.
pub(crate) fn payload_number(name: &str) -> Option<Result<u32, ()>> {
    number(name, PAYLOAD).map(|number| u32::try_from(number?).map_err(|_| ()))
}

fn number(name: &str, suffix: &str) -> Option<Result<u64, ()>> {
    let digits = name.strip_suffix(suffix)?;
    let number = digits.parse().map_err(|_| ());
    Some(number.and_then(
        |number| {
            if format!("{number:010}") == digits { Ok(number) } else { Err(()) }
        },
    ))
}

pub(crate) fn inside(dir: &RelPath, name: &str) -> RelPath {
    dir.join(name).expect("a generated name is a plain part of a path")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_go_both_ways() {
        assert_eq!(segment(SegmentNo(7)).as_str(), "log/0000000007.seg");
        assert_eq!(payload_file(3).as_str(), "payloads/0000000003.pay");
        assert_eq!(segment_number("0000000007.seg"), Some(Ok(SegmentNo(7))));
        assert_eq!(payload_number("0000000003.pay"), Some(Ok(3)));
        let long = u64::from(u32::MAX) * 10;
        assert_eq!(segment_number(&format!("{long}.seg")), Some(Ok(SegmentNo(long))));
    }

    #[test]
    fn a_name_that_only_looks_like_one_is_told_apart() {
        for name in ["7.seg", "00000000007.seg", "+000000007.seg", "x.seg", ".seg"] {
            assert_eq!(segment_number(name), Some(Err(())), "{name}");
        }
        assert_eq!(segment_number("notes.txt"), None);
        assert_eq!(payload_number("9999999999.pay"), Some(Err(())));
    }
}
