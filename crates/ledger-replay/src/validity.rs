//! Owns valid time: a set of half-open intervals in which a memory is claimed to hold.
//!
//! Invariants: intervals are disjoint, not touching, not empty, and in order. "Since ever" and
//! "open" are the ends of the number line.

use alloc::vec::Vec;

use ledger_format::Micros;

/// `[from, until)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// First instant inside; [`Micros::MIN`]: since ever.
    pub from: Micros,
    /// First instant behind; [`Micros::MAX`]: open.
    pub until: Micros,
}

impl Interval {
    /// An interval from optional ends.
    #[must_use]
    pub fn new(from: Option<Micros>, until: Option<Micros>) -> Self {
        Self { from: from.unwrap_or(Micros::MIN), until: until.unwrap_or(Micros::MAX) }
    }

    /// Whether no instant is inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.from >= self.until
    }

    /// Whether `at` is inside. The end of the number line counts as inside an open interval.
    #[must_use]
    pub fn contains(&self, at: Micros) -> bool {
        self.from <= at && (at < self.until || self.until == Micros::MAX)
    }
}

/// A set of instants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validity(Few);

/// Nearly every memory has one interval, so that one needs no heap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Few {
    #[default]
    None,
    One(Interval),
    Many(alloc::boxed::Box<[Interval]>),
}

impl Validity {
    /// No instant.
    pub const NEVER: Self = Self(Few::None);

    /// The instants of one interval.
    #[must_use]
    pub fn of(interval: Interval) -> Self {
        if interval.is_empty() { Self::NEVER } else { Self(Few::One(interval)) }
    }

    /// The intervals in order.
    #[must_use]
    pub fn intervals(&self) -> &[Interval] {
        match &self.0 {
            Few::None => &[],
            Few::One(one) => core::slice::from_ref(one),
            Few::Many(many) => many,
        }
    }

    /// Whether no instant is inside.
    #[must_use]
    pub fn is_never(&self) -> bool {
        self.intervals().is_empty()
    }

    /// Whether `at` is inside.
    #[must_use]
    pub fn contains(&self, at: Micros) -> bool {
        self.intervals().iter().any(|interval| interval.contains(at))
    }

    /// Whether `at` or an instant after it is inside.
    #[must_use]
    pub fn reaches_beyond(&self, at: Micros) -> bool {
        self.intervals().last().is_some_and(|last| last.until > at || last.until == Micros::MAX)
    }

    /// The interval with `at` inside.
    #[must_use]
    pub fn interval_at(&self, at: Micros) -> Option<Interval> {
        self.intervals().iter().copied().find(|interval| interval.contains(at))
    }

    /// The last interval that ended at or before `at`.
    #[must_use]
    pub fn ended_by(&self, at: Micros) -> Option<Interval> {
        self.intervals()
            .iter()
            .copied()
            .rev()
            .find(|interval| interval.until <= at && !interval.contains(at))
    }

    /// Takes the instants of `cut` out.
    pub fn subtract(&mut self, cut: Interval) {
        if cut.is_empty() {
            return;
        }
        let mut left = Vec::with_capacity(self.intervals().len() + 1);
        for interval in self.intervals() {
            let before = Interval { from: interval.from, until: interval.until.min(cut.from) };
            let after = Interval { from: interval.from.max(cut.until), until: interval.until };
            let disjoint = interval.until <= cut.from || interval.from >= cut.until;
            if disjoint {
                left.push(*interval);
            } else {
                left.extend([before, after].into_iter().filter(|part| !part.is_empty()));
            }
        }
        *self = Self::from_ordered(left);
    }

    /// Adds the instants of `more`.
    pub fn add(&mut self, more: Interval) {
        if more.is_empty() {
            return;
        }
        let mut merged = more;
        let mut before = Vec::with_capacity(self.intervals().len() + 1);
        let mut after = Vec::new();
        for interval in self.intervals() {
            if interval.until < merged.from {
                before.push(*interval);
            } else if interval.from > merged.until {
                after.push(*interval);
            } else {
                merged.from = merged.from.min(interval.from);
                merged.until = merged.until.max(interval.until);
            }
        }
        before.push(merged);
        before.append(&mut after);
        *self = Self::from_ordered(before);
    }

    /// Restores a set from intervals that keep the invariants; none when they do not.
    #[must_use]
    pub fn restore(intervals: Vec<Interval>) -> Option<Self> {
        let ordered = intervals.is_sorted_by(|a, b| a.until < b.from);
        let full = intervals.iter().all(|interval| !interval.is_empty());
        (ordered && full).then(|| Self::from_ordered(intervals))
    }

    fn from_ordered(intervals: Vec<Interval>) -> Self {
        match intervals.as_slice() {
            [] => Self(Few::None),
            [one] => Self(Few::One(*one)),
            _ => Self(Few::Many(intervals.into_boxed_slice())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        (0i64..40, 0i64..40)
            .prop_map(|(a, b)| Interval { from: Micros(a.min(b)), until: Micros(a.max(b)) })
    }

    proptest! {
        /// Against a set of single instants.
        #[test]
        fn adding_and_cutting_equals_set_arithmetic(steps in prop::collection::vec((any::<bool>(), interval()), 0..24)) {
            let mut validity = Validity::NEVER;
            let mut instants = [false; 40];
            for (add, step) in steps {
                if add { validity.add(step) } else { validity.subtract(step) }
                for (at, inside) in instants.iter_mut().enumerate() {
                    let at = Micros(i64::try_from(at).unwrap());
                    if step.from <= at && at < step.until { *inside = add; }
                }
                let restored = Validity::restore(validity.intervals().to_vec());
                prop_assert_eq!(restored.as_ref(), Some(&validity), "the invariants hold");
            }
            for (at, inside) in instants.iter().enumerate() {
                prop_assert_eq!(validity.contains(Micros(i64::try_from(at).unwrap())), *inside);
            }
        }
    }
}
