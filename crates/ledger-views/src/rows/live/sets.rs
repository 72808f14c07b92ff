//! Owns what is remembered of live sets between records, so that neither a change nor a snapshot
//! reads rows back.
//!
//! Where rows can be read again, what is remembered is bounded: members are dropped first, and read
//! when the next snapshot is due; sizes last, which costs one look at the set. Where they cannot,
//! everything is kept: eight bytes for each live member and for each change since the last snapshot.

use std::collections::HashMap;

use super::{SMALL, Turn};

/// Sizes remembered where rows can be read again.
const MOST_SETS: usize = 1 << 16;
/// Bytes of members remembered there.
const MOST_BYTES: usize = 8 << 20;

/// How large a set is and how many changes came since its last snapshot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) size: u64,
    pub(super) since: u64,
}

/// Members at some record, and the changes since, in order.
#[derive(Debug, Default)]
pub(super) struct Detail {
    pub(super) members: Vec<u64>,
    pub(super) turns: Vec<Turn>,
}

#[derive(Debug)]
struct Remembered {
    count: Count,
    detail: Option<Detail>,
}

/// What is remembered of all sets.
#[derive(Debug)]
pub(crate) struct Sets {
    sets: HashMap<u64, Remembered>,
    /// Bytes of members and changes.
    bytes: usize,
    bounded: bool,
}

impl Sets {
    /// `bounded`: what is forgotten can be read again.
    pub(crate) fn new(bounded: bool) -> Self {
        Self { sets: HashMap::new(), bytes: 0, bounded }
    }

    /// Whether the size of a set is known.
    pub(super) fn knows(&self, group: u64) -> bool {
        self.sets.contains_key(&group)
    }

    /// Remembers a set as it is.
    pub(super) fn learn(&mut self, group: u64, count: Count, members: Vec<u64>) {
        if self.bounded && self.sets.len() >= MOST_SETS {
            self.sets.clear();
            self.bytes = 0;
        }
        self.set_detail(group, count, members);
    }

    /// Adds changes to a set whose size is known. Says whether a snapshot is due.
    pub(super) fn add(&mut self, group: u64, born_now: u64, turns: &[Turn]) -> bool {
        let Some(set) = self.sets.get_mut(&group) else { return false };
        for turn in turns {
            let ceased = !turn.began && turn.born != born_now;
            let grown = set.count.size + u64::from(turn.began);
            set.count.size = grown.saturating_sub(u64::from(ceased));
            set.count.since += 1;
        }
        if let Some(detail) = &mut set.detail {
            detail.turns.extend_from_slice(turns);
            self.bytes += size_of_val(turns);
        }
        let due = set.count.since >= set.count.size.max(SMALL);
        self.keep_bound();
        due
    }

    /// Takes the members of a set for a snapshot, if they are remembered.
    pub(super) fn take_members(&mut self, group: u64) -> Option<Vec<u64>> {
        let detail = self.sets.get_mut(&group)?.detail.take()?;
        self.bytes = self.bytes.saturating_sub(detail.bytes());
        Some(detail.into_members())
    }

    /// A snapshot was put: changes are counted from here.
    pub(super) fn snapshot(&mut self, group: u64, members: Vec<u64>) {
        self.set_detail(group, Count { size: members.len() as u64, since: 0 }, members);
    }

    fn set_detail(&mut self, group: u64, count: Count, members: Vec<u64>) {
        let detail = Detail { members, turns: Vec::new() };
        // One set that fills the bound alone would only push out all others again and again.
        let kept = !self.bounded || detail.bytes() < MOST_BYTES / 4;
        let bytes = if kept { detail.bytes() } else { 0 };
        let detail = kept.then_some(detail);
        let old = self.sets.insert(group, Remembered { count, detail });
        let old = old.and_then(|old| old.detail).map_or(0, |detail| detail.bytes());
        self.bytes = (self.bytes + bytes).saturating_sub(old);
        self.keep_bound();
    }

    fn keep_bound(&mut self) {
        if self.bounded && self.bytes > MOST_BYTES {
            self.sets.values_mut().for_each(|set| set.detail = None);
            self.bytes = 0;
        }
    }

    #[cfg(test)]
    pub(crate) fn forget(&mut self) {
        assert!(self.bounded, "what cannot be read again");
        self.sets.clear();
        self.bytes = 0;
    }
}

impl Detail {
    fn bytes(&self) -> usize {
        self.members.len() * size_of::<u64>() + self.turns.len() * size_of::<Turn>()
    }

    /// The members after all changes, in the order of their births.
    pub(super) fn into_members(self) -> Vec<u64> {
        let Self { members, mut turns } = self;
        // Stable: of the changes of one member the last one comes last, and counts.
        turns.sort_by_key(|turn| turn.born);
        let mut merged = Vec::with_capacity(members.len() + turns.len());
        let mut members = members.into_iter().peekable();
        let mut turns = turns.into_iter().peekable();
        while let Some(turn) = turns.next() {
            if turns.peek().is_some_and(|next| next.born == turn.born) {
                continue;
            }
            while let Some(member) = members.next_if(|member| *member < turn.born) {
                merged.push(member);
            }
            members.next_if_eq(&turn.born);
            if turn.began {
                merged.push(turn.born);
            }
        }
        merged.extend(members);
        merged
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn changes_lead_where_a_set_leads(
            before in prop::collection::btree_set(0u64..40, 0..20),
            turns in prop::collection::vec((0u64..40, any::<bool>()), 0..60),
        ) {
            let mut set: BTreeSet<u64> = before.clone();
            for (born, began) in &turns {
                if *began { set.insert(*born); } else { set.remove(born); }
            }
            let turns = turns.into_iter().map(|(born, began)| Turn { born, began }).collect();
            let detail = Detail { members: before.into_iter().collect(), turns };
            prop_assert_eq!(detail.into_members(), set.into_iter().collect::<Vec<_>>());
        }
    }

    #[test]
    fn members_are_bounded_where_they_can_be_read_again() {
        for bounded in [true, false] {
            let mut sets = Sets::new(bounded);
            for group in 0..40 {
                sets.learn(group, Count { size: 1 << 17, since: 0 }, (0..1 << 17).collect());
                assert!(!bounded || sets.bytes <= MOST_BYTES, "{} bytes", sets.bytes);
            }
            assert!(sets.knows(0), "sizes stay");
            assert_eq!(sets.take_members(0).is_some(), !bounded);
            sets.learn(99, Count::default(), (0..1 << 20).collect());
            assert_eq!(sets.take_members(99).is_some(), !bounded, "too large to remember");
        }
    }
}
