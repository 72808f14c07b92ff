//! Owns the three questions, answered on every item that leaves the ledger: how much weight it can carry,
//! what it goes back to, and whether it still holds. An item with an open question is background.

use ledger_format::{BodyType, Layer, SourceKind, Trust};
use ledger_policy::{Class, Length, Policy};
use ledger_replay::{Instants, Status};

use crate::answer::{Ending, Holds, Item, Level};
use crate::civil::{Zone, format_in};

/// Answers the third question: since when it is untouched, and what would retire it.
pub(super) fn holds(item: &Item, policy: &Policy, at: Instants) -> Holds {
    let touched = item.last_used.max(item.last_confirmed);
    let untouched_since = touched.unwrap_or(item.recorded_at);
    let mut ends = Vec::new();
    if item.ttl_until.is_some() {
        ends.push(Ending::Lifetime);
    }
    match item.layer {
        Layer::Session | Layer::Instruction => ends.push(Ending::Task),
        Layer::Day => ends.push(Ending::NewerValue),
        Layer::Canonical | Layer::Procedural => ends.push(Ending::NewVersion),
        Layer::Summary => ends.push(Ending::Regenerated),
        _ => {}
    }
    if item.key.is_some() && item.layer != Layer::Day {
        ends.push(Ending::NewerValue);
    }
    if !item.derived_from.is_empty() {
        ends.push(Ending::SourceChanged);
    }
    ends.push(Ending::Closed);
    let mut holds = Holds { untouched_since, ends, confirm_first: false };
    holds.confirm_first = item.stale
        || item.trust == Trust::Draft
        || item.conflict_group.is_some()
        || item.review_by.is_some_and(|due| due <= at.known)
        || is_untouched_preference(item, &holds, policy, at);
    holds
}

/// A preference that nobody used or confirmed for long.
fn is_untouched_preference(item: &Item, holds: &Holds, policy: &Policy, at: Instants) -> bool {
    let Length::For(length) = policy.questions.confirm_preferences else { return false };
    let labels = item.tags.iter().chain(&item.domain);
    labels.into_iter().any(|label| policy.questions.preferences.contains(label))
        && at.known.0.saturating_sub(holds.untouched_since.0) >= length
}

/// What speaks against relying on it as it is.
pub(super) fn hint(
    item: &Item,
    sourced: bool,
    policy: &Policy,
    at: Instants,
    zone: &Zone,
) -> Option<String> {
    let say = |text: &str| Some(text.to_owned());
    if item.source_kind == SourceKind::None {
        return say("no source was given");
    }
    if !sourced {
        return say("what it was made from goes back to nothing with a source");
    }
    if item.stale {
        return say("what it was made from has changed: confirm it first");
    }
    if item.conflict_group.is_some() {
        return say("contradicted: see its conflict group");
    }
    if !item.contradicted_by.is_empty() {
        return say("it failed elsewhere: see what contradicts it");
    }
    if item.review_by.is_some_and(|due| due <= at.known) {
        return say("its review is overdue: confirm it first");
    }
    if is_untouched_preference(item, &item.holds, policy, at) {
        let since = format_in(item.holds.untouched_since, zone);
        return Some(format!(
            "a preference untouched since {since}: confirm it with the user once"
        ));
    }
    None
}

/// The first question. Without an answer to the others it is background.
pub(super) fn level(item: &Item, sourced: bool, policy: &Policy) -> Level {
    if item.source_kind == SourceKind::None || !sourced || !item.status.in_force() {
        return Level::Background;
    }
    let hint = item.trust == Trust::Draft
        || item.stale
        || item.status == Status::PushedDown
        || item.source_kind == SourceKind::Model;
    if hint {
        return Level::Hint;
    }
    let binding = match item.layer {
        Layer::Canonical => true,
        Layer::Instruction => {
            matches!(item.body_type, BodyType::Instruction | BodyType::Message)
        }
        _ => false,
    };
    // An order of somebody who may not override ranks just below the clauses. What was made from weaker
    // memories ranks lower still, and binds nobody.
    let least = policy.authority.rank(Class::Canonical).saturating_add(1);
    let last = binding && item.authority <= least && item.trust >= Trust::Verified;
    if last && item.status == Status::Open { Level::Final } else { Level::Evidence }
}
