//! A disk that is full, through the whole ledger: nothing half done, nothing to reopen.
//!
//! Uses a small disk of its own, which takes the right to mount one; skipped where that is missing.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs
)]

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command as Program;

use memledger::{
    Command, Content, Error, ErrorKind, Filter, InitOptions, Ledger, MasterEnv, OpenOptions,
    Proposal, Question, Scope, Submission, Terms,
};

/// A small disk in memory.
struct Disk(tempfile::TempDir);

impl Disk {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let mut mount = Program::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=24m", "tmpfs"]).arg(dir.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("skipped: a small disk cannot be mounted here");
        }
        mounted.then_some(Self(dir))
    }

    fn ballast(&self) -> PathBuf {
        self.0.path().join("ballast")
    }

    /// Takes all the room there is.
    fn fill(&self) {
        let mut file = File::create(self.ballast()).unwrap();
        while file.write_all(&[1; 4096]).is_ok() {}
    }

    fn free(&self) {
        std::fs::remove_file(self.ballast()).unwrap();
    }

    fn ledger(&self) -> PathBuf {
        self.0.path().join("ledger")
    }

    fn init(&self) -> Ledger {
        let options = InitOptions { master: self.keys(), ..InitOptions::default() };
        Ledger::init(&self.ledger(), options).unwrap().ledger
    }

    fn open(&self) -> Ledger {
        let mut options = OpenOptions { master: self.keys(), ..OpenOptions::default() };
        // Many batches end at the end of a file.
        options.store.segment_bytes = 256 * 1024;
        options.store.payload_file_bytes = 256 * 1024;
        Ledger::open(&self.ledger(), options).unwrap()
    }

    fn keys(&self) -> MasterEnv {
        MasterEnv { key_dir: Some(self.0.path().join("keys")), ..MasterEnv::default() }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Program::new("umount").arg("-l").arg(self.0.path()).status();
    }
}

fn scope() -> Scope {
    "org/acme".parse().unwrap()
}

fn submission(key: &str) -> Submission {
    saying("first", key)
}

/// The same words again would be a duplicate.
fn saying(words: &str, key: &str) -> Submission {
    let text = format!("{words} about {key} {}", "x".repeat(3_000));
    let mut proposal = Proposal::new(Content::Text(text), scope());
    proposal.key = Some(key.to_owned());
    Submission::of(Command::Write(Box::new(proposal)), Terms::default())
}

/// Records in the log, and memories in the answer.
fn count(ledger: &Ledger) -> (u64, usize) {
    let snapshot = ledger.snapshot(&Question::now(ledger.zone())).unwrap();
    let filter = Filter { scope: scope(), limit: 100_000, ..Filter::default() };
    (ledger.status().unwrap().size, snapshot.list(&filter).unwrap().items.len())
}

fn says_the_disk_is_full(error: &Error) {
    assert_eq!(error.kind(), ErrorKind::Unavailable, "{error}");
    assert!(error.to_string().contains("the disk is full"), "{error}");
}

/// Both verifiable ways to the present agree, and the log is whole.
fn check(path: &Path, ledger: Ledger, disk: &Disk) {
    let counted = count(&ledger);
    ledger.close().unwrap();
    let again = disk.open();
    assert_eq!(count(&again), counted);
    again.close().unwrap();
    let options = OpenOptions { master: disk.keys(), ..OpenOptions::default() };
    let archive = Ledger::open_archive(path, options).unwrap();
    assert_eq!(count(&archive), counted);
}

#[test]
fn writing_goes_on_once_there_is_room_and_reading_never_stopped() {
    let Some(disk) = Disk::mount() else { return };
    disk.init().close().unwrap();
    let ledger = disk.open();
    ledger.submit(submission("first")).unwrap();
    disk.fill();
    // Zeros that were laid ahead take some more; then single writes and groups are refused.
    let (mut taken, mut refused) = (1, 0);
    for round in 0..400 {
        let key = |number: usize| format!("key {round}.{number}");
        let tickets: Vec<_> =
            (0..round % 7).map(|number| ledger.enqueue(submission(&key(number)))).collect();
        for done in tickets.into_iter().map(|ticket| ticket.and_then(memledger::Ticket::wait)) {
            match done {
                Ok(_) => taken += 1,
                Err(error) => {
                    says_the_disk_is_full(&error);
                    refused += 1;
                }
            }
        }
        if refused > 30 {
            break;
        }
    }
    assert!(refused > 30, "{taken} taken");
    let (records, memories) = count(&ledger);
    assert_eq!(memories, taken, "what was refused is not there, and reading goes on");

    disk.free();
    // The name is bound again: a refused submission left nothing behind, names included.
    ledger.submit(submission("a name")).unwrap();
    assert_eq!(count(&ledger), (records + 2, memories + 1), "a name and a write");
    let many: Vec<_> = (0..500)
        .map(|number| ledger.enqueue(saying("later", &format!("key {number}.0"))).unwrap())
        .collect();
    many.into_iter().for_each(|ticket| drop(ticket.wait().unwrap()));
    assert_eq!(count(&ledger).1, memories + 501);
    check(&disk.ledger(), ledger, &disk);
}

#[test]
fn a_holder_that_meets_a_full_disk_first_still_opens_its_epoch_later() {
    let Some(disk) = Disk::mount() else { return };
    let ledger = disk.init();
    ledger.submit(submission("first")).unwrap();
    ledger.close().unwrap();
    let ledger = disk.open();
    let (records, memories) = count(&ledger);
    disk.fill();
    for _ in 0..3 {
        let error = ledger.submit(submission("a name")).unwrap_err();
        says_the_disk_is_full(&error);
        assert!(error.to_string().contains("nothing was recorded"), "{error}");
        assert_eq!(count(&ledger), (records, memories));
    }
    disk.free();
    ledger.submit(submission("a name")).unwrap();
    assert_eq!(count(&ledger), (records + 3, memories + 1), "an epoch, a name and a write");
    check(&disk.ledger(), ledger, &disk);
}
