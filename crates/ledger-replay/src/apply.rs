//! Owns the transition: what each event does.
//!
//! Invariants: total; touches nothing but the state; each touched memory yields exactly one new
//! version per event, even when an event names it twice.

use alloc::vec::Vec;

use ledger_format::event::{duty, ledger, memory as body};
use ledger_format::names::{Decision, Job};
use ledger_format::{AliasId, CloseKind, Event, Layer, MemoryId, Micros, Role, Seq, Verdict};

use crate::change::{Anomaly, Change, Changes, Oddity};
use crate::erasure::EraseTargets;
use crate::lifecycle::{Closure, Lifecycle, PushedDown};
use crate::memory::{Birth, Memory};
use crate::state::{Idempotent, PendingWrite, Schedule, SigningKey, StateHead, Task};
use crate::validity::{Interval, Validity};
use crate::{Alias, Erasure, Sequenced, State};

/// The number of the setting that `config_set` changes the public name with.
const SETTING_ORIGIN: u16 = 2;

/// The values of a slot that are remembered: those that began last.
const SLOT_VALUES: usize = 64;

/// Applies one event and says what it changed.
pub fn apply(state: &mut State, sequenced: &Sequenced) -> Changes {
    let mut step = Step::new(state, sequenced);
    step.bookkeeping();
    step.event();
    step.finish()
}

struct Step<'a> {
    state: &'a mut State,
    at: &'a Sequenced,
    changes: Vec<Change>,
    anomalies: Vec<Anomaly>,
    /// Touched memories with whether they were live before.
    touched: Vec<(MemoryId, bool)>,
    before: Option<Micros>,
}

impl<'a> Step<'a> {
    fn new(state: &'a mut State, at: &'a Sequenced) -> Self {
        let before = state.head.map(|head| head.recorded_at);
        Self { state, at, changes: Vec::new(), anomalies: Vec::new(), touched: Vec::new(), before }
    }

    fn bookkeeping(&mut self) {
        let header = &self.at.header;
        if self.before.is_some_and(|before| before > header.recorded_at) {
            self.odd(Oddity::TimeBackwards);
        }
        self.state.head = Some(StateHead {
            seq: header.seq,
            hash: self.at.hash,
            recorded_at: header.recorded_at,
        });
        if let Some((key, proposal)) = self.at.idempotency {
            // The first use of a key is the one that counts.
            let first = Idempotent { proposal, seq: header.seq };
            self.state.idempotency.entry(key).or_insert(first);
        }
        if let Some(job) = self.at.job {
            let (_, last) = self.state.jobs.entry(job).or_insert((header.seq, header.seq));
            *last = header.seq;
        }
    }

    fn event(&mut self) {
        match &self.at.event {
            Event::Genesis(genesis) => self.genesis(genesis),
            Event::Epoch(epoch) => self.state.epoch = epoch.epoch,
            Event::AliasBound(bound) => self.alias_bound(bound),
            Event::PolicySet(policy) => self.policy_set(policy),
            Event::KeyRotated(rotated) => self.key_rotated(rotated),
            Event::ConfigSet(set) if set.setting == SETTING_ORIGIN => {
                self.state.origin.clone_from(&set.value);
            }
            Event::Write(write) => self.write(write),
            Event::Close(close) => self.close(close),
            Event::Reopen(reopen) => self.reopen(reopen),
            Event::Confirm(confirm) => self.confirm(confirm),
            Event::Use(used) => self.used(&used.memories),
            Event::PushDown(push) => self.push_down(push),
            Event::Lift(lift) => self.lift(lift),
            Event::Contest(contest) => self.contest(contest),
            Event::Resolve(resolve) => self.resolve(resolve),
            Event::Pin(pin) => self.touch(pin.memory, |life| life.pinned = true),
            Event::Unpin(unpin) => self.touch(unpin.memory, |life| life.pinned = false),
            Event::Forget(forget) => self.forget(forget),
            Event::Promote(promote) => self.rank(promote.memory, promote.trust, promote.layer),
            Event::Demote(demote) => self.rank(demote.memory, demote.trust, demote.layer),
            Event::Expire(expire) => self.each(&expire.memories, |life| life.expired = true),
            Event::Restrict(restrict) => self.restrict(restrict),
            Event::Unrestrict(free) => self.unrestrict(free),
            Event::Stale(stale) => self.each(&stale.memories, |life| life.stale = true),
            // Its phase is in the record: the memory only has a new version by it.
            Event::SkillState(skill) => self.touch(skill.memory, |_| {}),
            Event::SummaryState(summary) => self.touch(summary.memory, |_| {}),
            Event::Approval(approval) => self.approval(approval),
            Event::TaskStarted(task) => self.task_started(task),
            Event::TaskEnded(task) => self.task_ended(task),
            Event::ScheduleSet(set) => self.schedule(set.job, |schedule| {
                schedule.every = set.every;
                schedule.next = (set.every > 0).then_some(set.next);
            }),
            Event::JobDone(done) => self.job_done(done),
            Event::Receipt(receipt) => {
                self.state.receipts = self.state.receipts.max(receipt.counter.saturating_add(1));
            }
            Event::EraseIntent(intent) => self.erase_intent(intent),
            Event::EraseDone(done) => self.erase_done(done),
            Event::Unknown { kind, critical: true, .. } => {
                self.state.unknown_critical.get_or_insert(self.at.seq());
                self.odd(Oddity::UnknownCritical(*kind));
            }
            // Recorded for the reader of the log; nothing that later events are judged by.
            _ => {}
        }
    }

