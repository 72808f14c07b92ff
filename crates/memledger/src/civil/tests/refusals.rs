//! Texts that are no accepted form at all.

use proptest::prelude::*;

use super::super::{Micros, Problem, When, Zone, parse_instant, parse_point};
use super::{refused, says, zone};

/// A text, and what the refusal says of it.
const OTHER_FORMS: &[(&str, &str)] = &[
    ("last tuesday", "nothing in this was understood"),
    ("3/4/2026", "nothing in this was understood"),
    ("20260303", "nothing in this was understood"),
    ("1772539200", "nothing in this was understood"),
    ("+2026-03-03", "nothing in this was understood"),
    ("２０２６-03-03", "nothing in this was understood"),
    ("2026-03", "understood as a year and a month, 2026-03, and then it ends"),
    ("2026-", "understood as \"2026-\", and then it ends"),
    ("2026-03-03T", "understood as the date 2026-03-03, and then it ends"),
    ("2026-03-03x", "understood as the date 2026-03-03, but not \"x\""),
    ("2026-03-03 at noon", "understood as \"2026-03-03 \", but not \"at noon\""),
    ("2026-03-03T14", "understood as the date 2026-03-03 and the hour 14, and then it ends"),
    ("2026-03-03T14:00:00,5Z", "understood as a date and a time, but not \",5Z\""),
    ("2026-03-03T14:00:00.Z", "a decimal point, but not \"Z\""),
    ("2026-03-03T14:00 +02:00", "understood as a date and a time, but not \" +02:00\""),
    ("2026-03-03T14:00ZZ", "understood as a date and a time, but not \"Z\""),
    ("2026-03-03T14:00−02:00", "understood as a date and a time"),
    ("2026-W10", "understood as the week 2026-W10, and then it ends"),
    ("2026-W10-2T14:00Z", "understood as the date 2026-03-03, but not \"T14:00Z\""),
    ("March", "understood as the month March, and then it ends"),
    ("March 3st", "understood as the month March, but not \"3st\""),
    ("March 3 at 5pm", "understood as March 3, but not \"at\""),
    ("March 3 2026 5pm", "understood as March 3 and a year, but not \"5pm\""),
    ("March 3 2026, 2026", "understood as March 3, but not \"2026\""),
    ("March 3,", "understood as March 3, and then it ends"),
    ("March May", "understood as the month March, but not \"May\""),
];

#[test]
fn other_forms_are_named_with_what_was_understood() {
    for (text, understood) in OTHER_FORMS {
        let error = refused(text);
        assert!(matches!(error.problem(), Problem::Unrecognised { .. }), "{error}");
        says(
            &error,
            &[&format!("{text:?}: "), understood, "2026-03-03T14:00+02:00", "March 3", "size:123"],
        );
    }
}

#[test]
fn nothing_is_not_a_time() {
    for error in [
        refused(""),
        refused(" \t"),
        parse_instant("").unwrap_err(),
        parse_point(" ", &Zone::UTC).unwrap_err(),
    ] {
        assert!(matches!(error.problem(), Problem::Empty { .. }), "{error}");
        says(&error, &["no time was given", "2026-03-03T14:00:00Z"]);
    }
}

#[test]
fn instants_in_fields_are_strict() {
    let naive = parse_instant("2026-03-03T14:00").unwrap_err();
    assert_eq!(naive.problem(), &Problem::NoOffset);
    says(&naive, &["2026-03-03T14:00", "another instant in every zone", "add Z or an offset"]);
    let date = parse_instant("2026-03-03").unwrap_err();
    assert_eq!(date.problem(), &Problem::DateOnly);
    says(&date, &["2026-03-03", "whole day", "2026-03-03T00:00:00Z"]);
    for text in
        ["today", "now", "head", "#4", "March 3", " 2026-03-03T14:00Z", "2026-03-03T14:00Z\n"]
    {
        assert!(
            matches!(parse_instant(text).unwrap_err().problem(), Problem::Unrecognised { .. }),
            "{text}"
        );
        assert!(
            matches!(
                parse_point(text, &Zone::UTC).unwrap_err().problem(),
                Problem::Unrecognised { .. }
            ),
            "{text}"
        );
    }
}

#[test]
fn places_in_the_ledger_are_whole_numbers() {
    for text in ["#", "#-1", "#+1", "# 1", "#1a", "#18446744073709551616"] {
        says(
            &refused(text),
            &[text, "the sequence number after # is a whole number from 0 to 18446744073709551615"],
        );
    }
    for text in ["size:", "size: 5", "size:0x10"] {
        says(&refused(text), &[text, "the number of records after size: is a whole number"]);
    }
}

#[test]
fn long_and_hostile_texts_stay_short_and_on_one_line() {
    let error = refused(&"x".repeat(100_000));
    assert!(error.to_string().len() < 800 && error.text().ends_with('…'));
    says(&refused("2026-03-03T14:00\n\u{1b}[31m"), &["\\n"]);
    assert!(refused(&"9".repeat(100_000)).to_string().len() < 800);
    assert!(refused(&format!("{}-01-01", "9".repeat(100_000))).to_string().len() < 800);
    assert!(
        refused(&format!("2026-03-03T14:00:00.{}", "1".repeat(100_000))).to_string().len() < 800
    );
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,40}|[-+0-9:.TtZz #W]{0,40}|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.+-]{0,20}|[A-Za-z]{3,9}[ .,]{1,2}[0-9a-z]{1,4}[ ,]{0,2}[0-9]{0,5}") {
        let _ = parse_instant(&text);
        let _ = parse_point(&text, &zone("Asia/Gaza"));
        let _ = Zone::parse(&text);
        if let Err(error) = When::parse(&text, &zone("America/Juneau"), Micros(0)) {
            prop_assert!(!error.to_string().contains('\n'));
        }
    }
}
