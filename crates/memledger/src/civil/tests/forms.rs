//! What is read, and as what.

use super::super::{Micros, When, Zone, parse_instant, parse_point};
use super::{at, day, when, zone};

#[test]
fn instants_are_read_in_every_spelling_of_rfc_3339() {
    let noon = at("2026-03-03T12:00:00Z");
    assert_eq!(noon, Micros(1_772_539_200_000_000));
    for text in [
        "2026-03-03T12:00Z",
        "2026-03-03t12:00:00z",
        "2026-03-03 12:00:00Z",
        "2026-03-03T14:00+02:00",
        "2026-03-03T06:30:00-05:30",
        "2026-03-03T12:00:00-00:00",
        "2026-03-03T12:19:32+00:19:32",
        "2026-03-03T12:00:00.000000000Z",
        "2026-03-04T11:59:00+23:59",
    ] {
        assert_eq!(parse_instant(text), Ok(noon), "{text}");
        assert_eq!(parse_point(text, &zone("Asia/Tokyo")), Ok(noon), "{text}");
        assert_eq!(when(text, "Asia/Tokyo"), When::Instant(noon), "{text}");
    }
}

#[test]
fn fractions_are_kept_to_the_microsecond() {
    let whole = at("2026-03-03T12:00:00Z").0;
    for (fraction, micros) in
        [("5", 500_000), ("250", 250_000), ("000001", 1), ("123456000", 123_456)]
    {
        assert_eq!(at(&format!("2026-03-03T12:00:00.{fraction}Z")), Micros(whole + micros));
    }
    // Before 1970 a fraction still counts forward.
    assert_eq!(at("1969-12-31T23:59:59.999999Z"), Micros(-1));
}

#[test]
fn local_times_are_read_in_the_zone() {
    assert_eq!(
        when("2026-03-03T14:00", "Europe/Berlin"),
        When::Instant(at("2026-03-03T13:00:00Z"))
    );
    assert_eq!(
        when("2026-07-03 14:00:00.5", "Europe/Berlin"),
        When::Instant(at("2026-07-03T12:00:00.5Z"))
    );
    assert_eq!(when("2026-03-03T14:00", "UTC"), When::Instant(at("2026-03-03T14:00:00Z")));
    assert_eq!(when("2026-03-03T14:00", "-05:30"), When::Instant(at("2026-03-03T19:30:00Z")));
    assert_eq!(parse_point("2026-03-03T14:00", &zone("+02:00")), Ok(at("2026-03-03T12:00:00Z")));
}

#[test]
fn the_edges_of_jumps_and_folds_are_plain_times() {
    for (local, utc) in [
        ("2026-03-29T01:59:59.999999", "2026-03-29T00:59:59.999999Z"),
        ("2026-03-29T03:00", "2026-03-29T01:00:00Z"),
        ("2026-10-25T01:59:59", "2026-10-24T23:59:59Z"),
        ("2026-10-25T03:00", "2026-10-25T02:00:00Z"),
    ] {
        assert_eq!(when(local, "Europe/Berlin"), When::Instant(at(utc)), "{local}");
    }
}

#[test]
fn dates_are_days() {
    let third = When::Date(day(2026, 3, 3));
    for text in ["2026-03-03", " 2026-03-03\n", "2026-W10-2", "2026-w10-2"] {
        assert_eq!(when(text, "UTC"), third, "{text}");
    }
    assert_eq!(when("2020-W53-7", "UTC"), When::Date(day(2021, 1, 3)));
    assert_eq!(when("2024-02-29", "UTC"), When::Date(day(2024, 2, 29)));
}

#[test]
fn a_date_as_a_point_is_the_start_of_that_local_day() {
    assert_eq!(parse_point("2026-03-03", &Zone::UTC), Ok(at("2026-03-03T00:00:00Z")));
    assert_eq!(parse_point("2026-03-03", &zone("Europe/Berlin")), Ok(at("2026-03-02T23:00:00Z")));
    assert_eq!(
        parse_point("2018-11-04", &zone("America/Sao_Paulo")),
        Ok(at("2018-11-04T03:00:00Z"))
    );
}

