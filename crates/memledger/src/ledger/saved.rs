//! Owns replaying the log into state, and the saved state that shortens it.
//!
//! A saved state is a shortcut and never a truth: it counts only if the log holds its record with
//! its hash, and it lies among the views, so that whoever deletes those deletes it too.

use ledger_format::Seq;
use ledger_replay::{Changes, State, apply};
use ledger_store::storage::{RelPath, Storage};
use ledger_store::{Check, Reader, StoreError};

use crate::error::Result;
use crate::vault::decode;

const DIR: RelPath = RelPath::from_static("views");
const SAVED: RelPath = RelPath::from_static("views/state");
const FRESH: RelPath = RelPath::from_static("views/state.new");
/// A state is not written again for fewer records than this.
const WORTH_RECORDS: u64 = 4_096;

/// Replays everything after `state`, checked against the chain, and hands on what changes.
pub(crate) fn replay(
    reader: &Reader,
    mut state: State,
    mut sink: impl FnMut(Changes) -> Result<()>,
) -> Result<State> {
    let from = state.head().map_or(Seq(0), |head| head.seq.next());
    for stored in reader.stream(from, Check::Chain) {
        let event = decode(&stored?)?;
        let changes = apply(&mut state, &event);
        sink(changes)?;
    }
    Ok(state)
}

/// State at the head, and the record at which it was saved.
pub(super) fn state_at_head(
    storage: &dyn Storage,
    reader: &Reader,
) -> Result<(State, Option<Seq>)> {
    let saved = load(storage, reader).unwrap_or_default();
    let at = saved.head().map(|head| head.seq);
    Ok((replay(reader, saved, |_| Ok(()))?, at))
}

/// The saved state, if there is one that belongs to this log.
pub(super) fn load(storage: &dyn Storage, reader: &Reader) -> Option<State> {
    let file = storage.open_read(&SAVED).ok()?;
    let length = usize::try_from(file.len().ok()?).ok()?;
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0).ok()?;
    let state = State::restore(&bytes).ok()?;
    let head = state.head()?;
    let record = reader.record(head.seq).ok()?;
    (state.ledger() == reader.ledger() && record.hash == head.hash).then_some(state)
}

/// Whether so many records came since something was saved that saving it again pays: writing a
/// whole state for every few records would cost more than it saves.
pub(crate) fn is_far_behind(saved: Option<Seq>, head: Seq) -> bool {
    let since = head.0.saturating_sub(saved.map_or(0, |seq| seq.0));
    since >= WORTH_RECORDS.max(head.0 / 8)
}

/// Saves the state when replaying from the last saved one would take long enough to matter.
pub(super) fn save_if_worthwhile(
    storage: &dyn Storage,
    state: &State,
    saved: Option<Seq>,
) -> Result<()> {
    let Some(head) = state.head() else { return Ok(()) };
    if !is_far_behind(saved, head.seq) {
        return Ok(());
    }
    save(storage, state).map_err(StoreError::from)?;
    Ok(())
}

fn save(
    storage: &dyn Storage,
    state: &State,
) -> std::result::Result<(), ledger_store::storage::StorageError> {
    if storage.exists(&FRESH)? {
        storage.remove_file(&FRESH)?;
    }
    storage.create_dir(&DIR)?;
    let file = storage.create_exclusive(&FRESH)?;
    file.write_all_at(&state.save(), 0)?;
    file.sync_all()?;
    storage.rename(&FRESH, &SAVED)?;
    storage.sync_dir(&DIR)
}
