//! Proofs of every place in trees of every small size, and what they refuse.

use ledger_format::TreeRoot;
use ledger_format::tree::Frontier;
use ledger_proof::ProofError;
use ledger_proof::merkle::{Gatherer, MAX_SIZE, Span, check_consistency, check_inclusion};

use crate::support::{self, SIZES, consistency, inclusion, record, root};

#[test]
fn every_record_is_proven_in_its_place_and_in_no_other() {
    for size in SIZES {
        for index in 0..size {
            let path = inclusion(index, size);
            check_inclusion(&record(index), index, size, &root(size), &path).unwrap();
            let refused = |record: &[u8], index, size: u64, root: &TreeRoot, path: &[_]| {
                let shown = check_inclusion(record, index, size, root, path);
                assert_eq!(shown, Err(ProofError::NotIncluded { index, size }));
            };
            refused(b"another", index, size, &root(size), &path);
            refused(&record(index), index, size, &root(size + 1), &path);
            refused(&record(index), size, size, &root(size), &path);
            refused(&record(index), u64::MAX, size, &root(size), &path);
            if size > 1 {
                refused(&record(index), (index + 1) % size, size, &root(size), &path);
                refused(&record(index), index, size, &root(size), &path[1..]);
            }
            let mut longer = path.clone();
            longer.push([0; 32]);
            refused(&record(index), index, size, &root(size), &longer);
        }
    }
}

#[test]
fn every_earlier_tree_is_proven_to_be_the_beginning_of_a_later_one() {
    for new in SIZES {
        for old in 0..=new {
            let path = consistency(old, new);
            check_consistency((old, &root(old)), (new, &root(new)), &path).unwrap();
            let fork = TreeRoot([7; 32]);
            let refused = |old_root: &TreeRoot, new_root: &TreeRoot, path: &[_]| {
                let shown = check_consistency((old, old_root), (new, new_root), path);
                assert_eq!(shown, Err(ProofError::Inconsistent { old, new }));
            };
            refused(&fork, &root(new), &path);
            if old > 0 {
                refused(&root(old), &fork, &path);
            }
            let mut longer = path.clone();
            longer.push([0; 32]);
            refused(&root(old), &root(new), &longer);
            for at in 0..path.len() {
                let mut other = path.clone();
                other[at][31] ^= 1;
                refused(&root(old), &root(new), &other);
            }
        }
    }
}

#[test]
fn a_smaller_tree_does_not_continue_a_larger_one() {
    let shown = check_consistency((9, &root(9)), (8, &root(8)), &[]);
    assert_eq!(shown, Err(ProofError::Inconsistent { old: 9, new: 8 }));
    assert!(Gatherer::consistency(9, 8).is_err());
}

#[test]
fn there_is_no_proof_of_what_is_not_there() {
    assert!(Gatherer::inclusion(0, 0).is_err());
    assert!(Gatherer::inclusion(8, 8).is_err());
    let mut unfed = Gatherer::inclusion(3, 8).unwrap();
    unfed.push(2, &record(2));
    assert!(unfed.finish().is_err(), "a proof was made from leaves that never came");
}

#[test]
fn sizes_at_the_limit_neither_panic_nor_take_long() {
    for size in [MAX_SIZE - 1, MAX_SIZE, MAX_SIZE + 1, u64::MAX - 1, u64::MAX] {
        for index in [0, 1, size / 2, size - 1, size] {
            assert!(check_inclusion(b"x", index, size, &TreeRoot::ZERO, &[[0; 32]; 62]).is_err());
            assert!(Gatherer::inclusion(index, size).is_ok() == (index < size && size <= MAX_SIZE));
            let (old, new) = ((index, &TreeRoot::ZERO), (size, &TreeRoot::ZERO));
            if index < size {
                assert!(check_consistency(old, new, &[[0; 32]; 63]).is_err());
            }
        }
    }
}

#[test]
fn what_a_proof_needs_lies_in_the_tree_and_does_not_overlap() {
    for size in SIZES {
        for index in 0..size {
            let wanted = Gatherer::inclusion(index, size).unwrap().wanted();
            let leaves: u64 = wanted.iter().map(|span| span.end - span.start).sum();
            assert_eq!(leaves, size - 1, "every leaf but the record itself, once");
            assert!(wanted.windows(2).all(|pair| pair[0].end <= pair[1].start));
            assert!(wanted.iter().all(|span| span.start > index || span.end <= index));
        }
    }
}

#[test]
fn what_is_known_beforehand_is_not_asked_for_and_changes_nothing() {
    let over = |span: Span, count: u64| {
        let mut tree = Frontier::new();
        (span.start..span.start + count).for_each(|at| tree.push(&record(at)));
        tree
    };
    for (old, size) in [(3, 9), (17, 64), (100, 257), (256, 257)] {
        for gatherer in [Gatherer::inclusion(old, size), Gatherer::consistency(old, size)] {
            let gatherer = gatherer.unwrap();
            let whole = support::gathered(gatherer.clone(), size);
            for known in 0..=4 {
                let mut made = gatherer.clone();
                made.begin_with(|span| over(span, (span.end - span.start) * known / 4));
                let left: Vec<u64> =
                    made.wanted().iter().flat_map(|span| span.start..span.end).collect();
                assert_eq!(left.is_empty(), known == 4);
                left.iter().for_each(|at| made.push(*at, &record(*at)));
                assert_eq!(made.finish().unwrap(), whole, "{old} of {size}, {known} quarters");
            }
        }
    }
    // More than a range is of no use for it.
    let mut made = Gatherer::inclusion(0, 8).unwrap();
    made.begin_with(|span| over(span, span.end - span.start + 1));
    assert_eq!(made.wanted(), Gatherer::inclusion(0, 8).unwrap().wanted());
}
