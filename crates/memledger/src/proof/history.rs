//! Owns reading from the log what it says about signatures: keys, public names, checkpoints; and what
//! it was restored from.
//!
//! Invariant: only kinds are looked at on the way, so this costs one read of the log and no hash.
//! May not: say whether a signature is right.

use ledger_format::event::ledger::{CheckpointSigned, KeyRotated, PublicKey, Restored};
use ledger_format::{Event, Kind, Seq};
use ledger_proof::{KeyKind, VerifierKey};
use ledger_store::{Check, Reader};

use crate::error::Result;
use crate::vault::{decode, kind_of};

/// The number of Ed25519 among the algorithms of keys.
pub(super) const ED25519: u16 = 1;
/// The number of the setting that changes the public name.
const SETTING_ORIGIN: u16 = 2;

/// What the log says about signatures.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) rotations: Vec<(Seq, KeyRotated)>,
    pub(super) origins: Vec<(Seq, String)>,
    pub(super) checkpoints: Vec<(Seq, CheckpointSigned)>,
    pub(super) restorations: Vec<(Seq, Restored)>,
}

impl History {
    /// Reads the whole log.
    pub(super) fn read(reader: &Reader) -> Result<Self> {
        let mut history = Self::default();
        for stored in reader.stream(Seq(0), Check::None) {
            let stored = stored?;
            if !concerns(&stored.bytes) {
                continue;
            }
            let seq = stored.seq;
            match decode(&stored)?.event {
                Event::Genesis(genesis) => history.origins.push((seq, genesis.origin)),
                Event::ConfigSet(set) if set.setting == SETTING_ORIGIN => {
                    history.origins.push((seq, set.value));
                }
                Event::KeyRotated(rotated) => history.rotations.push((seq, rotated)),
                Event::CheckpointSigned(signed) => history.checkpoints.push((seq, signed)),
                Event::Restored(restored) => history.restorations.push((seq, restored)),
                _ => {}
            }
        }
        Ok(history)
    }

    /// The last restore that so many records may have been lost by: its record, and how many records
    /// the backup had.
    pub(super) fn restored_below(&self, size: u64) -> Option<(Seq, u64)> {
        let all = self.restorations.iter().rev();
        let mut all = all.map(|(seq, restored)| (*seq, restored.last.0.saturating_add(1)));
        all.find(|(_, kept)| *kept < size)
    }

    /// The key in force at a record: the last one set before it.
    pub(super) fn key_at(&self, seq: Seq) -> Option<&PublicKey> {
        let before = self.rotations.iter().rev().find(|(at, _)| *at < seq);
        before.map(|(_, rotated)| &rotated.new)
    }

    /// The public name after so many records.
    pub(super) fn origin_at(&self, size: u64) -> &str {
        let before = self.origins.iter().rev().find(|(at, _)| at.0 < size);
        before.or(self.origins.first()).map_or("", |(_, origin)| origin)
    }

    /// Every key that the log ever named, under each of its names: what a checkpoint of this log can
    /// be signed with.
    pub(super) fn verifiers(&self) -> Vec<VerifierKey> {
        let keys = self.rotations.iter().map(|(_, rotated)| &rotated.new);
        let keys = keys.filter(|key| key.algorithm == ED25519);
        let named = keys.flat_map(|key| self.origins.iter().map(move |(_, name)| (name, key)));
        // A name that cannot name a key has signed nothing.
        let made = named.map(|(name, key)| VerifierKey::new(name, KeyKind::Note, &key.bytes));
        made.filter_map(std::result::Result::ok).collect()
    }
}

/// Whether a record is of a kind that is looked at. Its kind lies at offset 2.
fn concerns(record: &[u8]) -> bool {
    matches!(
        kind_of(record),
        Some(
            Kind::Genesis
                | Kind::KeyRotated
                | Kind::CheckpointSigned
                | Kind::ConfigSet
                | Kind::Restored
        )
    )
}
