//! A life of a ledger is stopped at every operation of its disk. `MEMLEDGER_SWEEP=all` tries every stop
//! with many survivors; without it a run takes a fixed part of them.

use std::time::Duration;

use ledger_store::storage::MemStorage;
use replay_tests::crash::lens::Planted;
use replay_tests::crash::life::{Told, live};
use replay_tests::crash::truth::{Truth, stand_seen};
use replay_tests::crash::{Extent, sweep};

/// What a run of all tests takes: all stops on a machine that is not busy.
const PART: Extent =
    Extent { rows: 7, seeds: 3, views: 50, reads: false, within: Some(Duration::from_secs(25)) };
const ALL: Extent = Extent { rows: 1, seeds: 24, views: 25, reads: true, within: None };
/// Where a mistake is looked for.
const HUNT: Extent = Extent { rows: 3, seeds: 2, views: 0, reads: false, within: None };

fn lived() -> MemStorage {
    let (mut stand, _) = stand_seen(None);
    live(&mut stand, &mut Told::default(), |_, _| Ok(())).unwrap();
    stand.disk
}

#[test]
fn one_seed_twice_gives_identical_bytes() {
    let (one, other) = (lived(), lived());
    assert_eq!(one.trace(), other.trace());
    let (one, other) = (one.snapshot(), other.snapshot());
    assert!(one.len() > 8, "{:?}", one.keys());
    assert_eq!(one, other);
}

#[test]
fn fault_01_a_stop_at_every_operation_loses_nothing_that_was_answered() {
    let whole = std::env::var("MEMLEDGER_SWEEP").is_ok_and(|word| word == "all");
    let truth = Truth::new();
    let report =
        sweep(&truth, if whole { ALL } else { PART }, None).unwrap_or_else(|what| panic!("{what}"));
    println!("{report}");
    // How many a busy machine gets to in its time says nothing; that it gets to some does.
    assert!(report.tried > 12, "{report}");
    assert!(report.views > 0, "{report}");
}

/// What the sweep says of a ledger with a mistake.
fn hunt(planted: Planted, seeds: u64) -> String {
    let found = sweep(&Truth::new(), Extent { seeds, ..HUNT }, Some(planted));
    let what = found.expect_err("the mistake was not found");
    println!("{planted:?}: {what}");
    what
}

#[test]
fn a_flush_that_is_dropped_is_found() {
    let what = hunt(Planted::DropOneFlush, 1);
    assert!(what.contains("promise 1: record") && what.contains("is gone"), "{what}");
}

#[test]
fn two_writes_that_change_places_are_found() {
    // Both copies of one page have to be torn.
    let what = hunt(Planted::SwapTwoWrites, 30);
    assert!(what.contains("keys/slots"), "{what}");
}

#[test]
fn an_anchor_that_is_skipped_is_found() {
    let what = hunt(Planted::SkipTheAnchor, 1);
    // Nobody was told that the ledger is in use: half a change of its keys looks like damage.
    assert!(what.contains("closed") || what.contains("its twin at"), "{what}");
}

#[test]
fn a_key_slot_that_is_used_again_is_found() {
    let what = hunt(Planted::ReuseAKeySlot, 1);
    assert!(what.contains("is used again"), "{what}");
}

#[test]
fn serving_above_the_durable_head_is_found() {
    let what = hunt(Planted::ServeAboveTheHead, 1);
    assert!(what.contains("promise 1: record") && what.contains("is gone"), "{what}");
}
