//! Owns backups and restores on disks in memory that can be taken away at any moment: what is left of
//! the copy then, and that the same command completes it.
//!
//! Invariant: whatever is copied from is compared byte for byte with what it was before.

use std::path::Path;
use std::sync::Arc;

use ledger_format::{Event, Kind, Micros, RecordHash, Seq};
use ledger_store::storage::{Fault, FaultPlan, MemStorage, Op, Storage, Survival};
use memledger::backup::{BackupReport, RestoreRequest, Restored};
use memledger::machine::Machine;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{Error, ErrorKind, Ledger, OpenOptions};

use crate::stand::{Stand, honest};
use crate::workload::time;

/// Shown in messages.
const BACKUP: &str = "backup-in-memory";
const LEDGER: &str = "in-memory";
/// Later than everything in the lives that are copied.
const LATER: i64 = time::BASE + 60 * 86_400_000_000;
const EVERYTHING: Survival = Survival::Everything;

/// A disk of its own with the same content.
#[must_use]
pub fn twin(disk: &MemStorage) -> MemStorage {
    disk.crash(EVERYTHING)
}

/// How a process opens what lies on a disk.
#[must_use]
pub fn options(disk: &MemStorage) -> OpenOptions {
    Stand::on(disk.clone(), 31, Micros(LATER), honest()).options()
}

/// A machine with this disk and nothing else.
#[must_use]
pub fn machine(disk: &MemStorage) -> Machine {
    Machine { disk: Some(Arc::new(disk.clone()) as Arc<dyn Storage>), ..Machine::default() }
}

/// Takes a backup of one disk into another.
///
/// # Errors
/// As [`Ledger::backup`].
pub fn back_up(from: &MemStorage, to: &MemStorage) -> Result<BackupReport, Error> {
    let (dir, backup) = (Path::new(LEDGER), Path::new(BACKUP));
    Ledger::backup(dir, backup, &options(from), &machine(to), &|_, _, _| ())
}

/// Makes a ledger on one disk of the backup on another.
///
/// # Errors
/// As [`Ledger::restore`].
pub fn restore(backup: &MemStorage, to: &MemStorage) -> Result<Restored, Error> {
    let backup_machine = machine(backup);
    let request = RestoreRequest {
        backup: Path::new(BACKUP),
        backup_machine: &backup_machine,
        dir: Path::new(LEDGER),
        reason: "a test",
    };
    Ledger::restore(request, &options(to), &|_, _, _| ())
}

/// The hashes of all records on a disk.
///
/// # Errors
/// When it does not open or a record is damaged.
pub fn hashes(disk: &MemStorage) -> Result<Vec<RecordHash>, Error> {
    let ledger = Ledger::open_archive(Path::new(LEDGER), options(disk))?;
    let hashes = ledger.records(Seq(0), false).map(|record| Ok(record?.hash)).collect();
    ledger.close()?;
    hashes
}

/// A restored ledger holds these records, tells once of the restore, verifies and goes on.
///
/// # Errors
/// What does not hold.
pub fn restored_whole(disk: &MemStorage, expected: &[RecordHash]) -> Result<(), String> {
    let said = |what: &'static str| move |error: Error| format!("{what}: {error}");
    let disk = twin(disk);
    let ledger = Ledger::open(Path::new(LEDGER), options(&disk)).map_err(said("opening"))?;
    let records: Result<Vec<_>, Error> = ledger.records(Seq(0), false).collect();
    let records = records.map_err(said("reading"))?;
    if !records.iter().map(|record| record.hash).take(expected.len()).eq(expected.iter().copied()) {
        return Err(format!("its first {} records are not those of the backup", expected.len()));
    }
    let told: Vec<Seq> = records
        .iter()
        .filter(|record| record.kind == Kind::Restored.name())
        .map(|record| record.seq)
        .collect();
    // Between the epoch and it a record can tell that the clock stood far ahead.
    let next = expected.len() as u64 + 1;
    if told != [Seq(next)] && told != [Seq(next + 1)] {
        return Err(format!("records {told:?} tell of the restore"));
    }
    let report = ledger
        .verify(VerifyLevel::Content, &|_, _, _| ())
        .map_err(|error| format!("verifying: {error}"))?;
    if report.verdict() == CheckVerdict::Damaged {
        return Err(format!("it does not verify: {:?}", report.checks));
    }
    crate::small::write(&ledger, "written after the restore", None);
    ledger.close().map_err(said("closing"))
}

/// What was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    Backup,
    Restore,
}

/// A job that is stopped at every operation of the disk that it writes to.
#[derive(Debug)]
pub struct Sweep<'a> {
    pub job: Job,
    /// What is copied from: never changed.
    pub from: &'a MemStorage,
    /// What is written to, as it is before.
    pub to: &'a MemStorage,
    /// The records of what is there before, if that is a whole backup; and of what is copied.
    pub before: Option<Vec<RecordHash>>,
    pub after: Vec<RecordHash>,
    /// Choices of survivors at each stop, beside nothing and everything.
    pub seeds: u64,
    /// One in so many stops is tried.
    pub every: usize,
}

