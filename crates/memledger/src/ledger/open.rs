//! Owns opening: what is checked before anything is answered, and bringing the views to the head.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock, RwLock};
use std::time::Duration;

use ledger_format::event::ledger::Genesis;
use ledger_format::names::EpochReason;
use ledger_format::{Event, LedgerId, Seq};
use ledger_replay::{Changes, State};
use ledger_store::backup::{BACKUP_FILE, RESTORE_FILE};
use ledger_store::storage::Storage;
use ledger_store::{
    Appender, Class, KeyStore, LedgerConfig, MasterEnv, MasterKey, Reader, Recovery, StoreError,
    StoreOptions,
};
use ledger_views::{Opened, Rebuild, Unusable, Views};

use crate::civil::Zone;
use crate::clock::{Chance, Clock, SystemChance, SystemClock};
use crate::error::{Error, ErrorKind, Result};
use crate::gate::Policies;
use crate::ledger::{Hand, Ledger, Ready, saved};
use crate::machine::Machine;
use crate::names::Names;
use crate::vault::{Vault, decode};
use crate::views::ViewFeed;

/// Changes handed to the views at once while catching up.
const CHUNK: usize = 4_096;
/// While rebuilding, one thread replays and another makes rows: changes handed over at once, and how
/// many such pieces may wait.
const PIECE: usize = 512;
const QUEUED_PIECES: usize = 4;
/// How long whoever waits for a holder sleeps before it looks again. Short beside what a holder that
/// writes once needs, so that nobody who waits is passed over for long.
const LOOK_AGAIN: Duration = Duration::from_millis(5);
/// Catching up is replaced by rebuilding when the views are further behind than this and than half
/// of the log: sorted loading is several times faster than single inserts.
const FAR_BEHIND: u64 = 50_000;

/// How a ledger is opened.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Source of time.
    pub clock: Arc<dyn Clock>,
    /// Source of chance.
    pub chance: Arc<dyn Chance>,
    /// Accept a clock that stands far ahead of the last record, and record that it was accepted.
    pub confirm_clock: bool,
    /// Memory that the views may use as a cache, in bytes.
    pub cache_bytes: u64,
    /// Make the views anew from the log, whatever state they are in.
    pub rebuild: bool,
    /// How long to wait for whoever holds the ledger before it is refused.
    pub wait: Duration,
    /// How the log is written.
    pub store: StoreOptions,
    /// Where the master key is looked for.
    pub master: MasterEnv,
    /// What the ledger runs on.
    pub machine: Machine,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::default()),
            chance: Arc::new(SystemChance),
            confirm_clock: false,
            cache_bytes: 64 * 1024 * 1024,
            rebuild: false,
            wait: Duration::ZERO,
            store: StoreOptions::default(),
            master: MasterEnv::from_process(),
            machine: Machine::default(),
        }
    }
}

/// What is known of a ledger before its log is open.
pub(super) struct Parts {
    pub(super) dir: PathBuf,
    pub(super) storage: Arc<dyn Storage>,
    pub(super) genesis: Genesis,
    pub(super) master: Option<(MasterKey, String)>,
}

/// Takes hold of a ledger's log without its views.
pub(crate) fn hold(
    dir: &Path,
    options: &OpenOptions,
) -> Result<(Arc<dyn Storage>, LedgerConfig, Appender, Recovery)> {
    let storage = open_disk(dir, &options.machine, false)?;
    let config = LedgerConfig::read(&*storage).map_err(|error| no_ledger(dir, error))?;
    refuse_backup(&*storage, dir)?;
    let (appender, recovery) = take(dir, &storage, config.ledger, options)?;
    Ok((storage, config, appender, recovery))
}

