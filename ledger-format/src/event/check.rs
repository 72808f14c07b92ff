//! Owns the rules of single bodies that the layout cannot express: list limits, sorted lists,
//! ordered times. They hold on encode and on decode alike; `SPEC.md` section 6.1 lists them.

use crate::event::Event;
use crate::event::duty::PayloadRange;
use crate::event::ledger::{Genesis, Limits};
use crate::event::memory::Write;
use crate::names::{CloseKind, Verdict};
use crate::{FormatError, Micros, limits};

impl Event {
    pub(super) fn check(&self) -> Result<(), FormatError> {
        match self {
            Self::Genesis(genesis) => check_genesis(genesis),
            Self::Epoch(epoch) => text("program", &epoch.program),
            Self::ConfigSet(config) => text("value", &config.value),
            Self::KeyRotated(keys) if keys.old.is_some() != keys.old_signature.is_some() => {
                Err(FormatError::BadValue {
                    what: "an old key without its signature, or the reverse",
                })
            }
            Self::Write(write) => check_write(write),
            Self::Close(close) => {
                let bounded = close.from.is_some() || close.until.is_some();
                if close.kind == CloseKind::Wrong && bounded {
                    return Err(FormatError::BadValue {
                        what: "what was never true has no interval",
                    });
                }
                interval(close.from, close.until)
            }
            Self::Reopen(reopen) => interval(reopen.from, reopen.until),
            Self::Contest(contest) => {
                if contest.memories.len() < 2 {
                    return Err(FormatError::BadValue { what: "a contest needs two memories" });
                }
                memories(&contest.memories)
            }
            Self::Resolve(resolve) => memories(&resolve.kept),
            Self::Answer(answer) => sorted("contradicts is not sorted", &answer.contradicts),
            Self::Feedback(feedback) => {
                sorted("helped is not sorted", &feedback.helped)?;
                sorted("misled is not sorted", &feedback.misled)
            }
            Self::Confirm(confirm) => targets(&confirm.memories),
            Self::Use(used) => targets(&used.memories),
            Self::Forget(forget) => targets(&forget.memories),
            Self::Expire(expire) => targets(&expire.memories),
            Self::Restrict(restrict) => targets(&restrict.memories),
            Self::Unrestrict(unrestrict) => targets(&unrestrict.memories),
            Self::Stale(stale) => targets(&stale.memories),
            Self::HoldPlaced(hold) => memories(&hold.memories),
            Self::EraseRequested(request) => memories(&request.memories),
            Self::EraseIntent(intent) => {
                if intent.part >= intent.parts {
                    return Err(FormatError::BadValue { what: "a part beyond the parts" });
                }
                sorted("memories are not sorted", &intent.memories)?;
                sorted("aliases are not sorted", &intent.aliases)?;
                ranges(&intent.payloads)
            }
            Self::Undo(undo) if undo.first > undo.last => {
                Err(FormatError::BadValue { what: "a job that ends before it begins" })
            }
            _ => Ok(()),
        }
    }
}

fn check_write(write: &Write) -> Result<(), FormatError> {
    at_most("supersedes", write.supersedes.len(), limits::SUPERSEDES)?;
    at_most("derived_from", write.derived_from.len(), limits::DERIVED_FROM)?;
    at_most("subjects", write.subjects.len(), limits::SUBJECTS)?;
    at_most("tags", write.tags.len(), limits::TAGS)?;
    distinct("a memory is superseded twice", &write.supersedes)?;
    sorted("derived_from is not sorted", &write.derived_from)?;
    sorted("subjects are not sorted", &write.subjects)?;
    sorted("tags are not sorted", &write.tags)?;
    interval(write.valid_from, write.valid_until)?;
    interval(write.supersede_from, write.supersede_until)?;
    if write.marks & !Write::MARKS != 0 {
        return Err(FormatError::ReservedNotZero { what: "marks" });
    }
    if write.confidence.is_some_and(|parts| parts > 10_000) {
        return Err(FormatError::BadValue { what: "confidence is above 10,000" });
    }
    if write.supersedes.contains(&write.memory) || write.derived_from.contains(&write.memory) {
        return Err(FormatError::BadValue { what: "a memory names itself" });
    }
    match write.verdict {
        Verdict::Committed | Verdict::Redirected | Verdict::Pending => Ok(()),
        _ => Err(FormatError::BadValue { what: "a write that the gate did not let through" }),
    }
}

