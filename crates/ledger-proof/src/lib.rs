//! What outsiders check a memledger with, without a ledger and without trusting who runs it.
//!
//! Owns: signed notes and checkpoints (c2sp.org/signed-note, c2sp.org/tlog-checkpoint), inclusion
//! and consistency proofs over the tree of RFC 6962, proof files (c2sp.org/tlog-proof), cosignatures
//! (c2sp.org/tlog-cosignature), policies over them, what a witness decides (c2sp.org/tlog-witness),
//! tiles (c2sp.org/tlog-tiles). Ed25519 only.
//!
//! Invariants: what parses is valid and prints as the same bytes; hostile input gives an error, in
//! time and memory that its own length bounds; nothing verifies without a key that the caller names.
//! May not: touch a file, a clock, a network or a random source; seeds and times are arguments.
//!
//! Merkle arithmetic is `ct-merkle`'s and signatures are `ed25519-dalek`'s: both are maintained, work
//! without std and are small. The texts are parsed here: `signed_note` knows no cosignatures and
//! verifies Ed25519 leniently, `tlog_tiles` needs std, asserts where it meets bad sizes and brings
//! forty packages for one URL check. Those two are what the tests check this crate against.
#![no_std]
extern crate alloc;

mod checkpoint;
mod consistency;
mod cosign;
mod error;
mod key;
pub mod merkle;
mod note;
mod policy;
mod proof_text;
mod secret;
mod statement;
mod text;
mod tile;
mod tlog_proof;
mod witness;

pub use checkpoint::{Checkpoint, SignedCheckpoint};
pub use consistency::ConsistencyFile;
pub use cosign::Cosigned;
pub use error::ProofError;
pub use key::{KeyKind, LedgerKey, VerifierKey, check_key_name};
pub use merkle::Hash;
pub use note::{MAX_NOTE_BYTES, MAX_SIGNATURES, Note, SignatureLine};
pub use policy::{MAX_AHEAD, PolicyWitness, WitnessPolicy};
pub use secret::WitnessKey;
pub use statement::Statement;
pub use text::hash as parse_hash;
pub use tile::{TILE_WIDTH, Tile, TileKind, TileSink, Tiler};
pub use tlog_proof::TlogProof;
pub use witness::{Accepted, Refusal, Vouched, WitnessedLog};
