//! One seed, one history, one state; and none of it depends on what payloads say.

use ledger_format::hash;
use ledger_replay::{Sequenced, State, apply};
use replay_tests::digest::{fingerprint, states};
use replay_tests::workload::{self, Contents};
use replay_tests::{seed, test_path};

#[test]
fn two_runs_of_a_seed_are_identical() {
    seed::each(&test_path!(two_runs_of_a_seed_are_identical), 30, |seed| {
        let (one, two) = (workload::history(seed, 80), workload::history(seed, 80));
        assert!(one.entries.iter().zip(&two.entries).all(|(a, b)| a.bytes == b.bytes));
        assert_eq!(one, two);
        assert_eq!(fingerprint(&one), fingerprint(&two));
        assert_ne!(fingerprint(&one), fingerprint(&workload::history(seed + 1_000_000, 80)));
    });
}

/// The records are real: they chain, they decode, and they give the events back.
#[test]
fn field_a30_record_bytes_give_every_field_back() {
    seed::each(&test_path!(field_a30_record_bytes_give_every_field_back), 30, |seed| {
        let history = workload::history(seed, 80);
        let mut prev = ledger_format::RecordHash::ZERO;
        for (at, entry) in history.entries.iter().enumerate() {
            let hash = hash::record(&history.ledger, &entry.bytes);
            let read = Sequenced::from_bytes(&entry.bytes, hash).unwrap();
            assert_eq!(read, entry.sequenced);
            assert_eq!((read.header.seq.0, read.header.prev), (at as u64, prev));
            prev = hash;
        }
    });
}

/// Payloads are references: other words, other commitments and other lengths give the same state.
/// Only the record hashes differ, so they are taken from one of the two.
#[test]
fn state_does_not_depend_on_payload_contents() {
    seed::each(&test_path!(state_does_not_depend_on_payload_contents), 20, |seed| {
        let ops = workload::ops(seed, 80);
        let one = workload::build(&ops).events();
        let other = workload::build_with(&ops, Contents(seed + 1)).events();
        assert_ne!(one.last().unwrap().hash, other.last().unwrap().hash, "the contents differ");
        let hashes = one.iter().map(|event| event.hash);
        let borrowed: Vec<Sequenced> = other
            .into_iter()
            .zip(hashes)
            .map(|(event, hash)| Sequenced { hash, ..event })
            .collect();
        assert_eq!(states(&one), states(&borrowed));
    });
}

/// The digest covers all of the state: whatever an event changes changes it, and the head always.
#[test]
fn every_record_changes_the_digest() {
    let events = workload::history(5, 80).events();
    let digests = states(&events);
    let mut sorted = digests.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), digests.len());
    let mut state = State::default();
    apply(&mut state, &events[0]);
    assert_eq!(state.digest(), digests[0]);
}
