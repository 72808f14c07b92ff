//! Owns finding what a submission brings into contradiction: facts of one slot that the policy calls
//! single-valued, with other values, whose valid times overlap.
//!
//! The submission is not applied yet when this is asked, so what it does to the memories it names
//! (superseding, closing, reopening, forgetting) is worked out here for the few that matter. May not:
//! record anything.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use ledger_format::event::memory::Write;
use ledger_format::{ActorKind, AliasId, CloseKind, Event, MemoryId, Micros, Seq, Verdict};
use ledger_replay::{Interval, Lifecycle, State, Validity};

use super::{FactClaim, Facts};

/// How many facts of a slot are looked at, newest first, beside those that are contested with them.
const LOOKED_AT: usize = 64;
/// How many members a contest has at most: the most trusted ones, then the newest.
const MEMBERS: usize = 64;

/// Where contradictions are looked for.
pub(crate) struct Standings<'a> {
    pub(crate) facts: &'a Facts,
    /// Digests of the predicates with one value at a time.
    pub(crate) single_valued: &'a HashSet<u64>,
    pub(crate) state: &'a State,
    pub(crate) now: Micros,
    /// The events of the submission, with scope and, for a fact that is written, its claim.
    pub(crate) events: Vec<(&'a Event, AliasId, Option<&'a FactClaim>)>,
    /// Who caused each of them.
    pub(crate) actors: Vec<ActorKind>,
}

/// Facts that cannot all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contested {
    pub(crate) scope: AliasId,
    /// Which ones, ascending.
    pub(crate) members: Vec<MemoryId>,
    /// Open contests with all of their standing members among these.
    pub(crate) joins: Vec<(Seq, Vec<MemoryId>)>,
}

/// A fact that stands, for the time it does.
struct Standing<'a> {
    memory: MemoryId,
    claim: &'a FactClaim,
    validity: Validity,
}

/// What the submission brings into contradiction.
pub(crate) fn contested(of: &Standings<'_>) -> Vec<Contested> {
    let mut found: Vec<Contested> = Vec::new();
    for (memory, scope, claim) in of.made_to_stand() {
        let known = found.iter().any(|one| one.members.contains(&memory));
        if known || !of.single_valued.contains(&claim.predicate) {
            continue;
        }
        found.extend(of.around(memory, scope, claim));
    }
    found
}

impl<'a> Standings<'a> {
    /// Facts that the submission lets hold at more times than before.
    fn made_to_stand(&self) -> Vec<(MemoryId, AliasId, &'a FactClaim)> {
        let made = self.events.iter().filter_map(|(event, scope, claim)| match event {
            Event::Write(write) if write.verdict != Verdict::Pending => {
                claim.map(|claim| (write.memory, *scope, claim))
            }
            Event::Reopen(reopen) => {
                let (scope, claim) = self.facts.claim(&reopen.memory)?;
                Some((reopen.memory, scope, claim))
            }
            _ => None,
        });
        made.collect()
    }

    /// The contradiction that a fact is part of, if it is part of a new one.
    fn around(&self, memory: MemoryId, scope: AliasId, claim: &'a FactClaim) -> Option<Contested> {
        let mut candidates = self.candidates(scope, claim);
        let own = candidates.iter().position(|one| one.memory == memory)?;
        let mut members = vec![candidates.swap_remove(own)];
        // What contradicts a member is a member: who agrees with one side stands with that side.
        let mut at = 0;
        while let Some(member) = members.get(at) {
            let against = |one: &Standing<'_>| contradict(member, one);
            let (more, rest) = candidates.into_iter().partition::<Vec<_>, _>(against);
            candidates = rest;
            members.extend(more);
            at += 1;
        }
        if members.len() < 2 {
            return None;
        }
        let mut members: Vec<MemoryId> = members.into_iter().map(|one| one.memory).collect();
        members.get_mut(1..).into_iter().for_each(|others| self.weightiest_first(others));
        members.truncate(MEMBERS);
        members.sort_unstable();
        self.is_news(&members).then(|| Contested { scope, joins: self.joins(&members), members })
    }

    fn weightiest_first(&self, members: &mut [MemoryId]) {
        members.sort_by_key(|id| {
            let memory = self.state.memory(id);
            std::cmp::Reverse(memory.map(|one| (one.lifecycle.trust, one.born)))
        });
    }

    fn is_news(&self, members: &[MemoryId]) -> bool {
        let contests: BTreeSet<_> = members.iter().map(|id| self.open_contest(id)).collect();
        contests.len() != 1 || contests.contains(&None)
    }

