//! Tests of civil time: what is read, what is refused, where days begin, what is printed.

#![allow(clippy::unwrap_used, clippy::panic)]

mod days;
mod forms;
mod printing;
mod refusals;
mod values;
mod zones;

use super::{CivilError, Day, Micros, When, Zone, parse_instant};

/// 2026-03-15T10:30:00Z, the present of these tests.
const NOW: &str = "2026-03-15T10:30:00Z";

/// Zones with every peculiarity the tests know of: half hours, jumps and folds at midnight or a minute
/// past it, skipped and repeated days, summer time of two hours, negative summer time.
const ZONES: [&str; 31] = [
    "UTC",
    "Africa/Cairo",
    "Africa/Casablanca",
    "Africa/Monrovia",
    "America/Anchorage",
    "America/Asuncion",
    "America/Caracas",
    "America/Havana",
    "America/Juneau",
    "America/New_York",
    "America/Santiago",
    "America/Sao_Paulo",
    "America/St_Johns",
    "Antarctica/Troll",
    "Asia/Amman",
    "Asia/Beirut",
    "Asia/Gaza",
    "Asia/Kathmandu",
    "Asia/Kolkata",
    "Asia/Manila",
    "Asia/Pyongyang",
    "Asia/Shanghai",
    "Asia/Tehran",
    "Atlantic/Azores",
    "Australia/Lord_Howe",
    "Europe/Paris",
    "Europe/Berlin",
    "Europe/Dublin",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Pacific/Kwajalein",
];

fn zone(name: &str) -> Zone {
    Zone::parse(name).unwrap()
}

fn at(text: &str) -> Micros {
    parse_instant(text).unwrap()
}

fn day(year: i32, month: u32, day: u32) -> Day {
    Day::new(year, month, day).unwrap()
}

fn when(text: &str, name: &str) -> When {
    When::parse(text, &zone(name), at(NOW)).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> CivilError {
    refused_in(text, "Europe/Berlin")
}

fn refused_in(text: &str, name: &str) -> CivilError {
    match When::parse(text, &zone(name), at(NOW)) {
        Ok(when) => panic!("{text:?} was read as {when:?}"),
        Err(error) => error,
    }
}

/// The message has all these parts, on one line.
#[track_caller]
fn says(error: &CivilError, parts: &[&str]) {
    let message = error.to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
    assert!(!message.contains('\n'), "{message}");
}
