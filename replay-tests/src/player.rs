//! Owns random lives of a ledger through its facade: what a careless but honest caller could submit.
//!
//! Invariants: a seed gives the same submissions in the same order (ids and keys are the ledger's own
//! and differ); what is refused must leave the head where it was, and that is checked here.

use ledger_format::{MemoryId, Micros};
use memledger::{ErrorKind, Ledger};

use crate::caller::Caller;
pub use crate::caller::{DOMAINS, KEYS, PEOPLE, SCOPES, TAGS, TERMS};
use crate::place::Place;
use crate::rng::Rng;
use crate::workload::time;

/// A ledger that somebody lived with.
#[derive(Debug)]
pub struct Played {
    pub place: Place,
    /// The memories, in the order of their records.
    pub memories: Vec<MemoryId>,
    /// Submissions that were recorded.
    pub accepted: usize,
    /// Submissions that were refused.
    pub refused: usize,
    /// First results that were given again for an idempotency key.
    pub repeated: usize,
    /// How often the ledger was closed and opened again.
    pub openings: usize,
}

struct Player {
    caller: Caller,
    now: i64,
    done: Played,
}

/// How a life is lived.
#[derive(Clone, Copy, Debug)]
pub struct Manner {
    pub steps: usize,
    /// One in so many submissions says when a foreign system knew it.
    pub claims: u64,
}

/// Lives a while and closes the ledger. `watch` looks at the open ledger now and then.
pub fn play(seed: u64, manner: Manner, mut watch: impl FnMut(&Place, &Ledger, &mut Rng)) -> Played {
    let (place, mut ledger) = Place::new(Micros(time::BASE));
    let done =
        Played { place, memories: Vec::new(), accepted: 0, refused: 0, repeated: 0, openings: 1 };
    let mut player =
        Player { caller: Caller::new(Rng::part(seed, 3), manner.claims), now: time::BASE, done };
    let mut watching = Rng::part(seed, 4);
    for _ in 0..manner.steps {
        player.step(&ledger);
        if watching.chance(1, 12) {
            watch(&player.done.place, &ledger, &mut watching);
        }
        if watching.chance(1, 12) {
            ledger.close().unwrap();
            ledger = player.done.place.open();
            assert_eq!(ledger.notices(), &[] as &[String]);
            player.done.openings += 1;
        }
    }
    ledger.close().unwrap();
    let Caller { memories, accepted, repeated, .. } = player.caller;
    Played { memories, accepted, repeated, ..player.done }
}

impl Player {
    fn step(&mut self, ledger: &Ledger) {
        self.now += time::tick(self.caller.rng.byte());
        // A wall clock that falls back is held by the ledger.
        let back = if self.caller.rng.chance(1, 10) { 86_400_000_000 } else { 0 };
        self.done.place.clock.set(Micros(self.now - back));
        let submission = self.caller.submission();
        let before = ledger.status().unwrap().head;
        match ledger.submit(submission.clone()) {
            Ok(outcomes) => self.caller.recorded(submission, &outcomes),
            Err(error) => {
                let told = [
                    ErrorKind::Conflict,
                    ErrorKind::NotFound,
                    ErrorKind::Invalid,
                    ErrorKind::Refused,
                ];
                assert!(told.contains(&error.kind()), "{error}: {submission:?}");
                let after = ledger.status().unwrap().head;
                assert_eq!(before, after, "{error}: {submission:?}");
                self.done.refused += 1;
            }
        }
    }
}
