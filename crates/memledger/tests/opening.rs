//! Opening a ledger with what earlier holders saved, and with what time or accident made of it.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::path::{Path, PathBuf};

use memledger::{
    Command, Content, Filter, InitOptions, Ledger, MasterEnv, OpenOptions, Proposal, Question,
    Scope, Submission, Terms,
};

/// More records than a holder lets pass without saving.
const MANY: usize = 4_200;
const KEYS: usize = 30;

fn scope() -> Scope {
    "org/acme/project/web".parse().unwrap()
}

fn submission(number: usize) -> Submission {
    let mut proposal = Proposal::new(Content::Text(format!("value {number}")), scope());
    proposal.key = Some(format!("key-{}", number % KEYS));
    Submission::of(Command::Write(Box::new(proposal)), Terms::default())
}

fn write(ledger: &Ledger, numbers: std::ops::Range<usize>) {
    let tickets: Vec<_> =
        numbers.map(|number| ledger.enqueue(submission(number)).unwrap()).collect();
    tickets.into_iter().for_each(|ticket| drop(ticket.wait().unwrap()));
}

/// The keys lie beside the ledger, so that they go with it.
fn keys_beside(ledger: &Path) -> MasterEnv {
    MasterEnv { key_dir: ledger.parent().map(|dir| dir.join("keys")), ..MasterEnv::default() }
}

fn open(dir: &Path) -> Ledger {
    let options = OpenOptions { master: keys_beside(dir), ..OpenOptions::default() };
    Ledger::open(dir, options).unwrap()
}

/// A ledger whose last holder saved state and names.
fn saved() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger");
    let options = InitOptions { master: keys_beside(&path), ..InitOptions::default() };
    let ledger = Ledger::init(&path, options).unwrap().ledger;
    write(&ledger, 0..MANY);
    ledger.close().unwrap();
    assert!(path.join("views/names").exists() && path.join("views/state").exists());
    (dir, path)
}

/// Memories under a key, and records in the log.
fn count(ledger: &Ledger, key: usize) -> (usize, u64) {
    let snapshot = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    let key = Some(format!("key-{key}"));
    let filter = Filter { scope: scope(), key, limit: 10_000, ..Filter::default() };
    (snapshot.list(&filter).unwrap().items.len(), ledger.status().unwrap().size)
}

/// Writes under a known key and under a new one, and says how many records that took.
fn extend(dir: &Path, new_key: usize) -> u64 {
    let ledger = open(dir);
    let (before, size) = count(&ledger, 3);
    // Not said before, under a key that is known.
    let number = 3 + KEYS * (1_000 + new_key);
    write(&ledger, number..number + 1);
    let mut fresh = Proposal::new(Content::Text("fresh".into()), scope());
    fresh.key = Some(format!("key-{new_key}"));
    ledger.submit(Submission::of(Command::Write(Box::new(fresh)), Terms::default())).unwrap();
    let (after, end) = count(&ledger, 3);
    assert_eq!(after, before + 1, "the key is the one it was");
    assert_eq!(count(&ledger, new_key).0, 1);
    ledger.close().unwrap();
    let again = open(dir);
    assert_eq!((count(&again, 3).0, count(&again, new_key).0), (after, 1));
    again.close().unwrap();
    end - size
}

/// An epoch, two writes and one new name: a name that was lost would be bound again.
const RECORDS: u64 = 4;

#[test]
fn saved_names_whole_stale_damaged_or_missing_bind_nothing_twice() {
    let (_dir, path) = saved();
    let names = path.join("views/names");
    let old = std::fs::read(&names).unwrap();
    assert_eq!(extend(&path, 1_000), RECORDS, "as saved");
    assert_eq!(extend(&path, 1_001), RECORDS, "older than the log");
    for at in [0, 12, 30, 70, old.len() - 1] {
        let mut bad = old.clone();
        bad[at] ^= 1;
        std::fs::write(&names, bad).unwrap();
        assert_eq!(extend(&path, 2_000 + at), RECORDS, "changed at {at}");
    }
    std::fs::write(&names, &old[..old.len() / 2]).unwrap();
    assert_eq!(extend(&path, 1_002), RECORDS, "cut");
    std::fs::remove_file(&names).unwrap();
    std::fs::remove_file(path.join("views/state")).unwrap();
    assert_eq!(extend(&path, 1_003), RECORDS, "none, and no state");
    std::fs::remove_dir_all(path.join("views")).unwrap();
    assert_eq!(extend(&path, 1_004), RECORDS, "no views at all");
}

#[test]
fn an_opening_that_had_to_replay_saves_what_it_found() {
    let (_dir, path) = saved();
    std::fs::remove_dir_all(path.join("views")).unwrap();
    open(&path).close().unwrap();
    assert!(path.join("views/state").exists(), "the next opening need not replay");
    assert_eq!(extend(&path, 1_000), RECORDS);
}
