//! Owns how a memory fades while nobody uses or confirms it.
//!
//! Read-time only: nothing is written and nothing is removed. Whole numbers throughout, so that it is the
//! same on every machine. Of what is verified, the factor falls in a straight line to the floor; of what
//! is not, it halves its way to the floor every so many days, which begins steeper and never quite ends.

use ledger_format::{BodyType, Layer, Micros, Trust};

use crate::{Expiry, Policy};

const WHOLE: i128 = 10_000;
const DAY: i128 = 86_400_000_000;
/// `2^(-n/16)` in parts of 65,536.
const HALVING: [u32; 17] = [
    65_536, 62_757, 60_097, 57_549, 55_109, 52_773, 50_535, 48_393, 46_341, 44_376, 42_495, 40_693,
    38_968, 37_316, 35_734, 34_219, 32_768,
];

/// What decay looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fading {
    /// What it is for.
    pub layer: Layer,
    /// Shape of its content.
    pub body: BodyType,
    /// How far it is trusted.
    pub trust: Trust,
    /// Whether it is pinned.
    pub pinned: bool,
    /// The later of last use and last confirmation; its record, where it has neither.
    pub untouched_since: Micros,
}

/// What a score is multiplied with, in parts of 10,000; none for what does not decay.
#[must_use]
pub fn decay(of: &Fading, policy: &Policy, at: Micros) -> Option<u16> {
    if !decays(of, policy) {
        return None;
    }
    let floor = i128::from(policy.ranking.decay_floor.get());
    let days = i128::from(policy.ranking.decay_days).max(1) * DAY;
    let idle = (i128::from(at.0) - i128::from(of.untouched_since.0)).max(0);
    let left = if of.trust >= Trust::Verified { linear(idle, days) } else { halved(idle, days) };
    // Rounded up, so that no rounding goes below the floor.
    let factor = floor + ((WHOLE - floor) * left + 65_535) / 65_536;
    u16::try_from(factor).ok()
}

/// Canonical clauses, instructions, facts (something closes them) and what is pinned do not fade, and
/// neither does any layer whose end the policy settles otherwise.
fn decays(of: &Fading, policy: &Policy) -> bool {
    let exempt = of.pinned
        || matches!(of.layer, Layer::Canonical | Layer::Instruction)
        || matches!(
            of.body,
            BodyType::Canonical | BodyType::Instruction | BodyType::Fact | BodyType::State
        );
    let rule = policy.layers.rule(of.layer);
    !exempt && rule.is_some_and(|rule| rule.expiry == Some(Expiry::Decay))
}

/// What is left of the whole, in parts of 65,536.
fn linear(idle: i128, days: i128) -> i128 {
    (days - idle).max(0) * 65_536 / days
}

fn halved(idle: i128, days: i128) -> i128 {
    let halvings = u32::try_from(idle / days).unwrap_or(u32::MAX);
    if halvings >= 32 {
        return 0;
    }
    let rest = idle % days * 16;
    let step = usize::try_from(rest / days).unwrap_or(15);
    let at = |step: usize| i128::from(HALVING.get(step).copied().unwrap_or(32_768));
    let (from, to) = (at(step), at(step + 1));
    let between = from - (from - to) * (rest % days) / days;
    between >> halvings
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    fn fading(layer: Layer, body: BodyType, trust: Trust) -> Fading {
        Fading { layer, body, trust, pinned: false, untouched_since: Micros(0) }
    }

    fn lesson(trust: Trust) -> Fading {
        fading(Layer::Project, BodyType::Note, trust)
    }

    fn days(days: i64) -> Micros {
        Micros(days * 86_400_000_000)
    }

    /// What anybody with another implementation has to get.
    #[test]
    fn the_curves_are_these() {
        let policy = Policy::built_in();
        let at = |trust, day| decay(&lesson(trust), &policy, days(day)).expect("a lesson fades");
        let line = [0, 9, 45, 89, 90, 1_000].map(|day| at(Trust::Verified, day));
        assert_eq!(line, [10_000, 9_300, 6_500, 3_078, 3_000, 3_000]);
        let curve =
            [0, 9, 45, 90, 180, 360, 2_790, 2_880, 9_000].map(|day| at(Trust::Unverified, day));
        assert_eq!(curve, [10_000, 9_533, 7_950, 6_500, 4_750, 3_438, 3_000, 3_000, 3_000]);
    }

    #[test]
    fn what_ends_otherwise_does_not_fade() {
        let policy = Policy::built_in();
        let gone = days(100_000);
        let exempt = [
            fading(Layer::Canonical, BodyType::Canonical, Trust::Approved),
            fading(Layer::Instruction, BodyType::Instruction, Trust::Verified),
            fading(Layer::Semantic, BodyType::Fact, Trust::Unverified),
            fading(Layer::Project, BodyType::Fact, Trust::Unverified),
            fading(Layer::Semantic, BodyType::Note, Trust::Verified),
            fading(Layer::Session, BodyType::Message, Trust::Draft),
            Fading { pinned: true, ..lesson(Trust::Unverified) },
        ];
        for one in exempt {
            assert_eq!(decay(&one, &policy, gone), None, "{one:?}");
        }
        assert_eq!(decay(&lesson(Trust::Unverified), &policy, gone), Some(3_000));
        let text = "format = 1\n[layers.project]\nttl = \"none\"\nexpiry = \"hard\"\n";
        let hard = Policy::parse(text).expect("it is one");
        assert_eq!(decay(&lesson(Trust::Unverified), &hard, gone), None);
    }

    proptest! {
        #[test]
        fn it_never_removes_and_never_rises(
            floor in 0..=10_000_u16,
            period in 0..100_000_u32,
            since in any::<i64>(),
            mut moments in proptest::collection::vec(any::<i64>(), 2..20),
            trust in select(vec![Trust::Draft, Trust::Unverified, Trust::Verified, Trust::Approved]),
        ) {
            let mut policy = Policy::built_in();
            policy.ranking.decay_floor = crate::Parts::of(floor);
            policy.ranking.decay_days = period;
            let of = Fading { untouched_since: Micros(since), ..lesson(trust) };
            moments.sort_unstable();
            let mut before = 10_000;
            for at in moments {
                let factor = decay(&of, &policy, Micros(at)).expect("it always has a factor");
                prop_assert!(factor >= floor, "{} under {}", factor, floor);
                prop_assert!(factor <= before, "{} after {}", factor, before);
                if at <= since {
                    prop_assert_eq!(factor, 10_000);
                }
                before = factor;
            }
        }

        /// The steps of the table meet, and rounding does not make a later moment worth more.
        #[test]
        fn one_microsecond_later_is_never_more(at in 0..400_i64 * 86_400_000_000, trust in select(vec![Trust::Draft, Trust::Verified])) {
            let policy = Policy::built_in();
            let factor = |at| decay(&lesson(trust), &policy, Micros(at));
            prop_assert!(factor(at + 1) <= factor(at));
        }
    }
}
