//! Owns fractions: parts of 10,000, written as decimals in quotes. A float would round differently
//! somewhere, and a verdict has to be the same everywhere.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A fraction from 0 to 1 in parts of 10,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Parts(u16);

impl Parts {
    /// The whole.
    pub const ONE: Self = Self(10_000);

    /// From a number of parts of 10,000; more than all of them is all of them.
    #[must_use]
    pub const fn of(parts: u16) -> Self {
        if parts > 10_000 { Self::ONE } else { Self(parts) }
    }

    /// The number of parts of 10,000.
    #[must_use]
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl FromStr for Parts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is no fraction; write it as \"0.25\", from \"0\" to \"1\", four digits at most"
            )
        };
        let (whole, rest) = text.split_once('.').unwrap_or((text, ""));
        let digits = |part: &str| part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !digits(whole) || !digits(rest) {
            return Err(wrong());
        }
        let whole: u32 = whole.parse().map_err(|_| wrong())?;
        let rest: u32 = format!("{rest:0<4}").parse().map_err(|_| wrong())?;
        u16::try_from(whole * 10_000 + rest)
            .ok()
            .filter(|parts| *parts <= 10_000)
            .map(Self)
            .ok_or_else(wrong)
    }
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 10_000, self.0 % 10_000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{rest:04}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Parts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_fraction_reads_back() {
        for parts in 0..=10_000 {
            let text = Parts(parts).to_string();
            assert_eq!(text.parse(), Ok(Parts(parts)), "{text}");
        }
    }

    #[test]
    fn what_is_no_fraction_is_refused() {
        for text in ["", ".5", "1.0001", "2", "-0", "0,5", "0.12345", "0.5 ", "1e0", "00000", "NaN"]
        {
            assert!(text.parse::<Parts>().is_err(), "{text:?}");
        }
    }
}
