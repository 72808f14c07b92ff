//! The disposable tables of a ledger: what was known, at any record.
//!
//! Owns: rows in sled, made from the changes of a replay, that answer questions about any record at
//! the cost of the answer and not of the history.
//!
//! Layers: `rows` says what is known in small logical rows (counted and summed); `pending` holds new
//! ones in memory; `sort` brings those of new views in order; `page` packs them; `table` keeps pages
//! in sled; `guard` keeps directories.
//!
//! Invariants: rows hold nothing that replay cannot
//! make again, byte for byte, and [`Fold`] gives their digest without storing them; rows and the
//! position they stand for move together; whatever sled does (fail, panic, hang, open with rows
//! missing) ends as [`Unusable`] or [`ViewError::Doubt`], and then views are rebuilt from the log.
//! May not: decide what a change means, hold text, delete the views in force, or let a type of sled
//! out.
//!
//! ```
//! use ledger_format::{Event, Kind, LedgerId, MemoryId, Micros, RecordHash, RecordHeader, Seq};
//! use ledger_format::event::memory::Pin;
//! use ledger_replay::{Sequenced, State, apply};
//! use ledger_views::{OpenOptions, Rebuild, Views};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let dir = tempfile::tempdir()?;
//! let options = OpenOptions::new(LedgerId([7; 16]));
//! let mut rebuild = Rebuild::begin(dir.path(), options)?;
//! let header = RecordHeader::new(Kind::Pin, Seq(0), RecordHash::ZERO, Micros(5));
//! let pin = Event::Pin(Pin { memory: MemoryId([1; 16]) });
//! let mut state = State::default();
//! rebuild.push(&apply(&mut state, &Sequenced::new(header, RecordHash([2; 32]), pin)))?;
//! let views = rebuild.finish()?;
//! assert_eq!(views.time_to_seq(Micros(9))?, Some(Seq(0)));
//! views.close()?;
//! let views = Views::open(dir.path(), options).ready()?;
//! assert_eq!(views.applied().map(|applied| applied.seq), Some(Seq(0)));
//! # Ok(())
//! # }
//! ```

mod check;
mod compact;
mod differ;
mod digest;
mod error;
mod fold;
mod group;
mod guard;
mod key;
mod maker;
mod meta;
mod number;
mod open;
mod page;
mod pending;
mod read;
mod rebuild;
mod recent;
mod rows;
mod sort;
mod source;
mod squeeze;
mod table;
mod views;

pub use check::Checked;
pub use differ::{Doubtful, RowDifference, RowSums};
pub use digest::ViewDigest;
pub use error::ViewError;
pub use fold::Fold;
pub use group::Group;
pub use meta::Applied;
pub use open::{Opened, Unusable};
pub use read::AllUntil;
pub use rebuild::Rebuild;
pub use views::{Counts, OpenOptions, Views};

#[cfg(test)]
mod tests;
