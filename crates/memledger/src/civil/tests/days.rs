//! Where days begin and end, against a scan that knows nothing of local-time lookups.

use super::super::{Day, Micros, When, Zone, day_bounds};
use super::{ZONES, at, day, when, zone};

const SECOND: i64 = 1_000_000;
const DAY: i64 = 86_400 * SECOND;

/// The first second at which the zone's clock shows midnight of `day` or later, by trying minutes.
fn scanned_start(day: Day, zone: &Zone) -> Micros {
    let midnight = day_bounds(day, &Zone::UTC).0.0;
    let reached = |at: i64| at + zone.offset_seconds(Micros(at)) * SECOND >= midnight;
    let minute =
        (midnight - 16 * 3600 * SECOND..).step_by(60 * 1_000_000).find(|at| reached(*at)).unwrap();
    let second = (minute - 60 * SECOND..=minute).step_by(1_000_000).find(|at| reached(*at));
    Micros(second.unwrap())
}

/// Walks the days of two centuries in one zone and returns how many were compared with the scan: every
/// day that is not 24 hours long, and some of the others.
fn walk(name: &str) -> usize {
    let zone = zone(name);
    let (mut today, last) = (day(1900, 1, 1), day(2100, 12, 31));
    let mut bounds = day_bounds(today, &zone);
    let mut scanned = 0;
    while today < last {
        let next = today.next().unwrap();
        let following = day_bounds(next, &zone);
        assert_eq!(bounds.1, following.0, "{name}: {today}, {next}");
        assert!(bounds.0 <= bounds.1, "{name}: {today} runs backwards");
        let monthly = today.day() == 3 && today.year() % 12 == 5;
        if bounds.1.0 - bounds.0.0 != DAY || monthly {
            scanned += 1;
            let expected = (scanned_start(today, &zone), scanned_start(next, &zone));
            assert_eq!(bounds, expected, "{name}: {today}");
        }
        (today, bounds) = (next, following);
    }
    scanned
}

#[test]
fn days_of_two_centuries_abut_and_begin_where_a_scan_says() {
    let scanned: usize = ZONES.iter().map(|name| walk(name)).sum();
    assert!(scanned > 10_000, "only {scanned} days were scanned");
}

/// A zone, a date, and the start and end of that day.
const MIDNIGHTS: &[[&str; 4]] = &[
    ["UTC", "2026-03-03", "2026-03-03T00:00:00Z", "2026-03-04T00:00:00Z"],
    ["+02:00", "2026-03-03", "2026-03-02T22:00:00Z", "2026-03-03T22:00:00Z"],
    ["Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z"],
    // Midnight is skipped.
    ["America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", "2018-11-05T02:00:00Z"],
    ["Asia/Beirut", "2022-03-27", "2022-03-26T22:00:00Z", "2022-03-27T21:00:00Z"],
    ["Africa/Cairo", "2023-04-28", "2023-04-27T22:00:00Z", "2023-04-28T21:00:00Z"],
    // The clock goes back from midnight: the day before is 25 hours long.
    ["Africa/Cairo", "2023-10-26", "2023-10-25T21:00:00Z", "2023-10-26T22:00:00Z"],
    ["America/Sao_Paulo", "2018-02-17", "2018-02-17T02:00:00Z", "2018-02-18T03:00:00Z"],
    // Midnight happens twice, the earlier one counts.
    ["America/Havana", "2023-11-05", "2023-11-05T04:00:00Z", "2023-11-06T05:00:00Z"],
    ["America/St_Johns", "2006-10-29", "2006-10-29T02:30:00Z", "2006-10-30T03:30:00Z"],
    // The day did not happen.
    ["Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", "2011-12-30T10:00:00Z"],
    ["Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", "2011-12-30T10:00:00Z"],
    ["Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", "2011-12-31T10:00:00Z"],
    ["Pacific/Kwajalein", "1993-08-21", "1993-08-21T12:00:00Z", "1993-08-21T12:00:00Z"],
    ["Asia/Manila", "1844-12-31", "1844-12-31T15:56:08Z", "1844-12-31T15:56:08Z"],
    // The clock went back by a day, and most of the day happened twice.
    ["America/Juneau", "1867-10-19", "1867-10-18T08:57:41Z", "1867-10-20T08:57:41Z"],
    // Local mean time has seconds.
    ["Europe/Paris", "1850-01-01", "1849-12-31T23:50:39Z", "1850-01-01T23:50:39Z"],
];

#[test]
fn known_midnights() {
    for [name, date, start, end] in MIDNIGHTS {
        let When::Date(date) = when(date, name) else {
            panic!("{date} is a date");
        };
        assert_eq!(day_bounds(date, &zone(name)), (at(start), at(end)), "{name} {date}");
    }
}

#[test]
fn the_first_and_last_supported_days_have_bounds() {
    for name in ["UTC", "+23:59", "-23:59", "Asia/Tokyo"] {
        for date in [day(-9999, 1, 1), day(9999, 12, 31)] {
            let (start, end) = day_bounds(date, &zone(name));
            assert_eq!(end.0 - start.0, DAY, "{name} {date}");
        }
    }
    assert_eq!(day(9999, 12, 31).next(), None);
    assert_eq!(day(-9999, 1, 1).previous(), None);
}

#[test]
fn an_instant_lies_within_its_day() {
    for name in ZONES {
        let zone = zone(name);
        // A step that is no part of a day visits every hour; 1860 to 2030 has all peculiar days.
        for second in (-3_471_292_800..1_893_456_000_i64).step_by(1_234_567) {
            let instant = Micros(second * SECOND);
            let date = Day::containing(instant, &zone).unwrap();
            let (start, end) = day_bounds(date, &zone);
            assert!(start <= instant && instant < end, "{name} {second} {date}");
        }
    }
    // 23:30 of October 28 happened twice; the second time the 29th had begun.
    let st_johns = zone("America/St_Johns");
    assert_eq!(Day::containing(at("2006-10-29T02:00:00Z"), &st_johns), Some(day(2006, 10, 28)));
    assert_eq!(Day::containing(at("2006-10-29T03:00:00Z"), &st_johns), Some(day(2006, 10, 29)));
    assert_eq!(Day::containing(Micros(i64::MAX), &st_johns), None);
    assert_eq!(Day::containing(Micros(i64::MIN), &st_johns), None);
}
