//! Owns the writer thread: groups of submissions become one batch and one wait for the disk.
//!
//! Invariants: state never runs ahead of what was pushed into the batch; after a failed commit the
//! thread answers every waiter with an error and takes nothing more; the views and the anchor
//! follow after the answers.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use ledger_format::event::ledger::{ClockCorrected, Epoch};
use ledger_format::names::EpochReason;
use ledger_format::{
    Digest16, Event, Extension, JobId, Kind, LedgerId, RecordHash, Seq, hash, limits,
};
use ledger_replay::{Changes, Sequenced, State, apply};
use ledger_store::{Appender, BatchBuilder, Head, KeyState, NewRecord, StoreError};

use crate::clock::{Chance, Clock};
use crate::command::{Command, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::names::Names;
use crate::outcome::Outcome;
use crate::vault::Vault;
use crate::views::ViewFeed;
use crate::writer::bind::Binder;
use crate::writer::compose::{Composer, header};
use crate::writer::judge::judge;
use crate::writer::prepare::Prepared;
use crate::writer::stamp::{Stamp, Stamper};
use crate::writer::ticket::{Answer, Ticket};

/// Submissions waiting for the writer before callers have to wait.
const QUEUE: usize = 4_096;
/// A batch is closed at this size, so that one waiter is not held up by all the others.
const GROUP_BYTES: u64 = 4 * 1024 * 1024;
const GROUP_RECORDS: usize = 8_192;
/// How long the thread waits for work before it tidies up.
const IDLE: Duration = Duration::from_millis(250);
/// Key slots that should be ready before anybody asks for them, in the smallest case.
const SLOTS_READY: u64 = 64;
const SLOTS_PER_PAGE: u64 = ledger_format::limits::PAGE_SLOTS as u64;

enum Job {
    Record(Box<Prepared>, Answer),
    /// Which record an idempotency key led to.
    Known(String, SyncSender<Option<Seq>>),
}

/// What the writer needs to begin.
pub(crate) struct Start {
    pub(crate) ledger: LedgerId,
    pub(crate) appender: Appender,
    pub(crate) state: State,
    pub(crate) vault: Vault,
    pub(crate) names: Arc<Names>,
    pub(crate) views: Option<Arc<ViewFeed>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) confirm_clock: bool,
    pub(crate) next_epoch: u64,
    pub(crate) dropped_bytes: u64,
    /// Whether the first batch has to open an epoch.
    pub(crate) open_epoch: bool,
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
}

