//! Roots against another implementation of RFC 6962.

use ct_merkle::mem_backed_tree::MemoryBackedTree;
use ledger_format::tree::Frontier;
use proptest::prelude::*;
use sha2::Sha256;

use crate::cases;

fn compare(leaves: &[Vec<u8>]) {
    let mut theirs = MemoryBackedTree::<Sha256, Vec<u8>>::new();
    let mut ours = Frontier::new();
    assert_eq!(ours.root().0, theirs.root().as_bytes().as_slice(), "no leaves");
    for leaf in leaves {
        theirs.push(leaf.clone());
        ours.push(leaf);
        assert_eq!(ours.root().0, theirs.root().as_bytes().as_slice(), "{} leaves", ours.size());
        let parts = Frontier::from_parts(ours.size(), ours.nodes().to_vec());
        assert_eq!(parts.as_ref(), Ok(&ours), "a frontier of {} leaves", ours.size());
    }
}

#[test]
fn roots_of_0_to_300_leaves_are_theirs() {
    let leaves: Vec<_> =
        (0..300_u16).map(|n| n.to_le_bytes().repeat(usize::from(n % 40))).collect();
    compare(&leaves);
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn roots_of_arbitrary_leaves_are_theirs(
        leaves in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..100), 0..70),
    ) {
        compare(&leaves);
    }
}

#[test]
fn a_frontier_of_the_wrong_length_is_refused() {
    for (size, nodes) in [(0, 1), (1, 0), (3, 1), (3, 3), (u64::MAX, 64), (u64::MAX - 1, 64)] {
        assert!(Frontier::from_parts(size, vec![[1; 32]; nodes]).is_err(), "{size} with {nodes}");
    }
    assert!(Frontier::from_parts(u64::MAX - 1, vec![[1; 32]; 63]).is_ok());
}
