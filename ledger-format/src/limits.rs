//! Owns the limits of format version 1. `SPEC.md` section "Limits" holds the same numbers, and
//! Genesis records them in every ledger.

/// Longest record in bytes, header included: a tlog-tiles entry has a 16-bit length.
pub const RECORD_BYTES: usize = 65_535;
/// Longest plaintext of one payload in bytes.
pub const PAYLOAD_BYTES: usize = 1_048_576;
/// Longest batch in bytes: header, frames, trailer and the payload bytes it commits.
pub const BATCH_BYTES: usize = 16_777_216;
/// Most records in one batch.
pub const BATCH_RECORDS: usize = 65_536;
/// Most payloads of one record.
pub const RECORD_PAYLOADS: usize = 8;
/// Most memories one write may supersede.
pub const SUPERSEDES: usize = 32;
/// Most memories one write may be derived from.
pub const DERIVED_FROM: usize = 4_000;
/// Most memories one lifecycle event may name.
pub const TARGETS: usize = 3_500;
/// Most subjects of one write.
pub const SUBJECTS: usize = 64;
/// Most tags of one write.
pub const TAGS: usize = 32;
/// Most segments of a scope path.
pub const SCOPE_DEPTH: usize = 16;
/// Longest name (scope segment, person, key, tag) in bytes.
pub const NAME_BYTES: usize = 512;
/// Longest segment file in bytes. A writer starts a new one before a batch would pass it.
pub const SEGMENT_BYTES: u64 = 67_108_864;
/// Longest payload file in bytes. A writer starts a new one before a range would pass it.
pub const PAYLOAD_FILE_BYTES: u64 = 1_073_741_824;
/// Most extensions of one record.
pub const EXTENSIONS: usize = 32;
/// Slots of one key page.
pub const PAGE_SLOTS: usize = 126;
/// A key page in bytes.
pub const PAGE_BYTES: usize = 4_096;
/// Levels of the Merkle frontier that a segment header can hold.
pub const FRONTIER_LEVELS: usize = 64;
