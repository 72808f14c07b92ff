//! Fuzz targets: one function per decoder and importer, and what must hold for any bytes.
//!
//! Owns: the targets ([`targets`]), their committed seeds, mutation ([`mutate`]) and a driver that
//! runs a target for a number of inputs or seconds ([`campaign`]). The same functions are run by
//! libFuzzer, with coverage, from the workspace in `libfuzzer/`. Invariants: a target is a function
//! of its bytes alone, so an input repeats its failure; a seed repeats a whole run. May not: be
//! linked into the product, or write anywhere but to a temporary folder and to `failures/`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    missing_docs,
    reason = "a test harness: to stop at the first surprise is what it is for"
)]

pub mod campaign;
pub mod mutate;
pub mod seeds;
pub mod targets;

pub use targets::{TARGETS, Target};
