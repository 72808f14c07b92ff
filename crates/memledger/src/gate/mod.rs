//! Owns the way from a proposal to its verdict: what the policy in force says to it.
//!
//! The verdict itself is `ledger_policy::decide`, which sees no words. This module puts the case
//! together, from the proposal, the state and what was seen in the words, and keeps the policy that is
//! in force. May not: record anything, or look at words again.

mod again;
mod facts;
mod in_force;
mod neighbours;
mod policy;
mod related;
mod seen;

use std::collections::HashSet;

use ledger_format::event::memory::Write;
use ledger_format::{
    ActorKind, AliasId, AliasKind, BodyType, Event, Layer, MemoryId, Micros, Seq, SourceKind,
    Verdict,
};
use ledger_policy::{
    Act, Case, Decision, Length, Lineage, Policy, Resolution, Seen, Signals, decide,
};
use ledger_replay::{Instants, Interval, Sequenced, State};

pub use self::again::VerdictsAgain;
pub(crate) use self::facts::{Contested, QUALIFIERS, Settled};
use self::facts::{FactClaim, Ranked, Standings, contested, predicate_digest, settle};
pub(crate) use self::in_force::Policies;
pub use self::in_force::PolicyInForce;
pub(crate) use self::in_force::{at_record, load};
pub(crate) use self::neighbours::Neighbours;
pub(crate) use self::neighbours::{load as load_neighbours, save_if_worthwhile as save_neighbours};
pub use self::policy::PolicySetDone;
use self::related::{Claim, Load, relate};
pub use self::seen::seen_in;
pub(crate) use self::seen::{Comparable, Looked, look, sketch_key};
use crate::civil::{Day, Zone, day_bounds};
use crate::command::{Proposal, Terms};
use crate::error::Result;
use crate::life::{Slot, place};
use crate::names::Names;
use crate::writer::body_and_layer;

/// The policy in force, where verdicts are given, and the sketches that proposals are compared with.
pub(crate) struct Gate {
    policy: Policy,
    zone: Zone,
    neighbours: Neighbours,
    /// The key that words are compared under.
    key: [u8; 32],
    /// Predicates with one value at a time.
    single_valued: HashSet<u64>,
    /// The civil day of the last verdict that asked for one.
    day: Option<(Micros, Micros)>,
}

/// A verdict and what it was given on.
pub(crate) struct Ruling {
    pub(crate) case: Case,
    pub(crate) decision: Decision,
    /// The memory that it may repeat.
    pub(crate) same: Option<MemoryId>,
    /// 1 + the highest generation covered, for summaries; else 0.
    pub(crate) generation: u16,
    /// What it means for the slot that it fills.
    pub(crate) slot: Slot,
    /// What its words are compared by from now on.
    words: Option<Comparable>,
    /// The same, as a fact.
    fact: Option<FactClaim>,
}

/// A command whose record is made and not yet in the log.
pub(crate) struct Composed<'a> {
    pub(crate) event: &'a Event,
    pub(crate) scope: AliasId,
    pub(crate) actor: ActorKind,
    pub(crate) ruling: Option<&'a Ruling>,
}

impl<'a> Composed<'a> {
    fn claim(&self) -> Option<&'a FactClaim> {
        self.ruling.and_then(|ruling| ruling.fact.as_ref())
    }
}

/// Where a proposal is judged.
pub(crate) struct Bench<'a> {
    pub(crate) state: &'a State,
    pub(crate) names: &'a Names,
    pub(crate) terms: &'a Terms,
    pub(crate) load: &'a dyn Fn(Seq) -> Result<Sequenced>,
    pub(crate) now: Micros,
}

impl Ruling {
    /// Whether nothing of the submission may be recorded.
    pub(crate) fn refuses(&self) -> bool {
        self.decision.verdict == Verdict::Refused
    }

    /// Whether what was proposed is not stored because it is there already.
    pub(crate) fn is_elsewhere(&self) -> bool {
        self.decision.verdict == Verdict::Duplicate
    }