#[test]
fn years_before_the_first_are_astronomical() {
    assert_eq!(when("0000-02-29", "UTC"), When::Date(day(0, 2, 29)));
    assert_eq!(when("-0044-03-15", "UTC"), When::Date(day(-44, 3, 15)));
    assert_eq!(at("0000-12-31T23:59:59Z").0 + 1_000_000, at("0001-01-01T00:00:00Z").0);
    assert_eq!(at("-0001-12-31T23:59:59Z").0 + 1_000_000, at("0000-01-01T00:00:00Z").0);
    assert!(at("-9999-01-01T00:00:00Z") < at("9999-12-31T23:59:59.999999Z"));
}

#[test]
fn english_dates_are_read_with_a_year() {
    for text in [
        "March 3 2026",
        "March 3, 2026",
        "march 3rd, 2026",
        "3 March 2026",
        "3 march, 2026",
        "03 MAR 2026",
        "Mar 3, 2026",
        "Mar. 3 ,2026",
        "  3rd  Mar   2026 ",
    ] {
        assert_eq!(when(text, "UTC"), When::Date(day(2026, 3, 3)), "{text}");
    }
    assert_eq!(when("Sept 11th 2001", "UTC"), When::Date(day(2001, 9, 11)));
    assert_eq!(when("22nd may 0900", "UTC"), When::Date(day(900, 5, 22)));
}

#[test]
fn without_a_year_the_latest_date_up_to_today_is_meant() {
    for (text, expected) in [
        ("March 3", day(2026, 3, 3)),
        ("15 March", day(2026, 3, 15)),
        ("March 16", day(2025, 3, 16)),
        ("Dec 31", day(2025, 12, 31)),
        ("February 29", day(2024, 2, 29)),
    ] {
        assert_eq!(when(text, "UTC"), When::Date(expected), "{text}");
    }
    // 1900 was no leap year, so the leap day before 1903 is seven years back.
    let leap = When::parse("Feb 29", &Zone::UTC, at("1903-06-01T00:00:00Z"));
    assert_eq!(leap, Ok(When::Date(day(1896, 2, 29))));
}

#[test]
fn the_zone_decides_which_day_today_is() {
    for (name, now, today, yesterday) in [
        ("UTC", "2026-03-01T00:00:00Z", day(2026, 3, 1), day(2026, 2, 28)),
        ("America/New_York", "2026-03-01T00:00:00Z", day(2026, 2, 28), day(2026, 2, 27)),
        ("Pacific/Kiritimati", "2025-12-31T10:00:00Z", day(2026, 1, 1), day(2025, 12, 31)),
    ] {
        let read = |text: &str| When::parse(text, &zone(name), at(now)).unwrap();
        assert_eq!(read("today"), When::Date(today), "{name}");
        assert_eq!(read("Yesterday"), When::Date(yesterday), "{name}");
        assert_eq!(read("NOW"), When::Instant(at(now)));
    }
}

#[test]
fn places_in_the_ledger_are_read() {
    assert_eq!(when("#123", "UTC"), When::Seq(123));
    assert_eq!(when("#0", "UTC"), When::Seq(0));
    assert_eq!(when("#18446744073709551615", "UTC"), When::Seq(u64::MAX));
    assert_eq!(when("size:7", "UTC"), When::Size(7));
    assert_eq!(when("SIZE:7", "UTC"), When::Size(7));
    assert_eq!(when(" head ", "UTC"), When::Head);
}

#[test]
fn zones_are_read_and_print_as_they_are_read() {
    for (text, printed) in [
        ("UTC", "UTC"),
        ("utc", "UTC"),
        ("Z", "UTC"),
        ("+00:00", "UTC"),
        ("-00:00", "UTC"),
        ("+02:00", "+02:00"),
        ("-05:30", "-05:30"),
        ("-00:30", "-00:30"),
        ("+00:19:32", "+00:19:32"),
        ("Europe/Berlin", "Europe/Berlin"),
        ("america/new_york", "America/New_York"),
        ("Etc/GMT-2", "Etc/GMT-2"),
    ] {
        let zone = Zone::parse(text).unwrap();
        assert_eq!(zone.to_string(), printed);
        assert_eq!(Zone::parse(printed), Ok(zone));
    }
}
