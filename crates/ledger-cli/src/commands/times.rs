//! Owns reading the times and lifetimes of flags and fields.

use std::time::Duration;

use memledger::Deadline;
use memledger::civil::{Zone, parse_instant, parse_point};
use memledger::format::Micros;

use crate::exit::Failure;

/// A hundred thousand years in seconds: no lifetime is longer.
const LONGEST: u64 = 100_000 * 366 * 86_400;

/// What to write where a text is neither a lifetime nor a time.
const LIFETIMES: &str = "a lifetime is a number with s, m, h, d or w, such as 30m, 24h, 7d, 52w";

/// Reads a time that a person typed: an instant, a local time, or a date, which is its start.
///
/// # Errors
/// A usage failure that names the flag.
pub(crate) fn point(
    flag: &str,
    text: Option<&str>,
    zone: &Zone,
) -> Result<Option<Micros>, Failure> {
    text.map(|text| parse_point(text, zone).map_err(|e| Failure::usage(e.to_string()).within(flag)))
        .transpose()
}

/// Reads the end of a lifetime: so long from the time of the record, or a time.
///
/// # Errors
/// A usage failure that names the flag.
pub(crate) fn lifetime(
    flag: &str,
    text: Option<&str>,
    zone: &Zone,
) -> Result<Option<Deadline>, Failure> {
    let Some(text) = text else { return Ok(None) };
    match duration(text) {
        Some(length) => after(length).map(Some).map_err(|e| Failure::usage(e).within(flag)),
        None => point(flag, Some(text), zone)
            .map(|at| at.map(Deadline::At))
            .map_err(|failure| failure.hint(LIFETIMES)),
    }
}

/// The same for a field that a program wrote: a time carries its offset.
///
/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn lifetime_strict(text: &str) -> Result<Deadline, String> {
    match duration(text) {
        Some(length) => after(length),
        None => {
            parse_instant(text).map(Deadline::At).map_err(|error| format!("{error}; {LIFETIMES}"))
        }
    }
}

fn after(length: Option<u64>) -> Result<Deadline, String> {
    length
        .filter(|length| *length > 0 && *length < LONGEST)
        .map(|length| Deadline::After(Duration::from_secs(length)))
        .ok_or_else(|| {
            "the lifetime is zero or too long; write for example 30m, 24h, 7d".to_owned()
        })
}

/// `30m`, `24h`, `7d`, also `s` and `w`, in seconds. The outer none: it is no duration; the inner: too long.
fn duration(text: &str) -> Option<Option<u64>> {
    let unit = text.chars().next_back()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return None,
    };
    let digits = text.strip_suffix(unit)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let count: Option<u64> = digits.parse().ok();
    Some(count.and_then(|count| count.checked_mul(seconds)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_count_from_the_record() {
        let after = |seconds| Ok(Deadline::After(Duration::from_secs(seconds)));
        assert_eq!(lifetime_strict("30m"), after(1_800));
        assert_eq!(lifetime_strict("7d"), after(7 * 86_400));
        for wrong in ["0d", "-1d", "d", "1.5h", "99999999999999999999d", "7 d", "tomorrow", ""] {
            assert!(lifetime_strict(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_time_in_a_field_needs_an_offset_and_one_in_a_flag_does_not() {
        assert!(lifetime_strict("2026-03-03T10:00:00").is_err());
        assert!(lifetime_strict("2026-03-03T10:00:00Z").is_ok());
        let typed = lifetime("--ttl", Some("2026-03-03"), &Zone::UTC);
        let midnight = parse_instant("2026-03-03T00:00:00Z").expect("an instant");
        assert_eq!(typed, Ok(Some(Deadline::At(midnight))));
    }
}
