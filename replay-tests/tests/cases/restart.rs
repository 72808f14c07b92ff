//! Stopping anywhere and going on changes nothing.

use ledger_replay::{Sequenced, State, apply};
use replay_tests::{seed, test_path, workload};

#[test]
fn field_l19_a_prefix_saved_and_restored_goes_on_as_the_whole() {
    seed::each(
        &test_path!(field_l19_a_prefix_saved_and_restored_goes_on_as_the_whole),
        12,
        |seed| {
            let events = workload::history(seed, 60).events();
            let mut whole = State::default();
            let changes: Vec<_> = events.iter().map(|event| apply(&mut whole, event)).collect();
            for cut in 0..=events.len() {
                let (first, rest) = events.split_at(cut);
                let mut before = State::default();
                let mut told: Vec<_> =
                    first.iter().map(|event| apply(&mut before, event)).collect();
                let saved = before.save();
                let mut state = State::restore(&saved).unwrap();
                assert_eq!(state, before, "cut {cut}");
                assert_eq!(state.digest(), before.digest());
                assert_eq!(state.save(), saved, "one state has one saved form");
                told.extend(rest.iter().map(|event| apply(&mut state, event)));
                assert_eq!(state, whole, "cut {cut}");
                assert_eq!(state.digest(), whole.digest());
                assert_eq!(told, changes, "cut {cut}");
            }
        },
    );
}

/// A damaged saved state is refused, whatever byte it is.
#[test]
fn a_damaged_saved_state_is_refused() {
    let mut state = State::default();
    for event in workload::history(3, 40).events() {
        apply(&mut state, &event);
    }
    let saved = state.save();
    for at in (0..saved.len()).step_by(1 + saved.len() / 500) {
        let mut damaged = saved.clone();
        damaged[at] ^= 1;
        assert!(State::restore(&damaged).is_err(), "byte {at}");
        assert!(State::restore(&saved[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn field_l30_an_empty_ledger_has_a_state() {
    let state = State::default();
    assert_eq!(State::restore(&state.save()).unwrap(), state);
    assert_eq!(state.head(), None);
    let none: &[Sequenced] = &[];
    assert!(replay_tests::compare::whole(none, &[], |_, _| {}).is_ok());
}
