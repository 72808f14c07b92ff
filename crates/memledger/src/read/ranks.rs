//! Owns where a memory stands among others: its rank under the policy of the basis, the weakest of what it
//! was made from, and the members of its contest in their order.
//!
//! Invariant: what is made from a memory ranks no higher than that memory, over any number of steps. Each
//! memory is looked at once for an answer, whatever was made from it.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use ledger_format::{ActorKind, Event, Micros, Reach, Seq, SourceKind};
use ledger_policy::{Act, Class, Policy, Standing};
use ledger_replay::{Birth, Lifecycle};

use crate::answer::SourceLink;
use crate::error::Result;
use crate::read::assemble::Assembler;

/// Most links of a chain of sources that an item shows.
const LINKS: usize = 32;

/// What is known about a memory and everything it was made from.
#[derive(Clone, Copy, Debug)]
struct Known {
    rank: u8,
    /// Whether every way back ends at something with a source.
    sourced: bool,
}

/// Of a memory that cannot be looked at, nothing is certain.
const UNKNOWN: Known = Known { rank: u8::MAX, sourced: false };

/// What was found out for one answer.
pub(crate) struct Ranks {
    pub(crate) policy: Arc<Policy>,
    known: RefCell<HashMap<Seq, Known>>,
}

impl Ranks {
    pub(crate) fn new(policy: Arc<Policy>) -> Self {
        Self { policy, known: RefCell::default() }
    }
}

/// The chain of sources of a memory.
pub(crate) struct Chain {
    pub(crate) links: Vec<SourceLink>,
    /// Whether every way back ends at something with a source.
    pub(crate) sourced: bool,
}

