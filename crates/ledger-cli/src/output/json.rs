//! Owns the objects of `--json`: the field names of the contract.
//!
//! Invariants: times are RFC 3339 in UTC; an open end of a validity is null; an erased memory has
//! no `text`. Fields with nothing to say are null, lists are empty.

use memledger::answer::{
    Difference, HistoryEntry, Item, ItemClosure, Lineage, LogEntry, SourceLink, Text,
};
use memledger::civil::format_utc;
use memledger::format::{MemoryId, Micros, Seq};
use memledger::{Basis, Interval, Outcome};
use serde_json::{Map, Value, json};

use crate::context::Step;

/// The basis of an answer.
pub(crate) fn basis(basis: &Basis) -> Value {
    json!({
        "known_at": format_utc(basis.known_at),
        "valid_at": format_utc(basis.valid_at),
        "seq": basis.seq.map(|seq| seq.0),
        "head": basis.seq.map(|_| basis.hash.to_string()),
        "zone": basis.zone.to_string(),
        "erasures_through": basis.head.map(|seq| seq.0),
        "claimed": basis.claimed,
        "from_archive": basis.from_archive,
    })
}

/// What one command led to.
pub(crate) fn outcome(outcome: &Outcome, step: Option<Step>) -> Value {
    json!({
        "seq": outcome.seq.0,
        "id": outcome.id.as_ref().map(MemoryId::hyphenated),
        "hash": outcome.hash.to_string(),
        "head": outcome.head_hash.to_string(),
        "head_seq": outcome.head.0,
        "recorded_at": format_utc(outcome.recorded_at),
        "verdict": outcome.verdict.name(),
        "reason": outcome.reason,
        "trust": outcome.trust.map(|trust| trust.name()),
        "ttl": time(outcome.ttl_until),
        "scope": outcome.scope.to_string(),
        "scope_step": step.map(Step::name),
        "superseded": ids(&outcome.superseded),
        "policy_version": outcome.policy_version,
        "job": outcome.job.map(|job| MemoryId(job.0).hyphenated()),
        "repeated": outcome.repeated,
        "receipt": null,
    })
}

/// One memory. `valid_at` chooses which of several validities is named first.
pub(crate) fn item(item: &Item, valid_at: Micros) -> Map<String, Value> {
    let mut object = Map::new();
    let mut put = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
    let held = held(&item.validity, valid_at);
    put("id", item.id.hyphenated().into());
    put("seq", item.seq.0.into());
    put("hash", item.hash.to_string().into());
    put("recorded_at", format_utc(item.recorded_at).into());
    put("claimed_at", time(item.claimed_at));
    put("version", item.version.0.into());
    put("status", item.status.name().into());
    put("erased_seq", item.erased_at.map(|seq| seq.0).into());
    text(&item.text, &mut put);
    put("body_type", item.body_type.name().into());
    put("body", item.body.clone().unwrap_or(Value::Null));
    put("layer", item.layer.name().into());
    put("trust", item.trust.name().into());
    put("authority", item.authority.into());
    put("level", item.level.name().into());
    put("hint", item.hint.clone().into());
    put("source_chain", item.source_chain.iter().map(link).collect());
    put("untouched_since", format_utc(item.holds.untouched_since).into());
    put("ends_with", item.holds.ends.iter().map(|end| end.name()).collect());
    put("confirm_first", item.holds.confirm_first.into());
    put("decay", item.decay.map(|parts| f64::from(parts) / 10_000.0).into());
    put("source", item.source.clone().into());
    put("source_kind", item.source_kind.name().into());
    put("by", item.by.as_ref().map(ToString::to_string).into());
    put("actor_kind", item.actor_kind.name().into());
    put("scope", item.scope.to_string().into());
    put("key", item.key.clone().into());
    put("task", item.task.clone().into());
    put("domain", item.domain.clone().into());
    put("tags", item.tags.clone().into());
    put("subjects", item.subjects.clone().into());
    put("valid_from", held.map_or(Value::Null, from));
    put("valid_until", held.map_or(Value::Null, until));
    put("validity", validity(&item.validity));
    put("observed_at", time(item.observed_at));
    put("ttl", time(item.ttl_until));
    put("review_by", time(item.review_by));
    put("last_confirmed", time(item.last_confirmed));
    put("last_used", time(item.last_used));
    put("confidence", item.confidence.map(|parts| f64::from(parts) / 10_000.0).into());
    closure(item.closed.as_ref(), &mut put);
    put("supersedes", ids(&item.supersedes));
    put("derived_from", ids(&item.derived_from));
    put("conflict_group", item.conflict_group.map(|seq| seq.0).into());
    let generation = Some(item.generation).filter(|generation| *generation > 0);
    put("generation", generation.into());
    put("contradicts", ids(&item.contradicts));
    put("contradicted_by", ids(&item.contradicted_by));
    put("stale", item.stale.into());
    put("pinned", item.pinned.into());
    object
}

fn link(link: &SourceLink) -> Value {
    json!({
        "id": link.id.hyphenated(),
        "seq": link.seq.0,
        "body_type": link.body_type.name(),
        "source_kind": link.source_kind.name(),
        "steps": link.steps,
    })
}

