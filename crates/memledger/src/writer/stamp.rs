//! Owns the time of records: never backwards, and never far forward without confirmation.
//!
//! A wall clock that stands before the last record is held back and flagged. A forward jump is
//! refused until it is confirmed, because everything after it would carry the wrong time for good:
//! within one process a jump of more than a day against the steady clock; across processes, where
//! no steady clock helps, a gap of more than 31 days since the last record.

use std::sync::Arc;
use std::time::Duration;

use ledger_format::Micros;
use ledger_format::record::ClockFlags;

use crate::civil::format_utc;
use crate::clock::{Clock, Reading};
use crate::error::{Error, ErrorKind, Result};

const DAY: i64 = 86_400_000_000;
const LONGEST_SLEEP: i64 = 31 * DAY;

pub(crate) struct Stamper {
    clock: Arc<dyn Clock>,
    last: Option<Micros>,
    before: Option<Reading>,
    confirmed: bool,
}

/// The time of the records of one submission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamp {
    pub(crate) recorded_at: Micros,
    pub(crate) wall: Micros,
    pub(crate) flags: ClockFlags,
    /// The last record's time, when this stamp confirms a jump from it.
    pub(crate) jumped_from: Option<Micros>,
}

impl Stamper {
    pub(crate) const fn new(clock: Arc<dyn Clock>, last: Option<Micros>, confirmed: bool) -> Self {
        Self { clock, last, before: None, confirmed }
    }

    /// The time for the next records.
    pub(crate) fn stamp(&mut self) -> Result<Stamp> {
        let reading = self.clock.now();
        let declared = self.clock.declared();
        let jumped = !declared && self.jumped(reading);
        if jumped && !self.confirmed {
            let last = self.last.map_or_else(|| "none".to_owned(), format_utc);
            return Err(Error::new(
                ErrorKind::Unavailable,
                format!(
                    "the clock says {} but the last record is of {last}: if the clock is right, confirm it with --confirm-clock; nothing was recorded",
                    format_utc(reading.wall)
                ),
            ));
        }
        let recorded_at = self.last.map_or(reading.wall, |last| last.max(reading.wall));
        let flags =
            ClockFlags { behind: reading.wall < recorded_at, jump_confirmed: jumped, declared };
        let jumped_from = if jumped { self.last } else { None };
        self.before = Some(reading);
        self.last = Some(recorded_at);
        self.confirmed = self.confirmed && !jumped;
        Ok(Stamp { recorded_at, wall: reading.wall, flags, jumped_from })
    }

    fn jumped(&self, now: Reading) -> bool {
        match (self.before, self.last) {
            (Some(before), _) => {
                let steady = now.steady.saturating_sub(before.steady);
                gap(before.wall, now.wall).saturating_sub(micros(steady)) > DAY
            }
            (None, Some(last)) => gap(last, now.wall) > LONGEST_SLEEP,
            (None, None) => false,
        }
    }
}

const fn gap(from: Micros, to: Micros) -> i64 {
    to.0.saturating_sub(from.0)
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Debug)]
    struct Fake(Mutex<Reading>);

    impl Clock for Fake {
        fn now(&self) -> Reading {
            *self.0.lock().unwrap()
        }
    }

    fn at(seconds: u64, wall_days: i64) -> Reading {
        Reading { wall: Micros(wall_days * DAY), steady: Duration::from_secs(seconds) }
    }

    #[test]
    fn fault_21_a_clock_that_jumps_forward_is_refused_until_confirmed() {
        let clock = Arc::new(Fake(Mutex::new(at(0, 100))));
        let mut stamper = Stamper::new(clock.clone(), Some(Micros(99 * DAY)), false);
        assert!(!stamper.stamp().unwrap().flags.behind);
        *clock.0.lock().unwrap() = at(1, 3_750);
        assert_eq!(stamper.stamp().unwrap_err().kind(), ErrorKind::Unavailable);
        *clock.0.lock().unwrap() = at(2, 100);
        assert_eq!(stamper.stamp().unwrap().recorded_at, Micros(100 * DAY), "back to normal");
        let mut confirmed = Stamper::new(clock.clone(), Some(Micros(10 * DAY)), true);
        let stamp = confirmed.stamp().unwrap();
        assert!(stamp.flags.jump_confirmed);
        assert_eq!(stamp.jumped_from, Some(Micros(10 * DAY)));
    }

    #[test]
    fn fault_21_a_clock_that_falls_back_is_held_and_flagged() {
        let clock = Arc::new(Fake(Mutex::new(at(0, 50))));
        let mut stamper = Stamper::new(clock, Some(Micros(60 * DAY)), false);
        let stamp = stamper.stamp().unwrap();
        assert_eq!(stamp.recorded_at, Micros(60 * DAY));
        assert!(stamp.flags.behind);
        assert_eq!(stamp.wall, Micros(50 * DAY));
    }

    #[test]
    fn a_ledger_that_sleeps_over_a_week_goes_on() {
        let clock = Arc::new(Fake(Mutex::new(at(0, 107))));
        assert!(Stamper::new(clock, Some(Micros(100 * DAY)), false).stamp().is_ok());
    }
}
