//! Owns the writer thread: groups of submissions become one batch and one wait for the disk.
//!
//! Invariants: state never runs ahead of what was pushed into the batch; after a failed commit the
//! thread answers every waiter with an error and takes nothing more; the views and the anchor
//! follow after the answers.

mod own;

use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ledger_format::event::ledger::{ClockCorrected, Epoch, Repaired};
use ledger_format::names::EpochReason;
use ledger_format::{
    AliasId, Digest16, Event, Extension, JobId, Kind, LedgerId, Micros, Seq, hash,
};
use ledger_replay::{Sequenced, State, apply};
use ledger_store::{Appender, KeyStore, NewRecord, StoreError};

pub(crate) use self::own::{MakeOwn, Own};
use crate::clock::{Chance, Clock};
use crate::command::{Command, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::gate::{Bench, Composed, Gate, Ruling};
use crate::life::two_values;
use crate::names::Names;
use crate::outcome::Outcome;
use crate::scope::Scope;
use crate::vault::Vault;
use crate::views::ViewFeed;
use crate::writer::batch::{Batch, Footprint, Waiting, sequence};
use crate::writer::bind::Binder;
use crate::writer::compose::{Composer, header};
use crate::writer::contests::contest_records;
use crate::writer::judge::judge;
use crate::writer::keys_ahead::KeysAhead;
use crate::writer::outcome::{at_head, nothing_recorded, outcome_of, unknown_outcome};
use crate::writer::prepare::{Prepared, PreparedCommand};
use crate::writer::stamp::{Stamp, Stamper};
use crate::writer::ticket::{Admitted, Answer, Ticket};

/// Submissions waiting for the writer before callers have to wait.
const QUEUE: usize = 4_096;
/// A batch is closed at this size, so that one waiter is not held up by all the others.
const GROUP_BYTES: u64 = 4 * 1024 * 1024;
const GROUP_RECORDS: usize = 8_192;
/// How often in vain the thread steps aside for callers that are about to come back.
const PATIENCE: u32 = 3;
/// How long the thread waits for work before it tidies up.
const IDLE: Duration = Duration::from_millis(250);

/// A question about the state as it is when its turn comes.
pub(crate) type Ask = Box<dyn FnOnce(&State) + Send>;

enum Job {
    Record(Box<Prepared>, Answer),
    /// An event of the ledger itself, with the words that go with it.
    Own(Box<Own>, Answer),
    /// A question about the state.
    Ask(Ask),
    /// Which record an idempotency key led to.
    Known(String, SyncSender<Option<Seq>>),
}

/// What the writer needs to begin.
pub(crate) struct Start {
    pub(crate) ledger: LedgerId,
    pub(crate) appender: Appender,
    pub(crate) state: State,
    pub(crate) gate: Gate,
    pub(crate) vault: Vault,
    pub(crate) names: Arc<Names>,
    pub(crate) views: Option<Arc<ViewFeed>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) confirm_clock: bool,
    pub(crate) next_epoch: u64,
    pub(crate) dropped_bytes: u64,
    /// Repairs that no record tells of yet.
    pub(crate) repairs: Vec<Repaired>,
    /// Whether the first batch has to open an epoch.
    pub(crate) open_epoch: bool,
    /// Why, if it has to.
    pub(crate) epoch_reason: EpochReason,
    /// Whether answers wait until nothing more is under way, and nothing happens in between.
    pub(crate) in_turns: bool,
}

/// The running writer.
pub(crate) struct Writer {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<Finished>>,
}

