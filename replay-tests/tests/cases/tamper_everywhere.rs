//! One flipped bit at every byte of a small ledger: verification reports it and never says that all is
//! well, and whoever asks gets an error or the true answers, never other ones.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger_format::PayloadId;
use ledger_store::storage::FsStorage;
use ledger_store::{KeyState, KeyStore, MasterKey};
use memledger::verify::{CheckVerdict, VerifyLevel};
use replay_tests::place::{self, Place, keys_beside};
use replay_tests::small::{self, Answer};
use replay_tests::tamper::{archive_is_true, each_flip, inside, opening_is_true, reported, verify};

/// A small ledger and what it truly answers.
fn ledger() -> (Place, Vec<Answer>) {
    let place = small::ledger();
    let whole = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(whole.verdict(), CheckVerdict::Ok, "{whole:#?}");
    let truth = small::truth(&place);
    assert_eq!(truth.last().map(Vec::len), Some(4));
    (place, truth)
}

fn name(place: &Place, path: &Path) -> String {
    let inside = path.strip_prefix(place.path()).unwrap();
    inside.display().to_string()
}

fn length(files: &[PathBuf]) -> usize {
    let lengths = files.iter().map(|path| path.metadata().unwrap().len());
    lengths.sum::<u64>() as usize
}

/// Every byte of some files, asking after each `step`-th. How often the archive answered all the same.
fn flip_all(place: &Place, truth: &[Answer], files: &[PathBuf], step: u64) -> usize {
    let (mut flips, mut answered) = (0, 0);
    for path in files {
        let name = name(place, path);
        flips += each_flip(path, 1, |at| {
            let what = format!("byte {at} of {name}");
            let findings = reported(&place.path(), VerifyLevel::Content, &what);
            assert!(findings.contains(&name), "{what}: {findings}");
            if at % step == 0 {
                answered += usize::from(archive_is_true(place, &place.path(), truth, &what));
            }
        });
    }
    assert_eq!(flips, length(files), "every byte");
    answered
}

#[test]
fn rival_07_one_flipped_bit_in_the_log_is_reported_with_its_place() {
    let (place, truth) = ledger();
    let log = inside(&place, "log");
    assert!(length(&log) > 5_000);
    assert_eq!(flip_all(&place, &truth, &log, 1), 0, "every answer rests on the whole log");
    each_flip(&log[0], 101, |at| {
        let findings = reported(&place.path(), VerifyLevel::Log, "the log");
        let line = findings.lines().find(|line| line.starts_with("log/"));
        let line = line.unwrap_or_else(|| panic!("byte {at}: {findings}"));
        assert!(line.contains(" at byte ") && line.contains("(record "), "byte {at}: {line}");
    });
}

#[test]
fn a_flipped_bit_in_a_payload_is_reported_and_never_read() {
    let (place, truth) = ledger();
    let payloads = inside(&place, "payloads");
    assert!(length(&payloads) > 1_000);
    assert_eq!(flip_all(&place, &truth, &payloads, 1), 0, "every payload is in some answer");
}

#[test]
fn a_flipped_bit_in_an_anchor_or_the_copy_of_genesis_is_reported() {
    let (place, truth) = ledger();
    let files = ["anchor.a", "anchor.b", "ledger.toml"].map(|name| place.path().join(name));
    assert!(length(&files) > 1_300);
    let answered = flip_all(&place, &truth, &files, 5);
    assert!(answered > 200, "one copy of the anchor is enough to read: {answered}");
}

/// Every byte by the check of the key files themselves; the whole check and the answers with them,
/// which cost many times as much, at every 64th.
#[test]
fn a_flipped_bit_in_a_key_file_is_reported_and_the_other_copy_counts() {
    let (place, truth) = ledger();
    let truths = values(&open_keys(&place).unwrap());
    assert!(truths.len() == 126 && truths.iter().all(Option::is_some));
    let files = inside(&place, "keys");
    let mut flips = 0;
    for path in &files {
        let name = name(&place, path);
        flips += each_flip(path, 1, |at| {
            let what = format!("byte {at} of {name}");
            let keys = open_keys(&place).unwrap_or_else(|why| panic!("{what}: {why}"));
            assert!(keys.check(0..u64::MAX, &mut |_| ()).unwrap().faults > 0, "{what}");
            if at % 8 == 0 {
                assert!(values(&keys) == truths, "{what}: another key");
            }
        });
        each_flip(path, 64, |at| {
            let what = format!("byte {at} of {name}");
            let findings = reported(&place.path(), VerifyLevel::Content, &what);
            assert!(findings.contains(&name), "{what}: {findings}");
            assert!(archive_is_true(&place, &place.path(), &truth, &what), "{what}");
        });
    }
    assert_eq!((files.len(), flips), (2, length(&files)));
    assert!(flips >= 4 * 4_096);
}

fn open_keys(place: &Place) -> Result<KeyStore, ledger_store::StoreError> {
    let storage = Arc::new(FsStorage::open(&place.path()).unwrap());
    let (master, _) = MasterKey::load(&keys_beside(&place.path()), &place.id)?.unwrap();
    KeyStore::open(storage, place.id, Some(&master))
}

fn values(keys: &KeyStore) -> Vec<Option<Vec<u8>>> {
    let value = |slot| match keys.key(PayloadId(slot)) {
        Ok(KeyState::Key(key)) => Some(key.to_vec()),
        _ => None,
    };
    (0..keys.slots()).map(value).collect()
}

/// Whether log and payloads are byte for byte the same in two directories.
fn same_log(one: &Path, other: &Path) -> bool {
    let content = |root: &Path| {
        let files = ["log", "payloads"].map(|dir| place::files(&root.join(dir)));
        let content = files.iter().flatten().map(|path| std::fs::read(path).unwrap());
        content.collect::<Vec<_>>()
    };
    content(one) == content(other)
}

/// Opening writes and recovers, so it is done on a copy. Every file takes part but the rows of the
/// views: what sled makes of broken ones, at times by running for a minute, is tested beside them.
#[test]
fn opening_a_ledger_with_a_flipped_bit_fails_or_answers_the_truth() {
    let (place, truth) = ledger();
    let copy = place.beside("copy");
    let (mut flips, mut answered) = (0, 0);
    let files: Vec<PathBuf> = place::files(&place.path());
    for path in &files {
        let name = name(&place, path);
        if name == "lock" || name.contains("/rows/") {
            continue;
        }
        let step = if name.starts_with("views") { 7 } else { 61 };
        flips += each_flip(path, step, |at| {
            place::copy_tree(&place.path(), &copy);
            let what = format!("byte {at} of {name}");
            if opening_is_true(&place, &copy, &truth, &what) {
                answered += 1;
            } else {
                assert!(same_log(&place.path(), &copy), "{what}: something was cut");
            }
            std::fs::remove_dir_all(&copy).unwrap();
        });
    }
    assert!(flips > 450 && answered > 250, "{flips} {answered}");
}
