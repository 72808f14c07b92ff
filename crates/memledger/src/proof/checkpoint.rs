//! Owns making and keeping checkpoints.
//!
//! A checkpoint is signed where its record is made, over a head that is durable; its note lies under
//! `checkpoints/` afterwards. Nothing is signed again while nothing came after the last checkpoint.

use std::sync::mpsc::sync_channel;

use ledger_format::event::ledger::CheckpointSigned;
use ledger_format::{Event, Seq};
use ledger_proof::{Checkpoint, MAX_NOTE_BYTES, SignatureLine, SignedCheckpoint, VerifierKey};
use ledger_store::StoreError;
use ledger_store::storage::{RelPath, Storage, StorageError};

use super::history::ED25519;
use super::keys::{AtHand, none_at_hand, unusable};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;

const DIR: RelPath = RelPath::from_static("checkpoints");
const FRESH: RelPath = RelPath::from_static("checkpoints/new");
/// How far back a checkpoint with nothing behind it is looked for.
const LOOK_BACK: usize = 8;
/// How many notes are read to find what a witness cosigned last.
const LOOK_BACK_NOTES: usize = 64;

/// A checkpoint, and whether it was signed just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeCheckpoint {
    /// The checkpoint.
    pub signed: SignedCheckpoint,
    /// Its record.
    pub seq: Seq,
    /// Whether it is new; a ledger that nothing was added to has its checkpoint already.
    pub new: bool,
}

/// A note under `checkpoints/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCheckpoint {
    /// Its file, from the ledger's directory.
    pub file: String,
    /// What it says, or why it cannot be read.
    pub note: std::result::Result<SignedCheckpoint, String>,
}

impl Ledger {
    /// Signs the durable head, records that, and keeps the note.
    ///
    /// # Errors
    /// [`ErrorKind::Unproven`] without a signing key in force and at hand; otherwise as
    /// [`Ledger::submit`].
    pub fn checkpoint(&self) -> Result<MadeCheckpoint> {
        if let Some(made) = self.standing_checkpoint()? {
            return Ok(made);
        }
        let head = self.vault.reader().head();
        let head = head.ok_or_else(|| Error::invalid("an empty ledger has no head to sign"))?;
        let at_hand = AtHand::load(self)?;
        let (sender, receiver) = sync_channel(1);
        let done = self.own(Box::new(move |_, state| {
            let key = state.signing_key().filter(|key| key.algorithm == ED25519);
            let key = key.ok_or_else(no_key)?;
            let private = at_hand.private(&key.bytes).ok_or_else(|| none_at_hand(&at_hand))?;
            let origin = state.origin().to_owned();
            let checkpoint =
                Checkpoint { origin, size: head.seq.0.saturating_add(1), root: head.root };
            let signature = private.sign(checkpoint.to_string().as_bytes());
            let event = CheckpointSigned {
                size: checkpoint.size,
                root: checkpoint.root,
                views: None,
                algorithm: ED25519,
                signature: signature.to_vec(),
            };
            let signed = checkpoint
                .signed(&key.bytes, &signature)
                .map_err(|error| unusable(state.origin(), &error))?;
            // Whoever waits has not gone: it is this call.
            let _ = sender.send(signed);
            Ok(Event::CheckpointSigned(event))
        }))?;
        let signed = receiver
            .recv()
            .map_err(|_| Error::new(ErrorKind::Unavailable, "the writer stopped; open again"))?;
        self.keep_checkpoint(&signed)?;
        Ok(MadeCheckpoint { signed, seq: done.seq, new: true })
    }