/// What is left when the writer stops.
pub(crate) struct Finished {
    pub(crate) appender: Appender,
    pub(crate) state: State,
    pub(crate) gate: Gate,
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(start: Start) -> Result<Self> {
        let (jobs, waiting) = sync_channel(QUEUE);
        let pepper = *start.vault.pepper()?;
        let keys_ahead = KeysAhead::start(start.vault.shared_keys(), start.in_turns)?;
        // Made here and not by the thread: what it draws is drawn before what the first caller draws.
        let worker = Worker::new(start, pepper, keys_ahead);
        let thread = std::thread::Builder::new()
            .name("memledger-writer".into())
            .spawn(move || worker.run(&waiting))
            .map_err(|error| {
                Error::new(ErrorKind::Unavailable, format!("no thread for the writer: {error}"))
            })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Queues a prepared submission.
    pub(crate) fn enqueue(&self, prepared: Prepared) -> Result<Ticket> {
        let (ticket, answer) = Ticket::new();
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job::Record(Box::new(prepared), answer)).map_err(|_| stopped())?;
        Ok(ticket)
    }

    /// Queues an event of the ledger itself, to be made where its place is known.
    pub(crate) fn own(&self, own: Own) -> Result<Ticket> {
        let (ticket, answer) = Ticket::new();
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job::Own(Box::new(own), answer)).map_err(|_| stopped())?;
        Ok(ticket)
    }

    /// Asks about the state.
    pub(crate) fn ask(&self, ask: Ask) -> Result<()> {
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job::Ask(ask)).map_err(|_| stopped())
    }

    /// Asks which record an idempotency key led to.
    pub(crate) fn known(&self, key: &str) -> Result<Receiver<Option<Seq>>> {
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        let (answer, known) = sync_channel(1);
        jobs.send(Job::Known(key.to_owned(), answer)).map_err(|_| stopped())?;
        Ok(known)
    }

    /// Finishes what is queued and stops.
    pub(crate) fn stop(mut self) -> Result<Finished> {
        self.jobs = None;
        let thread = self.thread.take();
        thread.and_then(|thread| thread.join().ok()).ok_or_else(|| {
            Error::new(
                ErrorKind::Unavailable,
                "the writer failed; what was acknowledged is safe, open the ledger again",
            )
        })
    }
}

impl Drop for Writer {
    /// A ledger that is dropped and not closed lets go of its lock before it is gone, so that the
    /// next one to open it does not meet a holder that no longer exists.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // Whoever drops a writer does not ask how it ended; every waiter was told.
            let _ = thread.join();
        }
    }
}

fn stopped() -> Error {
    Error::new(
        ErrorKind::Unavailable,
        "the writer has stopped after an error; open the ledger again",
    )
}

struct Worker {
    ledger: LedgerId,
    appender: Appender,
    state: State,
    gate: Gate,
    vault: Vault,
    names: Arc<Names>,
    views: Option<Arc<ViewFeed>>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    stamper: Stamper,
    pepper: [u8; 32],
    epoch: Option<Epoch>,
    repairs: Vec<Repaired>,
    poisoned: Option<String>,
    keys_ahead: KeysAhead,
    /// Submissions in the last group.
    last_group: usize,
    in_turns: bool,
    /// Answers that are held back until the round is over.
    held: Vec<Box<dyn FnOnce() + Send>>,
}

impl Worker {
    fn new(start: Start, pepper: [u8; 32], keys_ahead: KeysAhead) -> Self {
        let last = start.state.head().map(|head| head.recorded_at);
        let mut holder = [0; 16];
        // Only tells holders apart in the log; zero where the machine has no random bytes.
        let _ = start.chance.fill(&mut holder);
        let epoch = start.open_epoch.then(|| Epoch {
            epoch: start.next_epoch,
            holder: JobId(holder),
            reason: start.epoch_reason,
            program: concat!("memledger ", env!("CARGO_PKG_VERSION")).to_owned(),
            dropped_bytes: start.dropped_bytes,
        });
        Self {
            ledger: start.ledger,
            appender: start.appender,
            state: start.state,
            gate: start.gate,
            vault: start.vault,
            names: start.names,
            views: start.views,
            chance: start.chance,
            clock: Arc::clone(&start.clock),
            stamper: Stamper::new(start.clock, last, start.confirm_clock),
            pepper,
            epoch,
            repairs: start.repairs,
            poisoned: None,
            keys_ahead,
            last_group: 0,
            in_turns: start.in_turns,
            held: Vec::new(),
        }
    }

