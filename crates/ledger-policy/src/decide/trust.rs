//! Owns how far a memory is trusted when it is written. Only a later, recorded act raises it.

use ledger_format::{ActorKind, BodyType, SourceKind, Trust};

use crate::document::{Policy, TrustOf};
use crate::{Case, Rule};

/// Trust and the rule that set it.
pub(super) struct Given {
    pub(super) trust: Trust,
    pub(super) rule: Rule,
}

pub(super) fn given(case: &Case, policy: &Policy) -> Given {
    let by_source = by_source(case, policy);
    let trust = match case.trust {
        // A person or a service can vouch; an agent's word for itself counts for nothing.
        Some(vouched) if case.actor != ActorKind::Agent && case.source != SourceKind::None => {
            vouched
        }
        Some(less) => less.min(by_source),
        None => by_source,
    };
    let capped = case.lineage.trust.map_or(trust, |least| least.min(trust));
    let rule = if capped < trust { Rule::Lineage } else { rule_of(case.source) };
    Given { trust: capped, rule }
}

fn by_source(case: &Case, policy: &Policy) -> Trust {
    if case.actor == ActorKind::Person && case.source != SourceKind::None {
        if case.body == BodyType::Canonical {
            return Trust::Approved;
        }
        if let Some(trust) = policy.trust_of_persons.get(case.source) {
            return trust;
        }
    }
    // No agent is the system: what it calls so is what a tool said.
    let spoofed = case.actor == ActorKind::Agent && case.source == SourceKind::System;
    let source = if spoofed { SourceKind::Tool } else { case.source };
    let built_in = || TrustOf::default().get(source).unwrap_or(Trust::Draft);
    policy.trust.get(source).unwrap_or_else(built_in)
}

const fn rule_of(source: SourceKind) -> Rule {
    match source {
        SourceKind::None => Rule::NoSource,
        SourceKind::Model => Rule::ModelInference,
        SourceKind::Tool | SourceKind::Web => Rule::ToolResult,
        _ => Rule::Plain,
    }
}
