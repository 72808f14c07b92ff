//! Owns the way from a proposal to its verdict: what the policy in force says to it.
//!
//! The verdict itself is `ledger_policy::decide`, which sees no words. This module puts the case
//! together, from the proposal, the state and what was seen in the words, and keeps the policy that is
//! in force. May not: record anything, or look at words again.

mod in_force;
mod policy;

use ledger_format::event::memory::Write;
use ledger_format::{ActorKind, Layer, Micros, SourceKind, Verdict};
use ledger_policy::{Case, Decision, Length, Lineage, Policy, Seen, Signals, decide};
use ledger_replay::State;

pub use self::in_force::PolicyInForce;
pub(crate) use self::in_force::{at_record, load};
pub use self::policy::PolicySetDone;
use crate::civil::{Day, Zone, day_bounds};
use crate::command::{Proposal, Terms};
use crate::writer::body_and_layer;

/// The policy in force, where verdicts are given.
pub(crate) struct Gate {
    policy: Policy,
    zone: Zone,
    /// The civil day of the last verdict that asked for one.
    day: Option<(Micros, Micros)>,
}

/// A verdict and what it was given on.
pub(crate) struct Ruling {
    pub(crate) case: Case,
    pub(crate) decision: Decision,
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
    pub(crate) const fn new(policy: Policy, zone: Zone) -> Self {
        Self { policy, zone, day: None }
    }

    /// Verdicts from now on are given under this policy.
    pub(crate) fn set(&mut self, policy: Policy) {
        self.policy = policy;
    }

    /// The verdict over a proposal with what was seen in its words.
    pub(crate) fn rule(
        &mut self,
        state: &State,
        proposal: &Proposal,
        terms: &Terms,
        seen: Signals,
        now: Micros,
    ) -> Ruling {
        let case = self.case(state, proposal, terms, seen, now);
        let decision = decide(&case, &self.policy, now);
        Ruling { case, decision }
    }

    fn case(
        &mut self,
        state: &State,
        proposal: &Proposal,
        terms: &Terms,
        signals: Signals,
        now: Micros,
    ) -> Case {
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