    fn policy_set(&mut self, policy: &ledger::PolicySet) {
        self.state.policy = policy.version;
        self.state.policy_since = Some(self.at.seq());
    }

    /// Whether its signatures are right is for those who verify: what the record says is in force.
    fn key_rotated(&mut self, rotated: &ledger::KeyRotated) {
        self.state.signing_key = Some(SigningKey {
            algorithm: rotated.new.algorithm,
            bytes: rotated.new.bytes.clone(),
            since: self.at.seq(),
        });
    }

    fn finish(mut self) -> Changes {
        let header = &self.at.header;
        for (id, was_live) in core::mem::take(&mut self.touched) {
            if let Some(memory) = self.state.memories.get_mut(&id) {
                memory.lifecycle.since = header.seq;
                self.changes.push(Change::Version {
                    id,
                    born: memory.born,
                    scope: memory.scope,
                    key: memory.key,
                    was_live,
                    live: memory.lifecycle.live_beyond(header.recorded_at),
                    lifecycle: memory.lifecycle.clone(),
                });
            }
        }
        self.state.anomalies = self.state.anomalies.saturating_add(self.anomalies.len() as u64);
        Changes {
            seq: header.seq,
            hash: self.at.hash,
            recorded_at: header.recorded_at,
            list: self.changes,
            anomalies: self.anomalies,
        }
    }

    fn odd(&mut self, oddity: Oddity) {
        self.anomalies.push(Anomaly { seq: self.at.seq(), oddity });
    }

    /// Changes one memory and remembers that it has a new version.
    fn touch(&mut self, id: MemoryId, change: impl FnOnce(&mut Lifecycle)) {
        let Some(memory) = self.state.memories.get_mut(&id) else {
            self.odd(Oddity::NoSuchMemory(id));
            return;
        };
        if !self.touched.iter().any(|(touched, _)| *touched == id) {
            // Whether it was listed is judged by the version's own record, not by this one: the
            // set of listed memories changes by events only, never by the passing of time.
            self.touched.push((id, memory.live));
        }
        change(&mut memory.lifecycle);
        memory.live = memory.lifecycle.live_beyond(self.at.header.recorded_at);
    }

    fn each(&mut self, ids: &[MemoryId], change: impl Fn(&mut Lifecycle)) {
        for id in ids {
            self.touch(*id, &change);
        }
    }

    fn genesis(&mut self, genesis: &ledger::Genesis) {
        if self.at.seq() == Seq(0) {
            self.state.ledger = genesis.ledger;
            self.state.origin.clone_from(&genesis.origin);
        } else {
            self.odd(Oddity::SecondGenesis);
        }
    }

    fn alias_bound(&mut self, bound: &ledger::AliasBound) {
        if self.state.aliases.contains_key(&bound.alias) {
            self.odd(Oddity::AliasExists(bound.alias));
            return;
        }
        let name = self.at.payloads.iter().find(|payload| payload.role == Role::Name);
        let alias = Alias {
            kind: bound.kind,
            parent: bound.parent,
            bound: self.at.seq(),
            name: name.map(|payload| payload.id),
            erased: None,
        };
        self.state.aliases.insert(bound.alias, alias.clone());
        self.changes.push(Change::Alias(bound.alias, alias));
    }

