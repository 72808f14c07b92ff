//! Shrunk failures, as [`paste`](replay_tests::workload::paste) prints them. Each names what was wrong.

use ledger_format::Kind;
use replay_tests::compare;
use replay_tests::workload::{Op, build, op};

fn agree(ops: &[Op]) {
    compare::history(&build(ops)).unwrap_or_else(|why| panic!("{why}"));
}

#[test]
fn nothing_at_all() {
    agree(&[]);
}

#[test]
fn a_write_alone() {
    agree(&[op(Kind::Write, [])]);
}

/// Two contests of one memory: the newer one was resolved, and the older mark went with it.
#[test]
fn the_older_contest_still_marks() {
    agree(&[
        op(Kind::Write, []),
        op(Kind::Write, []),
        op(Kind::Contest, []),
        op(Kind::Contest, []),
        op(Kind::Resolve, [0, 1]),
    ]);
}

/// Two holds restrict one memory: lifting one of them freed it.
#[test]
fn the_other_hold_still_restricts() {
    agree(&[
        op(Kind::Write, []),
        op(Kind::Restrict, [0, 0, 0, 0, 0, 0, 0, 1]),
        op(Kind::Restrict, [0, 0, 0, 0, 0, 0, 0, 2]),
        op(Kind::Unrestrict, [0, 0, 0, 0, 0, 0, 0, 1]),
    ]);
}

/// A second part without a first one left an empty erasure behind.
#[test]
fn a_part_without_a_first_one() {
    agree(&[op(Kind::EraseIntent, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])]);
}
