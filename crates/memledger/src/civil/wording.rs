//! What a refusal says: what was understood, what is wrong, and what to write instead.
//!
//! Owns the wording of [`Problem`]. Every message is one line, if the parts it quotes are.

use std::fmt;

use super::{Problem, tz_version};

const NO_OFFSET: &str = "a time without an offset is another instant in every zone; add Z or an \
     offset such as +02:00";
const DATE_ONLY: &str = "a date is a whole day and starts at another instant in every zone; write an \
     instant such as 2026-03-03T00:00:00Z";
const MINUS_ZERO: &str = "the year before 0001 is written 0000, without a sign";

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&match self {
            Self::Empty { forms } => format!("no time was given; write for example {forms}"),
            Self::Unrecognised { read, rest, forms } => unrecognised(read, rest, forms),
            Self::Digits { what, width, found } => {
                format!("the {what} is written with {width} digits, not {found:?}")
            }
            Self::Range { what, found, range: (low, high) } => {
                format!("the {what} is {found}; it runs from {low} to {high}")
            }
            Self::NoSuchDay { month, days } => {
                format!("{month} has {days} days; write a day from 1 to {days}")
            }
            Self::NoSuchWeek { year, weeks } => {
                format!("the ISO year {year} has {weeks} weeks; write W01 to W{weeks}")
            }
            Self::Year { found } => beyond(found),
            Self::MinusZero => MINUS_ZERO.to_owned(),
            Self::LeapSecond { last, next } => leap_second(last, next),
            Self::TooFine { kept } => {
                format!("times are kept to the microsecond; write the fraction as .{kept}")
            }
            Self::Offset { found } => {
                format!("the offset {found:?} is not readable; write Z or, for example, +02:00")
            }
            Self::Skipped { zone, before, after } => skipped(zone, before, after),
            Self::Twice { zone, first, second } => twice(zone, first, second),
            Self::NoOffset => NO_OFFSET.to_owned(),
            Self::DateOnly => DATE_ONLY.to_owned(),
            Self::Number { what } => {
                format!("the {what} is a whole number from 0 to {}, in digits only", u64::MAX)
            }
            Self::Zone { similar } => unknown_zone(similar),
        })
    }
}

fn unrecognised(read: &str, rest: &str, forms: &str) -> String {
    let understood = match (read.is_empty(), rest.is_empty()) {
        (true, _) => "nothing in this was understood as a time".to_owned(),
        (false, true) => format!("this was understood as {read}, and then it ends"),
        (false, false) => format!("this was understood as {read}, but not {rest:?} after it"),
    };
    format!("{understood}; write for example {forms}")
}

fn beyond(found: &str) -> String {
    format!(
        "{found} is outside the supported years -9999 to 9999 (UTC); write a time within them, or leave \
         out a bound that is meant to be open"
    )
}

fn leap_second(last: &str, next: &str) -> String {
    format!(
        "seconds run from 00 to 59, leap seconds are not counted; write {last} for the end of that \
         minute or {next} for the next"
    )
}

fn skipped(zone: &str, before: &str, after: &str) -> String {
    format!(
        "this local time does not exist in {zone}: its clock went from {before} straight to {after}; \
         write one of these, or add an offset"
    )
}

fn twice(zone: &str, first: &str, second: &str) -> String {
    format!(
        "this local time is ambiguous, it happened twice in {zone}; write {first} for the first or \
         {second} for the second"
    )
}

fn unknown_zone(similar: &[String]) -> String {
    let but =
        if similar.is_empty() { String::new() } else { format!(", but {}", similar.join(", ")) };
    format!(
        "no such zone in tz {}{but}; write a name such as Europe/Berlin, an offset such as +02:00, or \
         UTC",
        tz_version()
    )
}