    fn write(&mut self, write: &body::Write) {
        let id = write.memory;
        if self.state.memories.contains_key(&id) {
            self.odd(Oddity::MemoryExists(id));
            return;
        }
        let header = &self.at.header;
        let pending = write.verdict == Verdict::Pending;
        let memory = Memory {
            born: header.seq,
            scope: header.scope,
            body: write.body,
            source: write.source,
            actor_kind: header.actor_kind,
            key: write.key,
            task: self.at.task,
            live: false,
            lifecycle: first_version(write, header.seq, pending),
        };
        self.state.memories.insert(id, memory);
        if let Some(key) = write.key.filter(|_| write.layer == Layer::Day) {
            let since = write.valid_from.unwrap_or(self.at.header.recorded_at);
            fill_slot(self.state.slots.entry(key).or_default(), since, id);
        }
        if let Some(task) = self.at.task {
            self.state.of_tasks.entry(task).or_default().push(id);
        }
        self.changes.push(Change::Born(birth(write, self.at)));
        self.touch(id, |_| {});
        let cut = Interval::new(write.supersede_from, write.supersede_until);
        if pending {
            let supersedes = write.supersedes.clone();
            let (writer, agreed) = (self.at.header.actor, Vec::new());
            let pending = PendingWrite { memory: id, supersedes, cut, writer, agreed };
            self.state.pending.insert(self.at.seq(), pending);
        } else {
            self.supersede(id, &write.supersedes, cut);
        }
    }

    fn supersede(&mut self, by: MemoryId, targets: &[MemoryId], cut: Interval) {
        let scope = self.state.memories.get(&by).map(|memory| memory.scope);
        for target in targets {
            let target_scope = self.state.memories.get(target).map(|memory| memory.scope);
            if target_scope.is_some() && target_scope != scope {
                self.odd(Oddity::OtherScope(*target));
            }
            self.close_one(*target, CloseKind::Changed, cut, Some(by));
        }
    }

    fn close(&mut self, close: &body::Close) {
        let cut = Interval::new(close.from, close.until);
        self.close_one(close.memory, close.kind, cut, close.replaced_by);
    }

    fn close_one(&mut self, id: MemoryId, kind: CloseKind, cut: Interval, by: Option<MemoryId>) {
        let seq = self.at.seq();
        self.touch(id, |life| {
            match kind {
                CloseKind::Wrong => life.validity = Validity::NEVER,
                _ => life.validity.subtract(cut),
            }
            life.closed = Some(Closure { seq, kind, by });
        });
    }

    fn reopen(&mut self, reopen: &body::Reopen) {
        let more = Interval::new(reopen.from, reopen.until);
        self.touch(reopen.memory, |life| {
            // What is forgotten is not reopened: this takes the forgetting back, and nothing else.
            if life.forgotten.take().is_some() {
                return;
            }
            life.validity.add(more);
            life.closed = None;
            life.expired = false;
        });
    }

    fn confirm(&mut self, confirm: &body::Confirm) {
        let now = self.at.header.recorded_at;
        self.each(&confirm.memories, |life| {
            life.last_confirmed = Some(now);
            // A lifetime counts unless confirmed: a confirmation gives a new end or none.
            life.ttl_until = confirm.ttl_until;
            life.review_by = confirm.review_by.or(life.review_by);
            life.expired = false;
            life.stale = false;
        });
    }

    fn used(&mut self, memories: &[MemoryId]) {
        let now = self.at.header.recorded_at;
        self.each(memories, |life| life.last_used = Some(now));
    }

    fn push_down(&mut self, push: &body::PushDown) {
        let pushed = PushedDown { seq: self.at.seq(), reach: push.reach };
        self.touch(push.memory, |life| life.pushed_down.push(pushed));
    }

    fn lift(&mut self, lift: &body::Lift) {
        self.touch(lift.memory, |life| {
            life.pushed_down.retain(|push| lift.push_down.is_some_and(|seq| seq != push.seq));
        });
    }

