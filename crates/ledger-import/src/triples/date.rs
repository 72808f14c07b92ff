//! Owns the dates of fact tables: `1926-##-##`, `2014-06-##`, `2014-06-18`, `####-##-##`.
//!
//! A date is the whole unit it names, in UTC: what begins in 1926 begins with its first instant, what
//! ends in 1929 ends with its last.

use memledger::civil::{Day, Zone, day_bounds};
use memledger::format::Micros;

/// Digits that are not known.
const UNKNOWN: char = '#';

/// How much of a date is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Unknown,
    Year(i32),
    Month(i32, u32),
    Day(i32, u32, u32),
}

impl Unit {
    /// Reads a date. Years need no leading zeros; a minus sign counts years before year 1.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!("{text:?} is no date; write 1926-##-##, 1926-05-##, 1926-05-31 or ####-##-##")
        };
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let parts: Vec<&str> = digits.split('-').collect();
        let [year, month, day] = parts.as_slice() else { return Err(wrong()) };
        let open = |part: &str| !part.is_empty() && part.chars().all(|c| c == UNKNOWN);
        let number = |part: &str, most: usize| {
            let digits =
                part.len() <= most && !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            if digits { part.parse::<i32>().map_err(|_| wrong()) } else { Err(wrong()) }
        };
        let small = |part: &str| {
            number(part, 2).and_then(|found| u32::try_from(found).map_err(|_| wrong()))
        };
        if open(year) {
            return if open(month) && open(day) && sign == 1 {
                Ok(Self::Unknown)
            } else {
                Err(wrong())
            };
        }
        let year = sign * number(year, 4)?;
        let unit = match (open(month), open(day)) {
            (true, true) => Self::Year(year),
            (false, true) => Self::Month(year, small(month)?),
            (false, false) => Self::Day(year, small(month)?, small(day)?),
            (true, false) => return Err(wrong()),
        };
        let (_, month, day) = unit.first().ok_or_else(wrong)?;
        Day::new(year, month, day).map_err(|error| error.to_string())?;
        Ok(unit)
    }

    /// Its first instant; none: not known.
    pub(crate) fn begin(self) -> Option<Micros> {
        let (year, month, day) = self.first()?;
        start_of(year, month, day)
    }

    /// The first instant after it; none: not known, or beyond the calendar, where "9999" means that no
    /// end is known.
    pub(crate) fn after(self) -> Option<Micros> {
        match self {
            Self::Unknown => None,
            Self::Year(year) => start_of(year + 1, 1, 1),
            Self::Month(year, 12) => start_of(year + 1, 1, 1),
            Self::Month(year, month) => start_of(year, month + 1, 1),
            Self::Day(year, month, day) => {
                let next = Day::new(year, month, day).ok()?.next()?;
                Some(day_bounds(next, &Zone::UTC).0)
            }
        }
    }

    const fn first(self) -> Option<(i32, u32, u32)> {
        match self {
            Self::Unknown => None,
            Self::Year(year) => Some((year, 1, 1)),
            Self::Month(year, month) => Some((year, month, 1)),
            Self::Day(year, month, day) => Some((year, month, day)),
        }
    }
}

fn start_of(year: i32, month: u32, day: u32) -> Option<Micros> {
    Day::new(year, month, day).ok().map(|day| day_bounds(day, &Zone::UTC).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use memledger::civil::format_utc;

    fn span(text: &str) -> String {
        let unit = Unit::parse(text).unwrap();
        let show = |at: Option<Micros>| {
            at.map_or("open".to_owned(), |at| {
                format_utc(at).split('T').next().unwrap_or_default().to_owned()
            })
        };
        format!("{} {}", show(unit.begin()), show(unit.after()))
    }

    #[test]
    fn a_date_is_its_whole_unit() {
        assert_eq!(span("1926-##-##"), "1926-01-01 1927-01-01");
        assert_eq!(span("1926-02-##"), "1926-02-01 1926-03-01");
        assert_eq!(span("1926-12-##"), "1926-12-01 1927-01-01");
        assert_eq!(span("2024-02-29"), "2024-02-29 2024-03-01");
        assert_eq!(span("360-##-##"), "0360-01-01 0361-01-01");
        assert_eq!(span("-44-03-15"), "-0044-03-15 -0044-03-16");
        assert_eq!(span("####-##-##"), "open open");
        assert_eq!(span("9999-##-##"), "9999-01-01 open");
        assert_eq!(span("9999-12-31"), "9999-12-31 open");
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for wrong in [
            "",
            "1926",
            "1926-1",
            "##26-##-##",
            "1926-##-05",
            "1926-13-##",
            "1926-02-30",
            "1926-00-##",
            "12345-##-##",
            "+926-##-##",
            "1926-##-##-##",
            "-####-##-##",
            "####-05-##",
            "19 6-##-##",
            "1926-005-##",
            "１９２６-##-##",
            "1926-##-##Z",
            "-",
        ] {
            assert!(Unit::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
