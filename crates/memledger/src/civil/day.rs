//! Days of the proleptic Gregorian calendar, and when they begin and end in a zone.
//!
//! Owns the definition of a local day: it begins at the first instant at which the zone's clock shows
//! its midnight or later, and ends where the next day begins. That holds where midnight is skipped,
//! where it happens twice (the earlier counts), and where a whole day is skipped (it is empty).

use std::fmt;

use chrono::{Datelike, NaiveDate, NaiveTime};

use super::format::{calendar_date, year_text};
use super::zone::Shown;
use super::{CivilError, Micros, Problem, Zone};

/// The first and last supported year. Year 0 is the year before year 1, as in ISO 8601.
pub(super) const YEARS: std::ops::RangeInclusive<i32> = -9999..=9999;

/// A day of the calendar, from -9999-01-01 to 9999-12-31. Displays as `2026-03-03`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(NaiveDate);

impl Day {
    /// The day with these numbers; months and days count from 1.
    ///
    /// # Errors
    /// [`Problem::Year`], [`Problem::Range`] or [`Problem::NoSuchDay`].
    pub fn new(year: i32, month: u32, day: u32) -> Result<Self, CivilError> {
        Self::checked(year, month, day).map_err(|problem| {
            CivilError::new(&format!("{}-{month:02}-{day:02}", year_text(year.into())), problem)
        })
    }

    pub(super) fn checked(year: i32, month: u32, day: u32) -> Result<Self, Problem> {
        if !YEARS.contains(&year) {
            return Err(Problem::Year { found: format!("the year {year}") });
        }
        let Some(first) = NaiveDate::from_ymd_opt(year, month, 1) else {
            return Err(Problem::Range { what: "month", found: month.to_string(), range: (1, 12) });
        };
        if !(1..=31).contains(&day) {
            return Err(Problem::Range { what: "day", found: day.to_string(), range: (1, 31) });
        }
        first.with_day(day).map(Self).ok_or_else(|| Problem::NoSuchDay {
            month: first.format("%B %Y").to_string(),
            days: u32::from(first.num_days_in_month()),
        })
    }

    /// The local day of an instant: `day_bounds(day).0 <= at < day_bounds(day).1`. `None` beyond the
    /// supported years.
    ///
    /// Where a clock goes back over midnight, the repeated part of the old day belongs to the new one.
    #[must_use]
    pub fn containing(at: Micros, zone: &Zone) -> Option<Self> {
        let (year, month, day) = calendar_date(at, zone.offset_seconds(at));
        let mut day = Self::checked(i32::try_from(year).ok()?, month, day).ok()?;
        while at >= day_bounds(day, zone).1 {
            day = day.next()?;
        }
        Some(day)
    }

    /// The year; 0 is the year before year 1.
    #[must_use]
    pub fn year(self) -> i32 {
        self.0.year()
    }

    /// The month, 1 to 12.
    #[must_use]
    pub fn month(self) -> u32 {
        self.0.month()
    }

    /// The day of the month, from 1.
    #[must_use]
    pub fn day(self) -> u32 {
        self.0.day()
    }

    /// The day after this one on the calendar; `None` after the last supported day.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        Self::supported(self.0.succ_opt()?)
    }

    /// The day before this one on the calendar; `None` before the first supported day.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        Self::supported(self.0.pred_opt()?)
    }

    pub(super) fn supported(date: NaiveDate) -> Option<Self> {
        YEARS.contains(&date.year()).then_some(Self(date))
    }

    pub(super) fn date(self) -> NaiveDate {
        self.0
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:02}-{:02}", year_text(self.year().into()), self.month(), self.day())
    }
}

/// The first instant of a local day and the first instant of the next one.
///
/// The two are equal for a day that the zone skipped. The bounds of consecutive days abut.
#[must_use]
pub fn day_bounds(day: Day, zone: &Zone) -> (Micros, Micros) {
    let next = day.date().succ_opt().expect("the calendar reaches far beyond the supported years");
    (first_instant(day.date(), zone), first_instant(next, zone))
}

fn first_instant(date: NaiveDate, zone: &Zone) -> Micros {
    match zone.shown(date.and_time(NaiveTime::MIN)) {
        Shown::Once(at) | Shown::Twice(at, _) | Shown::Skipped(at) => at,
    }
}
