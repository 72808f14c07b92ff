//! Proofs, checkpoints and cosignatures against a foreign implementation, published vectors, and
//! whatever a forger could try.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

#[path = "proofs/files.rs"]
mod files;
#[path = "proofs/foreign.rs"]
mod foreign;
#[path = "proofs/hostile.rs"]
mod hostile;
#[path = "proofs/statements.rs"]
mod statements;
#[path = "proofs/support.rs"]
mod support;
#[path = "proofs/tiles.rs"]
mod tiles;
#[path = "proofs/trees.rs"]
mod trees;
#[path = "proofs/vectors.rs"]
mod vectors;
#[path = "proofs/witness.rs"]
mod witness;
#[path = "proofs/witnesses.rs"]
mod witnesses;