    fn run(mut self, jobs: &Receiver<Job>) -> Finished {
        loop {
            let job = if self.in_turns {
                jobs.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                jobs.recv_timeout(IDLE)
            };
            match job {
                Ok(first) => self.round(first, jobs),
                Err(RecvTimeoutError::Timeout) => self.tidy(true),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Finished { appender: self.appender, state: self.state, gate: self.gate }
    }

    /// One batch: what is waiting, up to the group size.
    fn round(&mut self, first: Job, jobs: &Receiver<Job>) {
        let mut batch = Batch::begin(&self.appender);
        let mut next = Some(first);
        let mut patience = PATIENCE;
        while let Some(job) = next {
            self.take(&mut batch, job);
            let full = batch.builder.bytes() > GROUP_BYTES || batch.builder.count() > GROUP_RECORDS;
            next = if full { None } else { self.next(&batch, jobs, &mut patience) };
        }
        self.last_group = batch.waiting.len();
        let slots = batch.slots;
        self.commit(batch);
        self.keys_ahead.used(slots);
        self.tidy(false);
        self.held.drain(..).for_each(|answer| answer());
    }

    /// The next job that waits. When the group before was much larger than this one, those who
    /// were just answered are about to come back: they get the processor before a flush is spent
    /// on the few who were first. A caller who is alone never waits here.
    fn next(&self, batch: &Batch, jobs: &Receiver<Job>, patience: &mut u32) -> Option<Job> {
        loop {
            if let Ok(job) = jobs.try_recv() {
                *patience = PATIENCE;
                return Some(job);
            }
            let enough = batch.waiting.len().saturating_mul(4) >= self.last_group.saturating_mul(3);
            if enough || *patience == 0 {
                return None;
            }
            *patience -= 1;
            std::thread::yield_now();
        }
    }

    /// Judges one submission and puts it into the batch, or answers it.
    fn take(&mut self, batch: &mut Batch, job: Job) {
        let (admitted, answer) = match job {
            Job::Record(prepared, answer) => {
                let admitted = self.usable().and_then(|()| self.admit(batch, *prepared));
                (admitted, answer)
            }
            Job::Own(own, answer) => {
                let made = self.usable().and_then(|()| self.own(batch, *own));
                (made, answer)
            }
            Job::Ask(ask) => {
                ask(&self.state);
                return;
            }
            Job::Known(key, answer) => {
                let digest = hash::idempotency(&self.pepper, 1, key.as_bytes());
                // Whoever asked may have gone; then nobody needs the answer.
                let known = self.state.idempotent(&digest).map(|first| first.seq);
                self.say(move || answer.send(known).unwrap_or_default());
                return;
            }
        };
        match admitted {
            Ok(admitted) => batch.waiting.push(Waiting { answer, admitted }),
            Err(error) => self.answer(answer, Err(error)),
        }
    }

    fn answer(&mut self, to: Answer, result: Result<Admitted>) {
        self.say(move || to.give(result));
    }

    /// Gives an answer at once, or, where turns are taken, when the round is over.
    fn say(&mut self, answer: impl FnOnce() + Send + 'static) {
        if self.in_turns {
            self.held.push(Box::new(answer));
        } else {
            answer();
        }
    }

    fn usable(&self) -> Result<()> {
        match &self.poisoned {
            None => Ok(()),
            Some(cause) => Err(Error::new(
                ErrorKind::Unavailable,
                format!("the writer stopped after an error ({cause}); open the ledger again"),
            )),
        }
    }

    fn admit(&mut self, batch: &mut Batch, prepared: Prepared) -> Result<Admitted> {
        let idempotency = self.digests(&prepared);
        if let Some((key, proposal)) = idempotency
            && let Some(first) = self.state.idempotent(&key)
        {
            if first.proposal != proposal {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    format!(
                        "this idempotency key was used for another body, by record {}; use a new key for a new body",
                        first.seq
                    ),
                ));
            }
            let outcomes = self.repeat(batch, first.seq, prepared.commands.len())?;
            return Ok(Admitted { outcomes, spent: Vec::new() });
        }
        let stamp = self.stamper.stamp()?;
        let commands: Vec<&Command> =
            prepared.commands.iter().map(|command| &command.command).collect();
        judge(&self.state, &commands, &prepared.terms, stamp.recorded_at)?;
        let rulings = self.rule(batch, &prepared, stamp.recorded_at)?;
        two_values(commands.iter().copied().zip(&rulings))?;
        self.compose(batch, prepared, rulings, stamp, idempotency)
    }

