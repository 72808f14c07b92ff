//! Owns how seeds are chosen and how a failure names the one that repeats it.
//!
//! `MEMLEDGER_SEED=n` runs that seed alone; `MEMLEDGER_SEEDS=n` runs that many instead of the
//! number a test asks for. Without either a test runs the same seeds every time.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The variable that selects one seed.
pub const ONE: &str = "MEMLEDGER_SEED";
/// The variable that changes the number of seeds.
pub const MANY: &str = "MEMLEDGER_SEEDS";

/// The seeds a test runs: `usual` many unless the environment says otherwise.
#[must_use]
pub fn seeds(usual: u64) -> Vec<u64> {
    choose(number(ONE), number(MANY), usual)
}

fn choose(one: Option<u64>, many: Option<u64>, usual: u64) -> Vec<u64> {
    one.map_or_else(|| (0..many.unwrap_or(usual)).collect(), |seed| vec![seed])
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is not a number")))
}

/// The command that repeats a test with one seed.
#[must_use]
pub fn command(test: &str, seed: u64) -> String {
    format!("{ONE}={seed} cargo test -p replay-tests --test runner -- --exact {test}")
}

/// Runs `body` for every seed. A failure prints the seed and the command that repeats it.
pub fn each(test: &str, usual: u64, body: impl Fn(u64)) {
    these(test, &seeds(usual), body);
}

/// Runs `body` for these seeds. A failure prints the seed and the command that repeats it.
#[allow(clippy::print_stderr, reason = "the test runner shows it with the failure")]
pub fn these(test: &str, seeds: &[u64], mut body: impl FnMut(u64)) {
    for &seed in seeds {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| body(seed))) {
            eprintln!("seed {seed} fails; repeat it with\n  {}", command(test, seed));
            resume_unwind(panic);
        }
    }
}

/// The path of the calling test, for [`each`].
#[macro_export]
macro_rules! test_path {
    ($name:ident) => {{
        let module = module_path!();
        let inner = module.split_once("::").map_or("", |(_, inner)| inner);
        format!("{inner}::{}", stringify!($name))
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_seed_goes_before_many() {
        assert_eq!(choose(Some(7), Some(2), 9), [7]);
        assert_eq!(choose(None, Some(2), 9), [0, 1]);
        assert_eq!(choose(None, None, 3), [0, 1, 2]);
    }

    #[test]
    fn a_failing_seed_stays_a_failure() {
        let result = catch_unwind(|| each("x", 3, |seed| assert_ne!(seed, 2)));
        assert!(result.is_err());
    }
}
