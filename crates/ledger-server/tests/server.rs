//! Witnesses with their directories and sockets, and asking them.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[path = "server/asking.rs"]
mod asking;
#[path = "server/looking.rs"]
mod looking;
#[path = "server/serving.rs"]
mod serving;
#[path = "server/support.rs"]
mod support;
#[path = "server/witness.rs"]
mod witness;