    /// What the gate says to each command: only writes are proposals.
    fn rule(
        &mut self,
        batch: &Batch,
        prepared: &Prepared,
        now: Micros,
    ) -> Result<Vec<Option<Ruling>>> {
        let vault = &self.vault;
        let load = |seq| batch.event(seq).unwrap_or_else(|| Ok(vault.load(seq)?.event));
        let bench = Bench {
            state: &self.state,
            names: &self.names,
            terms: &prepared.terms,
            load: &load,
            now,
        };
        let gate = &mut self.gate;
        let rulings = prepared.commands.iter().map(|one| match &one.command {
            Command::Write(proposal) => gate.rule(&bench, proposal, &one.seen).map(Some),
            _ => Ok(None),
        });
        rulings.collect()
    }

    fn compose(
        &mut self,
        batch: &mut Batch,
        prepared: Prepared,
        rulings: Vec<Option<Ruling>>,
        stamp: Stamp,
        idempotency: Option<(Digest16, Digest16)>,
    ) -> Result<Admitted> {
        let (keys, names, chance) = self.to_bind();
        let mut binder = Binder {
            ledger: self.ledger,
            names: &names,
            keys: &keys,
            chance: &*chance,
            stamp,
            policy: self.state.policy(),
            records: Vec::new(),
            bound: Vec::new(),
        };
        let mut terms = prepared.terms;
        if terms.job.is_none()
            && prepared.commands.iter().map(|one| one.command.touches()).sum::<usize>() > 1
        {
            terms.job = Some(JobId(binder.memory_id()?.0));
        }
        let mut events = Vec::with_capacity(prepared.commands.len());
        let mut spent = Vec::with_capacity(prepared.commands.len());
        let refused = rulings.iter().flatten().any(Ruling::refuses);
        let commands = prepared.commands.into_iter().zip(&rulings).enumerate();
        for (at, (PreparedCommand { command, payloads, .. }, ruling)) in commands {
            let extensions = extensions(&terms, idempotency.filter(|_| at == 0));
            let mut composer = Composer { state: &self.state, binder: &mut binder, terms: &terms };
            events.push(match ruling.as_ref().filter(|ruling| refused || ruling.is_elsewhere()) {
                Some(ruling) => composer.turned_away(&command, ruling, extensions)?,
                None if refused => composer.held_back(&command, extensions)?,
                None => composer.record(&command, ruling.as_ref(), payloads, extensions)?,
            });
            spent.push(command);
        }
        let first_event = binder.records.len();
        let mut all = self.opening(stamp)?;
        let preamble = all.len();
        all.append(&mut binder.records);
        all.append(&mut events);
        let bound = binder.bound;
        let asked = preamble + first_event..all.len();
        if !refused {
            let contests = self.contests(batch, &all, asked.clone(), &rulings, stamp)?;
            all.extend(contests);
        }
        let pushed = self.push(batch, all)?;
        Binder::settle(&names, bound);
        self.has_opened();
        let events = pushed.get(asked).unwrap_or_default().iter();
        for (done, ruling) in events.clone().zip(&rulings) {
            if let (Event::Write(write), Some(ruling)) = (&done.event, ruling) {
                self.gate.written(ruling, write.memory, done.header.scope);
            }
        }
        let outcomes = events.map(|done| self.outcome(batch, done)).collect();
        Ok(Admitted { outcomes, spent })
    }

