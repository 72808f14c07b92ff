//! Texts of an accepted form that hold a value which does not exist or cannot be kept.

use super::super::{Day, Micros, Problem, When, Zone, parse_point};
use super::{at, refused, says, zone};

#[test]
fn fields_have_their_width_and_range() {
    for (text, advice) in [
        ("2026-3-03", "the month is written with 2 digits, not \"3\""),
        ("2026-03-003", "the day is written with 2 digits, not \"003\""),
        ("026-03-03", "the year is written with 4 digits, not \"026\""),
        ("March 3 26", "the year is written with 4 digits, not \"26\""),
        ("March 3 12026", "the year is written with 4 digits, not \"12026\""),
        ("2026-13-03", "the month is 13; it runs from 1 to 12"),
        ("2026-00-03", "the month is 00; it runs from 1 to 12"),
        ("2026-03-32", "the day is 32; it runs from 1 to 31"),
        ("March 32", "the day is 32; it runs from 1 to 31"),
        ("0 March 2026", "the day is 0; it runs from 1 to 31"),
        ("2026-03-03T24:00", "the hour is 24; it runs from 0 to 23"),
        ("2026-03-03T23:60", "the minute is 60; it runs from 0 to 59"),
        ("2026-03-03T23:59:61Z", "the second is 61; it runs from 0 to 59"),
        ("2026-03-03T23:59+24:00", "the offset hour is 24; it runs from 0 to 23"),
        ("2026-03-03T23:59+02:60", "the offset minute is 60; it runs from 0 to 59"),
        ("2026-W54-1", "the week is 54; it runs from 1 to 53"),
        ("2026-W10-8", "the day of the week is \"8\"; it runs from 1 to 7"),
        ("March 3 0000", "the year beside a month's name is 0; it runs from 1 to 9999"),
    ] {
        says(&refused(text), &[text, advice]);
    }
}

#[test]
fn days_and_weeks_that_do_not_exist() {
    for (text, advice) in [
        ("2026-02-29", "February 2026 has 28 days; write a day from 1 to 28"),
        ("2024-02-30", "February 2024 has 29 days"),
        ("31 April 2026", "April 2026 has 30 days"),
        ("February 30", "February has 29 days"),
        ("2026-02-30T12:00Z", "February 2026 has 28 days"),
        ("2025-W53-1", "the ISO year 2025 has 52 weeks; write W01 to W52"),
    ] {
        says(&refused(text), &[text, advice]);
    }
}

#[test]
fn years_beyond_the_limits_are_refused_with_the_limits() {
    for text in [
        "10000-01-01",
        "-10000-01-01",
        "99999999999-01-01T00:00:00Z",
        "9999-12-31T23:59:59-00:01",
        "-9999-01-01T00:00:00+00:01",
    ] {
        let error = refused(text);
        assert!(matches!(error.problem(), Problem::Year { .. }), "{error}");
        says(&error, &[text, "-9999 to 9999"]);
    }
    says(&refused("9999-12-31T23:59:59-00:01"), &["+10000-01-01T00:00:59Z is outside"]);
    says(
        &parse_point("-9999-01-01", &zone("+01:00")).unwrap_err(),
        &["-10000-12-31T23:00:00Z is outside"],
    );
    says(&refused("-9999-W01-0"), &["the day of the week is \"0\"; it runs from 1 to 7"]);
    says(&refused("9999-W53-1"), &["the ISO year 9999 has 52 weeks"]);
    says(&Day::new(10_000, 1, 1).unwrap_err(), &["\"+10000-01-01\"", "the year 10000 is outside"]);
    assert!(
        Day::new(2026, 13, 1).is_err()
            && Day::new(2026, 2, 0).is_err()
            && Day::new(2026, 2, 29).is_err()
    );
    for text in ["now", "today", "yesterday", "March 3"] {
        let error = When::parse(text, &Zone::UTC, Micros(i64::MAX)).unwrap_err();
        says(&error, &[text, "+294247-01-10T04:00:54.775807Z", "-9999 to 9999"]);
    }
    let first = at("-9999-01-01T00:00:00Z");
    assert!(matches!(
        When::parse("yesterday", &Zone::UTC, first).unwrap_err().problem(),
        Problem::Year { .. }
    ));
    assert!(matches!(
        When::parse("March 3", &Zone::UTC, first).unwrap_err().problem(),
        Problem::Year { .. }
    ));
}

#[test]
fn year_zero_has_one_spelling() {
    for text in ["-0000-01-01", "-0000-01-01T00:00:00Z"] {
        says(&refused(text), &[text, "written 0000, without a sign"]);
    }
}

#[test]
fn leap_seconds_are_refused_with_what_to_write() {
    for (text, last, next) in [
        ("2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999Z", "2017-01-01T00:00:00Z"),
        ("2016-12-31T23:59:60.5Z", "2016-12-31T23:59:59.999999Z", "2017-01-01T00:00:00Z"),
        (
            "2017-01-01T00:59:60+01:00",
            "2017-01-01T00:59:59.999999+01:00",
            "2017-01-01T01:00:00+01:00",
        ),
        ("2017-01-01T00:59:60", "2017-01-01T00:59:59.999999 for", "2017-01-01T01:00:00 for"),
        ("9999-12-31T23:59:60Z", "9999-12-31T23:59:59.999999Z", "+10000"),
    ] {
        says(&refused(text), &[text, last, next]);
    }
}

#[test]
fn finer_fractions_are_refused_unless_they_are_zero() {
    says(&refused("2026-03-03T14:00:00.1234567Z"), &["kept to the microsecond", "as .123456"]);
    says(&refused("2026-03-03T14:00:00.0000000001Z"), &["as .000000"]);
}
