//! The axis of foreign systems: what they say they knew, against the oracle.

use ledger_replay::{State, apply};
use replay_tests::oracle::Oracle;
use replay_tests::workload::{self, time};
use replay_tests::{compare, seed, test_path};

#[test]
fn replay_of_what_was_claimed_agrees() {
    seed::each(&test_path!(replay_of_what_was_claimed_agrees), 25, |seed| {
        let history = workload::history(seed, 50);
        let events = history.events();
        let oracle = Oracle::new(events.clone());
        let valid = time::around((1..40).step_by(7).filter_map(time::instant));
        for at in (1..=45).step_by(4).filter_map(time::instant) {
            let mut state = State::default();
            events.iter().filter(|event| event.claimed_or_recorded() <= at).for_each(|event| {
                apply(&mut state, event);
            });
            let moment = oracle.claimed(at);
            compare::agree(&state, &moment, &valid).unwrap_or_else(|why| panic!("{}: {why}", at.0));
        }
    });
}

/// A time on the known axis means the last record of that time or before, ties included.
#[test]
fn known_time_means_the_last_record_of_that_time() {
    seed::each(&test_path!(known_time_means_the_last_record_of_that_time), 20, |seed| {
        let events = workload::build(
            &replay_tests::workload::Swarm::valid().ops(&mut replay_tests::rng::Rng::new(seed), 60),
        )
        .events();
        let oracle = Oracle::new(events.clone());
        for at in time::around(events.iter().map(|event| event.header.recorded_at)) {
            let expected = events.iter().filter(|event| event.header.recorded_at <= at).count();
            assert_eq!(oracle.known(at).events().len(), expected, "at {}", at.0);
        }
    });
}
