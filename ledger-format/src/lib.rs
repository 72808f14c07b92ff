//! The bytes of a memledger, and nothing else.
//!
//! Owns: how records, batches, segments, payloads, key pages and anchors are laid out, hashed and
//! checked. `SPEC.md` beside this crate is normative; this code follows it, and a test compares the
//! tables of the one with the constants of the other.
//!
//! Invariants: decoding is total (every byte string gives a value or a [`FormatError`]); what
//! decodes re-encodes to the same bytes; zero bytes never decode as anything; every stored field is
//! inside a hash. May not: read a clock, a file or a random source, iterate in hash order, or use a
//! floating point number. Key material and nonces are arguments.
//!
//! ```
//! use ledger_format::{Kind, LedgerId, Micros, Record, RecordHash, RecordHeader, Seq, hash};
//!
//! let ledger = LedgerId([7; 16]);
//! let header = RecordHeader::new(Kind::Pin, Seq(1), RecordHash([1; 32]), Micros(0));
//! let bytes = Record::new(header, vec![9; 16]).encode().expect("a small record");
//! let record = ledger_format::RecordView::decode(&bytes).expect("what was encoded decodes");
//! assert_eq!(record.header.seq, Seq(1));
//! assert_ne!(hash::record(&ledger, &bytes), RecordHash::ZERO);
//! ```
#![no_std]
extern crate alloc;

#[macro_use]
mod numbered;

pub mod anchor;
pub mod batch;
pub mod bytes;
mod codec;
mod error;
pub mod event;
pub mod extension;
pub mod hash;
mod ids;
pub mod key_page;
mod kind;
pub mod limits;
pub mod names;
pub mod payload;
pub mod payload_file;
pub mod record;
pub mod segment;
pub mod tree;

pub use error::FormatError;
pub use event::Event;
pub use extension::{Extension, Tag};
pub use ids::{
    AliasId, BatchHash, BatchNo, Digest16, JobId, LedgerId, MemoryId, Micros, PayloadId,
    RecordHash, SegmentNo, Seq, TreeRoot,
};
pub use kind::Kind;
pub use names::{
    ActorKind, AliasKind, BodyType, CloseKind, Layer, Outcome, Reach, SourceKind, Trust, Verdict,
};
pub use payload::{PayloadRef, Role};
pub use record::{ClockFlags, Record, RecordHeader, RecordView};