    /// Number of the rule of the policy document that decided; 0: one of the gate's own.
    pub(crate) fn document_rule(&self) -> u32 {
        self.case.signals.get(Seen::Denied).and_then(|rule| u32::try_from(rule).ok()).unwrap_or(0)
    }

    /// What is recorded beside the write, so that the verdict can be given again.
    pub(crate) fn beside(&self, write: &Write) -> Signals {
        let mut signals = self.case.beside(write);
        if self.decision.verdict != Verdict::Committed {
            signals.set(Seen::Rule, Some(self.decision.rule.number().into()));
        }
        signals
    }
}

impl Gate {
    pub(crate) fn new(policy: Policy, zone: Zone, neighbours: Neighbours, key: &[u8; 32]) -> Self {
        let single_valued = single_valued(&policy, key);
        Self { policy, zone, neighbours, key: *key, single_valued, day: None }
    }

    /// Verdicts from now on are given under this policy.
    pub(crate) fn set(&mut self, policy: Policy) {
        self.single_valued = single_valued(&policy, &self.key);
        self.policy = policy;
    }

    /// What a submission that is about to be recorded brings into contradiction, and how that is settled
    /// where the policy lets the ledger settle it.
    pub(crate) fn contests(
        &self,
        state: &State,
        load: Load<'_>,
        now: Micros,
        recorded: &[Composed<'_>],
    ) -> Result<Vec<(Contested, Option<Settled>)>> {
        if self.single_valued.is_empty() {
            return Ok(Vec::new());
        }
        let standings = Standings {
            facts: &self.neighbours.facts,
            single_valued: &self.single_valued,
            state,
            now,
            events: recorded.iter().map(|one| (one.event, one.scope, one.claim())).collect(),
            actors: recorded.iter().map(|one| one.actor).collect(),
        };
        let ranked = Ranked { of: &standings, authority: &self.policy.authority, load };
        let by_rule = self.policy.facts.resolve == Resolution::Authority;
        let found = contested(&standings).into_iter().map(|one| {
            let settled = if by_rule { settle(&ranked, &one.members)? } else { None };
            Ok((one, settled))
        });
        found.collect()
    }

    pub(crate) const fn neighbours(&self) -> &Neighbours {
        &self.neighbours
    }

    /// Remembers the words of a memory that was written.
    pub(crate) fn written(&mut self, ruling: &Ruling, memory: MemoryId, scope: AliasId) {
        if let Some(words) = ruling.words {
            self.neighbours.insert(memory, scope, words);
        }
        if let Some(fact) = &ruling.fact {
            self.neighbours.facts.insert(memory, scope, fact.clone());
        }
    }

    /// The verdict over a proposal with what was seen in its words.
    pub(crate) fn rule(
        &mut self,
        bench: &Bench<'_>,
        proposal: &Proposal,
        seen: &Looked,
    ) -> Result<Ruling> {
        let mut signals = seen.signals.clone();
        signals.set(Seen::Denied, self.denied(bench, proposal));
        let mut case = self.case(bench, proposal, signals);
        let same = match seen.words {
            Some(words) if !case.claimed => {
                self.relate(bench, proposal, (&words, seen.fact.as_ref()), &mut case)?
            }
            _ => None,
        };
        let decision = decide(&case, &self.policy, bench.now);
        let generation = generation(bench, proposal)?;
        let slot = place(bench, proposal, &decision);
        let (words, fact) = (seen.words, seen.fact.clone());
        Ok(Ruling { case, decision, same, slot, generation, words, fact })
    }

    /// The number of the grant that keeps the proposer from writing here.
    fn denied(&self, bench: &Bench<'_>, proposal: &Proposal) -> Option<i64> {
        if self.policy.grants.is_empty() {
            return None;
        }
        let by = proposal.by.as_ref().or(bench.terms.by.as_ref());
        let who = by.map_or_else(|| "system:".to_owned(), ToString::to_string);
        let right = self.policy.right(Act::Write, &who, &proposal.scope.to_string());
        if right.may { None } else { right.grant.map(i64::from) }
    }

    fn relate(
        &self,
        bench: &Bench<'_>,
        proposal: &Proposal,
        (words, fact): (&Comparable, Option<&FactClaim>),
        case: &mut Case,
    ) -> Result<Option<MemoryId>> {
        let known = |kind, parent, name: &str| bench.names.known(kind, parent, name);
        let mut scope = AliasId::ZERO;
        for segment in proposal.scope.segments() {
            // Nothing lies in a scope that has no name yet.
            let Some(next) = known(AliasKind::Scope, scope, segment) else { return Ok(None) };
            scope = next;
        }
        let people =
            proposal.subjects.iter().map(|name| known(AliasKind::Person, AliasId::ZERO, name));
        // About somebody new, it is no repetition.
        let Some(mut subjects) = people.collect::<Option<Vec<_>>>() else { return Ok(None) };
        subjects.sort_unstable();
        subjects.dedup();
        let key = proposal.key.as_ref().map(|name| known(AliasKind::Key, scope, name));
        let Some(key) = key.map_or(Some(None), |key| key.map(Some)) else { return Ok(None) };
        // A value of a slot says where things stand from now on, and not since ever.
        let fills = case.layer == Layer::Day && proposal.key.is_some();
        let begins = proposal.valid_from.or(fills.then_some(bench.now));
        let claim = Claim {
            scope,
            words,
            fact,
            layer: case.layer,
            subjects,
            key,
            derived_from: &proposal.derived_from,
            recalled: case.source == SourceKind::Recall,
            holds: Interval::new(begins, proposal.valid_until),
            corrects: case.corrects,
            at: Instants { known: bench.now, valid: bench.now },
        };
        relate(&claim, &self.neighbours, bench.state, bench.load, &mut case.signals)
    }

    fn case(&mut self, bench: &Bench<'_>, proposal: &Proposal, signals: Signals) -> Case {
        let Bench { state, terms, now, .. } = *bench;
        let (body, layer) = body_and_layer(proposal);
        let by = proposal.by.as_ref().or(terms.by.as_ref());
        Case {
            actor: by.map_or(ActorKind::System, |actor| actor.kind),
            body,
            layer,
            source: proposal.source.as_ref().map_or(SourceKind::None, |source| source.kind),
            lineage: Lineage::of(state, &proposal.derived_from),
            corrects: !proposal.supersedes.is_empty(),
            claimed: terms.claimed_at.is_some(),
            confidence: proposal.confidence,
            trust: proposal.trust,
            ttl_until: proposal.ttl_until.map(|end| end.instant(now)),
            review_by: proposal.review_by.map(|due| due.instant(now)),
            day_end: self.day_end(layer, now),
            signals,
        }
    }

    /// The end of the civil day, where the policy counts by it.
    fn day_end(&mut self, layer: Layer, now: Micros) -> Micros {
        let by_day = |length: Option<Length>| length == Some(Length::Day);
        let rule = self.policy.layers.rule(layer);
        let asks = rule.is_some_and(|rule| {
            by_day(rule.ttl) || by_day(rule.ttl_unverified) || by_day(rule.review_by)
        });
        if !asks && self.policy.gate.draft_ttl != Length::Day {
            return Micros::MAX;
        }
        if let Some((_, end)) = self.day.filter(|(from, end)| *from <= now && now < *end) {
            return end;
        }
        let day = Day::containing(now, &self.zone).map(|day| day_bounds(day, &self.zone));
        self.day = day;
        day.map_or(Micros::MAX, |(_, end)| end)
    }
}

/// The generation of a summary: one more than the highest that it covers.
fn generation(bench: &Bench<'_>, proposal: &Proposal) -> Result<u16> {
    let (body, _) = body_and_layer(proposal);
    if body != BodyType::Summary {
        return Ok(0);
    }
    let mut highest = 0;
    for id in &proposal.derived_from {
        let Some(memory) = bench.state.memory(id).filter(|memory| memory.body == body) else {
            continue;
        };
        if let Event::Write(write) = (bench.load)(memory.born)?.event {
            highest = highest.max(write.generation);
        }
    }
    Ok(highest.saturating_add(1))
}

fn single_valued(policy: &Policy, key: &[u8; 32]) -> HashSet<u64> {
    policy.facts.single_valued.iter().map(|one| predicate_digest(one, key)).collect()
}
