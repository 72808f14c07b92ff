//! Owns writing: callers hand sealed submissions to one thread, which judges, stamps, chains and
//! appends them in groups.
//!
//! Invariants: a ticket is answered after the batch with its records is durable, or with an error
//! and then nothing of the submission is recorded; submissions are atomic; state is applied in the
//! order of the log. May not: write anything that was not judged against the state before it.

mod batch;
mod bind;
mod canonical;
mod compose;
mod contests;
mod judge;
mod keys_ahead;
mod outcome;
mod prepare;
mod seal;
mod stamp;
mod thread;
mod ticket;

pub(crate) use bind::Binder;
pub(crate) use judge::drops_pinned;
pub(crate) use prepare::{body_and_layer, prepare};
pub(crate) use seal::seal_all;
pub(crate) use thread::{Finished, MakeOwn, Own, Start, Writer};
pub use ticket::Ticket;
