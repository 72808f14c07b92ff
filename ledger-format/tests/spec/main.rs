//! Compares the tables of `SPEC.md` with the code, so that neither can move alone.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod bodies;
mod constants;
mod layouts;
mod sample;
#[path = "../support/mod.rs"]
mod support;
mod worked;