    /// Records of what the submission, whose own records are at `asked`, brings into contradiction.
    fn contests(
        &self,
        batch: &Batch,
        all: &[(NewRecord, Event)],
        asked: Range<usize>,
        rulings: &[Option<Ruling>],
        stamp: Stamp,
    ) -> Result<Vec<(NewRecord, Event)>> {
        let vault = &self.vault;
        let load = |seq| batch.event(seq).unwrap_or_else(|| Ok(vault.load(seq)?.event));
        let own = all.get(asked).unwrap_or_default().iter().zip(rulings);
        let composed: Vec<Composed<'_>> = own
            .map(|((record, event), ruling)| Composed {
                event,
                scope: record.header.scope,
                actor: record.header.actor_kind,
                ruling: ruling.as_ref(),
            })
            .collect();
        let found = self.gate.contests(&self.state, &load, stamp.recorded_at, &composed)?;
        let next = self.state.head().map_or(Seq(0), |head| head.seq.next());
        let first = Seq(next.0.saturating_add(all.len() as u64));
        contest_records(found, first, stamp, self.state.policy())
    }

    fn to_bind(&self) -> (Arc<KeyStore>, Arc<Names>, Arc<dyn Chance>) {
        (self.vault.shared_keys(), Arc::clone(&self.names), Arc::clone(&self.chance))
    }

    /// What goes before the first records of a holder, and before records after a confirmed jump.
    fn opening(&self, stamp: Stamp) -> Result<Vec<(NewRecord, Event)>> {
        let mut records = Vec::new();
        let policy = self.state.policy();
        if let Some(epoch) = &self.epoch {
            records.push(plain(Event::Epoch(epoch.clone()), Kind::Epoch, stamp, policy)?);
        }
        for repaired in &self.repairs {
            records.push(plain(Event::Repaired(repaired.clone()), Kind::Repaired, stamp, policy)?);
        }
        if let Some(before) = stamp.jumped_from {
            let corrected = ClockCorrected { before, confirmed: stamp.wall };
            records.push(plain(
                Event::ClockCorrected(corrected),
                Kind::ClockCorrected,
                stamp,
                policy,
            )?);
        }
        Ok(records)
    }

    /// What goes before the first records stands in the log now.
    fn has_opened(&mut self) {
        self.epoch = None;
        self.repairs.clear();
    }

    /// Pushes all records or none; a batch that cannot take them is committed first. There is room
    /// on the disk for them before anything moves: a full disk refuses this submission, and state,
    /// names and the batch stay as they are.
    fn push(&mut self, batch: &mut Batch, all: Vec<(NewRecord, Event)>) -> Result<Vec<Sequenced>> {
        let more = Footprint::of(&all);
        if !batch.has_room(&self.appender, more, all.len()) {
            let full = std::mem::replace(batch, Batch::begin(&self.appender));
            self.commit(full);
            if let Some(cause) = &self.poisoned {
                return Err(Error::new(ErrorKind::Unavailable, cause.clone()));
            }
            *batch = Batch::begin(&self.appender);
        }
        let room = self.appender.reserve(&batch.builder, more.log, more.payload);
        room.map_err(|error| self.no_room(error))?;
        let mut records = Vec::with_capacity(all.len());
        let mut sequenced = Vec::with_capacity(all.len());
        for (record, event) in all {
            batch.slots += record.payloads.len() as u64;
            sequenced.push(sequence(&record, event));
            records.push(record);
        }
        let places = batch.builder.push_all(records)?;
        for (event, (seq, hash)) in sequenced.iter_mut().zip(places) {
            (event.header.seq, event.hash) = (seq, hash);
        }
        for event in &sequenced {
            if matches!(event.event, Event::EraseIntent(_)) {
                batch.builder.set_last_erasure(event.seq());
            }
            batch.changes.push(apply(&mut self.state, event));
        }
        Ok(sequenced)
    }