impl Sweep<'_> {
    /// Stops the job everywhere. Returns the stops and the disks that were looked at.
    ///
    /// # Errors
    /// The first stop after which something does not hold.
    pub fn run(&self) -> Result<(usize, usize), String> {
        let whole = twin(self.to);
        self.start(&whole).map_err(|error| format!("not even stopped: {error}"))?;
        let stops: Vec<(u64, Fault)> =
            whole.trace().iter().filter(|entry| changes(entry.op)).flat_map(stops_at).collect();
        let original = self.from.snapshot();
        let mut states = 0;
        for (op, fault) in stops.iter().copied().step_by(self.every) {
            let disk = twin(self.to);
            disk.set_fault(FaultPlan::at(op, fault));
            // A stop in the last steps can go unnoticed.
            let answered = self.start(&disk).is_ok();
            for how in survivals(op, self.seeds) {
                states += 1;
                let left = disk.crash(how);
                self.judge(&left, answered)
                    .map_err(|what| format!("operation {op} {fault:?} {how:?}: {what}"))?;
                if self.from.snapshot() != original {
                    return Err(format!("operation {op}: what is copied from was changed"));
                }
            }
        }
        Ok((stops.len(), states))
    }

    fn start(&self, to: &MemStorage) -> Result<(), Error> {
        match self.job {
            Job::Backup => back_up(self.from, to).map(drop),
            Job::Restore => restore(self.from, to).map(drop),
        }
    }

    fn judge(&self, left: &MemStorage, answered: bool) -> Result<(), String> {
        match self.job {
            Job::Backup => self.judge_backup(left, answered),
            Job::Restore => self.judge_restore(left, answered),
        }
    }

    /// The old backup is whole, or the new one, or there was none and there is none.
    fn judge_backup(&self, left: &MemStorage, answered: bool) -> Result<(), String> {
        let target = MemStorage::new();
        match restore(&twin(left), &target) {
            Ok(restored) => {
                let size = restored.head.size() as usize;
                let old = self.before.as_ref().filter(|before| before.len() == size && !answered);
                let expected = old.unwrap_or(&self.after);
                restored_whole(&target, expected).map_err(|what| format!("restored: {what}"))?;
            }
            Err(error) if self.before.is_none() && !answered && is_none(&error) => {}
            Err(error) => return Err(format!("no whole backup is left: {error}")),
        }
        let done = back_up(self.from, left).map_err(|error| format!("again: {error}"))?;
        if done.head.size() as usize != self.after.len() {
            return Err(format!("again: it ends with record {}", done.head.last));
        }
        let target = MemStorage::new();
        restore(left, &target).map_err(|error| format!("completed, and not restored: {error}"))?;
        restored_whole(&target, &self.after).map_err(|what| format!("completed: {what}"))
    }

    /// There is no ledger, and it is said why, or the whole of it.
    fn judge_restore(&self, left: &MemStorage, answered: bool) -> Result<(), String> {
        match Ledger::open_archive(Path::new(LEDGER), options(left)) {
            Ok(ledger) => {
                ledger.close().map_err(|error| error.to_string())?;
                return restored_whole(left, &self.after);
            }
            Err(_) if answered => return Err("it was answered and there is no ledger".into()),
            Err(error) if !matches!(error.kind(), ErrorKind::Invalid | ErrorKind::Unproven) => {
                return Err(format!("half a restore is not said to be one: {error}"));
            }
            Err(_) => {}
        }
        restore(self.from, left).map_err(|error| format!("again: {error}"))?;
        restored_whole(left, &self.after).map_err(|what| format!("again: {what}"))
    }
}

fn is_none(error: &Error) -> bool {
    error.kind() == ErrorKind::Invalid && error.to_string().contains("no whole backup")
}

fn stops_at(entry: &ledger_store::storage::TraceEntry) -> Vec<(u64, Fault)> {
    // An anchor is one sector, which a medium writes whole or not at all.
    let is_sector = entry.path.as_str().starts_with("anchor.") && entry.len == 512;
    let inside = matches!(entry.op, Op::WriteAllAt) && !is_sector && entry.len > 1;
    let half = Fault::StopInside { bytes: (entry.len / 2).min(700) };
    let mut stops = vec![(entry.index, Fault::Stop)];
    stops.extend(inside.then_some((entry.index, half)));
    stops
}

const fn changes(op: Op) -> bool {
    !matches!(
        op,
        Op::OpenRead | Op::OpenWrite | Op::Exists | Op::List | Op::Len | Op::ReadAt | Op::TryLock
    )
}

fn survivals(op: u64, seeds: u64) -> impl Iterator<Item = Survival> {
    let seeded = (op * seeds..op * seeds + seeds).map(Survival::Seeded);
    [Survival::Nothing, EVERYTHING].into_iter().chain(seeded)
}

/// The event of the record that tells of a restore.
///
/// # Panics
/// When the ledger does not open, or tells of none.
#[must_use]
pub fn event(disk: &MemStorage) -> ledger_format::event::ledger::Restored {
    let ledger = Ledger::open_archive(Path::new(LEDGER), options(disk)).unwrap();
    let records = ledger.records(Seq(0), false).map(Result::unwrap);
    let found = records.filter_map(|record| {
        let view = ledger_format::RecordView::decode(&record.bytes).unwrap();
        match view.event().unwrap() {
            Event::Restored(event) => Some(event),
            _ => None,
        }
    });
    let found = found.last().unwrap();
    ledger.close().unwrap();
    found
}
