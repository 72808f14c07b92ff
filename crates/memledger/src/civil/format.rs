//! Printing instants and the basis of an answer about the past.
//!
//! Owns the canonical spelling. Total over all of `i64`: the calendar repeats every 400 years, so an
//! instant beyond the date library's range is computed within one such cycle.

use std::fmt::Write as _;

use chrono::{Datelike, Days, NaiveDate};

use super::zone::{DAY, SECOND};
use super::{Micros, When, Zone, tz_version};

/// Days in 400 years of the Gregorian calendar, always.
const CYCLE_DAYS: i64 = 146_097;

/// An instant in UTC, in its one canonical spelling: `2026-03-04T00:00:00Z`.
///
/// A fraction is printed only when it is not zero, with 3 digits if that is exact, else with 6.
/// Years outside 0 to 9999 carry a sign (`-0044-…`, `+10000-…`); from `+10000` on and before `-9999`
/// the text is for reading only, the parsers refuse those years.
#[must_use]
pub fn format_utc(at: Micros) -> String {
    let mut text = local_text(at, 0);
    text.push('Z');
    text
}

/// An instant as the zone's clock showed it, with the offset: `2026-03-03T14:00:00+02:00`; in UTC
/// as [`format_utc`].
///
/// An offset with seconds (local mean time, before the zones) is printed with them: `+00:19:32`.
#[must_use]
pub fn format_in(at: Micros, zone: &Zone) -> String {
    if *zone == Zone::UTC {
        return format_utc(at);
    }
    let offset = zone.offset_seconds(at);
    let mut text = local_text(at, offset);
    text.push_str(&offset_text(offset));
    text
}

/// How the first line of an answer about the past names its basis.
///
/// `resolved` is the instant that `when` came to: for a day the end of it, as [`super::day_bounds`]
/// gives it, which no longer counts; for everything else the last instant that counts.
#[must_use]
pub fn describe_known(when: &When, zone: &Zone, resolved: Micros) -> String {
    let at = format_utc(resolved);
    match when {
        When::Date(day) => format!("known before {at} ({day}, {zone}, tz {})", tz_version()),
        When::Instant(_) | When::Seq(_) | When::Head | When::Size(_) => format!("known at {at}"),
    }
}

/// Year, month and day on a clock that is `offset` seconds ahead of UTC.
pub(super) fn calendar_date(at: Micros, offset: i64) -> (i64, u32, u32) {
    let (days, _) = split(at, offset);
    let within = Days::new(days.rem_euclid(CYCLE_DAYS).unsigned_abs());
    let date = NaiveDate::default()
        .checked_add_days(within)
        .expect("within 400 years of 1970, which is the default date");
    let year = i64::from(date.year()) + 400 * days.div_euclid(CYCLE_DAYS);
    (year, date.month(), date.day())
}

/// Local days since 1970-01-01 and microseconds of the day. Cannot overflow: the offset is added to
/// the time of day, not to the instant.
fn split(at: Micros, offset: i64) -> (i64, i64) {
    let in_day = at.0.rem_euclid(DAY) + offset * SECOND;
    (at.0.div_euclid(DAY) + in_day.div_euclid(DAY), in_day.rem_euclid(DAY))
}

fn local_text(at: Micros, offset: i64) -> String {
    let (year, month, day) = calendar_date(at, offset);
    let (_, in_day) = split(at, offset);
    let (seconds, micros) = (in_day / SECOND, in_day % SECOND);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let mut text =
        format!("{}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}", year_text(year));
    // Writing to a String cannot fail.
    let _ = match (micros, micros % 1000) {
        (0, _) => Ok(()),
        (_, 0) => write!(text, ".{:03}", micros / 1000),
        _ => write!(text, ".{micros:06}"),
    };
    text
}

pub(super) fn offset_text(offset: i64) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let (hours, minutes, seconds) =
        (offset.abs() / 3600, offset.abs() / 60 % 60, offset.abs() % 60);
    if seconds == 0 {
        format!("{sign}{hours:02}:{minutes:02}")
    } else {
        format!("{sign}{hours:02}:{minutes:02}:{seconds:02}")
    }
}

/// Four digits, with a sign where four digits alone do not say it.
pub(super) fn year_text(year: i64) -> String {
    match year {
        0..=9999 => format!("{year:04}"),
        ..0 => format!("-{:04}", year.unsigned_abs()),
        _ => format!("+{year}"),
    }
}
