//! Civil time: the only place that knows zones, calendars and how people write a time.
//!
//! Owns: reading a point in time from text ([`When`], [`parse_instant`], [`parse_point`]), the bounds of
//! a local day ([`day_bounds`]), and printing instants ([`format_utc`], [`format_in`],
//! [`describe_known`]). Everywhere else time is microseconds UTC.
//!
//! Invariants:
//! - what [`format_utc`] prints for a supported instant, both parsers read back as the same instant;
//! - a text is read in exactly one way or refused: a local time that the zone's clock skipped or showed
//!   twice is an error that names the choices, never a guess;
//! - the local days of a zone partition its time line: `day_bounds(d).1 == day_bounds(d + 1).0`.
//!
//! May not: read a clock (the present is always an argument), read the machine's zone or its zone files
//! (the zone data is compiled in, [`tz_version`] names it), or panic on any input.
//!
//! Limits: years -9999 to 9999 as local date and as UTC instant. The zone data ends with the year 2099:
//! later instants keep the last offset it lists, so summer time is not applied from 2100 on.

mod cursor;
mod day;
mod english;
mod error;
mod format;
mod point;
mod problem;
mod stamp;
#[cfg(test)]
mod tests;
mod when;
mod wording;
mod zone;

pub use ledger_format::Micros;

pub use day::{Day, day_bounds};
pub use error::CivilError;
pub use format::{describe_known, format_in, format_utc};
pub use point::{parse_instant, parse_point};
pub use problem::Problem;
pub use when::When;
pub use zone::{Zone, tz_version};
