//! The comparison can fail: every deliberate mistake is found.

use ledger_format::Kind;
use ledger_replay::State;
use replay_tests::compare;
use replay_tests::rng::Rng;
use replay_tests::sabotage::Sabotage;
use replay_tests::workload::{self, History, Swarm, Verb, time};

const SEEDS: u64 = 12;

/// Without this the test below could find something else.
#[test]
fn without_a_mistake_nothing_is_found() {
    for seed in 0..SEEDS {
        assert_eq!(compare::history(&history(seed)), Ok(()), "seed {seed}");
    }
}

#[test]
fn every_mistake_is_found_within_a_few_seeds() {
    for sabotage in Sabotage::ALL {
        let found = (0..SEEDS).find_map(|seed| differs(sabotage, seed).map(|why| (seed, why)));
        let (seed, why) = found.unwrap_or_else(|| panic!("{sabotage:?} goes unnoticed"));
        assert!(why.contains("after record"), "seed {seed}: {why}");
    }
}

fn differs(sabotage: Sabotage, seed: u64) -> Option<String> {
    let history = history(seed);
    let full = time::around(history.boundaries());
    let wrongly = |state: &mut State, event: &ledger_replay::Sequenced| {
        sabotage.apply(state, event);
    };
    compare::whole(&history.events(), &full, wrongly).err()
}

fn history(seed: u64) -> History {
    let swarm = Swarm::valid().with(Verb::UnknownCritical, 2);
    let swarm = swarm.with(Kind::PushDown, 30).with(Kind::Lift, 15);
    workload::build(&swarm.ops(&mut Rng::new(seed), 60))
}
