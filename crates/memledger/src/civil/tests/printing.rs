//! What is printed, and that it reads back.

use proptest::prelude::*;

use super::super::{
    Micros, When, Zone, describe_known, format_in, format_utc, parse_instant, tz_version,
};
use super::{ZONES, at, day, when, zone};

const FIRST: i64 = -377_705_116_800_000_000;
const LAST: i64 = 253_402_300_799_999_999;

#[test]
fn the_supported_range_is_the_one_tested() {
    assert_eq!(format_utc(Micros(FIRST)), "-9999-01-01T00:00:00Z");
    assert_eq!(format_utc(Micros(LAST)), "9999-12-31T23:59:59.999999Z");
    assert_eq!(
        (at("-9999-01-01T00:00:00Z"), at("9999-12-31T23:59:59.999999Z")),
        (Micros(FIRST), Micros(LAST))
    );
}

#[test]
fn fractions_have_no_digits_or_three_or_six() {
    for (micros, text) in [
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:00.000001Z"),
        (10, "1970-01-01T00:00:00.000010Z"),
        (1_000, "1970-01-01T00:00:00.001Z"),
        (500_000, "1970-01-01T00:00:00.500Z"),
        (1_500_100, "1970-01-01T00:00:01.500100Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (-1_000, "1969-12-31T23:59:59.999Z"),
        (-1_000_000, "1969-12-31T23:59:59Z"),
    ] {
        assert_eq!(format_utc(Micros(micros)), text);
    }
}

#[test]
fn the_ends_of_the_type_are_printed() {
    assert_eq!(format_utc(Micros(i64::MAX)), "+294247-01-10T04:00:54.775807Z");
    assert_eq!(format_utc(Micros(i64::MIN)), "-290308-12-21T19:59:05.224192Z");
    assert_eq!(format_in(Micros(i64::MAX), &zone("+23:59")), "+294247-01-11T03:59:54.775807+23:59");
    assert_eq!(format_in(Micros(i64::MIN), &zone("-23:59")), "-290308-12-20T20:00:05.224192-23:59");
    // Beyond the calendar's range a zone has its first and its last offset.
    let new_york = zone("America/New_York");
    assert_eq!(format_in(Micros(i64::MAX), &new_york), "+294247-01-09T23:00:54.775807-05:00");
    assert_eq!(format_in(Micros(i64::MIN), &new_york), "-290308-12-21T15:03:03.224192-04:56:02");
    for name in ZONES {
        assert!(!format_in(Micros(i64::MAX), &zone(name)).is_empty());
        assert!(!format_in(Micros(i64::MIN), &zone(name)).is_empty());
    }
}

#[test]
fn zones_print_their_clock_and_offset() {
    let noon = at("2026-03-03T12:00:00Z");
    assert_eq!(format_in(noon, &Zone::UTC), "2026-03-03T12:00:00Z");
    assert_eq!(format_in(noon, &zone("Europe/London")), "2026-03-03T12:00:00+00:00");
    assert_eq!(format_in(noon, &zone("Asia/Kathmandu")), "2026-03-03T17:45:00+05:45");
    assert_eq!(format_in(noon, &zone("America/St_Johns")), "2026-03-03T08:30:00-03:30");
    assert_eq!(
        format_in(at("1850-01-01T00:00:00Z"), &zone("Europe/Paris")),
        "1850-01-01T00:09:21+00:09:21"
    );
}

#[test]
fn the_basis_of_an_answer_is_named() {
    let end = at("2026-03-04T00:00:00Z");
    let version = tz_version();
    let date = When::Date(day(2026, 3, 3));
    assert_eq!(
        describe_known(&date, &Zone::UTC, end),
        format!("known before 2026-03-04T00:00:00Z (2026-03-03, UTC, tz {version})")
    );
    assert_eq!(
        describe_known(&date, &zone("Europe/Berlin"), at("2026-03-03T23:00:00Z")),
        format!("known before 2026-03-03T23:00:00Z (2026-03-03, Europe/Berlin, tz {version})")
    );
    let afternoon = at("2026-03-03T14:00:00Z");
    for when in [when("2026-03-03T14:00:00Z", "UTC"), When::Seq(4), When::Head, When::Size(5)] {
        assert_eq!(
            describe_known(&when, &zone("Asia/Tokyo"), afternoon),
            "known at 2026-03-03T14:00:00Z"
        );
    }
    assert_eq!(version.len(), 5, "a year and a letter");
}

proptest! {
    #[test]
    fn what_is_printed_reads_back(micros in FIRST..=LAST) {
        let text = format_utc(Micros(micros));
        prop_assert_eq!(parse_instant(&text), Ok(Micros(micros)));
        prop_assert_eq!(When::parse(&text, &Zone::UTC, Micros(0)), Ok(When::Instant(Micros(micros))));
    }

    #[test]
    fn what_is_printed_in_a_zone_reads_back(micros in FIRST + 86_400_000_000..LAST - 86_400_000_000, name in prop::sample::select(ZONES.as_slice())) {
        prop_assert_eq!(parse_instant(&format_in(Micros(micros), &zone(name))), Ok(Micros(micros)));
    }

    #[test]
    fn every_instant_prints_and_only_the_supported_ones_read_back(micros in any::<i64>(), name in prop::sample::select(ZONES.as_slice())) {
        let text = format_utc(Micros(micros));
        prop_assert_eq!(parse_instant(&text).is_ok(), (FIRST..=LAST).contains(&micros));
        prop_assert!(!format_in(Micros(micros), &zone(name)).is_empty());
    }

    #[test]
    fn fractions_read_as_they_are_written(micro in 0_i64..1_000_000, zeros in 0_usize..5) {
        let text = format!("2026-03-03T12:00:00.{micro:06}{}Z", "0".repeat(zeros));
        prop_assert_eq!(parse_instant(&text), Ok(Micros(at("2026-03-03T12:00:00Z").0 + micro)));
    }
}
