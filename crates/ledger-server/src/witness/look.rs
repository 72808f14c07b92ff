//! Owns looking at a witness from outside: its key, and each log as far as it was cosigned.
//!
//! Takes no lock, so it shows a witness that runs; every note is replaced as a whole. May not: show
//! the private key, or take a note for true that the witness's own key does not vouch for.

use std::path::Path;

use ledger_proof::{Checkpoint, SignedCheckpoint, VerifierKey};

use super::dir::{HEADS, WitnessDir, file_of, key_in, note_bytes, notes_in};
use crate::error::ServerError;

/// What lies in the directory of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessView {
    /// The key that it cosigns with.
    pub key: VerifierKey,
    /// One for each log, by the names of their files.
    pub seen: Vec<Seen>,
}

/// A log as its witness saw it last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The note, from the directory of the witness.
    pub file: String,
    /// What was cosigned and when, in seconds since 1970; or why the note is none of this witness.
    pub head: Result<(Checkpoint, u64), String>,
}

impl WitnessDir {
    /// Looks at a witness, whether it runs or not.
    ///
    /// # Errors
    /// As [`WitnessDir::open`], but for the lock.
    pub fn look(dir: &Path) -> Result<WitnessView, ServerError> {
        let key = key_in(dir)?.public().clone();
        let heads = dir.join(HEADS);
        let seen = |name: String| {
            Ok(Seen { head: head(&heads.join(&name), &key)?, file: format!("{HEADS}/{name}") })
        };
        let seen = notes_in(&heads)?.into_iter().map(seen).collect::<Result<_, ServerError>>()?;
        Ok(WitnessView { key, seen })
    }
}

fn head(path: &Path, key: &VerifierKey) -> Result<Result<(Checkpoint, u64), String>, ServerError> {
    let Some(bytes) = note_bytes(path)? else { return Ok(Err("it is gone".to_owned())) };
    let read = || {
        let kept = SignedCheckpoint::parse(&bytes).map_err(|error| error.to_string())?;
        let cosigned = key.cosigned(&kept).map_err(|error| error.to_string())?;
        let cosigned = cosigned.ok_or("this witness did not cosign it")?;
        let expected = file_of(&kept.checkpoint().origin);
        if path.file_name().and_then(|name| name.to_str()) != Some(expected.as_str()) {
            return Err(format!("it belongs to {expected}"));
        }
        Ok((kept.checkpoint().clone(), cosigned.at))
    };
    Ok(read())
}
