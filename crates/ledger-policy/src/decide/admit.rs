//! Owns whether a proposal is stored as it was asked for.

use ledger_format::{ActorKind, BodyType, Layer, Seq, SourceKind};

use crate::document::{OnFinding, Policy, Unauthorised};
use crate::signal::Seen;
use crate::{Case, Rule};

/// Why a proposal is not stored as it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Away {
    /// Not stored.
    Refused(Rule),
    /// Already there.
    Duplicate(Seq),
    /// Stored as a draft of the session.
    Redirected(Rule),
    /// Stored, and counts when so many persons approve.
    Pending(u8),
}

pub(super) fn admit(case: &Case, policy: &Policy) -> Result<(), Away> {
    rights(case)?;
    content(case, policy)?;
    suppression(case)?;
    layer(case, policy)?;
    repetition(case, policy)?;
    guess(case, policy)?;
    approval(case, policy)
}

fn rights(case: &Case) -> Result<(), Away> {
    refuse_if(case.signals.has(Seen::Denied), Rule::Denied)
}

/// What no ledger should hold. The state that a client keeps here is its own business.
fn content(case: &Case, policy: &Policy) -> Result<(), Away> {
    if case.body == BodyType::State {
        return Ok(());
    }
    let gate = &policy.gate;
    let refused = |seen: Seen, on: OnFinding| on == OnFinding::Refuse && case.signals.has(seen);
    refuse_if(refused(Seen::Secrets, gate.secrets), Rule::Secret)?;
    refuse_if(refused(Seen::HiddenReasoning, gate.hidden_reasoning), Rule::HiddenReasoning)?;
    refuse_if(refused(Seen::Personal, gate.personal), Rule::PersonalData)
}

/// A person's new word is a new memory; whoever derives the same again is stopped.
fn suppression(case: &Case) -> Result<(), Away> {
    refuse_if(
        case.signals.has(Seen::Suppressed) && case.actor != ActorKind::Person,
        Rule::Suppressed,
    )
}

fn layer(case: &Case, policy: &Policy) -> Result<(), Away> {
    let settled = policy.layers.rule(case.layer).is_some_and(|rule| rule.is_settled());
    refuse_if(case.actor == ActorKind::Agent && !settled, Rule::UnsettledLayer)?;
    let canonical = case.layer == Layer::Canonical || case.body == BodyType::Canonical;
    if canonical && !may_write_canonical(case) {
        return Err(match policy.gate.canonical_by_agents {
            Unauthorised::Refuse => Away::Refused(Rule::CanonicalByPersons),
            Unauthorised::Pending => Away::Pending(1),
        });
    }
    if case.layer == Layer::Instruction && !has_original_message(case) {
        return Err(Away::Redirected(Rule::InstructionNeedsMessage));
    }
    Ok(())
}

/// A person, or a service that syncs the canonical file.
fn may_write_canonical(case: &Case) -> bool {
    let synced = matches!(case.source, SourceKind::File | SourceKind::Import);
    case.actor == ActorKind::Person || (case.actor == ActorKind::Service && synced)
}

/// A person says it directly, or it was made from the message in which one did. A summary of what was
/// said does not qualify.
fn has_original_message(case: &Case) -> bool {
    let direct = case.actor == ActorKind::Person
        && matches!(case.source, SourceKind::Chat | SourceKind::User);
    let imported = case.claimed && case.actor == ActorKind::Service;
    direct || imported || (case.lineage.person_said && !case.lineage.summaries)
}

fn repetition(case: &Case, policy: &Policy) -> Result<(), Away> {
    let secondhand = case.source == SourceKind::Recall || case.lineage.summaries;
    let repeats = case.score(Seen::Repeats) >= policy.gate.repeats.get();
    refuse_if(secondhand && repeats && case.body != BodyType::Summary, Rule::RepeatsRecall)?;
    let comparable = matches!(
        case.body,
        BodyType::Note
            | BodyType::Fact
            | BodyType::Decision
            | BodyType::Instruction
            | BodyType::Failure
    );
    // A history repeats itself: what was true before can be true again.
    let synced = case.source == SourceKind::File && case.actor == ActorKind::Service;
    let history = case.claimed || case.source == SourceKind::Import || synced;
    let novelty = comparable && !case.corrects && !history;
    let similar = case.score(Seen::Similarity) >= policy.gate.duplicate.get();
    let neighbour = case.signals.get(Seen::Neighbour).and_then(|seq| u64::try_from(seq).ok());
    match neighbour {
        Some(seq) if novelty && similar => Err(Away::Duplicate(Seq(seq))),
        _ => Ok(()),
    }
}

fn guess(case: &Case, policy: &Policy) -> Result<(), Away> {
    let unsure = case.confidence.is_some_and(|parts| parts < policy.gate.guess.get());
    if case.layer == Layer::Episodic && unsure && case.actor != ActorKind::Person {
        return Err(Away::Redirected(Rule::Guess));
    }
    Ok(())
}

fn approval(case: &Case, policy: &Policy) -> Result<(), Away> {
    let asked =
        policy.approvals.iter().filter(|approval| approval.asks(case.actor, case.body, case.layer));
    match asked.map(|approval| approval.persons).max() {
        Some(persons) => Err(Away::Pending(persons)),
        None => Ok(()),
    }
}

/// Whether the words read like an order that no person gave: stored as data, with a mark.
pub(super) fn is_foreign_order(case: &Case, policy: &Policy) -> bool {
    let score = case.score(Seen::InstructionLike);
    let own = case.actor == ActorKind::Person
        && matches!(case.source, SourceKind::Chat | SourceKind::User | SourceKind::None);
    score > 0 && score >= policy.gate.instruction_like.get() && !own
}

const fn refuse_if(yes: bool, rule: Rule) -> Result<(), Away> {
    if yes { Err(Away::Refused(rule)) } else { Ok(()) }
}
