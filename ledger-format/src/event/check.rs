//! Owns the rules of single bodies that the layout cannot express: list limits, sorted lists,
//! ordered times. They hold on encode and on decode alike.

use crate::event::Event;
use crate::{FormatError, Micros, limits};

impl Event {
    pub(super) fn check(&self) -> Result<(), FormatError> {
        match self {
            Self::Write(write) => {
                at_most("supersedes", write.supersedes.len(), limits::SUPERSEDES)?;
                at_most("derived_from", write.derived_from.len(), limits::DERIVED_FROM)?;
                at_most("subjects", write.subjects.len(), limits::SUBJECTS)?;
                at_most("tags", write.tags.len(), limits::TAGS)?;
                distinct("a memory is superseded twice", &write.supersedes)?;
                increasing("derived_from is not sorted", &write.derived_from)?;
                increasing("subjects are not sorted", &write.subjects)?;
                increasing("tags are not sorted", &write.tags)?;
                interval(write.valid_from, write.valid_until)?;
                interval(write.supersede_from, write.supersede_until)?;
                if write.marks & !crate::event::memory::Write::MARKS != 0 {
                    return Err(FormatError::ReservedNotZero { what: "marks" });
                }
                if write.confidence.is_some_and(|parts| parts > 10_000) {
                    return Err(FormatError::BadValue { what: "confidence is above 10,000" });
                }
                if write.supersedes.contains(&write.memory)
                    || write.derived_from.contains(&write.memory)
                {
                    return Err(FormatError::BadValue { what: "a memory names itself" });
                }
                Ok(())
            }
            Self::Close(close) => interval(close.from, close.until),
            Self::Reopen(reopen) => interval(reopen.from, reopen.until),
            Self::Contest(contest) => {
                increasing("contested memories are not sorted", &contest.memories)?;
                if contest.memories.len() < 2 {
                    return Err(FormatError::BadValue { what: "a contest needs two memories" });
                }
                at_most("memories", contest.memories.len(), limits::TARGETS)
            }
            Self::Confirm(confirm) => targets(&confirm.memories),
            Self::Use(used) => targets(&used.memories),
            Self::Forget(forget) => targets(&forget.memories),
            Self::Expire(expire) => targets(&expire.memories),
            Self::Restrict(restrict) => targets(&restrict.memories),
            Self::Unrestrict(unrestrict) => targets(&unrestrict.memories),
            Self::Stale(stale) => targets(&stale.memories),
            Self::EraseIntent(intent) => {
                if intent.part >= intent.parts {
                    return Err(FormatError::BadValue { what: "a part beyond the parts" });
                }
                if intent.payloads.iter().any(|range| range.first > range.last) {
                    return Err(FormatError::BadValue { what: "a payload range that ends before it begins" });
                }
                Ok(())
            }
            Self::Undo(undo) if undo.first > undo.last => {
                Err(FormatError::BadValue { what: "a job that ends before it begins" })
            }
            _ => Ok(()),
        }
    }
}

fn at_most(what: &'static str, found: usize, limit: usize) -> Result<(), FormatError> {
    if found > limit {
        return Err(FormatError::TooLarge { what, found: found as u64, limit: limit as u64 });
    }
    Ok(())
}

fn targets<T: Ord>(list: &[T]) -> Result<(), FormatError> {
    if list.is_empty() {
        return Err(FormatError::BadValue { what: "an event that names no memory" });
    }
    increasing("memories are not sorted", list)?;
    at_most("memories", list.len(), limits::TARGETS)
}

fn increasing<T: Ord>(what: &'static str, list: &[T]) -> Result<(), FormatError> {
    if list.is_sorted_by(|a, b| a < b) { Ok(()) } else { Err(FormatError::BadValue { what }) }
}

/// The order of `supersedes` is the writer's and carries meaning, so only repetition is refused.
fn distinct<T: PartialEq>(what: &'static str, list: &[T]) -> Result<(), FormatError> {
    let repeated = list.iter().enumerate().any(|(at, item)| list.iter().skip(at + 1).any(|other| other == item));
    if repeated { Err(FormatError::BadValue { what }) } else { Ok(()) }
}

fn interval(from: Option<Micros>, until: Option<Micros>) -> Result<(), FormatError> {
    match (from, until) {
        (Some(from), Some(until)) if from >= until => {
            Err(FormatError::BadValue { what: "an interval that ends before it begins" })
        }
        _ => Ok(()),
    }
}
