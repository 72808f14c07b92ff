//! Owns taking a submission back.
//!
//! Nothing is removed: one `undo` record names what is taken back, and the records behind it, in the same
//! job, put each memory back to how it stood before. What comes back is what readers go by: layer,
//! trust, validity, lifetimes, push-downs, contests, pins, marks. What only tells of the past goes on:
//! which record made the version, which one closed it, when it was last confirmed or used. So the
//! digest of what stands ([`Snapshot::standing`]) is the one before, and the history is longer.
//!
//! Undo is refused where later records rest on what would be taken back, and for what cannot come back:
//! erasures, decisions about what waited, holds, the phases of skills and summaries.

use std::collections::{BTreeMap, BTreeSet};

use ledger_format::event::{duty, memory as body};
use ledger_format::names::Outcome as TaskOutcome;
use ledger_format::{AliasId, Event, JobId, MemoryId, Seq};
use ledger_replay::{Birth, Lifecycle, Sequenced};

use super::plan::{Act, Plan, PlanKind};
use super::restore::restore;
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::read::{Past, Snapshot, named};

/// What is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Batch {
    /// All records of a job.
    Job(JobId),
    /// A record, with all of its job where it is part of one.
    Seq(Seq),
}

/// Later records that are named when an undo is refused.
const NAMED: usize = 8;

/// The records that are taken back.
struct Taken {
    /// Zero for a record that is part of no job.
    job: JobId,
    records: BTreeMap<Seq, Sequenced>,
}

impl Ledger {
    /// The plan of taking a submission back.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a job or record that is not there, [`ErrorKind::Conflict`] when later
    /// records rest on it (they are named) or nothing about it can be taken back.
    pub fn plan_undo(&self, batch: Batch) -> Result<Plan> {
        let snapshot = self.snapshot(&crate::Question::now(self.zone()))?;
        let taken = self.taken(batch, snapshot.basis.seq)?;
        let open = self.open_contests(&taken)?;
        let undo = Undo { snapshot: &snapshot, taken: &taken, open };
        let mut plan = Plan::new(PlanKind::Undo, snapshot.basis.seq);
        let (first, last) = match (taken.records.keys().next(), taken.records.keys().last()) {
            (Some(first), Some(last)) => (*first, *last),
            _ => return Err(Error::new(ErrorKind::NotFound, "there is no such record")),
        };
        let undone = Event::Undo(body::Undo { job: taken.job, first, last });
        plan.acts.push(Act::event(undone, AliasId::ZERO));
        undo.fill(&mut plan)?;
        if plan.records() == 1 {
            return Err(Error::new(
                ErrorKind::Conflict,
                format!("record {first} changed nothing that an undo can take back"),
            ));
        }
        Ok(plan)
    }

    fn open_contests(&self, taken: &Taken) -> Result<BTreeSet<Seq>> {
        let contests =
            taken.records.iter().filter(|(_, event)| matches!(event.event, Event::Contest(_)));
        let contests: Vec<Seq> = contests.map(|(seq, _)| *seq).collect();
        if contests.is_empty() {
            return Ok(BTreeSet::new());
        }
        self.with_state(move |state| {
            contests.into_iter().filter(|seq| state.contest(*seq).is_some()).collect()
        })
    }

    fn taken(&self, batch: Batch, head: Option<Seq>) -> Result<Taken> {
        let nothing = |what: String| Error::new(ErrorKind::NotFound, what);
        let (job, alone) = match batch {
            Batch::Job(job) => (Some(job), None),
            Batch::Seq(seq) if Some(seq) <= head => {
                let event = self.vault.load(seq)?.event;
                (event.job, Some(event))
            }
            Batch::Seq(seq) => return Err(nothing(format!("there is no record {seq}"))),
        };
        let Some(job) = job else {
            let records = alone.into_iter().map(|event| (event.seq(), event)).collect();
            return Ok(Taken { job: JobId([0; 16]), records });
        };
        let range = self.with_state(move |state| state.job(&job))?;
        let (first, last) = range.ok_or_else(|| nothing(format!("there is no job {job}")))?;
        let mut records = BTreeMap::new();
        for seq in first.0..=last.0 {
            let event = self.vault.load(Seq(seq))?.event;
            if event.job == Some(job) {
                records.insert(event.seq(), event);
            }
        }
        Ok(Taken { job, records })
    }
}

