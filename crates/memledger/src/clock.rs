//! Owns time and chance: the only clock and the only random source of the facade.
//!
//! Invariants: everything else receives instants and bytes as arguments, so that a test can replay
//! them. May not: know zones.

use std::cell::RefCell;
use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use ledger_format::Micros;

/// What time it is, on two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Wall time.
    pub wall: Micros,
    /// Time since some fixed moment of this process, which never jumps.
    pub steady: Duration,
}

/// Source of time.
pub trait Clock: Debug + Send + Sync {
    /// What time it is.
    fn now(&self) -> Reading;

    /// Whether times are declared by the writer instead of read from the machine.
    fn declared(&self) -> bool {
        false
    }
}

/// The machine's clock.
#[derive(Clone, Debug)]
pub struct SystemClock {
    start: Instant,
}

impl Default for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn default() -> Self {
        Self { start: Instant::now() }
    }
}

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods, reason = "this is the one place that reads the clock")]
    fn now(&self) -> Reading {
        let wall = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
            Err(before) => {
                i64::try_from(before.duration().as_micros()).map_or(i64::MIN, |gap| -gap)
            }
        };
        Reading { wall: Micros(wall), steady: self.start.elapsed() }
    }
}

/// A clock that stands where it is put: for demonstrations and tests. Records say that their time
/// was declared.
#[derive(Debug, Default)]
pub struct DeclaredClock {
    wall: AtomicI64,
    steps: AtomicU64,
}

impl DeclaredClock {
    /// A clock that stands at `at`.
    #[must_use]
    pub const fn new(at: Micros) -> Self {
        Self { wall: AtomicI64::new(at.0), steps: AtomicU64::new(0) }
    }

    /// Puts the clock to `at`.
    pub fn set(&self, at: Micros) {
        self.wall.store(at.0, Ordering::SeqCst);
    }
}

impl Clock for DeclaredClock {
    fn now(&self) -> Reading {
        let steps = self.steps.fetch_add(1, Ordering::SeqCst);
        Reading {
            wall: Micros(self.wall.load(Ordering::SeqCst)),
            steady: Duration::from_millis(steps),
        }
    }

    fn declared(&self) -> bool {
        true
    }
}

/// Source of random bytes.
pub trait Chance: Debug + Send + Sync {
    /// Fills `bytes`.
    ///
    /// # Errors
    /// The reason, when the machine gives no random bytes.
    fn fill(&self, bytes: &mut [u8]) -> std::result::Result<(), String>;
}

/// The machine's random source, asked for a block at a time: ids, aliases and nonces are short, and
/// a call to the system for each costs more than all the rest of composing a record. Keys do not
/// come from here.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemChance;

const BLOCK: usize = 512;

/// A block of random bytes and how many of them were given out.
struct Block {
    bytes: [u8; BLOCK],
    used: usize,
}

thread_local! {
    static AHEAD: RefCell<Block> =
        const { RefCell::new(Block { bytes: [0; BLOCK], used: BLOCK }) };
}

impl Chance for SystemChance {
    fn fill(&self, bytes: &mut [u8]) -> std::result::Result<(), String> {
        let ask = |bytes: &mut [u8]| getrandom::fill(bytes).map_err(|error| error.to_string());
        if bytes.len() > BLOCK / 4 {
            return ask(bytes);
        }
        AHEAD.with_borrow_mut(|block| {
            if BLOCK - block.used < bytes.len() {
                ask(&mut block.bytes)?;
                block.used = 0;
            }
            let end = block.used + bytes.len();
            let given = block.bytes.get_mut(block.used..end).ok_or("a block that is too short")?;
            bytes.copy_from_slice(given);
            given.fill(0);
            block.used = end;
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_random_byte_is_given_out_twice() {
        let mut seen = std::collections::HashSet::new();
        for length in [16, 24, 10, 128, 129, 600] {
            for _ in 0..200 {
                let mut bytes = vec![0; length];
                SystemChance.fill(&mut bytes).unwrap();
                assert!(seen.insert(bytes), "the same {length} bytes again");
            }
        }
    }
}
