//! Random lives on a machine that fails. A run takes the seeds of past failures and then seeds that
//! follow from the commit, as many as fit; `MEMLEDGER_SOAK=seconds` goes on for that long.

use std::process::Command;
use std::time::{Duration, Instant};

use replay_tests::simulation::{Met, run};
use replay_tests::{seed, test_path};

const STEPS: u64 = 60;
/// What a run of all tests takes, in seconds and seeds.
const USUAL: Duration = Duration::from_secs(20);
const LEAST: usize = 3;
const SEEDS: &str = include_str!("../../seeds.txt");

/// Seeds that failed once.
fn past() -> Vec<u64> {
    let lines = SEEDS.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.split_whitespace().next().unwrap().parse().unwrap()).collect()
}

/// A number that every commit has of its own; 0 where there is no repository.
fn of_commit() -> u64 {
    let git = Command::new("git").args(["rev-parse", "HEAD"]).output();
    let hash = git.ok().and_then(|done| String::from_utf8(done.stdout).ok()).unwrap_or_default();
    hash.get(..12).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0)
}

fn soak() -> Option<Duration> {
    let seconds = std::env::var("MEMLEDGER_SOAK").ok()?;
    Some(Duration::from_secs(seconds.parse().expect("MEMLEDGER_SOAK is a number of seconds")))
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a bound of the run, nothing that it computes")]
fn fault_14_whatever_fails_and_whenever_nothing_that_was_answered_is_lost() {
    let path = test_path!(fault_14_whatever_fails_and_whenever_nothing_that_was_answered_is_lost);
    let mut met = Met::default();
    let mut seeds = 0;
    if std::env::var_os(seed::ONE).is_some() {
        seed::each(&path, 1, |seed| println!("{:?}", run(seed, STEPS)));
        return;
    }
    let (begun, within) = (Instant::now(), soak().unwrap_or(USUAL));
    let first = of_commit();
    for number in past().into_iter().chain((0..).map(|at| first.wrapping_add(at))) {
        if seeds >= LEAST + past().len() && begun.elapsed() > within {
            break;
        }
        seed::these(&path, &[number], |seed| met += run(seed, STEPS));
        seeds += 1;
    }
    println!("{seeds} seeds from {first}: {met:?}");
    assert!(met.answered > 40 && met.faults > 10 && met.openings > 10, "{met:?}");
}

#[test]
fn one_seed_of_the_simulation_twice_gives_identical_bytes() {
    let (one, other) = (run(4, STEPS), run(4, STEPS));
    assert_eq!(one, other);
    assert_ne!(one.digest, run(5, STEPS).digest);
}