struct Undo<'a> {
    snapshot: &'a Snapshot<'a>,
    taken: &'a Taken,
    /// Contests among the records that nobody decided.
    open: BTreeSet<Seq>,
}

impl Undo<'_> {
    fn fill(&self, plan: &mut Plan) -> Result<()> {
        let mut blockers: BTreeMap<Seq, &'static str> = BTreeMap::new();
        for memory in self.touched()? {
            self.memory(memory, plan, &mut blockers)?;
        }
        for event in self.taken.records.values().rev() {
            self.beside(event, plan, &mut blockers)?;
        }
        if blockers.is_empty() {
            return Ok(());
        }
        let all: Vec<String> =
            blockers.iter().take(NAMED).map(|(seq, kind)| format!("#{seq} ({kind})")).collect();
        let more = blockers.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        Err(Error::new(
            ErrorKind::Conflict,
            format!("later records rest on it: {}{more}; undo these first", all.join(", ")),
        ))
    }

    fn past(&self) -> &dyn Past {
        self.snapshot.past()
    }

    /// Every memory that the records made or changed.
    fn touched(&self) -> Result<BTreeSet<MemoryId>> {
        let mut touched = BTreeSet::new();
        for event in self.taken.records.values() {
            refuse_what_stays(event)?;
            if let Event::Close(close) = &event.event {
                touched.insert(close.memory);
            } else if !matches!(event.event, Event::Answer(_) | Event::Verdict(_)) {
                touched.extend(named(&event.event));
            }
        }
        Ok(touched)
    }

    fn memory(
        &self,
        id: MemoryId,
        plan: &mut Plan,
        blockers: &mut BTreeMap<Seq, &'static str>,
    ) -> Result<()> {
        let Some(birth) = self.past().birth(&id)? else { return Ok(()) };
        let versions = self.past().versions(birth.seq)?;
        let ours = |version: &Lifecycle| self.taken.records.contains_key(&version.since);
        let Some(first) = versions.iter().position(ours) else { return Ok(()) };
        for later in versions.iter().skip(first).filter(|version| !ours(version)) {
            self.block(later.since, blockers)?;
        }
        let Some(now) = versions.last() else { return Ok(()) };
        let before = first.checked_sub(1).and_then(|at| versions.get(at));
        match before {
            Some(before) => {
                let cause = self.cause(&versions, before)?;
                let back = restore(id, before, now, cause)?;
                if let Some(does) = back.does {
                    plan.step(id, does);
                }
                let acts = back.events.into_iter().map(|event| Act::event(event, birth.scope));
                plan.acts.extend(acts);
            }
            None => self.unwrite(&birth, now, plan, blockers)?,
        }
        Ok(())
    }

    /// A memory that the records wrote: it was never true, or, where it waits, it is rejected.
    fn unwrite(
        &self,
        birth: &Birth,
        now: &Lifecycle,
        plan: &mut Plan,
        blockers: &mut BTreeMap<Seq, &'static str>,
    ) -> Result<()> {
        for derived in self.past().derived(&birth.id)? {
            let stands = self.past().version(derived)?.is_some_and(|life| stands(&life));
            if stands && !self.taken.records.contains_key(&derived) {
                self.block(derived, blockers)?;
            }
        }
        let event = if now.pending {
            let decision = ledger_format::names::Decision::Reject;
            let pending = birth.seq;
            Event::Approval(duty::Approval { pending, decision, step: 1, complete: true })
        } else if stands(now) {
            Event::Close(body::Close {
                memory: birth.id,
                kind: ledger_format::CloseKind::Wrong,
                from: None,
                until: None,
                replaced_by: None,
            })
        } else {
            return Ok(());
        };
        plan.step(birth.id, "taken back");
        plan.acts.push(Act::event(event, birth.scope));
        Ok(())
    }

    /// What the records did beside the memories they name: contests and tasks.
    fn beside(
        &self,
        event: &Sequenced,
        plan: &mut Plan,
        blockers: &mut BTreeMap<Seq, &'static str>,
    ) -> Result<()> {
        let scope = event.header.scope;
        let seq = event.seq();
        let back = match &event.event {
            Event::Contest(contest) if self.open.contains(&seq) => {
                let kept = contest.memories.clone();
                Event::Resolve(body::Resolve { contest: seq, kept, rule: 0 })
            }
            Event::Resolve(resolve) => match self.snapshot.vault.load(resolve.contest)?.event.event
            {
                Event::Contest(contest) if !self.taken.records.contains_key(&resolve.contest) => {
                    Event::Contest(contest)
                }
                _ => return Ok(()),
            },
            Event::TaskEnded(ended) => match self.past().task(ended.task)? {
                Some(task) if task.ended == Some(seq) => {
                    let (task, parent) = (ended.task, task.parent);
                    Event::TaskStarted(duty::TaskStarted { task, parent })
                }
                Some(task) => return self.block(task.started, blockers),
                None => return Ok(()),
            },
            Event::TaskStarted(started) => match self.past().task(started.task)? {
                Some(task) if task.started == seq && task.ended.is_none() => {
                    let outcome = TaskOutcome::Partial;
                    Event::TaskEnded(duty::TaskEnded { task: started.task, outcome })
                }
                Some(task) => return self.block(task.ended.unwrap_or(task.started), blockers),
                None => return Ok(()),
            },
            _ => return Ok(()),
        };
        plan.acts.push(Act::event(back, scope));
        Ok(())
    }

    /// A later record that stands in the way. That something was used meanwhile does not.
    fn block(&self, seq: Seq, blockers: &mut BTreeMap<Seq, &'static str>) -> Result<()> {
        let event = self.snapshot.vault.load(seq)?.event.event;
        if !matches!(event, Event::Use(_)) {
            blockers.insert(seq, event.kind().map_or("unknown", |kind| kind.name()));
        }
        Ok(())
    }

    /// Why a memory had been expired in a version.
    fn cause(
        &self,
        versions: &[Lifecycle],
        of: &Lifecycle,
    ) -> Result<Option<ledger_format::names::ExpireCause>> {
        if !of.expired {
            return Ok(None);
        }
        for version in versions.iter().rev().filter(|version| version.since <= of.since) {
            if let Event::Expire(expire) = self.snapshot.vault.load(version.since)?.event.event {
                return Ok(Some(expire.cause));
            }
        }
        Ok(None)
    }
}

fn stands(life: &Lifecycle) -> bool {
    let gone = life.forgotten.is_some() || life.erased.is_some() || life.rejected;
    !gone && !life.validity.is_never()
}

fn refuse_what_stays(event: &Sequenced) -> Result<()> {
    let why = match &event.event {
        Event::EraseIntent(_) | Event::EraseDone(_) => {
            "an erasure destroys; nothing brings it back"
        }
        Event::Approval(_) => {
            "it decided about what waited; close or reopen the memory itself instead"
        }
        Event::Restrict(_) | Event::Unrestrict(_) => "holds are placed and lifted by themselves",
        Event::SkillState(_) | Event::SummaryState(_) => {
            "roll the skill or the summary back instead"
        }
        Event::PolicySet(_) => "use `memledger policy rollback` instead",
        _ => return Ok(()),
    };
    Err(Error::new(
        ErrorKind::Conflict,
        format!("record {} cannot be taken back: {why}", event.seq()),
    ))
}