    fn contest(&mut self, contest: &body::Contest) {
        let seq = self.at.seq();
        self.state.contests.insert(seq, contest.memories.clone());
        self.each(&contest.memories, |life| life.contest = Some(seq));
    }

    fn resolve(&mut self, resolve: &body::Resolve) {
        let Some(members) = self.state.contests.remove(&resolve.contest) else {
            self.odd(Oddity::NoSuchRecord(resolve.contest));
            return;
        };
        for id in members {
            let open = self.open_contest(id);
            self.touch(id, |life| {
                if life.contest == Some(resolve.contest) {
                    life.contest = open;
                }
            });
        }
    }

    /// The newest contest that is still open and named this memory when it existed. A memory keeps
    /// its mark while one contest of it is undecided.
    fn open_contest(&self, id: MemoryId) -> Option<Seq> {
        let born = self.state.memories.get(&id)?.born;
        let mut newest = self.state.contests.iter().rev().take_while(|(seq, _)| **seq > born);
        newest.find(|(_, members)| members.binary_search(&id).is_ok()).map(|(seq, _)| *seq)
    }

    /// A restriction stands until the hold behind it is lifted: another hold does not end it.
    fn restrict(&mut self, restrict: &body::Restrict) {
        for id in &restrict.memories {
            if self.state.memories.contains_key(id) {
                let holds = self.state.restrictions.entry(*id).or_default();
                if !holds.contains(&restrict.hold) {
                    holds.push(restrict.hold);
                }
            }
            self.touch(*id, |life| life.restricted = true);
        }
    }

    fn unrestrict(&mut self, free: &body::Unrestrict) {
        for id in &free.memories {
            let mut restricted = false;
            if let Some(holds) = self.state.restrictions.get_mut(id) {
                holds.retain(|hold| *hold != free.hold);
                restricted = !holds.is_empty();
                if !restricted {
                    self.state.restrictions.remove(id);
                }
            }
            self.touch(*id, |life| life.restricted = restricted);
        }
    }

    fn forget(&mut self, forget: &body::Forget) {
        let seq = self.at.seq();
        self.each(&forget.memories, |life| {
            life.forgotten.get_or_insert(seq);
        });
    }

    fn rank(
        &mut self,
        id: MemoryId,
        trust: Option<ledger_format::Trust>,
        layer: Option<ledger_format::Layer>,
    ) {
        self.touch(id, |life| {
            life.trust = trust.unwrap_or(life.trust);
            life.layer = layer.unwrap_or(life.layer);
        });
    }

    fn approval(&mut self, approval: &duty::Approval) {
        if !approval.complete {
            let actor = self.at.header.actor;
            let Some(pending) = self.state.pending.get_mut(&approval.pending) else {
                self.odd(Oddity::NoSuchRecord(approval.pending));
                return;
            };
            pending.agreed.push(actor);
            let memory = pending.memory;
            self.touch(memory, |_| {});
            return;
        }
        let Some(pending) = self.state.pending.remove(&approval.pending) else {
            self.odd(Oddity::NoSuchRecord(approval.pending));
            return;
        };
        let approved = approval.decision == Decision::Approve;
        self.touch(pending.memory, |life| {
            life.pending = false;
            life.rejected = !approved;
            if approved {
                life.trust = life.trust.max(ledger_format::Trust::Approved);
            }
        });
        if approved {
            self.supersede(pending.memory, &pending.supersedes, pending.cut);
        }
    }

    fn task_started(&mut self, started: &duty::TaskStarted) {
        let task = Task { started: self.at.seq(), parent: started.parent, ended: None };
        self.state.tasks.insert(started.task, task);
        self.changes.push(Change::Task(started.task, task));
    }

    fn task_ended(&mut self, ended: &duty::TaskEnded) {
        let seq = self.at.seq();
        match self.state.tasks.get_mut(&ended.task) {
            None => self.odd(Oddity::NoSuchRecord(seq)),
            Some(task) => {
                task.ended = Some(seq);
                self.changes.push(Change::Task(ended.task, *task));
            }
        }
    }

    fn schedule(&mut self, job: Job, change: impl FnOnce(&mut Schedule)) {
        let schedule = self.state.schedules.entry(job.number()).or_default();
        change(schedule);
        self.changes.push(Change::Schedule(job, *schedule));
    }

