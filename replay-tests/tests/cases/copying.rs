//! Backups that are taken at any moment, and copies that are stopped at any moment.
//! `MEMLEDGER_SWEEP=all` tries every stop; without it a run takes a part of them.

use std::sync::atomic::{AtomicBool, Ordering};

use ledger_format::{Micros, RecordHash, Seq};
use ledger_store::storage::{Fault, FaultPlan, MemStorage};
use memledger::backup::RestoreRequest;
use memledger::machine::Machine;
use memledger::{ErrorKind, Ledger, OpenOptions};
use replay_tests::copies::{Job, Sweep, back_up, hashes, restore, restored_whole, twin};
use replay_tests::crash::life::{Told, live};
use replay_tests::crash::truth::{Truth, stand_seen};
use replay_tests::place::{Place, copy_tree};
use replay_tests::small;
use replay_tests::stand::{Stand, honest, small as small_files};
use replay_tests::workload::time;

fn all() -> bool {
    std::env::var("MEMLEDGER_SWEEP").is_ok_and(|word| word == "all")
}

/// A small closed ledger, the backup of its first half, and the records of both.
struct Halves {
    ledger: MemStorage,
    backup: MemStorage,
    first: Vec<RecordHash>,
    both: Vec<RecordHash>,
}

fn halves() -> Halves {
    let mut stand = Stand::new(5, Micros(time::BASE), honest());
    let ledger = stand.init().unwrap();
    small::write(&ledger, "Install with npm", None);
    ledger.close().unwrap();
    let backup = MemStorage::new();
    back_up(&stand.disk, &backup).unwrap();
    let first = hashes(&stand.disk).unwrap();
    let ledger = stand.open().unwrap();
    small::write(&ledger, &"A long text that fills a payload file. ".repeat(90), None);
    small::write(&ledger, "Install with pnpm", None);
    ledger.close().unwrap();
    let both = hashes(&stand.disk).unwrap();
    // Operations are counted from here.
    Halves { ledger: twin(&stand.disk), backup: twin(&backup), first, both }
}

#[test]
fn a_first_backup_that_is_stopped_is_none_or_whole_and_can_be_completed() {
    let Halves { ledger, both, .. } = halves();
    let to = MemStorage::new();
    let (seeds, every) = if all() { (16, 1) } else { (1, 3) };
    let sweep =
        Sweep { job: Job::Backup, from: &ledger, to: &to, before: None, after: both, seeds, every };
    let (stops, states) = sweep.run().unwrap_or_else(|what| panic!("{what}"));
    println!("{stops} stops, {states} states");
    assert!(stops > 50, "{stops}");
}

#[test]
fn a_later_backup_that_is_stopped_is_the_old_one_or_the_new_one() {
    let Halves { ledger, backup, first, both } = halves();
    let (seeds, every) = if all() { (16, 1) } else { (5, 2) };
    let (job, before) = (Job::Backup, Some(first));
    let sweep = Sweep { job, from: &ledger, to: &backup, before, after: both, seeds, every };
    let (stops, states) = sweep.run().unwrap_or_else(|what| panic!("{what}"));
    println!("{stops} stops, {states} states");
    assert!(stops > 50, "{stops}");
}

#[test]
fn a_restore_that_is_stopped_is_no_ledger_or_whole_and_is_told_once() {
    let Halves { backup, first, .. } = halves();
    let to = MemStorage::new();
    let (seeds, every) = if all() { (16, 1) } else { (2, 2) };
    let (job, before) = (Job::Restore, None);
    let sweep = Sweep { job, from: &backup, to: &to, before, after: first, seeds, every };
    let (stops, states) = sweep.run().unwrap_or_else(|what| panic!("{what}"));
    println!("{stops} stops, {states} states");
    assert!(stops > 50, "{stops}");
}

