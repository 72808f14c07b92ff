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
}

/// Puts the segments together, in order.
pub(super) fn check(work: &Work<'_>, segments: &[(Plan, Checked)]) -> Log {
    let mut log = Log { whole: true, payload_end: Some(payload_files::START), ..Log::default() };
    let mut before: Option<(&Plan, &Checked)> = None;
    let mut unbroken = true;
    for (plan, checked) in segments {
        let gap = before.map_or(0, |(before, _)| before.number.0 + 1) != plan.number.0;
        unbroken = unbroken && !gap;
        if unbroken && let Some(fault) = joint(before, checked) {
            work.add(Found::fault(Topic::Segments, &plan.file, 0, first_seq(checked), &fault));
            log.whole = false;
        }
        if work.level() >= VerifyLevel::Payloads {
            if let (true, Some((begin, _)), Some(last)) =
                (unbroken, checked.payloads, log.payload_end)
            {
                payload_files::between(work, last, begin);
            }
            log.payload_end = match (checked.payloads, checked.whole) {
                (Some((_, end)), true) => Some(end),
                (None, true) if unbroken => log.payload_end,
                _ => None,
            };
        }
        log.end = checked.position.or(log.end);
        log.whole = log.whole && checked.whole && !gap;
        log.promised.0 = log.promised.0.max(checked.promised.0);
        log.promised.1 = log.promised.1.max(checked.promised.1);
        unbroken = checked.whole;
        before = Some((plan, checked));
    }
    log
}

fn first_seq(checked: &Checked) -> Seq {
    checked.header.as_ref().map_or(Seq(0), |header| header.first_seq)
}

/// What is wrong between two segments, or before the first one. A segment without a header has a
/// finding of its own.
fn joint(before: Option<(&Plan, &Checked)>, checked: &Checked) -> Option<Fault> {
    let header = checked.header.as_ref()?;
    let Some((plan, before)) = before else {
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