    fn open_contest(&self, id: &MemoryId) -> Option<Seq> {
        self.state.memory(id).and_then(|memory| memory.lifecycle.contest)
    }

    /// Contests that this one says everything of: who still stands in them is a member here.
    fn joins(&self, members: &[MemoryId]) -> Vec<(Seq, Vec<MemoryId>)> {
        let open: BTreeSet<Seq> = members.iter().filter_map(|id| self.open_contest(id)).collect();
        let covered = |seq: Seq| {
            let theirs = self.state.contest(seq).unwrap_or_default();
            let (kept, gone): (Vec<_>, Vec<_>) = theirs.iter().partition(|id| members.contains(id));
            gone.iter().all(|id| self.validity(id).is_none()).then_some((seq, kept))
        };
        open.into_iter().filter_map(covered).collect()
    }

    /// Facts of the slot that stand: those on record and those of the submission.
    fn candidates(&self, scope: AliasId, claim: &FactClaim) -> Vec<Standing<'a>> {
        let mut claims: BTreeMap<MemoryId, &'a FactClaim> = BTreeMap::new();
        claims.extend(self.facts.slot(scope, claim.slot).take(LOOKED_AT));
        let contests: BTreeSet<Seq> =
            claims.keys().filter_map(|id| self.open_contest(id)).collect();
        for member in contests.iter().filter_map(|seq| self.state.contest(*seq)).flatten() {
            if let Some((found, theirs)) = self.facts.claim(member)
                && found == scope
                && theirs.slot == claim.slot
            {
                claims.insert(*member, theirs);
            }
        }
        for (memory, written, theirs) in self.made_to_stand() {
            if written == scope && theirs.slot == claim.slot {
                claims.insert(memory, theirs);
            }
        }
        let standing = |(memory, claim)| {
            let validity = self.validity(&memory)?;
            Some(Standing { memory, claim, validity })
        };
        claims.into_iter().filter_map(standing).collect()
    }

    /// When a memory holds once the submission is recorded; none: it stands no more.
    fn validity(&self, id: &MemoryId) -> Option<Validity> {
        let (mut validity, mut closed) = match self.state.memory(id) {
            Some(memory) => {
                let life = &memory.lifecycle;
                (stands(life, self.now).then(|| life.validity.clone())?, life.closed.is_some())
            }
            None => (self.written(id).map(first_validity)?, false),
        };
        for (event, ..) in &self.events {
            match event {
                Event::Write(write)
                    if write.verdict != Verdict::Pending && write.supersedes.contains(id) =>
                {
                    validity.subtract(Interval::new(write.supersede_from, write.supersede_until));
                    closed = true;
                }
                Event::Close(close) if close.memory == *id => {
                    match close.kind {
                        CloseKind::Wrong => validity = Validity::NEVER,
                        _ => validity.subtract(Interval::new(close.from, close.until)),
                    }
                    closed = true;
                }
                Event::Reopen(reopen) if reopen.memory == *id => {
                    validity.add(Interval::new(reopen.from, reopen.until));
                    closed = false;
                }
                Event::Forget(forget) if forget.memories.contains(id) => return None,
                _ => {}
            }
        }
        // Closed facts are history, unless the closure is still to come.
        let open = if closed { validity.contains(self.now) } else { !validity.is_never() };
        open.then_some(validity)
    }

    fn written(&self, id: &MemoryId) -> Option<&'a Write> {
        self.events.iter().find_map(|(event, ..)| match event {
            Event::Write(write) if write.memory == *id => Some(write),
            _ => None,
        })
    }
}

fn first_validity(write: &Write) -> Validity {
    Validity::of(Interval::new(write.valid_from, write.valid_until))
}

fn stands(life: &Lifecycle, now: Micros) -> bool {
    let gone = life.erased.is_some() || life.forgotten.is_some() || life.pending || life.rejected;
    !gone && !life.expired && life.ttl_until.is_none_or(|end| end > now)
}

fn contradict(a: &Standing<'_>, b: &Standing<'_>) -> bool {
    a.claim.contradicts(b.claim) && overlap(&a.validity, &b.validity)
}

fn overlap(a: &Validity, b: &Validity) -> bool {
    let meets = |a: &Interval, b: &Interval| a.from.max(b.from) < a.until.min(b.until);
    a.intervals().iter().any(|one| b.intervals().iter().any(|other| meets(one, other)))
}
