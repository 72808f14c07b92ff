//! Owns what lies in the ledger directory: which segments and payload files there are, and names
//! that no ledger makes.

use ledger_format::SegmentNo;

use super::findings::{Collector, Excuse, Found, Topic};
use super::report::Severity;
use crate::error::StoreError;
use crate::keys::{KEYS_DIR, SLOTS_A, SLOTS_B};
use crate::layout;
use crate::storage::{RelPath, Storage};

/// Names at the root of a ledger directory.
const ROOT: [&str; 10] = [
    "ledger.toml",
    "log",
    "payloads",
    "keys",
    "anchor.a",
    "anchor.b",
    "checkpoints",
    "views",
    "quarantine",
    "lock",
];

/// The numbers of the files that are there, in order.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    pub(super) segments: Vec<SegmentNo>,
    pub(super) payload_files: Vec<u32>,
}

/// Lists the directories. Names that are not ours are noted, names that look like ours and are
/// not are damage: they may hide what is missing.
pub(super) fn list(storage: &dyn Storage, findings: &Collector) -> Numbers {
    let mut numbers = Numbers::default();
    let names = |topic, dir: &RelPath| match storage.list(dir) {
        Ok(names) => names,
        // Copies leave out empty directories; files that should be in it are missed one by one.
        Err(error) if error.is_not_found() && *dir == layout::PAYLOADS => Vec::new(),
        Err(error) => {
            findings.add(Found::obstacle(topic, dir, &StoreError::Storage(error)));
            Vec::new()
        }
    };
    for name in names(Topic::Segments, &RelPath::ROOT) {
        if !ROOT.contains(&name.as_str()) {
            findings.add(foreign(Topic::Segments, &RelPath::ROOT, &name));
        }
        for dir in [layout::QUARANTINE, layout::CHECKPOINTS] {
            if dir.file_name() == Some(&name) && storage.list(&dir).is_err() {
                let (what, expected) = ("a name of the ledger", "a directory that can be listed");
                findings.add(Found::damage(
                    Topic::Segments,
                    &dir,
                    what,
                    expected,
                    "something else",
                ));
            }
        }
    }
    for name in names(Topic::Segments, &layout::LOG) {
        match layout::segment_number(&name) {
            Some(Ok(number)) => numbers.segments.push(number),
            Some(Err(())) => findings.add(misnamed(Topic::Segments, &layout::LOG, &name)),
            None => findings.add(foreign(Topic::Segments, &layout::LOG, &name)),
        }
    }
    for name in names(Topic::PayloadFiles, &layout::PAYLOADS) {
        match layout::payload_number(&name) {
            Some(Ok(number)) => numbers.payload_files.push(number),
            Some(Err(())) => findings.add(misnamed(Topic::PayloadFiles, &layout::PAYLOADS, &name)),
            None => findings.add(foreign(Topic::PayloadFiles, &layout::PAYLOADS, &name)),
        }
    }
    let keys = [SLOTS_A, SLOTS_B];
    for name in names(Topic::Keys, &KEYS_DIR) {
        if !keys.iter().any(|file| file.file_name() == Some(&name)) {
            findings.add(foreign(Topic::Keys, &KEYS_DIR, &name));
        }
    }
    numbers.segments.sort_unstable();
    numbers.payload_files.sort_unstable();
    numbers
}

/// Reports segments that are missing before one that is there, each gap once.
pub(super) fn gaps(segments: &[SegmentNo], findings: &Collector) {
    let mut next = SegmentNo(0);
    for number in segments {
        if *number != next {
            let file = layout::segment(next);
            let what = "the row of segments";
            let expected = format!("segments {next} to {}", number.0.saturating_sub(1));
            findings.add(Found::damage(Topic::Segments, &file, what, expected, "no such files"));
        }
        next = number.next();
    }
}

fn foreign(topic: Topic, dir: &RelPath, name: &str) -> Found {
    let found = Found::damage(topic, dir, "a name", "only names that a ledger makes", name);
    found.severity(Severity::Note).unless(Excuse::None)
}

fn misnamed(topic: Topic, dir: &RelPath, name: &str) -> Found {
    Found::damage(topic, dir, "the name of a file", "ten digits", name)
}
