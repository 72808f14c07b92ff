//! Owns an open ledger: what is held, who may write, and the calls of the facade.
//!
//! Invariants: one holder per directory; the writer is started by the first submission, so reading
//! writes nothing to the log; closing leaves a clean anchor and views at the head.

mod create;
mod open;
mod saved;
mod status;
mod time;
mod untold;

use std::path::PathBuf;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ledger_format::event::ledger::Genesis;
use ledger_format::names::EpochReason;
use ledger_format::{AliasId, AliasKind, LedgerId, MemoryId, Role, Seq};
use ledger_policy::Policy;
use ledger_replay::State;
use ledger_store::storage::Storage;
use ledger_store::{Appender, LooseTail, MasterEnv, Recovery};

pub use create::{Created, InitOptions};
pub(crate) use create::{empty_log, empty_storage};
pub use open::OpenOptions;
pub(crate) use open::{
    hold, no_ledger, open_disk, open_storage, ready_keys, refuse_backup, settle_keys,
};
pub(crate) use saved::{is_far_behind, replay};
pub use status::StatusReport;

use crate::answer::{Difference, LogEntry};
use crate::archive::{Archive, Until};
use crate::basis::{Basis, Question};
use crate::civil::Zone;
use crate::clock::{Chance, Clock};
use crate::command::Submission;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::gate::{Gate, Policies, load, load_neighbours, save_neighbours, sketch_key};
use crate::names::{AliasSource, Names};
use crate::outcome::Outcome;
use crate::read::{self, Members, Snapshot};
use crate::scope::Actor;
use crate::vault::Vault;
use crate::views::ViewFeed;
use crate::writer::{Finished, MakeOwn, Own, Start, Ticket, Writer, prepare, seal_all};

/// An open ledger.
pub struct Ledger {
    pub(crate) dir: PathBuf,
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) genesis: Genesis,
    pub(crate) zone: Zone,
    pub(crate) vault: Vault,
    pub(crate) names: Arc<Names>,
    pub(crate) views: Option<Arc<ViewFeed>>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) chance: Arc<dyn Chance>,
    pub(crate) master: String,
    /// Where key files are looked for.
    pub(crate) key_places: MasterEnv,
    pub(crate) notices: Vec<String>,
    /// Aliases as the archive gives them, for a ledger without views.
    pub(crate) aliases: OnceLock<Archive>,
    /// The key of the sketches that proposals are compared by, once it was asked for.
    sketch_key: OnceLock<[u8; 32]>,
    /// The policies that reads were made under.
    policies: Policies,
    /// Whether the writer takes turns with its caller.
    in_turns: bool,
    hand: RwLock<Hand>,
}

/// What this process holds for writing.
enum Hand {
    /// Nothing: the ledger is open for reading only.
    ReadOnly,
    /// The log, not written to yet.
    Ready(Box<Ready>),
    /// A running writer, with the records that what is saved stood at.
    Writing(Writer, SavedAt),
    /// A failed start: why.
    Broken(String),
}

/// An event of the ledger itself, before its words are sealed.
pub(crate) struct OwnEvent<'a> {
    pub(crate) make: MakeOwn,
    /// What people typed, by role.
    pub(crate) words: &'a [(Role, &'a str)],
    /// Who asked for it; none: the ledger itself.
    pub(crate) by: Option<Actor>,
    /// The policy that it puts in force.
    pub(crate) policy: Option<Box<Policy>>,
}

/// The records that saved shortcuts end with.
struct SavedAt {
    state: Option<Seq>,
    sketches: Option<Seq>,
}

struct Ready {
    appender: Appender,
    /// State at the head, where opening had to replay it.
    state: Option<State>,
    saved: Option<Seq>,
    recovery: Recovery,
    /// Whether the first record has to be preceded by the repairs that none tells of yet.
    tells_repairs: bool,
    confirm_clock: bool,
    open_epoch: bool,
    epoch_reason: EpochReason,
}

impl Ledger {
    /// The ledger's id.
    #[must_use]
    pub const fn id(&self) -> LedgerId {
        self.genesis.ledger
    }