fn text(text: &Text, put: &mut impl FnMut(&str, Value)) {
    match text {
        Text::Words(words) => put("text", words.clone().into()),
        Text::Bytes(bytes) => put("bytes_hex", hex(bytes).into()),
        // No field: there is nothing, and there never will be.
        Text::Erased(_) => {}
        Text::Locked => put("text_state", "locked".into()),
        Text::Forgotten(seq) => {
            put("text_state", "forgotten".into());
            put("forgotten_at_seq", seq.0.into());
        }
    }
}

fn closure(closed: Option<&ItemClosure>, put: &mut impl FnMut(&str, Value)) {
    put("closed_at", time(closed.and_then(|closed| closed.at)));
    put("closed_seq", closed.and_then(|closed| closed.seq).map(|seq| seq.0).into());
    put("closed_kind", closed.map(|closed| closed.kind.name()).into());
    put("closed_reason", closed.and_then(|closed| closed.reason.clone()).into());
    let by = closed.and_then(|closed| closed.superseded_by);
    put("superseded_by", by.as_ref().map(MemoryId::hyphenated).into());
}

/// The validity that holds at an instant, else the last one.
pub(crate) fn held(validity: &[Interval], at: Micros) -> Option<&Interval> {
    validity.iter().find(|one| one.contains(at)).or_else(|| validity.last())
}

/// The end of an open interval stands for nothing.
fn from(interval: &Interval) -> Value {
    time(Some(interval.from).filter(|from| *from != Micros::MIN))
}

fn until(interval: &Interval) -> Value {
    time(Some(interval.until).filter(|until| *until != Micros::MAX))
}

fn validity(intervals: &[Interval]) -> Value {
    intervals
        .iter()
        .map(|one| json!({ "valid_from": from(one), "valid_until": until(one) }))
        .collect()
}

/// One event in the life of a memory.
pub(crate) fn event(entry: &HistoryEntry) -> Map<String, Value> {
    let object = json!({
        "seq": entry.seq.0,
        "hash": entry.hash.to_string(),
        "recorded_at": format_utc(entry.recorded_at),
        "claimed_at": time(entry.claimed_at),
        "event": entry.event,
        "by": entry.by.as_ref().map(ToString::to_string),
        "reason": entry.reason,
        "status": entry.status.name(),
        "validity": validity(&entry.validity),
    });
    into_map(object)
}

/// Where a memory comes from and what came from it.
pub(crate) fn lineage(lineage: &Lineage, valid_at: Micros) -> Map<String, Value> {
    let mut object = item(&lineage.item, valid_at);
    let items = |items: &[Item]| -> Value {
        items.iter().map(|one| Value::Object(item(one, valid_at))).collect()
    };
    let history = lineage.history.iter().map(|entry| Value::Object(event(entry))).collect();
    object.insert("history".to_owned(), history);
    object.insert("sources".to_owned(), items(&lineage.sources));
    object.insert("replaced".to_owned(), items(&lineage.replaced));
    object.insert("derived".to_owned(), items(&lineage.derived));
    object
}

/// One difference between two moments.
pub(crate) fn difference(one: &Difference, change: &str, from: &Basis, to: &Basis) -> Value {
    let side = |side: Option<&Item>, at: &Basis| {
        side.map_or(Value::Null, |one| Value::Object(item(one, at.valid_at)))
    };
    json!({
        "id": one.id.hyphenated(),
        "change": change,
        "before": side(one.before.as_ref(), from),
        "after": side(one.after.as_ref(), to),
        "basis": bases(from, to),
    })
}

/// Both bases of a difference.
pub(crate) fn bases(from: &Basis, to: &Basis) -> Value {
    json!({ "from": basis(from), "to": basis(to) })
}

/// One record of the log.
pub(crate) fn record(entry: &LogEntry, raw: bool) -> Map<String, Value> {
    let payloads: Value = entry
        .payloads
        .iter()
        .map(|(role, number, words)| {
            let mut object = Map::new();
            let mut put = |name: &str, value: Value| drop(object.insert(name.to_owned(), value));
            put("role", role.clone().into());
            put("payload", (*number).into());
            text(words, &mut put);
            if let Text::Erased(seq) = words {
                put("erased_seq", seq.0.into());
            }
            Value::Object(object)
        })
        .collect();
    let mut object = into_map(json!({
        "seq": entry.seq.0,
        "hash": entry.hash.to_string(),
        "prev": entry.prev.to_string(),
        "recorded_at": format_utc(entry.recorded_at),
        "claimed_at": time(entry.claimed_at),
        "event": entry.event,
        "by": entry.by.as_ref().map(ToString::to_string),
        "scope": entry.scope.to_string(),
        "memories": ids(&entry.memories),
        "payloads": payloads,
        "detail": entry.detail,
        "bytes": entry.bytes.len(),
    }));
    if raw {
        object.insert("raw".to_owned(), hex(&entry.bytes).into());
    }
    object
}

/// An object that begins as `json!`.
pub(crate) fn into_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => Map::from_iter([("value".to_owned(), other)]),
    }
}

/// Adds the basis to an answer.
pub(crate) fn with_basis(mut object: Map<String, Value>, at: &Basis) -> Value {
    object.insert("basis".to_owned(), basis(at));
    Value::Object(object)
}

/// Where the next page begins.
pub(crate) fn next(cursor: Seq) -> Value {
    json!({ "next": cursor.to_string() })
}

pub(crate) fn ids(ids: &[MemoryId]) -> Value {
    ids.iter().map(MemoryId::hyphenated).collect()
}

pub(crate) fn time(at: Option<Micros>) -> Value {
    at.map(format_utc).into()
}

/// Bytes as pairs of hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