    /// Runs that were missed are not made up for: the next one is a period away.
    fn job_done(&mut self, done: &duty::JobDone) {
        let (seq, now) = (self.at.seq(), self.at.header.recorded_at);
        self.schedule(done.job, |schedule| {
            schedule.done = Some((seq, now));
            schedule.count = done.count;
            let every = i64::try_from(schedule.every).unwrap_or(i64::MAX);
            schedule.next = (every > 0).then(|| Micros(now.0.saturating_add(every)));
        });
    }

    /// Nothing is erased before the last part is recorded.
    fn erase_intent(&mut self, intent: &duty::EraseIntent) {
        let fits = match self.state.erasures.get(&intent.erasure) {
            None => intent.part == 0,
            Some(erasure) => {
                erasure.intended.is_none()
                    && erasure.seen == intent.part
                    && erasure.parts == intent.parts
            }
        };
        if !fits {
            self.odd(Oddity::ErasurePart(intent.erasure));
            return;
        }
        let erasure = self.state.erasures.entry(intent.erasure).or_default();
        erasure.parts = intent.parts;
        erasure.seen = erasure.seen.saturating_add(1);
        erasure.waiting.push(EraseTargets {
            memories: intent.memories.clone(),
            aliases: intent.aliases.clone(),
            payloads: intent.payloads.clone(),
        });
        let complete = erasure.seen == erasure.parts;
        let seq = self.at.seq();
        let mut targets = Vec::new();
        if complete {
            erasure.intended = Some(seq);
            targets = core::mem::take(&mut erasure.waiting);
        }
        let erasure: Erasure = erasure.clone();
        for part in targets {
            part.payloads.into_iter().for_each(|range| self.state.erased.insert(range));
            self.each(&part.memories, |life| {
                life.erased.get_or_insert(seq);
            });
            part.aliases.into_iter().for_each(|alias| self.alias_erased(alias));
        }
        self.changes.push(Change::Erasure(intent.erasure, erasure));
    }

    fn alias_erased(&mut self, id: AliasId) {
        let seq = self.at.seq();
        if let Some(alias) = self.state.aliases.get_mut(&id) {
            alias.erased.get_or_insert(seq);
            self.changes.push(Change::Alias(id, alias.clone()));
        }
    }

    fn erase_done(&mut self, done: &duty::EraseDone) {
        let seq = self.at.seq();
        match self.state.erasures.get_mut(&done.erasure) {
            Some(erasure) if erasure.intended.is_some() => {
                erasure.done = Some(seq);
                let erasure = erasure.clone();
                self.changes.push(Change::Erasure(done.erasure, erasure));
            }
            _ => self.odd(Oddity::ErasurePart(done.erasure)),
        }
    }
}

/// Remembers a value of a slot of the day, in the order in which values begin.
fn fill_slot(values: &mut Vec<(Micros, MemoryId)>, since: Micros, id: MemoryId) {
    let at = values.partition_point(|(other, _)| *other <= since);
    values.insert(at, (since, id));
    if values.len() > SLOT_VALUES {
        values.remove(0);
    }
}

fn first_version(write: &body::Write, seq: Seq, pending: bool) -> Lifecycle {
    Lifecycle {
        since: seq,
        layer: write.layer,
        trust: write.trust,
        validity: Validity::of(Interval::new(write.valid_from, write.valid_until)),
        ttl_until: write.ttl_until,
        review_by: write.review_by,
        last_confirmed: None,
        last_used: None,
        closed: None,
        pushed_down: Vec::new(),
        contest: None,
        forgotten: None,
        erased: None,
        pending,
        rejected: false,
        expired: false,
        restricted: false,
        pinned: false,
        stale: false,
    }
}

fn birth(write: &body::Write, at: &Sequenced) -> Birth {
    Birth {
        id: write.memory,
        seq: at.seq(),
        recorded_at: at.header.recorded_at,
        claimed_at: at.claimed_at,
        body: write.body,
        source: write.source,
        actor_kind: at.header.actor_kind,
        scope: at.header.scope,
        key: write.key,
        fact: write.fact,
        domain: write.domain,
        subjects: write.subjects.clone(),
        tags: write.tags.clone(),
        task: at.task,
        derived_from: write.derived_from.clone(),
        supersedes: write.supersedes.clone(),
    }
}
