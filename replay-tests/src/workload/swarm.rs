//! Owns which kinds take part in a history and how often. Each seed switches a random part of them
//! off: what hides when everything happens shows when little else does (swarm testing, Groce et al.).

use ledger_format::Kind;

use super::op::{Op, Verb, op};
use crate::rng::Rng;

/// How often each kind happens.
#[derive(Clone, Debug)]
pub struct Swarm {
    weights: Vec<(Verb, u64)>,
    /// How many of 100 steps are odd.
    odd: u64,
    /// How many of 100 steps claim an earlier time.
    claimed: u64,
}

impl Swarm {
    /// Every kind, each as often as it deserves; unknown critical ones are left out.
    #[must_use]
    pub fn everything() -> Self {
        let known = Kind::ALL.iter().map(|(kind, _, _)| (Verb::Known(*kind), usual(*kind)));
        let weights = known.chain([(Verb::Unknown, 2), (Verb::UnknownCritical, 0)]).collect();
        Self { weights, odd: 6, claimed: 20 }
    }

    /// Everything, without odd steps.
    #[must_use]
    pub fn valid() -> Self {
        Self::everything().with_odd(0)
    }

    /// A random part of everything. Writing always stays.
    #[must_use]
    pub fn random(rng: &mut Rng) -> Self {
        let mut swarm = Self::everything();
        for (verb, weight) in &mut swarm.weights {
            if *verb == Verb::Known(Kind::Write) {
                *weight = 10 + rng.below(40);
            } else if rng.chance(2, 5) {
                *weight = 0;
            } else {
                *weight *= 1 + rng.below(4);
            }
            if *verb == Verb::UnknownCritical && rng.chance(1, 8) {
                *weight = 1;
            }
        }
        swarm.odd = [0, 0, 5, 25][rng.index(4)];
        swarm.claimed = [0, 10, 60][rng.index(3)];
        swarm
    }

    /// The same with another weight for one kind.
    #[must_use]
    pub fn with(mut self, verb: impl Into<Verb>, weight: u64) -> Self {
        let verb = verb.into();
        self.weights.retain(|(known, _)| *known != verb);
        self.weights.push((verb, weight));
        self
    }

    /// The same with this many odd steps in 100.
    #[must_use]
    pub const fn with_odd(mut self, odd: u64) -> Self {
        self.odd = odd;
        self
    }

    /// Steps by these weights.
    #[must_use]
    pub fn ops(&self, rng: &mut Rng, length: usize) -> Vec<Op> {
        (0..length).map(|_| self.op(rng)).collect()
    }

    fn op(&self, rng: &mut Rng) -> Op {
        let total = self.weights.iter().map(|(_, weight)| weight).sum();
        let mut ticket = rng.below(total);
        let found = self.weights.iter().find(|(_, weight)| {
            let hit = ticket < *weight;
            ticket = ticket.saturating_sub(*weight);
            hit
        });
        let mut step = op(found.unwrap().0, rng.bytes::<{ Op::NUMBERS }>());
        if !rng.chance(self.claimed, 100) {
            step.claimed = 0;
        }
        if !rng.chance(self.odd, 100) {
            step.odd = 0;
        }
        // Open ends are common in life and rare among 256 numbers.
        for end in [&mut step.from, &mut step.until, &mut step.cut_from, &mut step.cut_until] {
            if rng.chance(2, 5) {
                *end = 0;
            }
        }
        step
    }
}

const fn usual(kind: Kind) -> u64 {
    match kind {
        Kind::Write => 60,
        Kind::Close => 20,
        Kind::Reopen => 10,
        Kind::Approval | Kind::Contest | Kind::EraseIntent => 8,
        Kind::Confirm
        | Kind::Use
        | Kind::PushDown
        | Kind::Resolve
        | Kind::Promote
        | Kind::Demote
        | Kind::Restrict
        | Kind::Unrestrict
        | Kind::Expire => 5,
        Kind::Lift | Kind::Pin | Kind::Unpin | Kind::Forget | Kind::Stale | Kind::AliasBound => 3,
        Kind::Genesis => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_switches_some_kinds_off_but_never_writing() {
        for seed in 0..50 {
            let swarm = Swarm::random(&mut Rng::new(seed));
            let on = |verb: &Verb| swarm.weights.iter().any(|(v, w)| v == verb && *w > 0);
            assert!(on(&Verb::Known(Kind::Write)));
            assert!(swarm.weights.iter().any(|(verb, _)| !on(verb)));
        }
    }
}
