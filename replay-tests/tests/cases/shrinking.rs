//! Random steps with shrinking: a failure is reduced to a few steps and printed as a test that can
//! be pasted into `pasted.rs`.

use std::cell::Cell;

use ledger_format::Kind;
use ledger_replay::State;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use replay_tests::sabotage::Sabotage;
use replay_tests::workload::{self, Op, Verb, op, paste, time};
use replay_tests::{compare, seed};

fn step() -> impl Strategy<Value = Op> {
    let kind = prop::sample::select(Kind::ALL).prop_map(|(kind, _, _)| Verb::Known(kind));
    let verb = prop_oneof![
        6 => Just(Verb::Known(Kind::Write)),
        2 => Just(Verb::Known(Kind::Close)),
        1 => Just(Verb::Known(Kind::Reopen)),
        9 => kind,
        1 => Just(Verb::Unknown),
    ];
    let number = prop_oneof![2 => Just(0u8), 3 => any::<u8>()];
    let odd = prop_oneof![9 => Just(0u8), 1 => any::<u8>()];
    (verb, proptest::array::uniform12(number), odd).prop_map(|(verb, mut numbers, odd)| {
        numbers[Op::NUMBERS - 1] = odd;
        op(verb, numbers)
    })
}

/// Runs a property over random steps from a fixed seed. Gives the shrunk failure.
fn search(cases: u32, seed: u64, holds: impl Fn(&[Op]) -> Result<(), String>) -> Option<Vec<Op>> {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let steps = prop::collection::vec(step(), 0..30);
    let result = TestRunner::new_with_rng(config, rng)
        .run(&steps, |ops| holds(&ops).map_err(TestCaseError::fail));
    match result {
        Ok(()) => None,
        Err(TestError::Fail(_, ops)) => Some(ops),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}

#[test]
fn random_steps_agree_with_the_oracle() {
    for seed in seed::seeds(1) {
        if let Some(ops) = search(80, seed, |ops| compare::history(&workload::build(ops))) {
            let why = compare::history(&workload::build(&ops)).unwrap_err();
            panic!("{why}\nseed {seed}; paste into pasted.rs:\n{}", paste("found", &ops));
        }
    }
}

/// A deliberate mistake comes back as a history that can be read: a write and a closure.
#[test]
fn a_failure_shrinks_to_what_matters() {
    let tries = Cell::new(0);
    let wrongly = |ops: &[Op]| {
        tries.set(tries.get() + 1);
        let history = workload::build(ops);
        let full = time::around(history.boundaries());
        compare::whole(&history.events(), &full, |state: &mut State, event| {
            Sabotage::CloseForGood.apply(state, event);
        })
    };
    let ops = search(300, 1, wrongly).unwrap();
    assert!(wrongly(&ops).is_err(), "what is printed still fails");
    assert!(ops.len() <= 3, "after {} tries:\n{}", tries.get(), paste("found", &ops));
    assert!(ops.iter().any(|op| op.verb == Verb::Known(Kind::Close)));
}
