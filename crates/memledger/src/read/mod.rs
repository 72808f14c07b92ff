//! Owns reading: from a moment of the past to items that can be judged.
//!
//! Invariants: scope first, then validity, then status; every item answers what it is, where it
//! comes from and whether it holds; nothing erased is silently absent from an earlier basis. May
//! not: depend on which of the two ways to the past it reads through.

mod assemble;
mod body;
mod claimed;
mod contradictions;
mod describe;
mod diff;
mod history;
mod list;
mod past;
mod prefix;
mod questions;
mod ranks;
mod remembered;
mod snapshot;
mod viewed;

pub(crate) use assemble::Assembler;
pub(crate) use body::body_text;
pub(crate) use claimed::Claimed;
pub(crate) use describe::{log_entry, named};
pub(crate) use diff::diff;
pub(crate) use past::{Members, Past};
pub(crate) use prefix::{PREFIX_MATCHES, first_with_prefix, has_prefix};
pub use snapshot::Snapshot;
pub(crate) use snapshot::Way;
pub(crate) use viewed::Viewed;
