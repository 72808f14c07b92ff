//! The log as its one holder sees it: batches in, durable heads out, recovery in between.
//!
//! Owns the order of writes and flushes. Invariants: one holder at a time; a batch is answered
//! after it and its payload range are flushed; batch n+1 is written only when n is durable; a
//! failed flush ends the holder.

mod ahead;
mod anchor_file;
mod anchor_repair;
mod appender;
mod builder;
pub(crate) mod chain;
pub(crate) mod fault;
mod filler;
mod flusher;
pub(crate) mod outline;
pub(crate) mod payload_writer;
mod recover;
pub(crate) mod scan;
pub(crate) mod segment_file;
mod write_error;

pub use anchor_file::{Anchors, read_anchors};
pub use anchor_repair::{LostCopy, lost_copy, repair_anchor};
pub use appender::Appender;
pub use builder::{BatchBuilder, NewRecord};
pub use recover::{DroppedTail, LooseTail, Recovery, loose_tail};
pub(crate) use recover::{LONGEST_FILE, blank_anchors, list_segments, read_headers, valid_end};
