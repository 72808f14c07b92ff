//! The reasons for refusing a text.
//!
//! Owns the list of reasons: one variant is one reason, so callers can tell them apart without reading
//! prose. The prose is in `wording.rs`.

/// The forms that a point on the command line may have.
pub(super) const WHEN_FORMS: &str = "2026-03-03T14:00:00Z, 2026-03-03T14:00+02:00, 2026-03-03T14:00 (in the zone), \
     2026-03-03 (the whole local day), 2026-W10-2, March 3, 3 March 2026, today, yesterday, now, \
     #123, head, size:123";
/// The forms that an instant in a field may have.
pub(super) const INSTANT_FORMS: &str = "2026-03-03T14:00:00Z, 2026-03-03T14:00:00.250+02:00";
/// The forms that a point in a field with a zone may have.
pub(super) const POINT_FORMS: &str = "2026-03-03T14:00:00Z, 2026-03-03T14:00+02:00, 2026-03-03T14:00 (in the zone), \
     2026-03-03 (the start of the local day)";

/// Why a text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Nothing, or only white space.
    Empty {
        /// The accepted forms.
        forms: &'static str,
    },
    /// Not one of the accepted forms.
    Unrecognised {
        /// What was understood before reading stopped; empty if nothing was.
        read: String,
        /// Where reading stopped.
        rest: String,
        /// The accepted forms.
        forms: &'static str,
    },
    /// A number with too many or too few digits.
    Digits {
        /// The field.
        what: &'static str,
        /// How many digits it has.
        width: usize,
        /// What was found.
        found: String,
    },
    /// A number outside its range.
    Range {
        /// The field.
        what: &'static str,
        /// What was found.
        found: String,
        /// The smallest and the largest value.
        range: (u32, u32),
    },
    /// A day that its month does not have.
    NoSuchDay {
        /// The month, with its year where one was given.
        month: String,
        /// How many days that month has (at most, where no year was given).
        days: u32,
    },
    /// A week that its ISO year does not have.
    NoSuchWeek {
        /// The ISO year.
        year: i32,
        /// How many weeks it has.
        weeks: u32,
    },
    /// A year, or an instant in UTC, beyond the supported years.
    Year {
        /// The year or instant.
        found: String,
    },
    /// The year -0000, a second spelling of 0000.
    MinusZero,
    /// Second 60.
    LeapSecond {
        /// The last instant of that minute.
        last: String,
        /// The first instant of the next one.
        next: String,
    },
    /// A fraction finer than a microsecond.
    TooFine {
        /// The six digits that can be kept.
        kept: String,
    },
    /// An offset in another form, such as `+0200`.
    Offset {
        /// What was found.
        found: String,
    },
    /// A local time that the zone's clock jumped over.
    Skipped {
        /// The zone.
        zone: String,
        /// The last second before the jump.
        before: String,
        /// The first one after it.
        after: String,
    },
    /// A local time that the zone's clock showed twice.
    Twice {
        /// The zone.
        zone: String,
        /// The first of the two instants.
        first: String,
        /// The second one.
        second: String,
    },
    /// A time without an offset where no zone applies.
    NoOffset,
    /// A date where an instant is needed.
    DateOnly,
    /// A number that is not a whole number from 0 to `u64::MAX`.
    Number {
        /// What it stands for.
        what: &'static str,
    },
    /// A zone that the compiled-in data does not have.
    Zone {
        /// Names that end the same way.
        similar: Vec<String>,
    },
}
