//! Owns what the memories of a scope mean for a proposal that says the same: it repeats one that stands,
//! it repeats what it was made from, or it brings back what a person put away.
//!
//! Two memories with the same words are the same claim only in the same layer, about the same people,
//! in the same slot and for times that the first one covers. Anything else is told apart, because what is
//! called a duplicate is not stored.

use ledger_format::event::memory::Write;
use ledger_format::{ActorKind, AliasId, BodyType, Event, MemoryId, Seq};
use ledger_policy::{Seen, Signals};
use ledger_replay::{Instants, Interval, Memory, Sequenced, State};

use super::facts::FactClaim;
use super::neighbours::{Near, Neighbours};
use super::seen::Comparable;
use crate::error::Result;

/// A proposal as far as it is compared with others.
pub(super) struct Claim<'a> {
    pub(super) scope: AliasId,
    pub(super) words: &'a Comparable,
    /// The same, as a fact.
    pub(super) fact: Option<&'a FactClaim>,
    pub(super) layer: ledger_format::Layer,
    pub(super) subjects: Vec<AliasId>,
    pub(super) key: Option<AliasId>,
    pub(super) derived_from: &'a [MemoryId],
    pub(super) recalled: bool,
    pub(super) holds: Interval,
    /// A claim that names what it supersedes brings nothing back and repeats nothing by accident.
    pub(super) corrects: bool,
    pub(super) at: Instants,
}

/// Where the records of a ledger can be loaded, the ones on their way to the disk included.
pub(super) type Load<'a> = &'a dyn Fn(Seq) -> Result<Sequenced>;

/// Adds what the neighbours of a claim mean for it. Gives the memory that it may repeat.
pub(super) fn relate(
    claim: &Claim<'_>,
    neighbours: &Neighbours,
    state: &State,
    load: Load<'_>,
    signals: &mut Signals,
) -> Result<Option<MemoryId>> {
    let mut same = None;
    for near in neighbours.of(claim.scope, claim.words) {
        let Some(memory) = state.memory(&near.memory) else { continue };
        // One word more or less is another value, however long the rest is.
        if claim.fact.is_some()
            && claim.fact != neighbours.facts.claim(&near.memory).map(|one| one.1)
        {
            continue;
        }
        let repeats = claim.derived_from.contains(&near.memory) || claim.recalled;
        let similarity = i64::from(near.similarity);
        if repeats && similarity > signals.get(Seen::Repeats).unwrap_or(0) {
            signals.count(Seen::Repeats, similarity);
        }
        if claim.corrects {
            continue;
        }
        if memory.lifecycle.status(claim.at).in_force() || memory.lifecycle.pending {
            if same.is_none() && is_same_claim(claim, memory, load)? {
                signals.count(Seen::Neighbour, i64::try_from(memory.born.0).unwrap_or(i64::MAX));
                signals.count(Seen::Similarity, similarity);
                same = Some(near.memory);
            }
        } else if let Some(seq) = put_away(claim, &near, memory, load)? {
            signals.count(Seen::Suppressed, i64::try_from(seq.0).unwrap_or(i64::MAX));
        }
    }
    Ok(same)
}

fn is_same_claim(claim: &Claim<'_>, memory: &Memory, load: Load<'_>) -> Result<bool> {
    if memory.lifecycle.layer != claim.layer || memory.body == BodyType::Summary {
        return Ok(false);
    }
    let covers =
        |whole: &Interval| whole.from <= claim.holds.from && claim.holds.until <= whole.until;
    if !memory.lifecycle.validity.intervals().iter().any(covers) {
        return Ok(false);
    }
    let written = load(memory.born)?;
    let Event::Write(write) = &written.event else { return Ok(false) };
    Ok(is_about_the_same(claim, write))
}

/// Whether the closure is a newer value of the slot that the claim fills: a slot takes its old value again.
fn in_slot(claim: &Claim<'_>, closure: Seq, load: Load<'_>) -> Result<bool> {
    let slot = claim.layer == ledger_format::Layer::Day && claim.key.is_some();
    Ok(slot && matches!(load(closure)?.event, Event::Write(_)))
}

fn is_about_the_same(claim: &Claim<'_>, write: &Write) -> bool {
    write.subjects == claim.subjects && write.key == claim.key
}

/// The record that put the same words away for good: a person forgot them, or closed them by hand, and
/// they come from the same lineage.
fn put_away(
    claim: &Claim<'_>,
    near: &Near,
    memory: &Memory,
    load: Load<'_>,
) -> Result<Option<Seq>> {
    if near.similarity < 10_000 {
        return Ok(None);
    }
    let life = &memory.lifecycle;
    let by_person =
        |seq: Seq| Ok::<_, crate::Error>(load(seq)?.header.actor_kind == ActorKind::Person);
    let record = match (life.forgotten, &life.closed) {
        (Some(seq), _) => seq,
        (None, Some(closure)) if in_slot(claim, closure.seq, load)? => return Ok(None),
        (None, Some(closure)) if by_person(closure.seq)? => closure.seq,
        _ => return Ok(None),
    };
    let written = load(memory.born)?;
    let Event::Write(write) = &written.event else { return Ok(None) };
    let mut lineage = claim.derived_from.to_vec();
    lineage.sort_unstable();
    lineage.dedup();
    let same = write.derived_from == lineage && is_about_the_same(claim, write);
    Ok(same.then_some(record))
}
