//! Owns settling a contest by authority, where the policy says so: the one value that ranks above all
//! others stands.
//!
//! May not: settle between values that rank the same, or remove anything.

use std::collections::{BTreeMap, BTreeSet};

use ledger_format::event::memory::Write;
use ledger_format::{Event, MemoryId};
use ledger_policy::{Authority, Standing};

use super::{FactClaim, Standings};
use crate::error::Result;
use crate::gate::related::Load;

/// What settling came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settled {
    /// Members that stand, ascending.
    pub(crate) kept: Vec<MemoryId>,
    /// Members that rank last from now on.
    pub(crate) others: Vec<MemoryId>,
}

/// Where ranks are looked up.
pub(crate) struct Ranked<'a> {
    pub(crate) of: &'a Standings<'a>,
    pub(crate) authority: &'a Authority,
    pub(crate) load: Load<'a>,
}

/// The members that stand, if one value ranks above all others.
pub(crate) fn settle(ranked: &Ranked<'_>, members: &[MemoryId]) -> Result<Option<Settled>> {
    let mut ranks = BTreeMap::new();
    for id in members {
        ranks.insert(*id, ranked.rank(*id)?);
    }
    let Some(best) = ranks.values().min().copied() else { return Ok(None) };
    let top: Vec<&MemoryId> =
        ranks.iter().filter(|(_, rank)| **rank == best).map(|one| one.0).collect();
    let mut claims = top.iter().map(|id| ranked.of.claim_of(id));
    let Some(Some(first)) = claims.next() else { return Ok(None) };
    let agree = |claim: Option<&FactClaim>| claim.is_some_and(|claim| !claim.contradicts(first));
    if !claims.all(agree) {
        return Ok(None);
    }
    let (kept, others): (Vec<_>, Vec<_>) = ranks.iter().partition(|(id, rank)| {
        let same = ranked.of.claim_of(id).is_some_and(|claim| !claim.contradicts(first));
        **rank == best || same
    });
    let ids = |list: Vec<(&MemoryId, &u8)>| list.into_iter().map(|(id, _)| *id).collect();
    Ok(Some(Settled { kept: ids(kept), others: ids(others) }))
}

impl<'a> Standings<'a> {
    fn claim_of(&self, id: &MemoryId) -> Option<&'a FactClaim> {
        let written = self.events.iter().find_map(|(event, _, claim)| match event {
            Event::Write(write) if write.memory == *id => *claim,
            _ => None,
        });
        written.or_else(|| self.facts.claim(id).map(|(_, claim)| claim))
    }

    fn write_of(&self, id: &MemoryId) -> Option<(&'a Write, ledger_format::ActorKind)> {
        self.events.iter().zip(&self.actors).find_map(|((event, ..), actor)| match event {
            Event::Write(write) if write.memory == *id => Some((write, *actor)),
            _ => None,
        })
    }
}

impl Ranked<'_> {
    /// The rank of a memory: its own, or that of the weakest it was made from.
    fn rank(&self, id: MemoryId) -> Result<u8> {
        let (mut weakest, mut seen, mut open) = (1, BTreeSet::new(), vec![id]);
        while let Some(at) = open.pop() {
            if !seen.insert(at) {
                continue;
            }
            if let Some((write, actor)) = self.of.write_of(&at) {
                let Write { layer, body, source, trust, .. } = *write;
                let standing = Standing { layer, body, source, actor, trust };
                weakest = self.authority.of(&standing, false).max(weakest);
                open.extend_from_slice(&write.derived_from);
                continue;
            }
            let Some(memory) = self.of.state.memory(&at) else { return Ok(u8::MAX) };
            let standing = Standing {
                layer: memory.lifecycle.layer,
                body: memory.body,
                source: memory.source,
                actor: memory.actor_kind,
                trust: memory.lifecycle.trust,
            };
            weakest = self.authority.of(&standing, false).max(weakest);
            if let Event::Write(write) = (self.load)(memory.born)?.event {
                open.extend(write.derived_from);
            }
        }
        Ok(weakest)
    }
}
