//! Owns how long a memory counts, and when a person should look at it.

use ledger_format::{ActorKind, Micros, SourceKind, Trust, Verdict};

use crate::document::{LayerRule, Policy};
use crate::{Case, Decision, Length};

/// Lifetime and review.
pub(super) struct Given {
    pub(super) ttl_until: Option<Micros>,
    pub(super) review_by: Option<Micros>,
}

/// How long an inference counts, whatever its layer.
const INFERENCE: Length = Length::days(7);

pub(super) fn given(case: &Case, policy: &Policy, decision: &Decision, now: Micros) -> Given {
    let rule = policy.layers.rule(decision.layer);
    let end = |length: Length| length.end(now, case.day_end);
    if decision.verdict == Verdict::Redirected {
        let draft = end(policy.gate.draft_ttl);
        return Given { ttl_until: sooner(case.ttl_until, draft), review_by: case.review_by };
    }
    let review = rule.and_then(|rule| rule.review_by).unwrap_or_default();
    let by_policy = if is_brought(case) { None } else { end(ttl(case, rule, decision.trust)) };
    let ttl_until = match case.ttl_until {
        // What only a model thinks does not live longer because a model says so.
        Some(asked) if may_outlive(case) => Some(asked),
        asked => sooner(asked, by_policy),
    };
    // What comes without an end of its own is looked at instead of vanishing.
    let review = if ttl_until.is_none() { end(review) } else { None };
    Given { ttl_until, review_by: case.review_by.or(review) }
}

fn ttl(case: &Case, rule: Option<&LayerRule>, trust: Trust) -> Length {
    let layer = rule.and_then(|rule| rule.ttl).unwrap_or_default();
    let unverified = rule.and_then(|rule| rule.ttl_unverified).filter(|_| trust < Trust::Verified);
    let length = unverified.unwrap_or(layer);
    match (case.source, length) {
        (SourceKind::Model, Length::None) => INFERENCE,
        (SourceKind::Model, Length::For(micros)) => match INFERENCE {
            Length::For(most) => Length::For(micros.min(most)),
            other => other,
        },
        _ => length,
    }
}

/// Files and items of other systems: nothing of theirs vanishes after a week.
const fn is_brought(case: &Case) -> bool {
    case.claimed || matches!(case.source, SourceKind::Import)
}

const fn may_outlive(case: &Case) -> bool {
    !matches!((case.actor, case.source), (ActorKind::Agent, SourceKind::Model))
}

/// The sooner of two ends, where none is never.
fn sooner(one: Option<Micros>, other: Option<Micros>) -> Option<Micros> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
