//! Owns the sweep: what ran out is on record as such.
//!
//! Whether a memory has run out is decided when it is read, by the time of the question. The sweep
//! changes no answer; it says when the end was noticed, and later records can rest on it. A second one
//! finds nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use ledger_format::event::duty::{JobDone, ScheduleSet};
use ledger_format::event::memory::Expire;
use ledger_format::names::{ExpireCause, Job, Outcome};
use ledger_format::{AliasId, Event, Layer, MemoryId, Micros, limits};
use ledger_replay::{Memory, State};

use super::plan::{Act, Plan, PlanKind};
use crate::error::Result;
use crate::ledger::Ledger;

impl Ledger {
    /// The plan of a sweep: every memory that ran out by now and is not on record as such. With
    /// `every`, the sweep gets a schedule: how often whoever runs it means to (zero: not at all any more).
    /// A plan is empty where there is nothing to record, no run is due and no schedule changes.
    ///
    /// # Errors
    /// When this ledger cannot be written to.
    pub fn plan_sweep(&self, every: Option<Duration>) -> Result<Plan> {
        let now = self.clock.now().wall;
        self.with_state(move |state| sweep(state, now, every))
    }
}

fn sweep(state: &State, now: Micros, every: Option<Duration>) -> Plan {
    let mut plan = Plan::new(PlanKind::Sweep, state.head().map(|head| head.seq));
    let job = Job::ExpirySweep;
    let schedule = state.schedule(job).unwrap_or_default();
    if let Some(every) = every.map(micros).filter(|every| *every != schedule.every) {
        let next = Micros(now.0.saturating_add(i64::try_from(every).unwrap_or(i64::MAX)));
        let set = ScheduleSet { job, every, next };
        plan.acts.push(Act::event(Event::ScheduleSet(set), AliasId::ZERO));
    }
    let mut parts: BTreeMap<(u8, AliasId), Vec<MemoryId>> = BTreeMap::new();
    for (id, memory) in state.memories().filter(|(_, memory)| ran_out(memory, now)) {
        let cause = cause(memory);
        parts.entry((cause.number(), memory.scope)).or_default().push(*id);
        plan.step(*id, if cause == ExpireCause::DayEnd { "its day ended" } else { "ran out" });
    }
    for ((cause, scope), ids) in parts {
        let cause = ExpireCause::from_number(cause).unwrap_or(ExpireCause::Ttl);
        for part in ids.chunks(limits::TARGETS) {
            let expire = Expire { memories: part.to_vec(), basis: now, cause };
            plan.acts.push(Act::event(Event::Expire(expire), scope));
        }
    }
    let due = schedule.next.is_some_and(|next| next <= now);
    if due || !plan.is_empty() {
        let (planned, count) = (schedule.next.unwrap_or(now), plan.steps.len() as u64);
        let done = JobDone { job, planned, outcome: Outcome::Ok, count };
        plan.acts.push(Act::event(Event::JobDone(done), AliasId::ZERO));
    }
    plan
}

fn micros(length: Duration) -> u64 {
    u64::try_from(length.as_micros()).unwrap_or(u64::MAX)
}

fn ran_out(memory: &Memory, now: Micros) -> bool {
    let life = &memory.lifecycle;
    let gone = life.expired || life.rejected || life.forgotten.is_some() || life.erased.is_some();
    !gone && memory.live && life.ttl_until.is_some_and(|end| end <= now)
}

fn cause(memory: &Memory) -> ExpireCause {
    if memory.lifecycle.layer == Layer::Day { ExpireCause::DayEnd } else { ExpireCause::Ttl }
}
