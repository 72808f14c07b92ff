//! Owns the domain separation: every hash and every derived key in the project has its context
//! string here and nowhere else.
//!
//! Invariants: a context is used for one purpose; hashes cover stored bytes, never a re-encoding.

use blake3::Hasher;

use crate::{BatchHash, Digest16, LedgerId, PayloadId, RecordHash, Role, TreeRoot};

/// Context of the record chain.
pub const RECORD: &str = "memledger record v1";
/// Context of the batch hash.
pub const BATCH: &str = "memledger batch v1";
/// Context of the ciphertext digest.
pub const CIPHERTEXT: &str = "memledger ciphertext v1";
/// Context that derives a payload's salt from its key.
pub const SALT: &str = "memledger payload salt v1";
/// Context of the commitment to a plaintext.
pub const COMMITMENT: &str = "memledger commitment v1";
/// Context of the mask over a key slot.
pub const SLOT_MASK: &str = "memledger slot mask v1";
/// Context of the value that tells whether a master key is the right one.
pub const KEY_CHECK: &str = "memledger key check v1";
/// Context of the check over headers, pages and anchors.
pub const CHECK: &str = "memledger check v1";
/// Context of idempotency digests.
pub const IDEMPOTENCY: &str = "memledger idempotency v1";
/// Context of in-memory name lookups; never stored in the log.
pub const NAME: &str = "memledger name v1";
/// Context of state digests.
pub const STATE: &str = "memledger state v1";
/// Context of view row digests.
pub const VIEW_ROW: &str = "memledger view row v1";

/// Context of the digests of files in a backup.
pub const BACKUP_FILE: &str = "memledger backup file v1";
/// Context of digests over the bytes of files; kept with the results of verifications, never in a ledger.
pub const FILE_BYTES: &str = "memledger file bytes v1";

/// First bytes of what the signatures of a key rotation cover.
pub const KEY_ROTATION: &str = "memledger key rotation v1";

/// Every context with its name in `SPEC.md`, in the order of its table.
pub const CONTEXTS: &[(&str, &str)] = &[
    ("record", RECORD),
    ("batch", BATCH),
    ("ciphertext", CIPHERTEXT),
    ("salt", SALT),
    ("commitment", COMMITMENT),
    ("slot_mask", SLOT_MASK),
    ("key_check", KEY_CHECK),
    ("check", CHECK),
    ("idempotency", IDEMPOTENCY),
    ("name", NAME),
    ("state", STATE),
    ("view_row", VIEW_ROW),
    ("file_bytes", FILE_BYTES),
    ("key_rotation", KEY_ROTATION),
    ("backup_file", BACKUP_FILE),
];

/// Hashes records of one ledger. Cheaper than [`record`] for many records of one ledger.
#[derive(Clone, Debug)]
pub struct RecordHasher(Hasher);

impl RecordHasher {
    /// Prepares the context and the ledger id once.
    #[must_use]
    pub fn new(ledger: &LedgerId) -> Self {
        let mut hasher = Hasher::new_derive_key(RECORD);
        hasher.update(&ledger.0);
        Self(hasher)
    }

    /// Hash of one stored record.
    #[must_use]
    pub fn hash(&self, record: &[u8]) -> RecordHash {
        RecordHash(*self.0.clone().update(record).finalize().as_bytes())
    }
}

/// Digest of a file of a backup, from its bytes in pieces.
#[derive(Clone, Debug)]
pub struct FileHasher(Hasher);

