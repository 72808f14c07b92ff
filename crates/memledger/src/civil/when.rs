//! Points in time as people write them: the `WHEN` of the command line.
//!
//! Owns which forms exist and what each one means. Resolving a sequence number, the head or a size
//! needs a ledger and is not done here.

use super::english;
use super::point;
use super::problem::WHEN_FORMS;
use super::stamp::{self, Stamp};
use super::{CivilError, Day, Micros, Problem, Zone};

/// A point in time, as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// An instant, inclusive.
    Instant(Micros),
    /// A whole local day, up to the first instant of the next one.
    Date(Day),
    /// The record with this sequence number, inclusive.
    Seq(u64),
    /// The last durable record.
    Head,
    /// The ledger when it had this many records.
    Size(u64),
}

impl When {
    /// Reads any accepted form. `zone` is where local times, `today` and dates without a year are
    /// meant; `now` is the present. White space around the text is ignored.
    ///
    /// A date without a year is the latest such date that is not after today.
    ///
    /// # Errors
    /// Says what was understood, what is wrong, and what to write; see [`Problem`].
    pub fn parse(text: &str, zone: &Zone, now: Micros) -> Result<Self, CivilError> {
        let text = text.trim();
        let lower = text.to_ascii_lowercase();
        if let Some(number) = lower.strip_prefix('#') {
            return whole(text, number, "sequence number after #").map(Self::Seq);
        }
        if let Some(number) = lower.strip_prefix("size:") {
            return whole(text, number, "number of records after size:").map(Self::Size);
        }
        match lower.as_str() {
            "" => Err(CivilError::new(text, Problem::Empty { forms: WHEN_FORMS })),
            "head" => Ok(Self::Head),
            "now" => point::supported(text, now).map(Self::Instant),
            "today" => today(text, zone, now).map(Self::Date),
            "yesterday" => {
                today(text, zone, now)?.previous().ok_or_else(|| too_far(text, now)).map(Self::Date)
            }
            _ if stamp::looks_numeric(text) => numeric(text, zone),
            _ => english::read(text, WHEN_FORMS, || today(text, zone, now)).map(Self::Date),
        }
    }
}

fn numeric(text: &str, zone: &Zone) -> Result<When, CivilError> {
    match stamp::read(text, WHEN_FORMS)? {
        Stamp::Date(day) => Ok(When::Date(day)),
        Stamp::Time(local, offset) => {
            point::instant(text, local, offset, Some(zone)).map(When::Instant)
        }
    }
}

fn today(text: &str, zone: &Zone, now: Micros) -> Result<Day, CivilError> {
    Day::containing(now, zone).ok_or_else(|| too_far(text, now))
}

fn too_far(text: &str, now: Micros) -> CivilError {
    let found = format!("the present, {},", super::format_utc(now));
    CivilError::new(text, Problem::Year { found })
}

/// Digits only: the standard parser would also take a plus sign.
fn whole(text: &str, number: &str, what: &'static str) -> Result<u64, CivilError> {
    Some(number)
        .filter(|number| number.chars().all(|c| c.is_ascii_digit()))
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| CivilError::new(text, Problem::Number { what }))
}