impl Assembler<'_> {
    /// The rank of a memory, 1 is the highest.
    pub(crate) fn rank(&self, birth: &Birth, life: &Lifecycle) -> Result<u8> {
        Ok(self.known(birth, life)?.rank.min(self.lowest()))
    }

    /// What a memory was made from, nearest first.
    pub(crate) fn chain(&self, birth: &Birth, life: &Lifecycle) -> Result<Chain> {
        let sourced = self.known(birth, life)?.sourced;
        let (mut links, mut seen) = (Vec::new(), HashSet::from([birth.id]));
        let mut frontier = birth.derived_from.clone();
        let mut steps = 0_u16;
        while !frontier.is_empty() && links.len() < LINKS {
            steps = steps.saturating_add(1);
            let mut further = Vec::new();
            for id in frontier.into_iter().filter(|id| seen.insert(*id)) {
                let Some(source) = self.past.birth(&id)? else { continue };
                if links.len() == LINKS {
                    break;
                }
                links.push(SourceLink {
                    id,
                    seq: source.seq,
                    body_type: source.body,
                    source_kind: source.source,
                    steps,
                });
                further.extend(source.derived_from);
            }
            frontier = further;
        }
        Ok(Chain { links, sourced })
    }

    fn lowest(&self) -> u8 {
        u8::try_from(Class::ALL.len()).unwrap_or(u8::MAX)
    }

    fn known(&self, birth: &Birth, life: &Lifecycle) -> Result<Known> {
        if let Some(known) = self.ranks.known.borrow().get(&birth.seq) {
            return Ok(*known);
        }
        let mut open = vec![(birth.clone(), life.clone())];
        while let Some((birth, life)) = open.last() {
            // A source is older than what is made from it: that is what ends this.
            let mut sources = Vec::with_capacity(birth.derived_from.len());
            let mut waiting = Vec::new();
            for id in &birth.derived_from {
                let source = self.past.birth(id)?.filter(|source| source.seq < birth.seq);
                let Some(source) = source else {
                    sources.push(UNKNOWN);
                    continue;
                };
                match self.ranks.known.borrow().get(&source.seq) {
                    Some(known) => sources.push(*known),
                    None => waiting.push(source),
                }
            }
            if waiting.is_empty() {
                let (seq, known) = (birth.seq, self.over(birth, life, &sources)?);
                self.ranks.known.borrow_mut().insert(seq, known);
                open.pop();
                continue;
            }
            for source in waiting {
                match self.past.version(source.seq)? {
                    Some(life) => open.push((source, life)),
                    None => drop(self.ranks.known.borrow_mut().insert(source.seq, UNKNOWN)),
                }
            }
        }
        Ok(self.ranks.known.borrow().get(&birth.seq).copied().unwrap_or(UNKNOWN))
    }

    /// A memory by itself, over what it was made from.
    fn over(&self, birth: &Birth, life: &Lifecycle, sources: &[Known]) -> Result<Known> {
        let own = self.own_rank(birth, life)?;
        let weakest = sources.iter().map(|source| source.rank).max();
        Ok(Known {
            rank: self.ranks.policy.authority.over(own, weakest),
            sourced: birth.source != SourceKind::None && sources.iter().all(|one| one.sourced),
        })
    }

    fn own_rank(&self, birth: &Birth, life: &Lifecycle) -> Result<u8> {
        let standing = Standing {
            layer: life.layer,
            body: birth.body,
            source: birth.source,
            actor: birth.actor_kind,
            trust: life.trust,
        };
        let overrides = standing.is_order() && self.overrides(birth, life)?;
        Ok(self.ranks.policy.authority.of(&standing, overrides))
    }

    /// Whether its authenticated speaker may override the canonical clauses of its scope, and of every
    /// clause that it is contested with, while it is in force: it steps aside when its task ends.
    fn overrides(&self, birth: &Birth, life: &Lifecycle) -> Result<bool> {
        let person = birth.actor_kind == ActorKind::Person;
        if self.ranks.policy.grants.is_empty() || !person || !life.status(self.at).in_force() {
            return Ok(false);
        }
        let actor = self.actor(self.vault.load(birth.seq)?.event.header.actor)?;
        let Some(who) = actor.map(|actor| actor.to_string()) else { return Ok(false) };
        let may = |scope| {
            let scope = self.names.scope(self.vault, self.past, scope)?.to_string();
            Ok::<_, crate::Error>(self.ranks.policy.right(Act::Override, &who, &scope).may)
        };
        if !may(birth.scope)? {
            return Ok(false);
        }
        for (member, version) in life.contest.map_or(Ok(Vec::new()), |one| self.members(one))? {
            let clause = version.layer == ledger_format::Layer::Canonical;
            if clause && !may(member.scope)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The members of a contest that still carry its mark, in the order of their records.
    pub(crate) fn members(&self, contest: Seq) -> Result<Vec<(Birth, Lifecycle)>> {
        let Event::Contest(event) = self.vault.load(contest)?.event.event else {
            return Ok(Vec::new());
        };
        let mut members = BTreeMap::new();
        for id in &event.memories {
            let Some(birth) = self.past.birth(id)? else { continue };
            let version = self.past.version(birth.seq)?;
            if let Some(life) = version.filter(|life| life.contest == Some(contest)) {
                members.insert(birth.seq, (birth, life));
            }
        }
        Ok(members.into_values().collect())
    }

    /// Who wins first: what was not pushed down, by rank, then by newer valid time, then by newer record.
    pub(crate) fn order(&self, members: &mut [(Birth, Lifecycle)]) -> Result<()> {
        let mut keys = HashMap::with_capacity(members.len());
        for (birth, life) in members.iter() {
            let down = life.pushed_down.iter().any(|push| push.reach == Reach::Everything);
            let from = life.validity.interval_at(self.at.valid).map_or(Micros::MIN, |one| one.from);
            keys.insert(birth.seq, (down, self.rank(birth, life)?, Reverse((from, birth.seq))));
        }
        members.sort_by_key(|(birth, _)| keys.get(&birth.seq).copied());
        Ok(())
    }
}