    fn no_room(&mut self, error: StoreError) -> Error {
        let error = Error::from(error);
        if self.appender.is_poisoned() {
            self.poisoned = Some(error.to_string());
        }
        nothing_recorded(&error)
    }

    fn outcome(&self, batch: &mut Batch, done: &Sequenced) -> Outcome {
        let head = self.state.head().map_or((done.seq(), done.hash), |head| (head.seq, head.hash));
        let mut outcome = outcome_of(done);
        (outcome.head, outcome.head_hash) = head;
        outcome.policy_version = self.state.policy();
        outcome.scope = self.scope(batch, done.header.scope);
        outcome
    }

    /// The names of a scope; most records of a batch share the one before theirs.
    fn scope(&self, batch: &mut Batch, alias: AliasId) -> Scope {
        if let Some((_, scope)) = batch.last_scope.as_ref().filter(|(last, _)| *last == alias) {
            return scope.clone();
        }
        let aliases = crate::views::StateAliases(&self.state);
        let scope = self.names.scope(&self.vault, &aliases, alias).unwrap_or_default();
        batch.last_scope = Some((alias, scope.clone()));
        scope
    }

    /// The first result of an idempotency key, read back from where it was recorded.
    fn repeat(&self, batch: &mut Batch, first: Seq, count: usize) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(count);
        for offset in 0..count as u64 {
            let seq = Seq(first.0.saturating_add(offset));
            let event = match batch.event(seq) {
                Some(event) => event?,
                None => self.vault.load(seq)?.event,
            };
            let mut outcome = self.outcome(batch, &event);
            outcome.repeated = true;
            outcomes.push(outcome);
        }
        Ok(outcomes)
    }

    fn digests(&self, prepared: &Prepared) -> Option<(Digest16, Digest16)> {
        let key = prepared.terms.idempotency_key.as_ref()?;
        Some((
            hash::idempotency(&self.pepper, 1, key.as_bytes()),
            hash::idempotency(&self.pepper, 2, &prepared.canonical),
        ))
    }

    fn commit(&mut self, batch: Batch) {
        let Batch { builder, waiting, changes, .. } = batch;
        if builder.is_empty() {
            waiting.into_iter().for_each(|one| self.answer(one.answer, Ok(one.admitted)));
            return;
        }
        match self.appender.commit(builder) {
            Ok(head) => {
                for one in waiting {
                    self.answer(one.answer, Ok(at_head(one.admitted, &head)));
                }
                if let Some(views) = &self.views {
                    views.push(changes);
                }
            }
            Err(error) => {
                let error = Error::from(error);
                // State has moved past what is durable, so this holder ends either way.
                self.poisoned = Some(error.to_string());
                let answer = if self.appender.is_poisoned() {
                    unknown_outcome(&error)
                } else {
                    nothing_recorded(&error)
                };
                for one in waiting {
                    self.answer(one.answer, Err(answer.clone()));
                }
            }
        }
    }

    /// What nobody waits for: zeros ahead and the head anchor.
    fn tidy(&mut self, idle: bool) {
        if self.poisoned.is_some() {
            return;
        }
        let millis = u64::try_from(self.clock.now().steady.as_millis()).unwrap_or(u64::MAX);
        // No failure is lost: whoever commits next meets it again and is told.
        let _ = self.appender.maintain(millis, idle);
    }
}

fn plain(event: Event, kind: Kind, stamp: Stamp, policy: u32) -> Result<(NewRecord, Event)> {
    let record = NewRecord {
        header: header(kind, stamp, policy),
        body: event.encode()?,
        payloads: Vec::new(),
        extensions: Vec::new(),
    };
    Ok((record, event))
}

fn extensions(terms: &Terms, idempotency: Option<(Digest16, Digest16)>) -> Vec<Extension> {
    // In the order of their tags.
    let mut list = Vec::new();
    list.extend(terms.claimed_at.map(Extension::claimed_at));
    list.extend(idempotency.map(|(key, proposal)| Extension::idempotency(key, proposal)));
    list.extend(terms.job.map(Extension::job));
    list
}
