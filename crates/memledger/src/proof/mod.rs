//! What others can check a ledger with: its signing key, signed checkpoints, proofs, and comparing
//! a ledger with heads that were kept elsewhere.
//!
//! The formats and all checking that needs no ledger are `ledger-proof`'s, offered here whole.
//! Invariants: nothing is signed but what is durable; the key that signs is the one that the log
//! names; a proof that leaves this module was checked. May not: keep a signing key inside the
//! ledger's directory, or trust a head for being there.

mod blocks;
mod checkpoint;
mod given;
mod heads;
mod history;
mod keys;
mod own_head;
mod prove;
mod result;
mod rollback;
mod roots;
mod tiles;

pub use checkpoint::{MadeCheckpoint, StoredCheckpoint};
pub use given::{GivenCheckpoint, GivenHead, Heads};
pub(crate) use heads::compare_in;
pub use heads::{Compared, compare};
pub use keys::{KeyInForce, RotatedKey};
pub(crate) use keys::{check_origin, key_at_init};
pub use ledger_proof::{
    Checkpoint, ConsistencyFile, Hash, KeyKind, LedgerKey, PolicyWitness, ProofError,
    SignatureLine, SignedCheckpoint, Statement, TlogProof, VerifierKey, WitnessPolicy,
};
pub use own_head::parse_root;
pub use result::{ResultSigner, VERIFICATION};
pub use tiles::{ExportedTiles, TileStore};
