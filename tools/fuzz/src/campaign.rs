//! Owns running a target: its seeds first, then inputs made from them, until a number or a time is
//! reached or something does not hold.

use std::cell::RefCell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::time::{Duration, Instant};

use replay_tests::rng::Rng;

use crate::mutate;
use crate::targets::Target;

/// When a run ends.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    /// After so many inputs.
    Inputs(u64),
    /// After so much time.
    Time(Duration),
}

/// An input for which something does not hold.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The bytes.
    pub input: Vec<u8>,
    /// What did not hold, and where.
    pub message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes: {}", self.input.len(), self.message)
    }
}

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Tries one input.
///
/// # Errors
/// With the message of the panic.
pub fn attempt(target: &Target, input: &[u8]) -> Result<(), Failure> {
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    outcome.map_err(|_| Failure {
        input: input.to_vec(),
        message: LAST.with_borrow_mut(std::mem::take),
    })
}

/// Runs a target; the same seed tries the same inputs. Gives how many were tried.
///
/// # Errors
/// The first failure.
#[allow(clippy::disallowed_methods, reason = "a run may be given a time")]
pub fn run(
    target: &Target,
    seeds: &[Vec<u8>],
    seed: u64,
    until: Until,
) -> Result<u64, Box<Failure>> {
    let quiet = Quiet::begin();
    let begun = Instant::now();
    let mut rng = Rng::new(seed);
    let mut tried = 0;
    for input in seeds {
        attempt(target, input)?;
        tried += 1;
    }
    loop {
        let over = match until {
            Until::Inputs(most) => tried >= most,
            Until::Time(most) => begun.elapsed() >= most,
        };
        if over {
            drop(quiet);
            return Ok(tried);
        }
        attempt(target, &mutate::input(&mut rng, seeds))?;
        tried += 1;
    }
}

/// While it lives, a panic of this thread is kept and not printed: the driver says what failed.
struct Quiet;

impl Quiet {
    fn begin() -> Self {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            LAST.with_borrow_mut(|last| *last = info.to_string());
            let _ = &before;
        }));
        Self
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        let _ = take_hook();
    }
}
