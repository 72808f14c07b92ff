//! Owns random but mostly valid histories: a seed gives small steps ([`Op`]), the steps give events
//! and real record bytes.
//!
//! Invariants: every list of steps gives a history, so that shrinking may drop and change any of
//! them; equal steps give equal bytes. A step whose `odd` is 0 gives a valid event or none. May not:
//! ask what an event means; that is the oracle's.

mod chain;
mod draft;
mod op;
mod swarm;
pub mod time;
mod world;

pub use chain::{Entry, History, boundaries_of};
pub use op::{Op, Verb, op, paste};
pub use swarm::Swarm;
pub use world::Contents;

use crate::rng::Rng;
use world::World;

/// The history of a seed with about `length` steps.
#[must_use]
pub fn history(seed: u64, length: usize) -> History {
    build(&ops(seed, length))
}

/// The steps of a seed. The seed also decides which kinds take part.
#[must_use]
pub fn ops(seed: u64, length: usize) -> Vec<Op> {
    let swarm = Swarm::random(&mut Rng::part(seed, 1));
    swarm.ops(&mut Rng::part(seed, 2), length)
}

/// The history of some steps: a fixed opening, then what the steps ask for.
#[must_use]
pub fn build(ops: &[Op]) -> History {
    build_with(ops, Contents::default())
}

/// The same with other payload contents.
#[must_use]
pub fn build_with(ops: &[Op], contents: Contents) -> History {
    let mut world = World::open(contents);
    for op in ops {
        if let Some(draft) = draft::draft(&mut world, *op) {
            world.record(*op, draft);
        }
    }
    world.into_history()
}
