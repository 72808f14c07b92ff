//! A flipped bit at every byte of every file is reported, with its file.

use super::*;
use crate::storage::Op;

/// Flips one bit at every byte of a file and checks each time, at a level.
fn every_byte(file: &RelPath, level: VerifyLevel, claims: &[&str]) {
    let (storage, made) = made_in_memory();
    let length = storage.contents(file).unwrap().len() as u64;
    assert!(length > 0);
    for (at, bit) in (0..length).zip([0, 7, 3, 1, 6, 2, 5, 4].into_iter().cycle()) {
        storage.flip_bit(file, at, bit).unwrap();
        let _ = storage.take_trace();
        let keys = KeyStore::open(Arc::clone(&made.storage), LEDGER, Some(&master()));
        let report = check_with(&made, keys.as_ref().ok(), at_level(level));
        let found = damage(&report);
        assert!(!found.is_empty(), "{file} byte {at}: {}", text(&report));
        assert_eq!(report.verdict(), Verdict::Damaged);
        let named = found.iter().any(|one| one.file == *file && claims.contains(&one.claim));
        assert!(named, "{file} byte {at}: {}", text(&report));
        storage.flip_bit(file, at, bit).unwrap();
    }
    assert_eq!(check(&made).findings, []);
}

#[test]
fn of_the_first_segment() {
    every_byte(&path("log/0000000000.seg"), VerifyLevel::Log, &["segments", "batches"]);
}

#[test]
fn of_a_segment_in_the_middle() {
    every_byte(&path("log/0000000001.seg"), VerifyLevel::Log, &["segments", "batches"]);
}

#[test]
fn of_the_last_segment() {
    every_byte(&path("log/0000000002.seg"), VerifyLevel::Log, &["segments", "batches"]);
}

#[test]
fn of_the_payload_files() {
    let (storage, _) = made_in_memory();
    let files = storage.list(&path("payloads")).unwrap();
    assert!(files.len() >= 2);
    for file in files {
        let file = path(&format!("payloads/{file}"));
        every_byte(&file, VerifyLevel::Payloads, &["payload files", "payloads"]);
    }
}

#[test]
fn of_both_anchors() {
    for file in ["anchor.a", "anchor.b"] {
        every_byte(&path(file), VerifyLevel::Log, &["anchors"]);
    }
}

#[test]
fn of_the_first_key_file() {
    every_byte(&path("keys/slots.a"), VerifyLevel::Log, &["keys"]);
}

#[test]
fn of_the_second_key_file() {
    every_byte(&path("keys/slots.b"), VerifyLevel::Log, &["keys"]);
}

#[test]
fn of_the_copy_of_record_0() {
    every_byte(&path("ledger.toml"), VerifyLevel::Log, &["config"]);
}

#[test]
fn of_zeros_ahead_and_between() {
    // An unclean stop leaves zeros after the last batch; a byte among them is still seen.
    let storage = MemStorage::new();
    let options = StoreOptions { fill_first: 1_024, ..options() };
    let mut holder = Holder::create_with(Arc::new(storage.clone()), options);
    holder.write(&["one"]).unwrap();
    let made = holder.leave();
    assert_eq!(check(&made).verdict(), Verdict::Ok);
    for (file, end) in [
        (crate::layout::segment(made.head.segment), made.head.segment_end),
        (crate::layout::payload_file(0), made.head.payload_end),
    ] {
        let length = storage.contents(&file).unwrap().len() as u64;
        assert!(length > end + 10, "{file}");
        for at in end..length {
            storage.flip_bit(&file, at, 2).unwrap();
            let report = check(&made);
            let named =
                report.findings.iter().any(|one| one.file == file && one.offset == Some(at));
            assert!(named, "{file} byte {at}: {}", text(&report));
            storage.flip_bit(&file, at, 2).unwrap();
        }
    }
}

#[test]
fn on_a_file_system_too() {
    let dir = tempfile::tempdir().unwrap();
    let made = made(Arc::new(FsStorage::open(dir.path()).unwrap()));
    assert_eq!(check(&made).findings, []);
    for file in [
        "log/0000000000.seg",
        "log/0000000001.seg",
        "log/0000000002.seg",
        "payloads/0000000000.pay",
        "payloads/0000000001.pay",
        "anchor.a",
        "anchor.b",
        "keys/slots.a",
        "keys/slots.b",
        "ledger.toml",
    ] {
        let full = dir.path().join(file);
        let whole = std::fs::read(&full).unwrap();
        for at in (0..whole.len()).step_by(61).chain([whole.len() - 1]) {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            std::fs::write(&full, &bytes).unwrap();
            let report = check(&made);
            assert!(damage(&report).iter().any(|one| one.file == path(file)), "{file} byte {at}");
        }
        // Cut at any place, and gone.
        for length in [0, 1, 63, whole.len() / 2, whole.len() - 1] {
            std::fs::write(&full, whole.get(..length).unwrap_or(&whole[1..])).unwrap();
            assert_eq!(check(&made).verdict(), Verdict::Damaged, "{file} cut to {length}");
        }
        std::fs::remove_file(&full).unwrap();
        assert_eq!(check(&made).verdict(), Verdict::Damaged, "{file} gone");
        std::fs::write(&full, &whole).unwrap();
    }
    assert_eq!(check(&made).findings, []);
}

#[test]
fn a_check_changes_nothing() {
    let (storage, made) = made_in_memory();
    storage.flip_bit(&path("keys/slots.b"), 5_000, 0).unwrap();
    storage.flip_bit(&path("log/0000000001.seg"), 4_200, 0).unwrap();
    let before = storage.snapshot();
    let _ = storage.take_trace();
    check(&made);
    assert_eq!(storage.snapshot(), before);
    let mutating: Vec<_> =
        storage.take_trace().into_iter().filter(|entry| entry.op.is_mutating()).collect();
    assert_eq!(mutating, []);
    assert!(!Op::ReadAt.is_mutating());
}
