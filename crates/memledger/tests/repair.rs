//! What was mended without a record is told by the next one.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::Path;

use ledger_format::Seq;
use ledger_store::storage::FsStorage;
use memledger::repair::{RepairNeed, RepairPart};
use memledger::{
    Command, Content, ErrorKind, InitOptions, Ledger, MasterEnv, OpenOptions, Proposal, Submission,
    Terms,
};

fn write(ledger: &Ledger) {
    let proposal = Proposal::new(Content::Text("x".into()), "org/a/project/b".parse().unwrap());
    let command = Command::Write(Box::new(proposal));
    ledger.submit(Submission::of(command, Terms::default())).unwrap();
}

/// How many records tell of a repair.
fn told(ledger: &Ledger) -> usize {
    let log = ledger.log(Seq(0), 1_000).unwrap();
    log.iter().filter(|entry| entry.event == "repaired").count()
}

/// The keys lie beside the ledger, so that they go with it.
fn keys_beside(ledger: &Path) -> MasterEnv {
    MasterEnv { key_dir: ledger.parent().map(|dir| dir.join("keys")), ..MasterEnv::default() }
}

fn options(ledger: &Path) -> OpenOptions {
    OpenOptions { master: keys_beside(ledger), ..OpenOptions::default() }
}

fn damaged() -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let init = InitOptions { master: keys_beside(&path), ..InitOptions::default() };
    let ledger = Ledger::init(&path, init).unwrap().ledger;
    write(&ledger);
    ledger.close().unwrap();
    std::fs::write(path.join("anchor.a"), [3; 512]).unwrap();
    (dir, path)
}

/// A stop between writing the copy and recording it.
#[test]
fn an_anchor_written_again_is_told_even_if_whoever_did_it_stopped() {
    let (_dir, path) = damaged();
    let storage = FsStorage::open(&path).unwrap();
    let id = Ledger::open_archive(&path, options(&path)).unwrap().id();
    ledger_store::repair_anchor(&storage, id).unwrap().unwrap();
    let ledger = Ledger::open(&path, options(&path)).unwrap();
    assert_eq!(told(&ledger), 0);
    ledger.close().unwrap();
    for _ in 0..2 {
        let ledger = Ledger::open(&path, options(&path)).unwrap();
        write(&ledger);
        assert_eq!(told(&ledger), 1);
        ledger.close().unwrap();
    }
}

#[test]
fn a_plan_that_is_no_longer_true_is_not_carried_out() {
    let (_dir, path) = damaged();
    let options = options(&path);
    let watch = |_: &str, _, _| {};
    let need = Ledger::plan_repair(&path, RepairPart::Anchor, &options, &watch).unwrap();
    let RepairNeed::Plan(plan) = need else { panic!("a copy is damaged") };
    std::fs::remove_file(path.join("anchor.a")).unwrap();
    let error = Ledger::repair(&path, &plan, "why", &options, &watch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(!path.join("anchor.a").exists(), "nothing was done");
    let need = Ledger::plan_repair(&path, RepairPart::Anchor, &options, &watch).unwrap();
    let RepairNeed::Plan(plan) = need else { panic!("a copy is missing") };
    let error = Ledger::repair(&path, &plan, " ", &options, &watch).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Invalid);
    let done = Ledger::repair(&path, &plan, "a disk", &options, &watch).unwrap();
    assert_eq!(told(&done.ledger), 1);
    done.ledger.close().unwrap();
}
