//! Owns the seeded simulation: a caller lives with a ledger on a machine that fails, is switched off and
//! has a clock that jumps, and every answer is held against what was told before and the oracle.
//!
//! Invariants: a seed decides everything, so a run twice leaves identical bytes; what was answered is
//! never allowed to be missing, whatever failed. May not: retry what a real caller would not, or accept
//! an error without a reason for it.

mod world;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

pub use self::world::World;

/// What a run met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Met {
    /// Steps of the run.
    pub steps: u64,
    /// Submissions that were answered.
    pub answered: u64,
    /// Submissions that were refused for what they said.
    pub refused: u64,
    /// Submissions that failed, by the disk or the clock.
    pub failed: u64,
    /// Faults that were put in the way.
    pub faults: u64,
    /// Power cuts.
    pub cuts: u64,
    /// Processes.
    pub openings: u64,
    /// Openings that failed for a fault, and were repeated.
    pub openings_failed: u64,
    /// Reads that were given an error.
    pub reads_failed: u64,
    /// Batches that nobody was told of, and that survived.
    pub surprises: u64,
    /// Records at the end.
    pub records: u64,
    /// What the disk held at the end.
    pub digest: u64,
}

impl std::ops::AddAssign for Met {
    fn add_assign(&mut self, other: Self) {
        self.steps += other.steps;
        self.answered += other.answered;
        self.refused += other.refused;
        self.failed += other.failed;
        self.faults += other.faults;
        self.cuts += other.cuts;
        self.openings += other.openings;
        self.openings_failed += other.openings_failed;
        self.reads_failed += other.reads_failed;
        self.surprises += other.surprises;
        self.records += other.records;
        self.digest ^= other.digest;
    }
}

/// Runs one seed.
///
/// # Panics
/// At the first answer that is wrong.
#[must_use]
pub fn run(seed: u64, steps: u64) -> Met {
    let mut world = World::new(seed);
    for _ in 0..steps {
        world.step();
    }
    world.end()
}

/// A number for the bytes of all files.
fn digest(disk: &ledger_store::storage::MemStorage) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (path, bytes) in disk.snapshot() {
        path.as_str().hash(&mut hasher);
        bytes.hash(&mut hasher);
    }
    hasher.finish()
}
