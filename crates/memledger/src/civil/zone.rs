//! Zones: names and offsets, and what their clocks show.
//!
//! Owns the mapping between instants and local times. Everything it knows is compiled in; it never
//! looks at the machine's own zone. The mapping from instants is total, the one from local times
//! answers one instant, two, or none, and leaves the choice to the caller.

use std::fmt;

use chrono::{DateTime, FixedOffset, MappedLocalTime, NaiveDateTime, Offset, TimeZone, Utc};
use chrono_tz::{TZ_VARIANTS, Tz};

use super::cursor::Cursor;
use super::stamp;
use super::{CivilError, Micros, Problem};

pub(super) const SECOND: i64 = 1_000_000;
pub(super) const DAY: i64 = 86_400 * SECOND;

/// The version of the compiled-in zone data, such as `2025b`.
#[must_use]
pub fn tz_version() -> &'static str {
    chrono_tz::IANA_TZDB_VERSION
}

/// A time zone: UTC, a fixed offset, or a name of the IANA database.
///
/// Displays as the text that [`Zone::parse`] reads back: `UTC`, `+02:00`, `Europe/Berlin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Zone(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Utc,
    Fixed(FixedOffset),
    Named(Tz),
}

/// The instants at which a zone's clock shows a given local time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Once(Micros),
    /// Earlier, later.
    Twice(Micros, Micros),
    /// Never; the clock jumped over it at this instant.
    Skipped(Micros),
}

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(Kind::Utc);

    /// Reads an IANA name in any case, `UTC`, `Z`, or an offset such as `+02:00`.
    ///
    /// # Errors
    /// [`Problem::Zone`] for an unknown name, with names that end the same way; [`Problem::Offset`],
    /// [`Problem::Digits`] or [`Problem::Range`] for an offset written in another form.
    pub fn parse(text: &str) -> Result<Self, CivilError> {
        if text.eq_ignore_ascii_case("utc") || text.eq_ignore_ascii_case("z") {
            return Ok(Self::UTC);
        }
        if text.starts_with(['+', '-']) {
            let mut cursor = Cursor::new(text, "+02:00, -05:30");
            let offset = stamp::offset(&mut cursor)?;
            cursor.end("an offset")?;
            return Ok(Self::fixed(offset));
        }
        // No two names of the database differ in case only.
        TZ_VARIANTS
            .iter()
            .find(|tz| tz.name().eq_ignore_ascii_case(text))
            .map(|tz| Self(Kind::Named(*tz)))
            .ok_or_else(|| CivilError::new(text, Problem::Zone { similar: similar(text) }))
    }

    /// A fixed offset; the zero offset is UTC, so that it has one spelling.
    pub(super) fn fixed(offset: FixedOffset) -> Self {
        if offset.local_minus_utc() == 0 { Self::UTC } else { Self(Kind::Fixed(offset)) }
    }

    /// Local time minus UTC in seconds at an instant. Instants beyond the calendar's range get the
    /// first or the last offset of the zone.
    pub(super) fn offset_seconds(&self, at: Micros) -> i64 {
        let offset = match self.0 {
            Kind::Utc => return 0,
            Kind::Fixed(offset) => offset,
            Kind::Named(tz) => {
                let edge =
                    if at.0 < 0 { DateTime::<Utc>::MIN_UTC } else { DateTime::<Utc>::MAX_UTC };
                let utc = DateTime::from_timestamp_micros(at.0).unwrap_or(edge);
                tz.offset_from_utc_datetime(&utc.naive_utc()).fix()
            }
        };
        i64::from(offset.local_minus_utc())
    }

    /// When this zone's clock shows `local`.
    pub(super) fn shown(&self, local: NaiveDateTime) -> Shown {
        let reading = local.and_utc().timestamp_micros();
        let instant =
            |offset: FixedOffset| Micros(reading - i64::from(offset.local_minus_utc()) * SECOND);
        let offsets = match self.0 {
            Kind::Utc => return Shown::Once(Micros(reading)),
            Kind::Fixed(offset) => MappedLocalTime::Single(offset),
            Kind::Named(tz) => tz.offset_from_local_datetime(&local).map(|offset| offset.fix()),
        };
        match offsets {
            MappedLocalTime::Single(offset) => Shown::Once(instant(offset)),
            MappedLocalTime::Ambiguous(a, b) => {
                let (a, b) = (instant(a), instant(b));
                Shown::Twice(a.min(b), a.max(b))
            }
            MappedLocalTime::None => Shown::Skipped(self.jump_over(reading)),
        }
    }

    /// The instant at which the clock jumps over `reading` (microseconds of local time).
    ///
    /// No instant shows `reading`, so the clock passes it exactly once, by that jump: bisection finds it
    /// whatever else happens nearby. No zone is ever a day away from UTC, which gives the ends.
    fn jump_over(&self, reading: i64) -> Micros {
        let (mut before, mut after) = (reading - DAY, reading + DAY);
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            if middle + self.offset_seconds(Micros(middle)) * SECOND < reading {
                before = middle;
            } else {
                after = middle;
            }
        }
        Micros(after)
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Kind::Utc => f.write_str("UTC"),
            Kind::Fixed(offset) => write!(f, "{offset}"),
            Kind::Named(tz) => f.write_str(tz.name()),
        }
    }
}

/// Up to three names whose last part is `text`: the usual mistake is to leave the region out.
fn similar(text: &str) -> Vec<String> {
    let wanted = text.trim().replace(' ', "_");
    TZ_VARIANTS
        .iter()
        .map(|tz| tz.name())
        .filter(|name| {
            name.rsplit('/').next().is_some_and(|last| last.eq_ignore_ascii_case(&wanted))
        })
        .take(3)
        .map(str::to_owned)
        .collect()
}
