//! Owns the progress of erasures and the set of payloads they cover.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use ledger_format::event::duty::PayloadRange;
use ledger_format::{AliasId, MemoryId, PayloadId, Seq};

/// An erasure that was intended and perhaps carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Erasure {
    /// How many parts the intent has.
    pub parts: u32,
    /// How many of them are recorded.
    pub seen: u32,
    /// What the recorded parts name, until the last one makes it take effect.
    pub waiting: Vec<EraseTargets>,
    /// The last part.
    pub intended: Option<Seq>,
    /// The record that says it was carried out.
    pub done: Option<Seq>,
}

/// What one part of an intent names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EraseTargets {
    /// Memories whose content goes.
    pub memories: Vec<MemoryId>,
    /// Aliases whose names go.
    pub aliases: Vec<AliasId>,
    /// Payloads that go.
    pub payloads: Vec<PayloadRange>,
}

/// A set of payload ids, kept as ranges that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PayloadSet(BTreeMap<u64, u64>);

impl PayloadSet {
    /// Whether a payload is in the set.
    #[must_use]
    pub fn contains(&self, id: PayloadId) -> bool {
        self.0.range(..=id.0).next_back().is_some_and(|(_, last)| *last >= id.0)
    }

    /// Adds a range, both ends included.
    pub fn insert(&mut self, range: PayloadRange) {
        let (mut first, mut last) = (range.first.0, range.last.0);
        if first > last {
            return;
        }
        let touching: Vec<u64> = self
            .0
            .range(..=last.saturating_add(1))
            .rev()
            .take_while(|(_, end)| end.saturating_add(1) >= first)
            .map(|(start, _)| *start)
            .collect();
        for start in touching {
            if let Some(end) = self.0.remove(&start) {
                first = first.min(start);
                last = last.max(end);
            }
        }
        self.0.insert(first, last);
    }

    /// The ranges in order.
    pub fn ranges(&self) -> impl Iterator<Item = PayloadRange> + '_ {
        self.0
            .iter()
            .map(|(first, last)| PayloadRange { first: PayloadId(*first), last: PayloadId(*last) })
    }

    /// How many payloads are in the set. Saturates: the set of all ids has one more than fits.
    #[must_use]
    pub fn count(&self) -> u64 {
        let lengths = self.0.iter().map(|(first, last)| (last - first).saturating_add(1));
        lengths.fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn ranges_equal_a_set_of_ids(ranges in prop::collection::vec((0u64..60, 0u64..8), 0..20)) {
            let mut set = PayloadSet::default();
            let mut ids = BTreeSet::new();
            for (first, length) in ranges {
                set.insert(PayloadRange { first: PayloadId(first), last: PayloadId(first + length) });
                ids.extend(first..=first + length);
            }
            for id in 0..80 {
                prop_assert_eq!(set.contains(PayloadId(id)), ids.contains(&id));
            }
            prop_assert_eq!(set.count(), ids.len() as u64);
            let starts: alloc::vec::Vec<_> = set.ranges().collect();
            prop_assert!(starts.windows(2).all(|pair| pair[0].last.0 + 1 < pair[1].first.0));
        }
    }
}