/// Takes the log, once nobody else holds it. Sleeping is counted and no clock is read, so a clock that
/// stands still waits no longer.
fn take(
    dir: &Path,
    storage: &Arc<dyn Storage>,
    ledger: LedgerId,
    options: &OpenOptions,
) -> Result<(Appender, Recovery)> {
    let mut slept = Duration::ZERO;
    loop {
        let error = match Appender::open(Arc::clone(storage), ledger, options.store.clone()) {
            Ok(taken) => return Ok(taken),
            Err(error) => error,
        };
        let held = matches!(error.class(), Class::Busy { .. });
        if !held || slept >= options.wait {
            return Err(busy(dir, error));
        }
        let nap = LOOK_AGAIN.min(options.wait - slept);
        std::thread::sleep(nap);
        slept += nap;
    }
}

/// After an unclean stop a holder brings both copies of every key page in step before anything else,
/// because closing will say that all is in order.
pub(crate) fn settle_keys(keys: &KeyStore, recovery: &Recovery) -> Result<()> {
    if recovery.unclean {
        let next = recovery.head.map_or_else(Default::default, |head| head.next_payload);
        keys.repair(next)?;
    }
    Ok(())
}

/// Makes the keys ready for new payloads. The log says first that it is in use: a stop between the
/// two copies of a page must not look like damage of a ledger that was closed.
pub(crate) fn ready_keys(appender: &mut Appender, keys: &KeyStore) -> Result<()> {
    appender.mark_in_use()?;
    let next = appender.head().map_or_else(Default::default, |head| head.next_payload);
    Ok(keys.reset_unreferenced(next)?)
}

impl Ledger {
    /// Opens a ledger and holds it until it is closed.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] when another process holds it for longer than
    /// [`OpenOptions::wait`], [`ErrorKind::Damaged`] when the
    /// log does not reach its anchor or is damaged there, [`ErrorKind::Invalid`] where no ledger is.
    pub fn open(dir: &Path, options: OpenOptions) -> Result<Self> {
        let storage = open_disk(dir, &options.machine, false)?;
        let config = LedgerConfig::read(&*storage).map_err(|error| no_ledger(dir, error))?;
        refuse_backup(&*storage, dir)?;
        let (appender, recovery) = take(dir, &storage, config.ledger, &options)?;
        let genesis = genesis(&appender.reader(), &config)?;
        let mut notices = Vec::new();
        if let Some(dropped) = &recovery.dropped {
            notices.push(format!(
                "an unfinished batch at the end of {} was never acknowledged and was taken out: {} bytes from offset {} ({}), kept in {}",
                dropped.tail.file, dropped.tail.bytes, dropped.tail.offset, dropped.tail.reason, dropped.quarantine
            ));
        } else if recovery.unclean {
            notices.push("the last holder ended without closing; the end of the log was checked and written again".to_owned());
        }
        let master = master(&options.master, &config, &mut notices)?;
        let parts = Parts { dir: dir.to_path_buf(), storage, genesis, master };
        finish(parts, appender, recovery, options, notices, Some(EpochReason::Opened))
    }

    /// Opens a log that was just restored and is no ledger yet, to record that.
    pub(crate) fn open_restored(
        dir: &Path,
        storage: Arc<dyn Storage>,
        config: &LedgerConfig,
        options: OpenOptions,
    ) -> Result<Self> {
        let (appender, recovery) =
            Appender::open(Arc::clone(&storage), config.ledger, options.store.clone())
                .map_err(|error| busy(dir, error))?;
        let genesis = genesis(&appender.reader(), config)?;
        let mut notices = Vec::new();
        let master = master(&options.master, config, &mut notices)?;
        let parts = Parts { dir: dir.to_path_buf(), storage, genesis, master };
        finish(parts, appender, recovery, options, notices, Some(EpochReason::Restored))
    }