fn check_genesis(genesis: &Genesis) -> Result<(), FormatError> {
    text("origin", &genesis.origin)?;
    text("zone", &genesis.zone)?;
    number("hash suite", genesis.hash_suite, &[1])?;
    number("payload suite", genesis.payload_suite, &[1])?;
    number("clock", genesis.clock, &[1, 2])?;
    let (found, most) = (&genesis.limits, &Limits::V1);
    let pairs = [
        ("record_bytes", u64::from(found.record_bytes), u64::from(most.record_bytes)),
        ("payload_bytes", u64::from(found.payload_bytes), u64::from(most.payload_bytes)),
        ("batch_bytes", u64::from(found.batch_bytes), u64::from(most.batch_bytes)),
        ("segment_bytes", found.segment_bytes, most.segment_bytes),
        ("supersedes", u64::from(found.supersedes), u64::from(most.supersedes)),
        ("derived_from", u64::from(found.derived_from), u64::from(most.derived_from)),
        ("scope_depth", u64::from(found.scope_depth), u64::from(most.scope_depth)),
    ];
    match pairs.into_iter().find(|(_, found, limit)| found > limit) {
        Some((what, found, limit)) => Err(FormatError::TooLarge { what, found, limit }),
        None => Ok(()),
    }
}

fn at_most(what: &'static str, found: usize, limit: usize) -> Result<(), FormatError> {
    if found > limit {
        return Err(FormatError::TooLarge { what, found: found as u64, limit: limit as u64 });
    }
    Ok(())
}

fn number(what: &'static str, found: u8, known: &[u8]) -> Result<(), FormatError> {
    if known.contains(&found) {
        return Ok(());
    }
    Err(FormatError::UnknownNumber { what, found: u64::from(found) })
}

/// A line feed in an origin would forge a line of a checkpoint.
fn text(what: &'static str, value: &str) -> Result<(), FormatError> {
    if value.is_empty() {
        return Err(FormatError::BadValue { what: "an empty text" });
    }
    at_most(what, value.len(), limits::NAME_BYTES)?;
    if value.chars().any(char::is_control) {
        return Err(FormatError::BadValue { what: "a text with a control character" });
    }
    Ok(())
}

fn targets<T: Ord>(list: &[T]) -> Result<(), FormatError> {
    if list.is_empty() {
        return Err(FormatError::BadValue { what: "an event that names no memory" });
    }
    memories(list)
}

fn memories<T: Ord>(list: &[T]) -> Result<(), FormatError> {
    sorted("memories are not sorted", list)?;
    at_most("memories", list.len(), limits::TARGETS)
}

/// A set has one order, so that it has one encoding.
fn sorted<T: Ord>(what: &'static str, list: &[T]) -> Result<(), FormatError> {
    if list.is_sorted_by(|a, b| a < b) { Ok(()) } else { Err(FormatError::BadValue { what }) }
}

/// The order of `supersedes` is the writer's and carries meaning, so only repetition is refused.
fn distinct<T: PartialEq>(what: &'static str, list: &[T]) -> Result<(), FormatError> {
    let mut rest = list;
    while let [item, others @ ..] = rest {
        if others.contains(item) {
            return Err(FormatError::BadValue { what });
        }
        rest = others;
    }
    Ok(())
}

fn ranges(list: &[PayloadRange]) -> Result<(), FormatError> {
    if list.iter().any(|range| range.first > range.last) {
        return Err(FormatError::BadValue { what: "a payload range that ends before it begins" });
    }
    if list.is_sorted_by(|before, after| before.last < after.first) {
        return Ok(());
    }
    Err(FormatError::BadValue { what: "payload ranges are not sorted" })
}

/// None is the one way to say "since ever" and "for good", so the extreme instants are refused.
fn interval(from: Option<Micros>, until: Option<Micros>) -> Result<(), FormatError> {
    let extreme = |end: Option<Micros>| matches!(end, Some(Micros::MIN | Micros::MAX));
    if extreme(from) || extreme(until) {
        return Err(FormatError::BadValue { what: "an extreme instant instead of none" });
    }
    match (from, until) {
        (Some(from), Some(until)) if from >= until => {
            Err(FormatError::BadValue { what: "an interval that ends before it begins" })
        }
        _ => Ok(()),
    }
}
