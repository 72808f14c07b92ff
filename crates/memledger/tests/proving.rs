//! Proofs with the saved hashes of whole blocks, without them, and with what became of them.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use memledger::format::Seq;
use memledger::{
    Command, Content, InitOptions, Ledger, MasterEnv, OpenOptions, Proposal, Submission, Terms,
};

/// More whole blocks than have to be new before they are saved.
const MANY: u64 = 16 * 256 + 300;

fn keys_beside(ledger: &Path) -> MasterEnv {
    MasterEnv { key_dir: ledger.parent().map(|dir| dir.join("keys")), ..MasterEnv::default() }
}

fn open(dir: &Path) -> Ledger {
    let options = OpenOptions { master: keys_beside(dir), ..OpenOptions::default() };
    Ledger::open(dir, options).unwrap()
}

fn write(ledger: &Ledger, count: u64) {
    let one = |number| {
        let scope = "org/acme".parse().unwrap();
        let proposal = Proposal::new(Content::Text(format!("value {number}")), scope);
        Submission::of(Command::Write(Box::new(proposal)), Terms::default())
    };
    let tickets: Vec<_> = (0..count).map(|number| ledger.enqueue(one(number)).unwrap()).collect();
    tickets.into_iter().for_each(|ticket| drop(ticket.wait().unwrap()));
}

/// A ledger with a checkpoint, and where its blocks are saved.
fn signed() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let origin = Some("support.example".to_owned());
    let options = InitOptions { master: keys_beside(&path), origin, ..InitOptions::default() };
    let ledger = Ledger::init(&path, options).unwrap().ledger;
    ledger.rotate_signing_key().unwrap();
    write(&ledger, MANY);
    ledger.checkpoint().unwrap();
    ledger.close().unwrap();
    let blocks = path.join("views/blocks");
    (dir, path, blocks)
}

/// Proofs of records here and there, and of continuations, as text. Each was checked where it was made.
fn proofs(ledger: &Ledger) -> Vec<String> {
    let size = ledger.newest_stored().unwrap().unwrap().note.unwrap().checkpoint().size;
    let records = [0, 1, 255, 256, 257, 2_048, 4_095, 4_096, size - 1];
    let of_records = records.map(|seq| ledger.prove(Seq(seq), None).unwrap().to_string());
    let olds = [0, 1, 256, 300, 4_096, size - 1, size];
    let of_sizes = olds.map(|old| ledger.prove_consistency(old, None).unwrap().to_string());
    [&of_records[..], &of_sizes].concat()
}

#[test]
fn saved_blocks_change_no_proof_and_neither_does_what_became_of_them() {
    let (_dir, path, blocks) = signed();
    let ledger = open(&path);
    assert!(!blocks.exists());
    let first = proofs(&ledger);
    let good = fs::read(&blocks).unwrap();
    assert!(good.len() >= 16 * 32, "{} bytes", good.len());
    assert_eq!(proofs(&ledger), first);

    let mut flipped = good.clone();
    *flipped.last_mut().unwrap() ^= 1;
    let mut strange = good.clone();
    strange[8] ^= 1;
    let longer = [&good[..], &[7; 64 * 32]].concat();
    let cut = good[..good.len() - 5].to_vec();
    for (what, bad) in
        [("flipped", flipped), ("strange", strange), ("longer", longer), ("cut", cut)]
    {
        fs::write(&blocks, &bad).unwrap();
        assert!(proofs(&ledger) == first, "{what}");
        assert!(fs::read(&blocks).unwrap_or_default() != bad, "{what}: it is still there");
    }
    ledger.close().unwrap();
}

#[test]
fn a_ledger_that_grows_is_proven_from_the_blocks_that_it_had() {
    let (_dir, path, blocks) = signed();
    let ledger = open(&path);
    proofs(&ledger);
    let before = fs::read(&blocks).unwrap();
    write(&ledger, 20 * 256);
    ledger.checkpoint().unwrap();
    let grown = proofs(&ledger);
    let after = fs::read(&blocks).unwrap();
    assert!(after.len() > before.len() && after.starts_with(&before));
    fs::remove_file(&blocks).unwrap();
    assert_eq!(proofs(&ledger), grown);
    ledger.close().unwrap();
}