    /// Opens a ledger for reading without holding it: answers come from the raw archive, up to the
    /// last anchor. Works beside a holder and in a directory that cannot be written to.
    ///
    /// # Errors
    /// As [`Ledger::open`], but for the holder.
    pub fn open_archive(dir: &Path, options: OpenOptions) -> Result<Self> {
        let storage = open_disk(dir, &options.machine, true)?;
        let config = LedgerConfig::read(&*storage).map_err(|error| no_ledger(dir, error))?;
        let reader = Reader::open(Arc::clone(&storage), config.ledger)?;
        let genesis = genesis(&reader, &config)?;
        let mut notices: Vec<String> =
            reader.warning().map(ToString::to_string).into_iter().collect();
        let master = master(&options.master, &config, &mut notices)?;
        let parts = Parts { dir: dir.to_path_buf(), storage, genesis, master };
        assemble(parts, reader, None, options, notices, Hand::ReadOnly)
    }
}

/// The rest of opening a ledger that was just made by this process: its epoch is already recorded.
pub(super) fn finish_created(
    parts: Parts,
    appender: Appender,
    options: OpenOptions,
) -> Result<Ledger> {
    let head = appender.head();
    let recovery = Recovery {
        head,
        unclean: false,
        dropped: None,
        untold: Vec::new(),
        next_epoch: 1,
        anchored: None,
    };
    finish(parts, appender, recovery, options, Vec::new(), None)
}

fn finish(
    parts: Parts,
    appender: Appender,
    recovery: Recovery,
    options: OpenOptions,
    mut notices: Vec<String>,
    epoch: Option<EpochReason>,
) -> Result<Ledger> {
    let reader = appender.reader();
    let (feed, state, saved) = if options.machine.views {
        let caught = if options.rebuild {
            rebuild(&parts, &reader, options.cache_bytes)?
        } else {
            views_at_head(&parts, &reader, options.cache_bytes, &mut notices)?
        };
        (Some(Arc::new(ViewFeed::start(caught.views)?)), caught.state, caught.saved)
    } else {
        (None, None, None)
    };
    let ready = Ready {
        appender,
        state,
        saved,
        recovery,
        tells_repairs: true,
        confirm_clock: options.confirm_clock,
        open_epoch: epoch.is_some(),
        epoch_reason: epoch.unwrap_or(EpochReason::Opened),
    };
    assemble(parts, reader, feed, options, notices, Hand::Ready(Box::new(ready)))
}

fn assemble(
    parts: Parts,
    reader: Reader,
    views: Option<Arc<ViewFeed>>,
    options: OpenOptions,
    notices: Vec<String>,
    hand: Hand,
) -> Result<Ledger> {
    let Parts { dir, storage, genesis, master } = parts;
    let (key, location) = match master {
        Some((key, location)) => (Some(key), location),
        None => (None, "not found".to_owned()),
    };
    let entropy = Arc::clone(&options.machine.entropy);
    let keys = KeyStore::open_with(Arc::clone(&storage), genesis.ledger, key.as_ref(), entropy)?;
    if let Hand::Ready(ready) = &hand {
        settle_keys(&keys, &ready.recovery)?;
    }
    let zone = Zone::parse(&genesis.zone).map_err(|error| {
        Error::new(
            ErrorKind::Unproven,
            format!("record 0 names a zone this program does not know: {error}"),
        )
    })?;
    Ok(Ledger {
        dir,
        names: Arc::new(Names::new(Arc::clone(&storage))),
        storage,
        zone,
        vault: Vault::new(genesis.ledger, reader, Arc::new(keys)),
        genesis,
        views,
        clock: options.clock,
        chance: options.chance,
        master: location,
        key_places: options.master,
        in_turns: options.machine.in_turns,
        notices,
        aliases: OnceLock::new(),
        sketch_key: OnceLock::new(),
        policies: Policies::default(),
        hand: RwLock::new(hand),
    })
}

/// The disk of a ledger on this machine.
pub(crate) fn open_storage(dir: &Path, read_only: bool) -> Result<Arc<dyn Storage>> {
    open_disk(dir, &Machine::default(), read_only)
}