    /// Its public name.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.genesis.origin
    }

    /// Its civil zone.
    #[must_use]
    pub const fn zone(&self) -> Zone {
        self.zone
    }

    /// Whether submissions are possible.
    #[must_use]
    pub fn writable(&self) -> bool {
        !matches!(&*self.hand(), Hand::ReadOnly)
    }

    /// What was noticed while opening: a dropped tail, rebuilt views, a missing key.
    #[must_use]
    pub fn notices(&self) -> &[String] {
        &self.notices
    }

    /// Records commands together, or none of them, and waits until they are durable.
    ///
    /// # Errors
    /// Why nothing was recorded; or, after a failure of the disk, that the outcome is unknown.
    pub fn submit(&self, submission: Submission) -> Result<Vec<Outcome>> {
        self.enqueue(submission)?.wait()
    }

    /// Hands a submission to the writer without waiting. Submissions of one caller are recorded in
    /// the order in which they were enqueued.
    ///
    /// # Errors
    /// When the request itself is wrong, or this ledger cannot be written to.
    pub fn enqueue(&self, submission: Submission) -> Result<Ticket> {
        self.start_writer()?;
        self.admit_summaries(&submission)?;
        let keys = self.vault.keys();
        let sketches = self.sketch_key()?;
        let prepared = prepare(&self.id(), keys, &*self.chance, sketches, submission)?;
        match &*self.hand() {
            Hand::Writing(writer, _) => writer.enqueue(prepared),
            other => Err(cannot_write(other)),
        }
    }

    /// Records one event of the ledger itself, made where its place is known, and waits until it is
    /// durable.
    pub(crate) fn own(&self, make: MakeOwn) -> Result<Outcome> {
        self.own_with(OwnEvent { make, words: &[], by: None, policy: None })
    }

    /// As [`Ledger::own`], with what a person gave as the reason.
    pub(crate) fn own_because(&self, make: MakeOwn, reason: &str) -> Result<Outcome> {
        let words = &[(Role::Reason, reason)];
        self.own_with(OwnEvent { make, words, by: None, policy: None })
    }

    /// As [`Ledger::own`], with what goes with the event.
    pub(crate) fn own_with(&self, event: OwnEvent<'_>) -> Result<Outcome> {
        self.start_writer()?;
        let words: Vec<_> =
            event.words.iter().map(|(role, text)| (*role, text.as_bytes().into())).collect();
        let words = seal_all(&self.id(), self.vault.keys(), &*self.chance, &words)?;
        let own = Own { make: event.make, words, by: event.by, policy: event.policy };
        let ticket = match &*self.hand() {
            Hand::Writing(writer, _) => writer.own(own)?,
            other => return Err(cannot_write(other)),
        };
        let done = ticket.wait()?.pop();
        done.ok_or_else(|| Error::new(ErrorKind::Unavailable, "the writer recorded nothing"))
    }

    /// The record that an idempotency key led to, if it was used.
    ///
    /// # Errors
    /// When this ledger cannot be written to.
    pub fn known_idempotency(&self, key: &str) -> Result<Option<Seq>> {
        self.start_writer()?;
        let answer = match &*self.hand() {
            Hand::Writing(writer, _) => writer.known(key)?,
            other => return Err(cannot_write(other)),
        };
        answer.recv().map_err(|_| {
            Error::new(ErrorKind::Unavailable, "the writer has stopped; open the ledger again")
        })
    }

    /// An answer from the state at the head, as the writer has it.
    pub(crate) fn with_state<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&State) -> T + Send + 'static,
    ) -> Result<T> {
        self.start_writer()?;
        let (answer, answered) = std::sync::mpsc::sync_channel(1);
        // Whoever asked may have gone; then nobody needs the answer.
        let ask = Box::new(move |state: &State| answer.send(ask(state)).unwrap_or_default());
        match &*self.hand() {
            Hand::Writing(writer, _) => writer.ask(ask)?,
            other => return Err(cannot_write(other)),
        }
        answered.recv().map_err(|_| {
            Error::new(ErrorKind::Unavailable, "the writer has stopped; open the ledger again")
        })
    }

    /// A moment of the ledger.
    ///
    /// # Errors
    /// When the moment cannot be told (no such record), or what it needs cannot be read.
    pub fn snapshot(&self, question: &Question) -> Result<Snapshot<'_>> {
        time::snapshot(self, question)
    }

    /// What differs between the answers at two moments.
    ///
    /// # Errors
    /// As [`Ledger::snapshot`].
    pub fn diff(
        &self,
        before: &Question,
        after: &Question,
        filter: &Filter,
    ) -> Result<(Basis, Basis, Vec<Difference>)> {
        let (before, after) = (self.snapshot(before)?, self.snapshot(after)?);
        let differences = read::diff(&before, &after, filter)?;
        Ok((before.basis.clone(), after.basis.clone(), differences))
    }

    /// Records from `from` on, at most `limit`, in order.
    ///
    /// # Errors
    /// When a record or payload cannot be read.
    pub fn log(&self, from: Seq, limit: usize) -> Result<Vec<LogEntry>> {
        let Some(head) = self.vault.reader().head() else { return Ok(Vec::new()) };
        let last = head.seq.0.min(from.0.saturating_add(limit as u64).saturating_sub(1));
        if limit == 0 {
            return Ok(Vec::new());
        }
        (from.0..=last).map(|seq| self.entry(Seq(seq))).collect()
    }

    /// One record; none beyond the head.
    ///
    /// # Errors
    /// When the record or a payload cannot be read.
    pub fn show(&self, seq: Seq) -> Result<Option<LogEntry>> {
        match self.vault.reader().head() {
            Some(head) if seq <= head.seq => self.entry(seq).map(Some),
            _ => Ok(None),
        }
    }

    /// Memories about a person that are neither forgotten nor erased.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub fn subject_memories(&self, name: &str) -> Result<Vec<MemoryId>> {
        let snapshot = self.snapshot(&Question::now(self.zone))?;
        let past = snapshot.past();
        let person = self.names.alias(&self.vault, past, AliasKind::Person, AliasId::ZERO, name)?;
        let Some(person) = person else { return Ok(Vec::new()) };
        let mut memories = Vec::new();
        for born in past.members(Members::Person(person), false)? {
            let stands = past
                .version(born)?
                .is_some_and(|life| life.forgotten.is_none() && life.erased.is_none());
            if let (true, Some(birth)) = (stands, past.birth_at(born)?) {
                memories.push(birth.id);
            }
        }
        Ok(memories)
    }

    fn entry(&self, seq: Seq) -> Result<LogEntry> {
        let loaded = self.vault.load(seq)?;
        match &self.views {
            Some(feed) => {
                let views = feed.wait_for(seq)?;
                read::log_entry(&self.vault, &self.names, views as &dyn AliasSource, &loaded)
            }
            // What a writer adds is in no earlier replay.
            None if self.writable() => {
                let aliases = Archive::replay(self.vault.reader(), Until::Seq(None))?;
                read::log_entry(&self.vault, &self.names, &aliases, &loaded)
            }
            None => {
                let aliases = self.archive_aliases()?;
                read::log_entry(&self.vault, &self.names, aliases, &loaded)
            }
        }
    }

    /// Aliases replayed from the archive, once per opening.
    pub(crate) fn archive_aliases(&self) -> Result<&Archive> {
        if let Some(aliases) = self.aliases.get() {
            return Ok(aliases);
        }
        let replayed = Archive::replay(self.vault.reader(), Until::Seq(None))?;
        Ok(self.aliases.get_or_init(|| replayed))
    }

    /// The tail that opening dropped, as long as nothing was recorded.
    pub(crate) fn dropped_tail(&self) -> Option<LooseTail> {
        match &*self.hand() {
            Hand::Ready(ready) => Some(ready.recovery.dropped.as_ref()?.tail.clone()),
            _ => None,
        }
    }

    /// Whoever records a repair with its reason tells of it.
    pub(crate) fn leave_telling_of_repairs(&self) {
        if let Hand::Ready(ready) = &mut *self.hand_to_change() {
            ready.tells_repairs = false;
        }
    }

    fn start_writer(&self) -> Result<()> {
        if matches!(&*self.hand(), Hand::Writing(..)) {
            return Ok(());
        }
        let mut hand = self.hand_to_change();
        match &*hand {
            // Another caller was faster.
            Hand::Writing(..) => return Ok(()),
            Hand::Ready(_) => {}
            other => return Err(cannot_write(other)),
        }
        let Hand::Ready(ready) =
            std::mem::replace(&mut *hand, Hand::Broken("it did not start".into()))
        else {
            return Ok(());
        };
        match self.launch(*ready) {
            Ok((writer, saved)) => {
                *hand = Hand::Writing(writer, saved);
                Ok(())
            }
            Err(error) => {
                *hand = Hand::Broken(error.to_string());
                Err(error)
            }
        }
    }

    fn launch(&self, mut ready: Ready) -> Result<(Writer, SavedAt)> {
        open::ready_keys(&mut ready.appender, self.vault.keys())?;
        let (state, saved) = match ready.state {
            Some(state) => (state, ready.saved),
            None => saved::state_at_head(&*self.storage, self.vault.reader())?,
        };
        self.names.prepare(&self.vault, &state)?;
        let key = self.sketch_key()?;
        let (neighbours, sketched) = load_neighbours(&*self.storage, &self.vault, &state, key)?;
        let gate = Gate::new(load(&self.vault, &state)?.policy, self.zone, neighbours, key);
        let writer = Writer::start(Start {
            ledger: self.id(),
            appender: ready.appender,
            state,
            gate,
            vault: self.vault.clone(),
            names: Arc::clone(&self.names),
            views: self.views.clone(),
            clock: Arc::clone(&self.clock),
            chance: Arc::clone(&self.chance),
            confirm_clock: ready.confirm_clock,
            next_epoch: ready.recovery.next_epoch,
            dropped_bytes: untold::dropped_bytes(&ready.recovery),
            repairs: if ready.tells_repairs {
                untold::repairs(&ready.recovery)
            } else {
                Vec::new()
            },
            open_epoch: ready.open_epoch,
            epoch_reason: ready.epoch_reason,
            in_turns: self.in_turns,
        })?;
        Ok((writer, SavedAt { state: saved, sketches: sketched }))
    }

    /// The key of the sketches that proposals are compared by.
    fn sketch_key(&self) -> Result<&[u8; 32]> {
        if let Some(key) = self.sketch_key.get() {
            return Ok(key);
        }
        let pepper = self.vault.pepper()?;
        Ok(self.sketch_key.get_or_init(|| sketch_key(&pepper)))
    }

    /// Finishes what is queued and leaves the ledger clean. What only shortens the next opening
    /// (saved state and names, compact views) may fail without keeping the log from being closed.
    ///
    /// # Errors
    /// When something could not be written; what was acknowledged is safe all the same.
    pub fn close(self) -> Result<()> {
        let Self { storage, views, hand, vault, names, sketch_key, .. } = self;
        let hand = hand.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (appender, saved) = match hand {
            Hand::ReadOnly | Hand::Broken(_) => (None, Ok(())),
            Hand::Ready(ready) => {
                let Ready { appender, state, saved, .. } = *ready;
                let done = state
                    .map_or(Ok(()), |state| saved::save_if_worthwhile(&*storage, &state, saved));
                (Some(appender), done)
            }
            Hand::Writing(writer, saved) => {
                let Finished { appender, state, gate } = writer.stop()?;
                let sketches = || match sketch_key.get() {
                    Some(key) => {
                        let near = gate.neighbours();
                        save_neighbours(&*storage, near, &state, saved.sketches, key)
                    }
                    None => Ok(()),
                };
                let done = saved::save_if_worthwhile(&*storage, &state, saved.state)
                    .and_then(|()| names.save_if_worthwhile(&vault, &state))
                    .and_then(|()| sketches());
                (Some(appender), done)
            }
        };
        drop(vault);
        let views = views.and_then(|feed| Arc::try_unwrap(feed).ok());
        let stopped = views.map_or(Ok(()), ViewFeed::stop);
        let closed = appender.map_or(Ok(()), |appender| Ok(appender.close()?));
        closed.and(stopped).and(saved)
    }

    /// Shared: callers who write do not wait for each other here.
    fn hand(&self) -> RwLockReadGuard<'_, Hand> {
        // Every state of the hand is whole, so a panic elsewhere does not make it wrong.
        self.hand.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_to_change(&self) -> RwLockWriteGuard<'_, Hand> {
        self.hand.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ledger")
            .field("id", &self.id())
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}

fn cannot_write(hand: &Hand) -> Error {
    let message = match hand {
        Hand::Broken(cause) => format!("this ledger cannot be written to: {cause}; open it again"),
        _ => "this ledger is open for reading only; open it without --from-archive, where it can be written to, to record something".to_owned(),
    };
    Error::new(ErrorKind::Unavailable, message)
}
