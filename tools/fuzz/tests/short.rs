//! A short run of every target, the same inputs every time.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use fuzz::campaign::{self, Until};
use fuzz::{TARGETS, Target, seeds};

fn short(target: &Target) {
    let seeds = seeds::read(target).unwrap_or_else(|error| panic!("{}: {error}", target.name));
    assert!(!seeds.is_empty(), "{} has no seeds", target.name);
    let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|(_, bytes)| bytes).collect();
    let until = Until::Inputs(u64::from(target.short));
    if let Err(failure) = campaign::run(target, &seeds, 1, until) {
        panic!("{}: {failure}\ninput: {:02x?}", target.name, failure.input);
    }
}

#[test]
fn nothing_is_found_in_a_short_run_of_any_target() {
    std::thread::scope(|scope| {
        for part in 0..2 {
            scope.spawn(move || TARGETS.iter().skip(part).step_by(2).for_each(short));
        }
    });
}

#[test]
fn a_target_that_fails_is_found_and_its_input_given() {
    fn picky(bytes: &[u8]) {
        assert!(!bytes.contains(&0x80), "it cannot bear that byte");
    }
    let target = Target { name: "picky", run: picky, short: 0 };
    let failure = campaign::run(&target, &[vec![0; 40]], 1, Until::Inputs(10_000)).unwrap_err();
    assert!(failure.input.contains(&0x80));
    assert!(failure.message.contains("it cannot bear that byte"), "{}", failure.message);
}