/// Whatever the holder was doing at that moment - appending, sealing, making a segment, writing an
/// anchor, keys or zeros - the backup is a ledger that ends with a record the holder had made durable.
#[test]
fn fault_25_a_backup_at_any_moment_of_a_life_restores_to_a_valid_prefix() {
    let truth = Truth::new();
    let every = if all() { 1 } else { 9 };
    let (mut taken, mut longest) = (0, 0);
    let moments = truth.trace.iter().map(|entry| entry.index).step_by(every);
    for moment in moments.chain([u64::MAX]) {
        let (mut stand, _) = stand_seen(None);
        stand.disk.set_fault(FaultPlan::at(moment, Fault::Stop));
        let mut told = Told::default();
        let _ = live(&mut stand, &mut told, |_, _| Ok(()));
        // What another process sees at that moment: everything, flushed or not.
        let seen = twin(&stand.disk);
        let backup = MemStorage::new();
        let report = match back_up(&seen, &backup) {
            Ok(report) => report,
            Err(error) if !told.made && error.kind() == ErrorKind::Invalid => continue,
            Err(error) => panic!("operation {}: {error}", moment),
        };
        let size = report.head.size() as usize;
        assert!(size >= longest, "operation {}: a backup goes back", moment);
        (taken, longest) = (taken + 1, size);
        let target = MemStorage::new();
        restore(&backup, &target).unwrap_or_else(|error| panic!("{}: {error}", moment));
        restored_whole(&target, &truth.hashes[..size])
            .unwrap_or_else(|what| panic!("operation {}: {what}", moment));
    }
    println!("{taken} backups, the longest of {longest} records");
    assert!(taken > 20 && longest == truth.hashes.len(), "{taken} backups, {longest} records");
}

/// The real thing: one thread writes and seals, another takes backups into one directory.
#[test]
fn fault_25_backups_beside_a_writer_are_valid_and_grow() {
    let (place, ledger) = Place::new(Micros(time::BASE));
    ledger.close().unwrap();
    let options = OpenOptions { store: small_files(), ..place.options() };
    let (to, done) = (place.beside("backup"), AtomicBool::new(false));
    let mut sizes = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let ledger = Ledger::open(&place.path(), options.clone()).unwrap();
            for number in 0..400 {
                small::write(&ledger, &format!("number {number}"), None);
            }
            ledger.close().unwrap();
            done.store(true, Ordering::SeqCst);
        });
        while !done.load(Ordering::SeqCst) {
            let taken =
                Ledger::backup(&place.path(), &to, &options, &Machine::default(), &|_, _, _| ());
            sizes.push(taken.unwrap().head.size());
            if sizes.len() % 4 == 1 {
                copy_tree(&to, &place.beside(&format!("kept-{}", sizes.len())));
            }
        }
    });
    assert!(sizes.is_sorted() && sizes.last() > sizes.first(), "{sizes:?}");
    let all: Vec<RecordHash> = hashes_at(&place, &place.path());
    for number in (1..=sizes.len()).step_by(4) {
        let (kept, dir) =
            (place.beside(&format!("kept-{number}")), place.beside(&format!("new-{number}")));
        let (backup_machine, reason) = (Machine::default(), "a test");
        let request =
            RestoreRequest { backup: &kept, backup_machine: &backup_machine, dir: &dir, reason };
        let restored = Ledger::restore(request, &options, &|_, _, _| ()).unwrap();
        let found = hashes_at(&place, &dir);
        let size = restored.head.size() as usize;
        assert_eq!((size as u64, &found[..size]), (sizes[number - 1], &all[..size]));
    }
}

fn hashes_at(place: &Place, path: &std::path::Path) -> Vec<RecordHash> {
    let ledger = place.archive_at(path).unwrap();
    ledger.records(Seq(0), false).map(|record| record.unwrap().hash).collect()
}

/// A backup of what was restored to an older head does not take the place of a later one, and later
/// heads are told why they are not there.
#[test]
fn fault_25_an_older_head_begins_an_epoch_and_later_heads_are_rolled_back() {
    let Halves { ledger, backup, first, both } = halves();
    let later = Ledger::open_archive("x".as_ref(), replay_tests::copies::options(&ledger)).unwrap();
    let head = later.head_to_keep("a head that somebody kept").unwrap();
    let target = MemStorage::new();
    let restored = restore(&backup, &target).unwrap();
    assert_eq!(restored.seq, Seq(first.len() as u64 + 2));
    // It grows past the head that was lost: that is no reason to call it anything else.
    for _ in 0..2 {
        let older = Ledger::open("x".as_ref(), replay_tests::copies::options(&target)).unwrap();
        let status = older.status().unwrap();
        assert!(status.epoch >= restored.epoch && restored.epoch > 1, "{status:?}");
        let error = older.hold_to(&head).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged);
        let told = format!("record {} says that it was restored", restored.seq);
        let said = error.to_string();
        assert!(said.contains("a rollback") && said.contains(&told), "{said}");
        for number in 0..both.len() {
            small::write(&older, &format!("new {number}"), None);
        }
        older.close().unwrap();
    }
    let newer = twin(&backup);
    back_up(&ledger, &newer).unwrap();
    let error = back_up(&target, &newer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains("another history"), "{error}");
    // What was the later one is untouched.
    restore(&newer, &MemStorage::new()).unwrap();
}