impl FileHasher {
    /// Begins a file.
    #[must_use]
    pub fn new() -> Self {
        Self(Hasher::new_derive_key(BACKUP_FILE))
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of everything taken so far: `derive_key(BACKUP_FILE, bytes)`.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

impl Default for FileHasher {
    fn default() -> Self {
        Self::new()
    }
}

/// Hash of one stored record: `derive_key(RECORD, ledger id ‖ record bytes)`.
#[must_use]
pub fn record(ledger: &LedgerId, record: &[u8]) -> RecordHash {
    RecordHasher::new(ledger).hash(record)
}

/// Hash of a batch: `derive_key(BATCH, header ‖ frame lengths ‖ last record hash ‖ root)`.
#[must_use]
pub fn batch(header: &[u8], frame_lengths: &[u8], last: &RecordHash, root: &TreeRoot) -> BatchHash {
    let mut hasher = Hasher::new_derive_key(BATCH);
    hasher.update(header).update(frame_lengths).update(&last.0).update(&root.0);
    BatchHash(*hasher.finalize().as_bytes())
}

/// Digest of the stored bytes of a payload.
#[must_use]
pub fn ciphertext(stored: &[u8]) -> [u8; 32] {
    *Hasher::new_derive_key(CIPHERTEXT).update(stored).finalize().as_bytes()
}

/// Salt of a payload, from its key: gone when the key is gone.
#[must_use]
pub fn salt(key: &[u8; 32]) -> [u8; 32] {
    *Hasher::new_derive_key(SALT).update(key).finalize().as_bytes()
}

/// Commitment to a plaintext: `keyed(salt, COMMITMENT ‖ role ‖ length u64 ‖ plaintext)`.
#[must_use]
pub fn commitment(salt: &[u8; 32], role: Role, plaintext: &[u8]) -> [u8; 32] {
    let mut hasher = Hasher::new_keyed(salt);
    hasher
        .update(COMMITMENT.as_bytes())
        .update(&[role.number()])
        .update(&(plaintext.len() as u64).to_le_bytes())
        .update(plaintext);
    *hasher.finalize().as_bytes()
}

/// Mask of a key slot: `keyed(master, SLOT_MASK ‖ ledger id ‖ payload id)`.
#[must_use]
pub fn slot_mask(master: &[u8; 32], ledger: &LedgerId, slot: PayloadId) -> [u8; 32] {
    let mut hasher = Hasher::new_keyed(master);
    hasher.update(SLOT_MASK.as_bytes()).update(&ledger.0).update(&slot.0.to_le_bytes());
    *hasher.finalize().as_bytes()
}

/// Tells whether a master key is the one of this ledger, without revealing it.
#[must_use]
pub fn key_check(master: &[u8; 32], ledger: &LedgerId) -> Digest16 {
    let mut hasher = Hasher::new_keyed(master);
    hasher.update(KEY_CHECK.as_bytes()).update(&ledger.0);
    first16(&hasher)
}

/// Check over the stored bytes of a header, page or anchor.
#[must_use]
pub fn check(bytes: &[u8]) -> Digest16 {
    first16(Hasher::new_derive_key(CHECK).update(bytes))
}

/// Keyed digest of an idempotency key (`part` 1) or of the proposal under it (2). Parts 3 and 4 are
/// used by the disposable index of names and occur in no record.
#[must_use]
pub fn idempotency(pepper: &[u8; 32], part: u8, bytes: &[u8]) -> Digest16 {
    let mut hasher = Hasher::new_keyed(pepper);
    hasher.update(IDEMPOTENCY.as_bytes()).update(&[part]).update(bytes);
    first16(&hasher)
}

/// Digest of the encoding of a replayed state.
#[must_use]
pub fn state(encoded: &[u8]) -> [u8; 32] {
    *Hasher::new_derive_key(STATE).update(encoded).finalize().as_bytes()
}

/// Digest of bytes that come in pieces: the same however they are cut.
#[derive(Clone, Debug)]
pub struct BytesHasher(Hasher);

impl Default for BytesHasher {
    fn default() -> Self {
        Self(Hasher::new_derive_key(FILE_BYTES))
    }
}

impl BytesHasher {
    /// Adds the bytes that come next.
    pub fn update(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update(bytes);
        self
    }

    /// Digest of everything so far.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}

/// Digest of one view row: `derive_key(VIEW_ROW, key length u32 ‖ key ‖ value)`.
#[must_use]
pub fn view_row(key: &[u8], value: &[u8]) -> [u8; 32] {
    let length = u32::try_from(key.len()).unwrap_or(u32::MAX);
    let mut hasher = Hasher::new_derive_key(VIEW_ROW);
    hasher.update(&length.to_le_bytes()).update(key).update(value);
    *hasher.finalize().as_bytes()
}

/// Keyed fingerprint of a name, for look-ups in memory and in views; never in the log.
#[must_use]
pub fn name(pepper: &[u8; 32], bytes: &[u8]) -> Digest16 {
    let mut hasher = Hasher::new_keyed(pepper);
    hasher.update(NAME.as_bytes()).update(bytes);
    first16(&hasher)
}

fn first16(hasher: &Hasher) -> Digest16 {
    let mut digest = [0; 16];
    hasher.finalize_xof().fill(&mut digest);
    Digest16(digest)
}
