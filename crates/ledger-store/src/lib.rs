//! The ledger at rest: the log, its payloads and its keys behind a storage seam.
//!
//! Owns every file of a ledger directory except the views: how batches become durable, how a log
//! is recovered and read, and what is refused. The only crate that opens ledger files.
//!
//! Invariants: a batch is acknowledged after its flush and never lost after that; nothing above
//! the durable head leaves this crate; what cannot be read is never an empty ledger.
//! May not: decode event bodies, choose ids, or read a clock.

pub mod backup;
pub mod config;
pub mod doctor;
mod error;
mod head;
pub mod keys;
pub mod layout;
mod lock;
mod log;
pub mod master;
mod options;
mod quarantine;
mod reader;
pub mod signing;
pub mod storage;
#[cfg(test)]
mod tests;
pub mod verify;

pub use config::{ClockSource, LedgerConfig};
pub use error::{Class, Damage, Lost, StoreError};
pub use head::{Head, Position};
pub use keys::{Entropy, KeyState, KeyStore, OsEntropy, Reserved};
pub use log::{
    Anchors, Appender, BatchBuilder, DroppedTail, LooseTail, LostCopy, NewRecord, Recovery,
    loose_tail, lost_copy, read_anchors, repair_anchor,
};
pub use master::{MasterEnv, MasterKey, MasterLocation};
pub use options::StoreOptions;
pub use quarantine::{Taken, TakenAs};
pub use reader::{
    BatchRecord, Check, Place, Reader, RecordStream, SegmentEnd, SegmentInfo, StoredRecord,
    Unanchored, VerifiedBatch,
};
