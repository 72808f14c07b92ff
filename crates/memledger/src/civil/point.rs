//! Times in fields: `valid_from` and the like, where a program writes and nothing may be guessed.
//!
//! Owns the two strict readings, and turning a local time into an instant for all readings.

use chrono::{FixedOffset, NaiveDateTime};

use super::day::{YEARS, day_bounds};
use super::format::{calendar_date, format_in, format_utc};
use super::problem::{INSTANT_FORMS, POINT_FORMS};
use super::stamp::{self, Stamp};
use super::zone::{SECOND, Shown};
use super::{CivilError, Micros, Problem, Zone};

/// Reads an RFC 3339 instant with its offset; the seconds may be missing.
///
/// # Errors
/// [`Problem::NoOffset`] for a time without an offset, [`Problem::DateOnly`] for a date, and whatever
/// else is wrong with the text. White space around it is not removed.
pub fn parse_instant(text: &str) -> Result<Micros, CivilError> {
    match read(text, INSTANT_FORMS)? {
        Stamp::Date(_) => Err(CivilError::new(text, Problem::DateOnly)),
        Stamp::Time(local, offset) => instant(text, local, offset, None),
    }
}

/// Reads an RFC 3339 instant, a local time of `zone`, or a date (also as ISO week date), which means
/// the start of that local day as [`super::day_bounds`] defines it.
///
/// # Errors
/// [`Problem::Skipped`] or [`Problem::Twice`] for a local time that is not exactly one instant, and
/// whatever else is wrong with the text. White space around it is not removed.
pub fn parse_point(text: &str, zone: &Zone) -> Result<Micros, CivilError> {
    match read(text, POINT_FORMS)? {
        Stamp::Date(day) => supported(text, day_bounds(day, zone).0),
        Stamp::Time(local, offset) => instant(text, local, offset, Some(zone)),
    }
}

fn read(text: &str, forms: &'static str) -> Result<Stamp, CivilError> {
    if text.trim().is_empty() {
        return Err(CivilError::new(text, Problem::Empty { forms }));
    }
    stamp::read(text, forms)
}

/// The one instant at which a clock shows `local`: a clock at `offset`, else the one of `zone`.
pub(super) fn instant(
    text: &str,
    local: NaiveDateTime,
    offset: Option<FixedOffset>,
    zone: Option<&Zone>,
) -> Result<Micros, CivilError> {
    let Some(zone) = offset.map(Zone::fixed).or(zone.copied()) else {
        return Err(CivilError::new(text, Problem::NoOffset));
    };
    match zone.shown(local) {
        Shown::Once(at) => supported(text, at),
        Shown::Twice(first, second) => Err(CivilError::new(
            text,
            Problem::Twice {
                zone: zone.to_string(),
                first: format_in(first, &zone),
                second: format_in(second, &zone),
            },
        )),
        Shown::Skipped(at) => Err(CivilError::new(
            text,
            Problem::Skipped {
                zone: zone.to_string(),
                before: format_in(Micros(at.0 - SECOND), &zone),
                after: format_in(at, &zone),
            },
        )),
    }
}

/// Lets an instant pass whose year in UTC is supported, so that its canonical text can be read back.
pub(super) fn supported(text: &str, at: Micros) -> Result<Micros, CivilError> {
    let (year, _, _) = calendar_date(at, 0);
    if i32::try_from(year).is_ok_and(|year| YEARS.contains(&year)) {
        Ok(at)
    } else {
        Err(CivilError::new(text, Problem::Year { found: format_utc(at) }))
    }
}
