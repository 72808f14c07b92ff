//! A small log in memory.

use std::sync::LazyLock;

use ledger_format::TreeRoot;
use ledger_format::tree::Frontier;
use ledger_proof::merkle::Gatherer;
use ledger_proof::{Checkpoint, Hash, LedgerKey, SignedCheckpoint, TlogProof, VerifierKey};

pub(crate) const ORIGIN: &str = "support.example/log";

/// Sizes around powers of two, and around the tiles' 256.
pub(crate) const SIZES: [u64; 17] = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 63, 64, 65, 255, 256, 257];

pub(crate) fn record(index: u64) -> Vec<u8> {
    format!("record {index}").into_bytes()
}

/// Roots of all trees up to the largest of [`SIZES`] and one, made once.
pub(crate) fn root(size: u64) -> TreeRoot {
    static ROOTS: LazyLock<Vec<TreeRoot>> = LazyLock::new(|| {
        let mut tree = Frontier::new();
        let mut roots = vec![tree.root()];
        for index in 0..=258 {
            tree.push(&record(index));
            roots.push(tree.root());
        }
        roots
    });
    ROOTS[usize::try_from(size).unwrap()]
}

pub(crate) fn gathered(mut gatherer: Gatherer, size: u64) -> Vec<Hash> {
    (0..size).for_each(|index| gatherer.push(index, &record(index)));
    gatherer.finish().unwrap()
}

pub(crate) fn inclusion(index: u64, size: u64) -> Vec<Hash> {
    gathered(Gatherer::inclusion(index, size).unwrap(), size)
}

pub(crate) fn consistency(old: u64, new: u64) -> Vec<Hash> {
    gathered(Gatherer::consistency(old, new).unwrap(), new)
}

pub(crate) fn key(number: u8) -> LedgerKey {
    LedgerKey::from_seed(&[number; 32])
}

pub(crate) fn verifier(number: u8) -> VerifierKey {
    key(number).verifier(ORIGIN, ledger_proof::KeyKind::Note).unwrap()
}

pub(crate) fn checkpoint(size: u64) -> Checkpoint {
    Checkpoint { origin: ORIGIN.to_owned(), size, root: root(size) }
}

pub(crate) fn signed(size: u64) -> SignedCheckpoint {
    checkpoint(size).sign(&key(1)).unwrap()
}

pub(crate) fn proof(index: u64, size: u64) -> TlogProof {
    TlogProof {
        extra: Some(record(index)),
        index,
        path: inclusion(index, size),
        checkpoint: signed(size),
    }
}