impl Writer {
    /// Starts the thread.
    pub(crate) fn start(start: Start) -> Result<Self> {
        let (jobs, waiting) = sync_channel(QUEUE);
        let pepper = match start.vault.keys().pepper()? {
            KeyState::Key(key) => *key,
            KeyState::NoMaster => return Err(StoreError::NoMaster.into()),
            _ => {
                return Err(Error::new(
                    ErrorKind::Damaged,
                    "the pepper's key slot is empty; restore the key files from a backup",
                ));
            }
        };
        let thread = std::thread::Builder::new()
            .name("memledger-writer".into())
            .spawn(move || Worker::new(start, pepper).run(&waiting))
            .map_err(|error| {
                Error::new(ErrorKind::Unavailable, format!("no thread for the writer: {error}"))
            })?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    /// Queues a prepared submission.
    pub(crate) fn enqueue(&self, prepared: Prepared) -> Result<Ticket> {
        let (ticket, answer) = Ticket::new();
        let stopped = || {
            Error::new(
                ErrorKind::Unavailable,
                "the writer has stopped after an error; open the ledger again",
            )
        };
        let jobs = self.jobs.as_ref().ok_or_else(stopped)?;
        jobs.send(Job::Record(Box::new(prepared), answer)).map_err(|_| stopped())?;
        Ok(ticket)
    }

    /// Asks which record an idempotency key led to.
    pub(crate) fn known(&self, key: &str) -> Result<Receiver<Option<Seq>>> {
        let stopped = || {
            Error::new(
                ErrorKind::Unavailable,
                "the writer has stopped after an error; open the ledger again",
            )
        };
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

struct Worker {
    ledger: LedgerId,
    appender: Appender,
    state: State,
    vault: Vault,
    names: Arc<Names>,
    views: Option<Arc<ViewFeed>>,
    clock: Arc<dyn Clock>,
    chance: Arc<dyn Chance>,
    stamper: Stamper,
    pepper: [u8; 32],
    epoch: Option<Epoch>,
    poisoned: Option<String>,
    slots_per_round: u64,
}

/// A submission that is in the batch and waits for it.
struct Waiting {
    answer: Answer,
    outcomes: Vec<Outcome>,
}

impl Worker {
    fn new(start: Start, pepper: [u8; 32]) -> Self {
        let last = start.state.head().map(|head| head.recorded_at);
        let mut holder = [0; 16];
        // Only tells holders apart in the log; zero where the machine has no random bytes.
        let _ = start.chance.fill(&mut holder);
        let epoch = start.open_epoch.then(|| Epoch {
            epoch: start.next_epoch,
            holder: JobId(holder),
            reason: EpochReason::Opened,
            program: concat!("memledger ", env!("CARGO_PKG_VERSION")).to_owned(),
            dropped_bytes: start.dropped_bytes,
        });
        Self {
            ledger: start.ledger,
            appender: start.appender,
            state: start.state,
            vault: start.vault,
            names: start.names,
            views: start.views,
            chance: start.chance,
            clock: Arc::clone(&start.clock),
            stamper: Stamper::new(start.clock, last, start.confirm_clock),
            pepper,
            epoch,
            poisoned: None,
            slots_per_round: 0,
        }
    }

    fn run(mut self, jobs: &Receiver<Job>) -> Finished {
        loop {
            match jobs.recv_timeout(IDLE) {
                Ok(first) => self.round(first, jobs),
                Err(RecvTimeoutError::Timeout) => self.tidy(true),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        Finished { appender: self.appender, state: self.state }
    }

    /// One batch: what is waiting, up to the group size.
    fn round(&mut self, first: Job, jobs: &Receiver<Job>) {
        let mut batch = Batch::begin(&self.appender);
        let slots_before = self.vault.keys().available();
        let mut next = Some(first);
        while let Some(job) = next {
            self.take(&mut batch, job);
            let full = batch.builder.bytes() > GROUP_BYTES || batch.builder.count() > GROUP_RECORDS;
            next = if full { None } else { jobs.try_recv().ok() };
        }
        self.commit(batch);
        let used = slots_before.saturating_sub(self.vault.keys().available());
        self.slots_per_round = self.slots_per_round.max(used);
        self.tidy(false);
    }

    /// Judges one submission and puts it into the batch, or answers it.
    fn take(&mut self, batch: &mut Batch, job: Job) {
        let (prepared, answer) = match job {
            Job::Record(prepared, answer) => (*prepared, answer),
            Job::Known(key, answer) => {
                let digest = hash::idempotency(&self.pepper, 1, key.as_bytes());
                // Whoever asked may have gone; then nobody needs the answer.
                let _ = answer.send(self.state.idempotent(&digest).map(|first| first.seq));
                return;
            }
        };
        if let Some(cause) = &self.poisoned {
            answer.give(Err(Error::new(
                ErrorKind::Unavailable,
                format!("the writer stopped after an error ({cause}); open the ledger again"),
            )));
            return;
        }
        match self.admit(batch, prepared) {
            Ok(Admitted::InBatch(outcomes)) => batch.waiting.push(Waiting { answer, outcomes }),
            Ok(Admitted::Repeated(outcomes)) => batch.waiting.push(Waiting { answer, outcomes }),
            Err(error) => answer.give(Err(error)),
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
            return self.repeat(batch, first.seq, prepared.commands.len()).map(Admitted::Repeated);
        }
        let stamp = self.stamper.stamp()?;
        let commands: Vec<&Command> =
            prepared.commands.iter().map(|command| &command.command).collect();
        judge(&self.state, &commands, &prepared.terms, stamp.recorded_at)?;
        self.compose(batch, prepared, stamp, idempotency).map(Admitted::InBatch)
    }

    fn compose(
        &mut self,
        batch: &mut Batch,
        prepared: Prepared,
        stamp: Stamp,
        idempotency: Option<(Digest16, Digest16)>,
    ) -> Result<Vec<Outcome>> {
        let names = Arc::clone(&self.names);
        let chance = Arc::clone(&self.chance);
        let keys = self.vault.shared_keys();
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
        let terms = prepared.terms;
        let mut events = Vec::new();
        for (at, command) in prepared.commands.into_iter().enumerate() {
            let extensions = extensions(&terms, idempotency.filter(|_| at == 0));
            let mut composer = Composer { state: &self.state, binder: &mut binder, terms: &terms };
            events.push(composer.record(command, &extensions)?);
        }
        let first_event = binder.records.len();
        let mut all = self.opening(stamp)?;
        let preamble = all.len();
        all.append(&mut binder.records);
        all.append(&mut events);
        let bound = binder.bound;
        let pushed = self.push(batch, all)?;
        Binder::settle(&names, bound);
        if preamble > 0 {
            self.epoch = None;
        }
        let outcomes = pushed.iter().skip(preamble + first_event);
        Ok(outcomes.map(|done| self.outcome(done)).collect())
    }

    /// What goes before the first records of a holder, and before records after a confirmed jump.
    fn opening(&self, stamp: Stamp) -> Result<Vec<(NewRecord, Event)>> {
        let mut records = Vec::new();
        if let Some(epoch) = &self.epoch {
            records.push(plain(Event::Epoch(epoch.clone()), Kind::Epoch, stamp)?);
        }
        if let Some(before) = stamp.jumped_from {
            let corrected = ClockCorrected { before, confirmed: stamp.wall };
            records.push(plain(Event::ClockCorrected(corrected), Kind::ClockCorrected, stamp)?);
        }
        Ok(records)
    }

    /// Pushes all records or none; a batch that cannot take them is committed first.
    fn push(&mut self, batch: &mut Batch, all: Vec<(NewRecord, Event)>) -> Result<Vec<Sequenced>> {
        let bytes: usize = all.iter().map(|(record, _)| footprint(record)).sum();
        if !batch.has_room(bytes, all.len()) {
            let full = std::mem::replace(batch, Batch::begin(&self.appender));
            self.commit(full);
            if let Some(cause) = &self.poisoned {
                return Err(Error::new(ErrorKind::Unavailable, cause.clone()));
            }
            *batch = Batch::begin(&self.appender);
        }
        let mut records = Vec::with_capacity(all.len());
        let mut sequenced = Vec::with_capacity(all.len());
        for (record, event) in all {
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

    fn outcome(&self, done: &Sequenced) -> Outcome {
        let head = self.state.head().map_or((done.seq(), done.hash), |head| (head.seq, head.hash));
        let mut outcome = outcome_of(done);
        (outcome.head, outcome.head_hash) = head;
        outcome.policy_version = self.state.policy();
        let scope = self.names.scope(
            &self.vault,
            &crate::views::StateAliases(&self.state),
            done.header.scope,
        );
        outcome.scope = scope.unwrap_or_default();
        outcome
    }

    /// The first result of an idempotency key, read back from where it was recorded.
    fn repeat(&self, batch: &Batch, first: Seq, count: usize) -> Result<Vec<Outcome>> {
        let mut outcomes = Vec::with_capacity(count);
        for offset in 0..count as u64 {
            let seq = Seq(first.0.saturating_add(offset));
            let event = match batch.event(seq) {
                Some(event) => event?,
                None => self.vault.load(seq)?.event,
            };
            let mut outcome = self.outcome(&event);
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
        let Batch { builder, waiting, changes } = batch;
        if builder.is_empty() {
            waiting.into_iter().for_each(|one| one.answer.give(Ok(one.outcomes)));
            return;
        }
        match self.appender.commit(builder) {
            Ok(head) => {
                for one in waiting {
                    one.answer.give(Ok(at_head(one.outcomes, &head)));
                }
                if let Some(views) = &self.views {
                    views.push(changes);
                }
            }
            Err(error) => {
                let error = Error::from(error);
                self.poisoned = Some(error.to_string());
                for one in waiting {
                    one.answer.give(Err(unknown_outcome(&error)));
                }
            }
        }
    }

    /// Everything that nobody waits for: key slots ahead, zeros ahead, the head anchor.
    fn tidy(&mut self, idle: bool) {
        if self.poisoned.is_some() {
            return;
        }
        let wanted = SLOTS_READY.max(self.slots_per_round.saturating_mul(4));
        let ready = self.vault.keys().available();
        // Neither failure is lost: whoever needs a slot or a commit next meets it again and is told.
        if ready < wanted {
            let pages = wanted.saturating_mul(2).saturating_sub(ready).div_ceil(SLOTS_PER_PAGE);
            let _ = self.vault.keys().allocate_ahead(pages);
        }
        let millis = u64::try_from(self.clock.now().steady.as_millis()).unwrap_or(u64::MAX);
        let _ = self.appender.maintain(millis, idle);
    }
}

enum Admitted {
    InBatch(Vec<Outcome>),
    Repeated(Vec<Outcome>),
}

struct Batch {
    builder: BatchBuilder,
    waiting: Vec<Waiting>,
    changes: Vec<Changes>,
}

impl Batch {
    fn begin(appender: &Appender) -> Self {
        Self { builder: appender.begin(), waiting: Vec::new(), changes: Vec::new() }
    }

    fn has_room(&self, bytes: usize, records: usize) -> bool {
        self.builder.is_empty()
            || (self.builder.bytes().saturating_add(bytes as u64) <= limits::BATCH_BYTES as u64
                && self.builder.count() + records <= limits::BATCH_RECORDS)
    }

    /// A record that is in this batch and not on disk yet.
    fn event(&self, seq: Seq) -> Option<Result<Sequenced>> {
        let first = self.changes.first()?.seq;
        let index = usize::try_from(seq.0.checked_sub(first.0)?).ok()?;
        let hash = self.changes.get(index)?.hash;
        let bytes = self.builder.record_bytes(index);
        Some(Sequenced::from_bytes(bytes, hash).map_err(Error::from))
    }
}

fn plain(event: Event, kind: Kind, stamp: Stamp) -> Result<(NewRecord, Event)> {
    let record = NewRecord {
        header: header(kind, stamp, 0),
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

/// Bytes a record takes in a batch, payloads included, rounded up.
fn footprint(record: &NewRecord) -> usize {
    let payloads = record.payloads.iter().map(|sealed| sealed.stored.len() + 80);
    let extensions = record.extensions.iter().map(|extension| extension.bytes.len() + 6);
    128 + record.body.len() + payloads.sum::<usize>() + extensions.sum::<usize>()
}

/// The event as it will stand, but for its place and hash.
fn sequence(record: &NewRecord, event: Event) -> Sequenced {
    let view = ledger_format::RecordView {
        header: record.header.clone(),
        body: &[],
        payloads: record.payloads.iter().map(|sealed| sealed.reference.clone()).collect(),
        extensions: record.extensions.clone(),
    };
    Sequenced {
        hash: RecordHash::ZERO,
        claimed_at: view.claimed_at(),
        idempotency: view.idempotency(),
        job: view.job(),
        payloads: view.payloads,
        header: view.header,
        event,
    }
}

/// What a record says about the outcome it stands for.
fn outcome_of(done: &Sequenced) -> Outcome {
    let mut outcome = Outcome {
        seq: done.seq(),
        hash: done.hash,
        recorded_at: done.header.recorded_at,
        head: done.seq(),
        head_hash: done.hash,
        id: named(&done.event),
        verdict: ledger_format::Verdict::Committed,
        reason: None,
        trust: None,
        ttl_until: None,
        scope: crate::Scope::root(),
        superseded: Vec::new(),
        policy_version: done.header.policy,
        repeated: false,
    };
    if let Event::Write(write) = &done.event {
        outcome.verdict = write.verdict;
        outcome.trust = Some(write.trust);
        outcome.ttl_until = write.ttl_until;
        outcome.superseded.clone_from(&write.supersedes);
    }
    outcome
}

fn named(event: &Event) -> Option<ledger_format::MemoryId> {
    crate::read::named(event).first().copied()
}

fn at_head(mut outcomes: Vec<Outcome>, head: &Head) -> Vec<Outcome> {
    for outcome in &mut outcomes {
        (outcome.head, outcome.head_hash) = (head.seq, head.hash);
    }
    outcomes
}

fn unknown_outcome(error: &Error) -> Error {
    Error::new(
        error.kind(),
        format!("{error}; whether this was recorded is unknown until the ledger is opened again"),
    )
}
