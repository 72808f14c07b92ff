//! Dates with an English month: `March 3`, `3 March 2026`, `Mar 3rd, 2026`.
//!
//! Owns the names of the months and the choice of a year where none is written. A year has four digits
//! here and no sign; anything that could be read in two ways, such as `3/4/2026`, is not a form at all.

use chrono::NaiveDate;

use super::error::shortened;
use super::{CivilError, Day, Problem};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Reads a whole text as a date. `today` is asked for only if the text has no year.
pub(super) fn read(
    text: &str,
    forms: &'static str,
    today: impl FnOnce() -> Result<Day, CivilError>,
) -> Result<Day, CivilError> {
    let (date, after_comma) =
        text.split_once(',').map_or((text, None), |(date, year)| (date, Some(year.trim())));
    let mut words = date.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (month, day) = match (month(first), month(second)) {
        (Some(month), _) => (month, second),
        (None, Some(month)) => (month, first),
        (None, None) => return Err(unrecognised(text, String::new(), text, forms)),
    };
    let name = MONTHS.get(month).copied().unwrap_or_default();
    let Some(day) = day_number(day) else {
        return Err(unrecognised(text, format!("the month {name}"), day, forms));
    };
    let beside = words.next();
    if let (Some(extra), Some(_)) = (beside, after_comma) {
        return Err(unrecognised(text, format!("{name} {day}"), extra, forms));
    }
    let year = beside.or(after_comma);
    if let Some(other) = year
        && (other.is_empty() || !other.chars().all(|c| c.is_ascii_digit()))
    {
        return Err(unrecognised(text, format!("{name} {day}"), other, forms));
    }
    if let Some(extra) = words.next() {
        return Err(unrecognised(text, format!("{name} {day} and a year"), extra, forms));
    }
    let month = u32::try_from(month + 1).expect("an index of twelve months");
    match year {
        Some(year) => with_year(text, year, month, day),
        None => latest(today()?, month, day).map_err(|problem| CivilError::new(text, problem)),
    }
}

fn unrecognised(text: &str, read: String, rest: &str, forms: &'static str) -> CivilError {
    CivilError::new(text, Problem::Unrecognised { read, rest: shortened(rest), forms })
}

/// The index of a month from its name or its usual abbreviation, with or without a full stop.
fn month(word: &str) -> Option<usize> {
    let lower = word.strip_suffix('.').unwrap_or(word).to_ascii_lowercase();
    MONTHS.iter().position(|name| {
        let name = name.to_ascii_lowercase();
        name == lower
            || (lower.len() == 3 && name.starts_with(&lower))
            || (lower == "sept" && name == "september")
    })
}

/// One or two digits, with or without the right ordinal ending.
fn day_number(word: &str) -> Option<u32> {
    let ending = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = word.strip_suffix(ending).filter(|digits| (1..=2).contains(&digits.len()))?;
    let number: u32 = digits.parse().ok()?;
    let ordinal = match (number % 10, number / 10) {
        (1, tens) if tens != 1 => "st",
        (2, tens) if tens != 1 => "nd",
        (3, tens) if tens != 1 => "rd",
        _ => "th",
    };
    (ending.is_empty() || ending.eq_ignore_ascii_case(ordinal)).then_some(number)
}

/// `year` holds digits only.
fn with_year(text: &str, year: &str, month: u32, day: u32) -> Result<Day, CivilError> {
    if year.len() != 4 {
        let found = shortened(year);
        return Err(CivilError::new(text, Problem::Digits { what: "year", width: 4, found }));
    }
    // Year 0 has one spelling, the numeric one.
    let value = year.parse().expect("four ASCII digits are a number");
    let range = (1, 9999);
    let problem = match Day::checked(value, month, day) {
        _ if value == 0 => {
            Problem::Range { what: "year beside a month's name", found: "0".to_owned(), range }
        }
        Ok(day) => return Ok(day),
        Err(problem) => problem,
    };
    Err(CivilError::new(text, problem))
}

/// The latest such day that is not after `today`. A leap day can be eight years back, around 1900.
fn latest(today: Day, month: u32, day: u32) -> Result<Day, Problem> {
    // A leap year shows what the month can hold at all, and which number is wrong.
    Day::checked(2000, month, day).map_err(|problem| without_year(problem, month))?;
    (0..=8)
        .filter_map(|back| NaiveDate::from_ymd_opt(today.year() - back, month, day))
        .find(|date| *date <= today.date())
        .and_then(Day::supported)
        .ok_or_else(|| Problem::Year { found: "the latest such date".to_owned() })
}

fn without_year(problem: Problem, month: u32) -> Problem {
    let Problem::NoSuchDay { days, .. } = problem else {
        return problem;
    };
    let name = usize::try_from(month).ok().and_then(|month| MONTHS.get(month.wrapping_sub(1)));
    Problem::NoSuchDay { month: name.copied().unwrap_or_default().to_owned(), days }
}
