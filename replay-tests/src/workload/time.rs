//! Owns the instants that histories use. They lie on a coarse grid with neighbours one microsecond
//! apart, so that boundaries meet, touch and miss each other by one.

use ledger_format::Micros;

/// 2026-03-01T00:00:00Z.
pub const BASE: i64 = 1_772_323_200_000_000;
const DAY: i64 = 86_400_000_000;
const POINTS: u8 = 45;

/// The instant of a number; none for 0.
#[must_use]
pub fn instant(number: u8) -> Option<Micros> {
    let point = i64::from(number.checked_sub(1)? % POINTS);
    Some(Micros(BASE + point / 3 * DAY + point % 3 - 1))
}

/// Two optional ends in order. Ends that are equal or the wrong way round become an open interval
/// from the earlier one, so that a step stays valid while it is shrunk.
#[must_use]
pub fn interval(from: u8, until: u8) -> (Option<Micros>, Option<Micros>) {
    match (instant(from), instant(until)) {
        (Some(a), Some(b)) if a < b => (Some(a), Some(b)),
        (Some(a), Some(b)) if a == b => (Some(a), None),
        (Some(a), Some(b)) => (Some(b), Some(a)),
        ends => ends,
    }
}

/// How far the clock moves in microseconds: not at all, by the smallest step, or by hours.
#[must_use]
pub fn tick(number: u8) -> i64 {
    match number % 8 {
        0 => 0,
        1 => 1,
        2 => 1_000_000,
        hours => (i64::from(hours) - 2) * DAY / 4,
    }
}

/// The neighbours of some instants, and both ends of the line.
#[must_use]
pub fn around(instants: impl IntoIterator<Item = Micros>) -> Vec<Micros> {
    let mut all = vec![Micros::MIN, Micros::MAX];
    for Micros(at) in instants {
        all.extend([at.saturating_sub(1), at, at.saturating_add(1)].map(Micros));
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_neighbours_one_microsecond_apart() {
        let points: Vec<i64> = (1..=POINTS).map(|n| instant(n).unwrap().0).collect();
        assert!(points.is_sorted_by(|a, b| a < b));
        assert_eq!(points[1] - points[0], 1);
        assert_eq!(points[3] - points[0], DAY);
        assert_eq!(instant(POINTS + 1), instant(1));
    }

    #[test]
    fn an_interval_is_never_empty() {
        for from in 0..=POINTS {
            for until in 0..=POINTS {
                let ends = interval(from, until);
                assert!(!matches!(ends, (Some(a), Some(b)) if a >= b));
            }
        }
    }
}
