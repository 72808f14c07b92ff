//! Owns how long something counts, as a policy says it: `"7d"`, `"24h"`, `"day"`, `"none"`.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use ledger_format::Micros;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const SECOND: i64 = 1_000_000;
const UNITS: [(char, i64); 5] = [
    ('w', 7 * 86_400 * SECOND),
    ('d', 86_400 * SECOND),
    ('h', 3_600 * SECOND),
    ('m', 60 * SECOND),
    ('s', SECOND),
];

/// How long something counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// It does not end by itself.
    #[default]
    None,
    /// So many microseconds after the record.
    For(i64),
    /// Until the end of the civil day of the record in the ledger's zone.
    Day,
}

impl Length {
    /// So many days.
    #[must_use]
    pub const fn days(days: i64) -> Self {
        Self::For(days * 86_400 * SECOND)
    }

    /// When it ends, for a record made at `now` on a day that ends at `day_end`.
    #[must_use]
    pub fn end(self, now: Micros, day_end: Micros) -> Option<Micros> {
        match self {
            Self::None => None,
            Self::For(micros) => Some(Micros(now.0.saturating_add(micros))),
            Self::Day => Some(day_end),
        }
    }
}

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => return Ok(Self::None),
            "day" => return Ok(Self::Day),
            _ => {}
        }
        let wrong = || {
            format!(
                "{text:?} is no length of time; write \"90d\" (w, d, h, m or s), \"day\" for the end of the day, or \"none\""
            )
        };
        let unit = text.chars().next_back().ok_or_else(wrong)?;
        let (_, micros) =
            UNITS.into_iter().find(|(letter, _)| *letter == unit).ok_or_else(wrong)?;
        let number = text.strip_suffix(unit).ok_or_else(wrong)?;
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(wrong());
        }
        let number: i64 = number.parse().map_err(|_| wrong())?;
        number.checked_mul(micros).filter(|length| *length > 0).map(Self::For).ok_or_else(wrong)
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = match self {
            Self::None => return f.write_str("none"),
            Self::Day => return f.write_str("day"),
            Self::For(micros) => *micros,
        };
        // Days before weeks: people say 90 days and 24 hours.
        let unit = UNITS
            .iter()
            .skip(1)
            .find(|(_, unit)| micros % unit == 0 && (*unit != UNITS[1].1 || micros > *unit));
        match unit {
            Some((letter, unit)) => write!(f, "{}{letter}", micros / unit),
            None => write!(f, "{}s", micros / SECOND),
        }
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn lengths_read_back_as_people_write_them() {
        for text in ["none", "day", "24h", "7d", "90d", "180d", "5m", "30s", "36h"] {
            assert_eq!(
                text.parse::<Length>().map(|length| length.to_string()),
                Ok(text.to_string())
            );
        }
        assert_eq!("2w".parse(), Ok(Length::days(14)));
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for text in ["", "d", "0d", "-1d", "1.5h", "7 d", "7days", "99999999999999d", "ever"] {
            assert!(text.parse::<Length>().is_err(), "{text:?}");
        }
    }
}
