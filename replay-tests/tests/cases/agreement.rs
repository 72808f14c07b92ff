//! The replayed state against the oracle, after every record.

use std::collections::BTreeSet;

use ledger_format::Kind;
use ledger_replay::{State, apply};
use replay_tests::rng::Rng;
use replay_tests::workload::{self, Swarm};
use replay_tests::{compare, seed, test_path};

#[test]
fn replay_says_what_the_oracle_says() {
    seed::each(&test_path!(replay_says_what_the_oracle_says), 120, |seed| {
        let ops = workload::ops(seed, 40);
        compare::history(&workload::build(&ops)).unwrap_or_else(|why| panic!("{why}"));
    });
}

#[test]
fn long_histories_agree_too() {
    seed::each(&test_path!(long_histories_agree_too), 3, |seed| {
        let ops = Swarm::everything().ops(&mut Rng::new(seed), 160);
        compare::history(&workload::build(&ops)).unwrap_or_else(|why| panic!("{why}"));
    });
}

/// Steps that are not odd make nothing odd. Otherwise the oracle would be compared on noise only.
#[test]
fn valid_steps_give_valid_histories() {
    seed::each(&test_path!(valid_steps_give_valid_histories), 40, |seed| {
        let history = workload::build(&Swarm::valid().ops(&mut Rng::new(seed), 150));
        let mut state = State::default();
        for event in history.events() {
            let changes = apply(&mut state, &event);
            assert_eq!(changes.anomalies, [], "{:?}", event.event);
        }
        assert_eq!(state.anomalies(), 0);
    });
}

#[test]
fn odd_steps_are_counted_and_described() {
    let history = workload::build(&Swarm::everything().with_odd(60).ops(&mut Rng::new(1), 200));
    let mut state = State::default();
    let mut described = BTreeSet::new();
    let mut count = 0;
    for event in history.events() {
        for anomaly in apply(&mut state, &event).anomalies {
            assert_eq!(anomaly.seq, event.seq());
            let words = anomaly.oddity.to_string();
            described.insert(words.split(|c: char| c.is_ascii_digit()).next().unwrap().to_owned());
            count += 1;
        }
    }
    assert_eq!(state.anomalies(), count);
    assert!(described.len() > 4, "{described:?}");
}

/// The histories hold every kind, and each of them often enough to matter.
#[test]
fn every_kind_takes_part() {
    let histories: Vec<_> = (0..40)
        .map(|seed| workload::build(&Swarm::everything().ops(&mut Rng::new(seed), 200)))
        .collect();
    for (kind, _, name) in Kind::ALL {
        let count: usize = histories.iter().map(|history| history.count(*kind)).sum();
        assert!(count >= 10, "{name} appears {count} times");
    }
    let unknown = histories.iter().flat_map(|history| &history.entries);
    assert!(unknown.filter(|entry| entry.sequenced.event.kind().is_none()).count() >= 10);
}
