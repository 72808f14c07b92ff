//! Local times, offsets and zones that are refused.

use super::super::{Problem, Zone, parse_instant, parse_point};
use super::{refused, refused_in, says, zone};

#[test]
fn other_offsets_are_refused() {
    for found in ["+0200", "+02", "+2:00", "+02:00[Europe/Berlin]", "-", "+02:00:00:00", "+02:00Z"]
    {
        says(
            &refused(&format!("2026-03-03T14:00{found}")),
            &[&format!("the offset {found:?}"), "+02:00"],
        );
    }
    assert!(matches!(Zone::parse("+0200").unwrap_err().problem(), Problem::Offset { .. }));
    assert!(matches!(Zone::parse("+25:00").unwrap_err().problem(), Problem::Range { .. }));
}

#[test]
fn skipped_local_times_name_their_neighbours() {
    for (text, name, before, after) in [
        (
            "2026-03-29T02:00",
            "Europe/Berlin",
            "2026-03-29T01:59:59+01:00",
            "2026-03-29T03:00:00+02:00",
        ),
        (
            "2026-03-29T02:59:59.999999",
            "Europe/Berlin",
            "2026-03-29T01:59:59+01:00",
            "2026-03-29T03:00:00+02:00",
        ),
        (
            "2018-11-04T00:30",
            "America/Sao_Paulo",
            "2018-11-03T23:59:59-03:00",
            "2018-11-04T01:00:00-02:00",
        ),
        (
            "2011-12-30T12:00",
            "Pacific/Apia",
            "2011-12-29T23:59:59-10:00",
            "2011-12-31T00:00:00+14:00",
        ),
    ] {
        for error in [refused_in(text, name), parse_point(text, &zone(name)).unwrap_err()] {
            assert!(matches!(error.problem(), Problem::Skipped { .. }), "{error}");
            says(&error, &[text, "does not exist", name, before, after]);
        }
    }
}

#[test]
fn ambiguous_local_times_name_both_instants() {
    for (text, name, first, second) in [
        (
            "2026-10-25T02:00",
            "Europe/Berlin",
            "2026-10-25T02:00:00+02:00",
            "2026-10-25T02:00:00+01:00",
        ),
        (
            "2026-10-25T02:59:59",
            "Europe/Berlin",
            "2026-10-25T02:59:59+02:00",
            "2026-10-25T02:59:59+01:00",
        ),
        (
            "2018-02-17T23:30",
            "America/Sao_Paulo",
            "2018-02-17T23:30:00-02:00",
            "2018-02-17T23:30:00-03:00",
        ),
    ] {
        for error in [refused_in(text, name), parse_point(text, &zone(name)).unwrap_err()] {
            assert!(matches!(error.problem(), Problem::Twice { .. }), "{error}");
            says(&error, &[text, "ambiguous", name, first, second]);
            assert!(parse_instant(first).unwrap() < parse_instant(second).unwrap());
        }
    }
}

#[test]
fn unknown_zones_are_refused_with_similar_names() {
    says(
        &Zone::parse("berlin").unwrap_err(),
        &["\"berlin\": no such zone in tz 20", "but Europe/Berlin;"],
    );
    says(&Zone::parse("New York").unwrap_err(), &["America/New_York"]);
    for text in ["", "UTC+2", "Europe/Atlantis", "local"] {
        let error = Zone::parse(text).unwrap_err();
        assert_eq!(error.problem(), &Problem::Zone { similar: vec![] });
        says(&error, &["+02:00, or UTC"]);
    }
}
