//! Owns the slots of the day layer: one open value for each key of a scope.
//!
//! A value counts from its `valid_from`, else from its record, which is then what it says. The newer one closes the older from there
//! on, in its own write. One that comes late is stored with the end that the newer value had given it,
//! and takes its share of the one before: it never retires what is newer. Imports with claimed times say
//! themselves what they close.

use std::collections::HashSet;

use ledger_format::event::memory::Write;
use ledger_format::{AliasId, AliasKind, Layer, MemoryId, Micros, Verdict, limits};
use ledger_policy::Decision;
use ledger_replay::{Interval, State};

use crate::command::{Command, Proposal};
use crate::error::{Error, Result};
use crate::gate::{Bench, Ruling};

/// What filling a slot means for a write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot {
    /// The values it closes.
    closes: Vec<MemoryId>,
    /// From when on.
    from: Option<Micros>,
    /// Until when, where a newer value follows.
    until: Option<Micros>,
}

impl Slot {
    /// Puts it into the write. What the writer asked to close is closed too.
    pub(crate) fn fill(&self, write: &mut Write) {
        write.valid_from = write.valid_from.or(self.from);
        if let Some(end) = self.until {
            write.valid_until = Some(write.valid_until.map_or(end, |asked| asked.min(end)));
            if !write.supersedes.is_empty() {
                return;
            }
            write.supersede_until = self.until.filter(|_| !self.closes.is_empty());
        }
        for id in &self.closes {
            let room = write.supersedes.len() < limits::SUPERSEDES;
            if room && !write.supersedes.contains(id) {
                write.supersedes.push(*id);
                write.supersede_from = write.supersede_from.or(self.from);
            }
        }
    }
}

/// What a proposal means for the slot that it fills, if it fills one.
pub(crate) fn place(bench: &Bench<'_>, proposal: &Proposal, decision: &Decision) -> Slot {
    let stored = !matches!(decision.verdict, Verdict::Refused | Verdict::Duplicate);
    let keeps = decision.layer == Layer::Day && stored && bench.terms.claimed_at.is_none();
    let Some(key) = slot_of(bench, proposal).filter(|_| keeps) else {
        return Slot::default();
    };
    let at = proposal.valid_from.unwrap_or(bench.now);
    let state = bench.state;
    let values: Vec<(Micros, MemoryId)> =
        state.slot(&key).iter().filter(|(_, id)| counts(state, id)).copied().collect();
    let until = values.iter().map(|(since, _)| *since).find(|since| *since > at);
    let cut = Interval::new(Some(at), until);
    let older = values.iter().rev().filter(|(since, _)| *since <= at).map(|(_, id)| *id);
    let closes = older.filter(|id| changes(state, id, cut)).take(limits::SUPERSEDES).collect();
    Slot { closes, from: Some(at), until }
}

fn slot_of(bench: &Bench<'_>, proposal: &Proposal) -> Option<AliasId> {
    let key = proposal.key.as_deref()?;
    let known = |scope, kind, name: &str| bench.names.known(kind, scope, name);
    let mut scope = AliasId::ZERO;
    for segment in proposal.scope.segments() {
        scope = known(scope, AliasKind::Scope, segment)?;
    }
    known(scope, AliasKind::Key, key)
}

/// Whether a value still says anything about its slot.
fn counts(state: &State, id: &MemoryId) -> bool {
    state.memory(id).is_some_and(|memory| {
        let life = &memory.lifecycle;
        let gone = life.forgotten.is_some() || life.erased.is_some() || life.rejected;
        !gone && !life.pending && life.layer == Layer::Day && !life.validity.is_never()
    })
}

fn changes(state: &State, id: &MemoryId, cut: Interval) -> bool {
    state.memory(id).is_some_and(|memory| {
        let mut after = memory.lifecycle.validity.clone();
        after.subtract(cut);
        after != memory.lifecycle.validity
    })
}

/// Refuses two values of one slot in one submission: each is judged against the ledger before it, so
/// both would stay open.
pub(crate) fn two_values<'a>(
    judged: impl Iterator<Item = (&'a Command, &'a Option<Ruling>)>,
) -> Result<()> {
    let mut slots = HashSet::new();
    for (command, ruling) in judged {
        let (Command::Write(proposal), Some(ruling)) = (command, ruling) else { continue };
        let Some(key) = proposal.key.as_ref() else { continue };
        if ruling.decision.layer == Layer::Day
            && !ruling.case.claimed
            && !slots.insert((&proposal.scope, key))
        {
            return Err(Error::invalid(format!(
                "two values of the slot {key:?} in one submission; submit them one after the other"
            )));
        }
    }
    Ok(())
}

/// What has to be closed when a value that waited takes its place among the values of its slot: which
/// one, for which times, in favour of what.
pub(super) fn beside(state: &State, id: MemoryId) -> Vec<(MemoryId, Interval, Option<MemoryId>)> {
    let Some(memory) = state.memory(&id) else { return Vec::new() };
    let Some(key) = memory.key.filter(|_| memory.lifecycle.layer == Layer::Day) else {
        return Vec::new();
    };
    let values = state.slot(&key);
    let Some(at) = values.iter().find(|(_, value)| *value == id).map(|(since, _)| *since) else {
        return Vec::new();
    };
    let others = || values.iter().filter(|(_, other)| *other != id && counts(state, other));
    let next = others().find(|(since, _)| *since > at).copied();
    let cut = Interval::new(Some(at), next.map(|(since, _)| since));
    let older = others().filter(|(since, _)| *since <= at).map(|(_, other)| *other);
    let mut closes: Vec<_> = older
        .filter(|other| changes(state, other, cut))
        .map(|other| (other, cut, Some(id)))
        .collect();
    if let Some((since, newer)) = next {
        let rest = Interval::new(Some(since), None);
        if changes(state, &id, rest) {
            closes.push((id, rest, Some(newer)));
        }
    }
    closes
}
