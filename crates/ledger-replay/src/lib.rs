//! The state machine: events in, state and changes out.
//!
//! Owns: what every event does to the memories of a ledger. Invariants: [`apply`] is total (an event
//! that decodes never fails; oddities are counted and described); state depends on record bytes
//! only, so erasing content never changes it; replaying a prefix and then the rest equals replaying
//! the whole. May not: read a clock, a file, a payload or a random source, or use a float. Expiry
//! is a question asked at read time with an instant as argument.
//!
//! ```
//! use ledger_format::{Event, Kind, MemoryId, Micros, RecordHash, RecordHeader, Seq, event::memory::Pin};
//! use ledger_replay::{Sequenced, State, apply};
//!
//! let mut state = State::default();
//! let header = RecordHeader::new(Kind::Pin, Seq(0), RecordHash::ZERO, Micros(1));
//! let pin = Event::Pin(Pin { memory: MemoryId([1; 16]) });
//! let changes = apply(&mut state, &Sequenced::new(header, RecordHash([2; 32]), pin));
//! assert_eq!(changes.anomalies.len(), 1, "nothing has that id: said, not fatal");
//! assert_eq!(state.head().map(|head| head.seq), Some(Seq(0)));
//! ```
#![no_std]
extern crate alloc;

mod alias;
mod apply;
mod change;
mod codec;
mod digest;
mod erasure;
mod lifecycle;
mod memory;
mod sequenced;
mod state;
mod status;
mod validity;

pub use alias::Alias;
pub use apply::apply;
pub use change::{Anomaly, Change, Changes, Oddity};
pub use codec::{DecodeError, SCHEMA};
pub use erasure::{EraseTargets, Erasure, PayloadSet};
pub use lifecycle::{Closure, Lifecycle, PushedDown};
pub use memory::{Birth, Memory};
pub use sequenced::Sequenced;
pub use state::{Idempotent, PendingWrite, Schedule, SigningKey, State, StateHead, Task};
pub use status::{Instants, Status};
pub use validity::{Interval, Validity};
