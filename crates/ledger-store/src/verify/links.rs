//! Owns what lies between segments: that each header continues what the segment before it ends
//! with, and that the first one begins the log.

use ledger_format::{BatchHash, BatchNo, RecordHash, Seq};

use super::VerifyLevel;
use super::findings::{Found, Topic};
use super::payload_files;
use super::payloads::Place;
use super::segments::{Checked, Plan};
use super::work::Work;
use crate::head::Position;
use crate::log::fault::Fault;

/// The log as a whole.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Its last whole batch.
    pub(super) end: Option<Position>,
    /// No segment was left out, in part or as a whole.
    pub(super) whole: bool,
    /// Where the last payload range ends; none when it is not known.
    pub(super) payload_end: Option<Place>,
    /// Batches and records there are at least, by the headers.
    pub(super) promised: (u64, u64),
    /// Segments that were looked at.
    pub(super) segments: u64,
}

/// Puts segments together, one after another.
pub(super) struct Links<'a, 'w> {
    work: &'a Work<'w>,
    log: Log,
    before: Option<(Plan, Checked)>,
    unbroken: bool,
}

impl<'a, 'w> Links<'a, 'w> {
    pub(super) fn new(work: &'a Work<'w>) -> Self {
        // Where earlier ranges end is not known to a check that begins later.
        let payload_end = work.extent.is_whole().then_some(payload_files::START);
        let log = Log { whole: true, payload_end, ..Log::default() };
        Self { work, log, before: None, unbroken: true }
    }

    /// Adds the next segment. Gives its end, as long as nothing was left out up to there.
    pub(super) fn add(&mut self, plan: &Plan, checked: Checked) -> Option<Position> {
        let (work, log) = (self.work, &mut self.log);
        let due =
            self.before.as_ref().map_or(work.extent.segment, |(before, _)| before.number.next());
        let gap = due != plan.number;
        self.unbroken = self.unbroken && !gap;
        let before = self.before.as_ref();
        if self.unbroken
            && let Some(fault) = joint(work, before, &checked)
        {
            work.add(Found::fault(Topic::Segments, &plan.file, 0, first_seq(&checked), &fault));
            log.whole = false;
        }
        if work.level() >= VerifyLevel::Payloads {
            if let (true, Some((begin, _)), Some(last)) =
                (self.unbroken, checked.payloads, log.payload_end)
            {
                payload_files::between(work, last, begin);
            }
            log.payload_end = match (checked.payloads, checked.whole) {
                (Some((_, end)), true) => Some(end),
                (None, true) if self.unbroken => log.payload_end,
                _ => None,
            };
        }
        log.end = checked.position.or(log.end);
        log.whole = log.whole && checked.whole && !gap;
        log.segments += 1;
        log.promised.0 = log.promised.0.max(checked.promised.0);
        log.promised.1 = log.promised.1.max(checked.promised.1);
        self.unbroken = checked.whole;
        self.before = Some((plan.clone(), checked));
        log.end.filter(|_| log.whole)
    }

    /// The log as a whole.
    pub(super) fn done(self) -> Log {
        self.log
    }
}

fn first_seq(checked: &Checked) -> Seq {
    checked.header.as_ref().map_or(Seq(0), |header| header.first_seq)
}

/// What is wrong between two segments, or before the first one. A segment without a header has a
/// finding of its own.
fn joint(work: &Work<'_>, before: Option<&(Plan, Checked)>, checked: &Checked) -> Option<Fault> {
    let header = checked.header.as_ref()?;
    let Some((plan, before)) = before else {
        if !work.extent.is_whole() {
            return None;
        }
        let begins = header.first_seq == Seq(0)
            && header.first_batch == BatchNo(0)
            && header.previous_record == RecordHash::ZERO
            && header.previous_batch == BatchHash::ZERO
            && header.previous_length == 0;
        let what = "the first segment header";
        return (!begins).then(|| Fault::broken(what, "the beginning of a log", "a continuation"));
    };
    let mut state = before.state.clone()?;
    if let Err(fault) = state.enter(header, plan.end) {
        return Some(fault);
    }
    let (first, recorded_at) = checked.first.as_ref()?;
    if let Err(fault) = state.continues(first) {
        return Some(fault);
    }
    let last = before.position.as_ref()?.head.recorded_at;
    (*recorded_at < last).then(|| {
        let least = format!("{} or later", last.0);
        Fault::broken("the time of the first record of a segment", least, recorded_at.0)
    })
}
