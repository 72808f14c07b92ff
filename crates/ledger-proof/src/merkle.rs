//! Owns proofs over the tree of RFC 6962: which hashes they need, gathering those from a stream of
//! leaves, and checking.
//!
//! Invariants: sizes up to [`MAX_SIZE`], so that the arithmetic of `ct-merkle` never meets one it
//! refuses; a proof has exactly the length that its sizes ask for.
//!
//! A node of a proof is the root over a range of leaves that begins at a multiple of its full width.
//! The ranges of one proof do not overlap, so one pass over the leaves makes all of them, and every
//! range is a small tree of its own.

use alloc::vec::Vec;

use ct_merkle::{ConsistencyProof, InclusionProof, RootHash};
use ledger_format::TreeRoot;
use ledger_format::tree::Frontier;
use sha2::Sha256;

use crate::error::ProofError;

/// A hash of the tree.
pub type Hash = [u8; 32];

/// Largest tree that is spoken of, in records.
pub const MAX_SIZE: u64 = 1 << 62;

/// Most hashes of one proof: the height of the largest tree, and one.
pub const MAX_PROOF: usize = 63;

/// Leaves from `start` on, before `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first leaf.
    pub start: u64,
    /// The leaf after the last one.
    pub end: u64,
}

/// Gathers the hashes of one proof from the leaves of a tree.
#[derive(Clone, Debug)]
pub struct Gatherer {
    /// In the order of the proof.
    spans: Vec<(Span, Frontier)>,
}

impl Gatherer {
    /// For the proof that record `index` is in the tree of `size` records.
    ///
    /// # Errors
    /// [`ProofError::OutOfRange`] when it is not, [`ProofError::TooLarge`].
    pub fn inclusion(index: u64, size: u64) -> Result<Self, ProofError> {
        check_size(size)?;
        if index >= size {
            return Err(ProofError::OutOfRange { what: "record", found: index, size });
        }
        let nodes = ct_merkle::indices_for_inclusion_proof(size, index);
        Ok(Self::of(&nodes, size))
    }

    /// For the proof that the tree of `new` records begins with the tree of `old` records.
    ///
    /// # Errors
    /// [`ProofError::OutOfRange`] when `old` is above `new`, [`ProofError::TooLarge`].
    pub fn consistency(old: u64, new: u64) -> Result<Self, ProofError> {
        check_size(new)?;
        let additions = new.checked_sub(old).ok_or(ProofError::OutOfRange {
            what: "size",
            found: old,
            size: new,
        })?;
        if old == 0 {
            return Ok(Self { spans: Vec::new() });
        }
        let nodes = ct_merkle::indices_for_consistency_proof(old, additions);
        Ok(Self::of(&nodes, new))
    }

    fn of(nodes: &[u64], size: u64) -> Self {
        let spans = nodes.iter().map(|node| (span(*node, size), Frontier::new())).collect();
        Self { spans }
    }

    /// Takes what is known beforehand: for each range of leaves that is needed, the tree over as many
    /// of its first leaves as are known. A tree of more than the range is not taken.
    pub fn begin_with(&mut self, mut known: impl FnMut(Span) -> Frontier) {
        for (span, tree) in &mut self.spans {
            let found = known(*span);
            if found.size() <= span.end - span.start {
                *tree = found;
            }
        }
    }

    /// The leaves that are still needed, in the order of the log.
    #[must_use]
    pub fn wanted(&self) -> Vec<Span> {
        let left = |(span, tree): &(Span, Frontier)| {
            let start = span.start + tree.size();
            (start < span.end).then_some(Span { start, end: span.end })
        };
        let mut spans: Vec<Span> = self.spans.iter().filter_map(left).collect();
        spans.sort_unstable_by_key(|span| span.start);
        spans
    }

    /// Takes a record, and hashes it where it is the next one that a range needs. Records come in
    /// the order of the log; those that no range needs may be left out.
    pub fn push(&mut self, index: u64, record: &[u8]) {
        let next = |(span, tree): &&mut (Span, Frontier)| {
            span.start + tree.size() == index && index < span.end
        };
        if let Some((_, tree)) = self.spans.iter_mut().find(next) {
            tree.push(record);
        }
    }

    /// The hashes of the proof.
    ///
    /// # Errors
    /// [`ProofError::OutOfRange`] when a leaf did not come.
    pub fn finish(self) -> Result<Vec<Hash>, ProofError> {
        self.spans
            .into_iter()
            .map(|(span, tree)| {
                if tree.size() == span.end - span.start {
                    Ok(tree.root().0)
                } else {
                    let found = span.start + tree.size();
                    Err(ProofError::OutOfRange { what: "leaf", found, size: span.end })
                }
            })
            .collect()
    }
}

/// The leaves below a node of `ct-merkle`: the array of RFC 9420 appendix C, where leaf n is node 2n
/// and a node at level k ends in a zero and k ones.
fn span(node: u64, size: u64) -> Span {
    let level = node.trailing_ones();
    let start = (node >> level >> 1) << level;
    Span { start, end: size.min(start + (1 << level)) }
}

/// Checks that a record is at `index` of the tree with this root.
///
/// # Errors
/// [`ProofError::NotIncluded`] when that is not shown, [`ProofError::TooLarge`].
pub fn check_inclusion(
    record: &[u8],
    index: u64,
    size: u64,
    root: &TreeRoot,
    proof: &[Hash],
) -> Result<(), ProofError> {
    check_size(size)?;
    let refused = ProofError::NotIncluded { index, size };
    // `ct-merkle` names no width for a record beyond the tree.
    if index >= size {
        return Err(refused);
    }
    let proof = InclusionProof::<Sha256>::from_digests(proof.iter().map(Into::into));
    let root = RootHash::<Sha256>::new(root.0.into(), size);
    root.verify_inclusion(&record, index, &proof).map_err(|_| refused)
}

/// Checks that the tree of `new` records begins with the tree of `old` records.
///
/// # Errors
/// [`ProofError::Inconsistent`] when that is not shown, [`ProofError::TooLarge`].
pub fn check_consistency(
    (old, old_root): (u64, &TreeRoot),
    (new, new_root): (u64, &TreeRoot),
    proof: &[Hash],
) -> Result<(), ProofError> {
    check_size(new)?;
    let refused = ProofError::Inconsistent { old, new };
    if old == 0 {
        // RFC 6962 has no such proof: every tree begins with the empty one.
        let shown = proof.is_empty() && *old_root == Frontier::new().root();
        return if shown { Ok(()) } else { Err(refused) };
    }
    let proof = ConsistencyProof::<Sha256>::from_digests(proof.iter().map(Into::into));
    let old_root = RootHash::<Sha256>::new(old_root.0.into(), old);
    let new_root = RootHash::<Sha256>::new(new_root.0.into(), new);
    new_root.verify_consistency(&old_root, &proof).map_err(|_| refused)
}

const fn check_size(size: u64) -> Result<(), ProofError> {
    if size > MAX_SIZE {
        return Err(ProofError::TooLarge { what: "the size of a tree", limit: MAX_SIZE });
    }
    Ok(())
}
