//! Owns the bodies of the events about the ledger itself: identity, holders, names, keys, settings.

use alloc::string::String;
use alloc::vec::Vec;

use crate::bytes::Writer;
use crate::names::{AliasKind, EpochReason, RepairKind};
use crate::{
    AliasId, Digest16, JobId, LedgerId, Micros, PayloadId, RecordHash, Seq, TreeRoot, hash,
};

/// The limits a ledger was made with.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Limits {
    /// Longest record in bytes.
    pub record_bytes: u32,
    /// Longest payload in bytes.
    pub payload_bytes: u32,
    /// Longest batch in bytes.
    pub batch_bytes: u32,
    /// Longest segment in bytes.
    pub segment_bytes: u64,
    /// Most superseded memories of one write.
    pub supersedes: u16,
    /// Most memories one write is derived from.
    pub derived_from: u16,
    /// Most segments of a scope path.
    pub scope_depth: u16,
}

impl Limits {
    /// The limits of format version 1.
    pub const V1: Self = Self {
        record_bytes: 65_535,
        payload_bytes: 1_048_576,
        batch_bytes: 16_777_216,
        segment_bytes: 67_108_864,
        supersedes: 32,
        derived_from: 4_000,
        scope_depth: 16,
    };
}

/// Record 0.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Genesis {
    /// The ledger's id.
    pub ledger: LedgerId,
    /// When it was made.
    pub created_at: Micros,
    /// Its public name, as checkpoints carry it.
    pub origin: String,
    /// Its civil zone (an IANA name).
    pub zone: String,
    /// 1: BLAKE3 chain, SHA-256 RFC 6962 tree.
    pub hash_suite: u8,
    /// 1: XChaCha20-Poly1305 under a key of its own per payload.
    pub payload_suite: u8,
    /// 1: times come from a clock; 2: times are declared by the writer (demonstrations, tests).
    pub clock: u8,
    /// Slot of the pepper of idempotency digests.
    pub pepper: PayloadId,
    /// Limits in force.
    pub limits: Limits,
}

/// A new holder took the ledger.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Epoch {
    /// Its number; the first is 1.
    pub epoch: u64,
    /// Random id of the holder.
    pub holder: JobId,
    /// Why it began.
    pub reason: EpochReason,
    /// The program's version.
    pub program: String,
    /// Bytes of unacknowledged batches that recovery dropped since the record before; 0: none.
    pub dropped_bytes: u64,
}

/// An alias now stands for the name in payload role `name`.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct AliasBound {
    /// The alias.
    pub alias: AliasId,
    /// What it stands for.
    pub kind: AliasKind,
    /// The scope segment before this one, or the scope of a key.
    pub parent: Option<AliasId>,
}

/// A policy document took effect; its text is in payload role `document`.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct PolicySet {
    /// Its version.
    pub version: u32,
    /// The version it replaces.
    pub previous: u32,
}

/// The clock was corrected.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct ClockCorrected {
    /// `recorded_at` of the record before.
    pub before: Micros,
    /// The wall time that was confirmed.
    pub confirmed: Micros,
}

/// A public key with its algorithm.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct PublicKey {
    /// 1: Ed25519. 2: ML-DSA-44. Others are reserved.
    pub algorithm: u16,
    /// The key's bytes in the algorithm's own form.
    pub bytes: Vec<u8>,
}

/// The signing key was set or replaced. Both signatures cover [`KeyRotated::message`].
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct KeyRotated {
    /// The key from now on.
    pub new: PublicKey,
    /// The key until now.
    pub old: Option<PublicKey>,
    /// Signature by the new key.
    pub new_signature: Vec<u8>,
    /// Signature by the old key.
    pub old_signature: Option<Vec<u8>>,
}

impl KeyRotated {
    /// What both signatures cover: context, ledger id, sequence number of the record, algorithm and
    /// length-delimited bytes of the new key.
    #[must_use]
    pub fn message(new: &PublicKey, ledger: &LedgerId, seq: Seq) -> Vec<u8> {
        let mut out = Writer::default();
        out.put(hash::KEY_ROTATION.as_bytes()).put(&ledger.0).u64(seq.0).u16(new.algorithm);
        out.u64(new.bytes.len() as u64).put(&new.bytes);
        out.into_vec()
    }
}

/// The master key was replaced.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct MasterRotated {
    /// Id of the old master key.
    pub old: Digest16,
    /// Id of the new master key.
    pub new: Digest16,
    /// Key pages rewritten.
    pub pages: u64,
}

/// The pepper was replaced.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct PepperRotated {
    /// Slot of the old pepper.
    pub old: PayloadId,
    /// Slot of the new pepper.
    pub new: PayloadId,
}

/// A checkpoint was signed.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct CheckpointSigned {
    /// Records covered.
    pub size: u64,
    /// Root over them.
    pub root: TreeRoot,
    /// Digest of the views at that size, if it was computed.
    pub views: Option<[u8; 32]>,
    /// Algorithm of the signature.
    pub algorithm: u16,
    /// The signature.
    pub signature: Vec<u8>,
}

/// A setting was changed.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct ConfigSet {
    /// 1: zone. 2: origin.
    pub setting: u16,
    /// Its value now.
    pub value: String,
}

/// A backup was taken.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct BackupTaken {
    /// Its id.
    pub backup: JobId,
    /// Last record it holds.
    pub last: Seq,
    /// Whether it holds the masked keys.
    pub keys: bool,
}

/// The ledger was restored.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Restored {
    /// Last record of the backup.
    pub last: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Erasures up to this record were applied before anything was decrypted.
    pub erasures_through: Option<Seq>,
}

/// A repair took place.
#[derive(Clone, Debug, PartialEq, Eq, bincode::Encode, bincode::Decode)]
pub struct Repaired {
    /// What was done.
    pub kind: RepairKind,
    /// Where it began.
    pub from: Seq,
    /// Bytes concerned.
    pub bytes: u64,
}