pub(crate) fn open_disk(
    dir: &Path,
    machine: &Machine,
    read_only: bool,
) -> Result<Arc<dyn Storage>> {
    match machine.open(dir, read_only) {
        Ok(storage) => Ok(storage),
        Err(error) if error.is_not_found() => Err(Error::invalid(format!(
            "there is no directory {}; name the ledger's directory with -C, or make one with `memledger init`",
            dir.display()
        ))),
        Err(error) => {
            Err(Error::new(ErrorKind::Unavailable, format!("{}: {error}", dir.display())))
        }
    }
}

/// A backup is never written to: it would be another history that nobody can tell from the ledger.
pub(crate) fn refuse_backup(storage: &dyn Storage, dir: &Path) -> Result<()> {
    if !storage.exists(&BACKUP_FILE).map_err(StoreError::from)? {
        return Ok(());
    }
    Err(Error::invalid(format!(
        "{} is a backup, and nothing is written to it; read it with --from-archive, check it with `memledger verify`, or make a ledger of it with `memledger restore {} DIR`",
        dir.display(),
        dir.display()
    )))
}

pub(crate) fn no_ledger(dir: &Path, error: StoreError) -> Error {
    let missing = matches!(&error, StoreError::NotALedger { .. })
        || matches!(&error, StoreError::Storage(inner) if inner.is_not_found());
    if missing && dir.join(RESTORE_FILE.as_str()).is_file() {
        return Error::new(
            ErrorKind::Unproven,
            format!(
                "a restore was stopped in {}, and it is no ledger yet; run the same `memledger restore` again, which goes on where it was",
                dir.display()
            ),
        );
    }
    if missing && dir.join("log").is_dir() {
        return Error::new(
            ErrorKind::Damaged,
            format!(
                "{} holds a log, and ledger.toml is missing; put it back from a copy: without it nothing is read or written here; if making this ledger was cut short, remove the directory and make it again",
                dir.display()
            ),
        );
    }
    if missing {
        return Error::invalid(format!(
            "{} holds no ledger (no ledger.toml); name its directory with -C, or make one with `memledger init`",
            dir.display()
        ));
    }
    error.into()
}

fn busy(dir: &Path, error: StoreError) -> Error {
    let Class::Busy { pid } = error.class() else { return error.into() };
    let holder = pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"));
    Error::new(
        ErrorKind::Conflict,
        format!(
            "{} is held by {holder}: wait until it is done, or read the archive",
            dir.display()
        ),
    )
}

fn genesis(reader: &Reader, config: &LedgerConfig) -> Result<Genesis> {
    let stored = reader.record(Seq(0))?;
    match decode(&stored)?.event {
        Event::Genesis(genesis) => {
            config.check(&genesis)?;
            Ok(genesis)
        }
        _ => Err(Error::new(
            ErrorKind::Damaged,
            "record 0 is not genesis; restore the log from a backup",
        )),
    }
}

fn master(
    env: &MasterEnv,
    config: &LedgerConfig,
    notices: &mut Vec<String>,
) -> Result<Option<(MasterKey, String)>> {
    let found = MasterKey::load(env, &config.ledger)?;
    if found.is_none() {
        notices.push(
            "the master key was not found: everything can be checked, but no content can be read; set MEMLEDGER_MASTER_KEY_FILE or put the key file back"
                .to_owned(),
        );
    }
    Ok(found.map(|(key, location)| (key, location.to_string())))
}

struct CaughtUp {
    views: Views,
    /// State at the head, where it had to be replayed.
    state: Option<State>,
    saved: Option<Seq>,
}