    /// The last checkpoint, when nothing but its own record and changes of holder came after it.
    fn standing_checkpoint(&self) -> Result<Option<MadeCheckpoint>> {
        let reader = self.vault.reader();
        let Some(head) = reader.head() else { return Ok(None) };
        let mut seq = head.seq;
        for _ in 0..LOOK_BACK {
            let loaded = self.vault.load(seq)?;
            match loaded.event.event {
                Event::CheckpointSigned(signed) => {
                    let noted = self.stored_checkpoint(signed.size)?;
                    let made = |signed| MadeCheckpoint { signed, seq, new: false };
                    // Between the head that it covers and its record, only a change of holder.
                    return Ok(noted.filter(|_| seq.0 <= signed.size.saturating_add(1)).map(made));
                }
                Event::Epoch(_) if seq.0 > 0 => seq = Seq(seq.0 - 1),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Keeps a note, with whatever signatures it carries, in the place of the one before of its
    /// size.
    ///
    /// # Errors
    /// When the note cannot be written.
    pub fn keep_checkpoint(&self, signed: &SignedCheckpoint) -> Result<()> {
        let path = note(signed.checkpoint().size)?;
        write(&*self.storage, &path, signed.to_string().as_bytes()).map_err(StoreError::from)?;
        Ok(())
    }

    /// Puts cosignatures on a checkpoint that is kept here, each in the place of an earlier one by the
    /// same key. They are on the medium when this returns.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for one that is not; [`ErrorKind::Invalid`] when they do not fit.
    pub fn add_cosignatures(&self, size: u64, lines: &[SignatureLine]) -> Result<SignedCheckpoint> {
        let signed = self.stored_checkpoint(size)?.ok_or_else(|| no_note(size))?;
        let signed = signed.renewed(lines).map_err(|error| Error::invalid(error.to_string()))?;
        self.keep_checkpoint(&signed)?;
        Ok(signed)
    }

    /// The largest size, `at_most` this, that each of these witnesses cosigned as far as the newest
    /// notes kept here show; 0 where they show none. A hint: only the witness knows.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn cosigned_sizes(&self, witnesses: &[VerifierKey], at_most: u64) -> Result<Vec<u64>> {
        let mut sizes = vec![0; witnesses.len()];
        let named = named(&*self.storage)?;
        let newest = named.iter().rev().filter(|(size, _)| *size <= at_most).take(LOOK_BACK_NOTES);
        for (size, path) in newest {
            let Ok(signed) = read(&*self.storage, path)? else { continue };
            for (key, known) in witnesses.iter().zip(&mut sizes) {
                if *known == 0 && matches!(key.cosigned(&signed), Ok(Some(_))) {
                    *known = *size;
                }
            }
            if !sizes.contains(&0) {
                break;
            }
        }
        Ok(sizes)
    }

    /// The checkpoints that are kept here, the smallest first.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn checkpoints(&self) -> Result<Vec<StoredCheckpoint>> {
        stored(&*self.storage)
    }

    /// The largest checkpoint that is kept here.
    ///
    /// # Errors
    /// When the directory cannot be read.
    pub fn newest_stored(&self) -> Result<Option<StoredCheckpoint>> {
        let newest = named(&*self.storage)?.pop();
        newest.map(|(size, path)| load(&*self.storage, size, &path)).transpose()
    }

    /// The checkpoint of so many records that is kept here.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`] when its note cannot be read.
    pub fn stored_checkpoint(&self, size: u64) -> Result<Option<SignedCheckpoint>> {
        let path = note(size)?;
        if !self.storage.exists(&path).map_err(StoreError::from)? {
            return Ok(None);
        }
        let signed = read(&*self.storage, &path)?.map_err(|why| {
            Error::new(ErrorKind::Damaged, format!("{path} is no checkpoint: {why}"))
        })?;
        Ok(Some(signed))
    }
}

/// All notes of a directory, the smallest first.
pub(super) fn stored(storage: &dyn Storage) -> Result<Vec<StoredCheckpoint>> {
    named(storage)?.into_iter().map(|(size, path)| load(storage, size, &path)).collect()
}

/// The note of a file that is named after a size.
fn load(storage: &dyn Storage, size: u64, path: &RelPath) -> Result<StoredCheckpoint> {
    let note = read(storage, path)?.and_then(|signed| {
        let named = signed.checkpoint().size;
        if named == size { Ok(signed) } else { Err(format!("it is of {named} records")) }
    });
    Ok(StoredCheckpoint { file: path.to_string(), note })
}

/// The sizes that files are named after, the smallest first.
fn named(storage: &dyn Storage) -> Result<Vec<(u64, RelPath)>> {
    if !storage.exists(&DIR).map_err(StoreError::from)? {
        return Ok(Vec::new());
    }
    let names = storage.list(&DIR).map_err(StoreError::from)?;
    let mut sized = Vec::with_capacity(names.len());
    for name in names {
        if let Some(size) = name.strip_suffix(".note").and_then(|size| size.parse().ok()) {
            sized.push((size, DIR.join(&name).map_err(|_| no_note(size))?));
        }
    }
    sized.sort_unstable();
    Ok(sized)
}

type Note = std::result::Result<SignedCheckpoint, String>;

fn read(storage: &dyn Storage, path: &RelPath) -> Result<Note> {
    let file = storage.open_read(path).map_err(StoreError::from)?;
    let length = usize::try_from(file.len().map_err(StoreError::from)?).unwrap_or(usize::MAX);
    if length > MAX_NOTE_BYTES {
        return Ok(Err(format!("it has {length} bytes, a note has {MAX_NOTE_BYTES} at most")));
    }
    let mut bytes = vec![0; length];
    file.read_exact_at(&mut bytes, 0).map_err(StoreError::from)?;
    Ok(SignedCheckpoint::parse(&bytes).map_err(|error| error.to_string()))
}

/// Beside the old one, flushed, then in its place: a reader sees one or the other.
fn write(
    storage: &dyn Storage,
    path: &RelPath,
    bytes: &[u8],
) -> std::result::Result<(), StorageError> {
    storage.create_dir(&DIR)?;
    storage.sync_dir(&RelPath::ROOT)?;
    if storage.exists(&FRESH)? {
        storage.remove_file(&FRESH)?;
    }
    let file = storage.create_exclusive(&FRESH)?;
    file.write_all_at(bytes, 0)?;
    file.sync_all()?;
    storage.rename(&FRESH, path)?;
    storage.sync_dir(&DIR)
}

fn note(size: u64) -> Result<RelPath> {
    DIR.join(&format!("{size}.note")).map_err(|_| no_note(size))
}

fn no_note(size: u64) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "there is no checkpoint of {size} records here; `memledger checkpoint list` shows which there are"
        ),
    )
}

fn no_key() -> Error {
    Error::new(
        ErrorKind::Unproven,
        "this ledger has no signing key yet; `memledger key rotate` makes one and records it",
    )
}
