//! Tasks, slots of the day and sweeps through the facade: what steps aside does so on record, and every
//! earlier moment stays what it was.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "life/approval.rs"]
mod approval;
#[path = "life/bench.rs"]
mod bench;
#[path = "life/day.rs"]
mod day;
#[path = "life/revoke.rs"]
mod revoke;
#[path = "life/sweep.rs"]
mod sweep;
#[path = "life/task.rs"]
mod task;
#[path = "life/undo.rs"]
mod undo;
