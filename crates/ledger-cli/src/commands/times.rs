//! Owns reading the times and lifetimes of flags and fields.

use memledger::civil::{Zone, parse_instant, parse_point};
use memledger::format::Micros;

use crate::exit::Failure;

/// Microseconds of a second.
const SECOND: i64 = 1_000_000;

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

/// Reads the end of a lifetime: so long from now, or a time.
///
/// # Errors
/// A usage failure that names the flag.
pub(crate) fn lifetime(
    flag: &str,
    text: Option<&str>,
    now: Micros,
    zone: &Zone,
) -> Result<Option<Micros>, Failure> {
    let Some(text) = text else { return Ok(None) };
    match duration(text) {
        Some(length) => ends(now, length).map(Some).map_err(|e| Failure::usage(e).within(flag)),
        None => point(flag, Some(text), zone),
    }
}

/// The same for a field that a program wrote: a time carries its offset.
///
/// # Errors
/// What is wrong, as a sentence.
pub(crate) fn lifetime_strict(text: &str, now: Micros) -> Result<Micros, String> {
    match duration(text) {
        Some(length) => ends(now, length),
        None => parse_instant(text)
            .map_err(|error| format!("{error} (or a lifetime such as 30m, 24h, 7d)")),
    }
}

fn ends(now: Micros, length: Option<i64>) -> Result<Micros, String> {
    length
        .filter(|length| *length > 0)
        .and_then(|length| now.0.checked_add(length))
        .map(Micros)
        .ok_or_else(|| {
            "the lifetime is zero or too long; write for example 30m, 24h, 7d".to_owned()
        })
}

/// `30m`, `24h`, `7d`, also `s` and `w`. The outer none: it is no duration; the inner: too long.
fn duration(text: &str) -> Option<Option<i64>> {
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
    let count: Option<i64> = digits.parse().ok();
    Some(count.and_then(|count| count.checked_mul(seconds * SECOND)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_counted_from_now() {
        let day = 86_400 * SECOND;
        assert_eq!(lifetime_strict("30m", Micros(0)), Ok(Micros(1_800 * SECOND)));
        assert_eq!(lifetime_strict("7d", Micros(5)), Ok(Micros(7 * day + 5)));
        for wrong in ["0d", "-1d", "d", "1.5h", "99999999999999999999d", "7 d", "tomorrow", ""] {
            assert!(lifetime_strict(wrong, Micros(0)).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_time_in_a_field_needs_an_offset_and_one_in_a_flag_does_not() {
        assert!(lifetime_strict("2026-03-03T10:00:00", Micros(0)).is_err());
        assert!(lifetime_strict("2026-03-03T10:00:00Z", Micros(0)).is_ok());
        let typed = lifetime("--ttl", Some("2026-03-03"), Micros(0), &Zone::UTC);
        assert_eq!(typed, Ok(Some(parse_instant("2026-03-03T00:00:00Z").expect("an instant"))));
    }
}