/// Views at the head: as they are, caught up, or made anew.
fn views_at_head(
    parts: &Parts,
    reader: &Reader,
    cache_bytes: u64,
    notices: &mut Vec<String>,
) -> Result<CaughtUp> {
    let dir = parts.dir.join("views");
    let head = reader.head();
    let opened = Views::open(&dir, view_options(parts.genesis.ledger, cache_bytes));
    let views = match opened {
        Opened::Ready(views) => *views,
        Opened::Unusable(reason) => {
            if reason != Unusable::Missing {
                notices.push(format!("the views were made anew from the log: {reason}"));
            }
            return rebuild(parts, reader, cache_bytes);
        }
    };
    let applied = views.applied();
    let behind = match (applied, head) {
        (None, _) | (_, None) => return rebuild(parts, reader, cache_bytes),
        (Some(applied), Some(head)) if applied.seq <= head.seq => {
            if reader.record(applied.seq)?.hash != applied.hash {
                notices.push("the views belong to another history and were made anew".to_owned());
                return rebuild(parts, reader, cache_bytes);
            }
            head.seq.0 - applied.seq.0
        }
        _ => {
            notices.push("the views were ahead of the log and were made anew".to_owned());
            return rebuild(parts, reader, cache_bytes);
        }
    };
    if behind == 0 {
        return Ok(CaughtUp { views, state: None, saved: None });
    }
    if behind > FAR_BEHIND && head.is_some_and(|head| behind > head.seq.0 / 2) {
        return rebuild(parts, reader, cache_bytes);
    }
    catch_up(parts, reader, views)
}

fn catch_up(parts: &Parts, reader: &Reader, views: Views) -> Result<CaughtUp> {
    let applied = views.applied().map(|applied| applied.seq);
    let saved = saved::load(&*parts.storage, reader)
        .filter(|state| state.head().map(|head| head.seq) <= applied)
        .unwrap_or_default();
    let saved_at = saved.head().map(|head| head.seq);
    let mut waiting = Vec::new();
    let state = saved::replay(reader, saved, |changes| {
        if Some(changes.seq) > applied {
            waiting.push(changes);
        }
        if waiting.len() == CHUNK {
            views.apply(&waiting)?;
            waiting.clear();
        }
        Ok(())
    })?;
    if !waiting.is_empty() {
        views.apply(&waiting)?;
    }
    Ok(CaughtUp { views, state: Some(state), saved: saved_at })
}

/// Makes the views anew beside the old ones and swaps them in.
fn rebuild(parts: &Parts, reader: &Reader, cache_bytes: u64) -> Result<CaughtUp> {
    let dir = parts.dir.join("views");
    let rebuild = Rebuild::begin(&dir, view_options(parts.genesis.ledger, cache_bytes))?;
    let (state, rebuild) = std::thread::scope(|scope| {
        let (changes, waiting) = sync_channel(QUEUED_PIECES);
        let rows = scope.spawn(move || make_rows(rebuild, &waiting));
        let state = replay_into(reader, changes);
        let rebuild = rows.join().unwrap_or_else(|_| {
            Err(Error::new(ErrorKind::Unavailable, "making the rows of the views failed"))
        });
        // The rows are why the replay stopped, if both failed.
        rebuild.and_then(|rebuild| Ok((state?, rebuild)))
    })?;
    Ok(CaughtUp { views: rebuild.finish()?, state: Some(state), saved: None })
}

/// Replays everything and hands the changes over in pieces.
fn replay_into(reader: &Reader, changes: SyncSender<Vec<Changes>>) -> Result<State> {
    let stopped = |_| Error::new(ErrorKind::Unavailable, "nobody takes the changes any more");
    let mut piece = Vec::with_capacity(PIECE);
    let state = saved::replay(reader, State::default(), |change| {
        piece.push(change);
        if piece.len() < PIECE {
            return Ok(());
        }
        let full = std::mem::replace(&mut piece, Vec::with_capacity(PIECE));
        changes.send(full).map_err(stopped)
    })?;
    changes.send(piece).map_err(stopped)?;
    Ok(state)
}

/// Makes rows of what arrives, until nothing more does.
fn make_rows(mut rebuild: Rebuild, waiting: &Receiver<Vec<Changes>>) -> Result<Rebuild> {
    for piece in waiting {
        piece.iter().try_for_each(|changes| rebuild.push(changes))?;
    }
    Ok(rebuild)
}

fn view_options(ledger: LedgerId, cache_bytes: u64) -> ledger_views::OpenOptions {
    ledger_views::OpenOptions { cache_bytes, ..ledger_views::OpenOptions::new(ledger) }
}
