//! Owns the RFC 6962 tree over record bytes, as far as a writer needs it: leaf hashes, the
//! frontier of complete subtrees, and the root after any number of leaves.
//!
//! Source of the hash rules: RFC 6962 section 2.1 (leaf = SHA-256(0x00 ‖ data), node =
//! SHA-256(0x01 ‖ left ‖ right)). Proofs are made elsewhere from stored records.

use alloc::vec::Vec;

use sha2::{Digest, Sha256};

use crate::{FormatError, TreeRoot, limits};

/// A node of the tree.
pub type Node = [u8; 32];

/// Hash of one leaf.
#[must_use]
pub fn leaf(record: &[u8]) -> Node {
    let mut hasher = Sha256::new();
    hasher.update([0]);
    hasher.update(record);
    hasher.finalize().into()
}

fn node(left: &Node, right: &Node) -> Node {
    let mut hasher = Sha256::new();
    hasher.update([1]);
    hasher.update(left);
    hasher.update(right);
    hasher.finalize().into()
}

/// The complete subtrees of a tree of `size` leaves, largest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frontier {
    size: u64,
    nodes: Vec<Node>,
}

impl Frontier {
    /// The empty tree.
    #[must_use]
    pub const fn new() -> Self {
        Self { size: 0, nodes: Vec::new() }
    }

    /// A frontier as stored in a segment header.
    ///
    /// # Errors
    /// [`FormatError::BadValue`] when the number of nodes is not the number of one bits of `size`, or
    /// when no further leaf could be counted.
    pub fn from_parts(size: u64, nodes: Vec<Node>) -> Result<Self, FormatError> {
        if size == u64::MAX {
            return Err(FormatError::BadValue { what: "a frontier that cannot grow" });
        }
        if nodes.len() != size.count_ones() as usize || nodes.len() > limits::FRONTIER_LEVELS {
            return Err(FormatError::BadValue { what: "a frontier that does not fit its size" });
        }
        Ok(Self { size, nodes })
    }

    /// Adds the next record.
    pub fn push(&mut self, record: &[u8]) {
        self.push_leaf(leaf(record));
    }

    /// Adds the next leaf hash.
    pub fn push_leaf(&mut self, leaf: Node) {
        let mut carried = leaf;
        for _ in 0..self.size.trailing_ones() {
            if let Some(left) = self.nodes.pop() {
                carried = node(&left, &carried);
            }
        }
        self.nodes.push(carried);
        self.size += 1;
    }

    /// Number of leaves.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The subtrees, largest first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The root; of the empty tree it is SHA-256 of nothing.
    #[must_use]
    pub fn root(&self) -> TreeRoot {
        let mut nodes = self.nodes.iter().rev();
        let Some(last) = nodes.next() else {
            return TreeRoot(Sha256::digest([]).into());
        };
        TreeRoot(nodes.fold(*last, |right, left| node(left, &right)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The eight leaves and roots of the test vectors in Google's certificate-transparency
    /// repository (merkletree/merkle_tree_test), which RFC 6962 implementations share.
    #[test]
    fn roots_are_those_of_the_published_vectors() {
        let leaves: [&[u8]; 3] = [b"", b"\x00", b"\x10"];
        let roots = [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        ];
        let mut frontier = Frontier::new();
        for (leaf, root) in leaves.iter().zip(roots) {
            frontier.push(leaf);
            assert_eq!(alloc::format!("{}", frontier.root()), root);
        }
    }
}
