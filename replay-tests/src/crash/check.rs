//! Owns what must hold of a disk that a crash left: the promises of the ledger, one after another.
//!
//! Invariant: the first promise that is broken is named, with what shows it. May not: accept more than
//! one batch that nobody was told of.

use std::sync::{Arc, Mutex};

use ledger_format::key_page::KeyPage;
use ledger_format::{Micros, PayloadId, RecordHash, Seq};
use ledger_store::Reader;
use ledger_store::storage::{MemStorage, RelPath};
use memledger::verify::{CheckVerdict, VerifyLevel, VerifyReport};
use memledger::{Command, Content, ErrorKind, Ledger, Outcome, Proposal, Scope, Submission, Terms};

use super::lens::{Planted, lens};
use super::life::Told;
use super::truth::Truth;
use crate::place::{fast_dir, keys_beside};
use crate::small::{self, Answer};
use crate::stand::Stand;
use crate::workload::time;

/// Later than everything in the life.
const LATER: i64 = time::BASE + 60 * 86_400_000_000;
const PAGE: usize = 4096;

type Found = Result<(), String>;

/// One disk that is left, and what is known about the life before.
#[derive(Clone, Copy, Debug)]
pub struct Left<'a> {
    pub disk: &'a MemStorage,
    pub told: &'a Told,
    pub truth: &'a Truth,
    pub planted: Option<Planted>,
}

impl Left<'_> {
    /// Opens the disk and checks every promise.
    ///
    /// # Errors
    /// The promise that is broken.
    pub fn holds(&self) -> Found {
        let lens = lens(self.planted, &Arc::new(Mutex::new(Vec::new())));
        let mut stand = Stand::on(self.disk.crash(EVERYTHING), 99, Micros(LATER), lens);
        let ledger = match stand.open() {
            Ok(ledger) => ledger,
            Err(error) if !self.told.made && error.kind() == ErrorKind::Invalid => return Ok(()),
            Err(error) => return Err(format!("promise 1: it does not open: {error}")),
        };
        if self.told.closed && !ledger.notices().is_empty() {
            return Err(format!("it was closed, but opening says {:?}", ledger.notices()));
        }
        let hashes = self.acknowledged(&ledger)?;
        self.answers(&ledger, hashes.len())?;
        whole(&ledger)?;
        let done = self.goes_on(&ledger, hashes.len())?;
        self.fresh_keys(&stand.disk, &ledger)?;
        ledger.close().map_err(|error| format!("it does not close: {error}"))?;
        let again = stand.open().map_err(|error| format!("it does not open again: {error}"))?;
        if !again.notices().is_empty() {
            return Err(format!("closed again, but opening says {:?}", again.notices()));
        }
        whole(&again)?;
        let found = again.show(done.seq).map_err(|error| error.to_string())?;
        match found {
            Some(entry) if entry.hash == done.hash => Ok(()),
            found => Err(format!("promise 1: what was written afterwards is {found:?}")),
        }
    }

    /// Promise 1: everything answered or seen is there, and nothing but the batch that was under way.
    fn acknowledged(&self, ledger: &Ledger) -> Result<Vec<RecordHash>, String> {
        let records: memledger::Result<Vec<_>> = ledger.records(Seq(0), false).collect();
        let records = records.map_err(|error| format!("promise 1: records are gone: {error}"))?;
        let hashes: Vec<RecordHash> = records.iter().map(|record| record.hash).collect();
        let answered = self.told.answered.iter().chain(&self.told.head);
        for (seq, hash) in answered {
            if hashes.get(seq.0 as usize) != Some(hash) {
                return Err(format!("promise 1: record {seq} was answered and is gone"));
            }
        }
        if self.truth.hashes.get(..hashes.len()) != Some(&hashes[..]) {
            return Err("promise 4: the records are others than were written".into());
        }
        let before = self.told.head.map_or(0, |(seq, _)| seq.0 as usize + 1);
        let mut ends = self.truth.ends.iter().filter(|end| **end > before);
        let next = ends.next().copied().unwrap_or(before);
        if hashes.len() != before && hashes.len() != next {
            return Err(format!("{before} records were answered, {} are there", hashes.len()));
        }
        Ok(hashes)
    }

    /// Promises 2 and 3: for every record the answer is that of a life that nothing disturbed.
    fn answers(&self, ledger: &Ledger, count: usize) -> Found {
        let answers = small::answers(ledger, true)
            .map_err(|error| format!("promise 3: the archive does not answer: {error}"))?;
        if answers.len() != count {
            return Err(format!("promise 3: {} answers for {count} records", answers.len()));
        }
        differing(&answers, &self.truth.answers)
    }

    /// The next write is recorded: what was under way is sent again, and recorded once.
    fn goes_on(&self, ledger: &Ledger, count: usize) -> Result<Outcome, String> {
        let again = self.told.under_way.clone();
        let keyed = again.filter(|again| again.terms.idempotency_key.is_some());
        let submission = keyed.clone().unwrap_or_else(next);
        let outcomes = ledger
            .submit(submission)
            .map_err(|error| format!("the next write is refused: {error}"))?;
        let done = outcomes.into_iter().next().ok_or("the next write has no outcome")?;
        let kept = (done.seq.0 as usize) < count;
        if kept != done.repeated || (kept && keyed.is_none()) {
            return Err(format!("the next write became record {} of {count}", done.seq));
        }
        if done.repeated {
            // Something new as well: a repetition writes nothing.
            ledger.submit(next()).map_err(|error| format!("the next write: {error}"))?;
        }
        Ok(done)
    }

    /// A slot that the dead process may have handed out has another key now.
    fn fresh_keys(&self, disk: &MemStorage, ledger: &Ledger) -> Found {
        let next = reader(self.disk, ledger).head().map_or(PayloadId(0), |head| head.next_payload);
        for name in ["keys/slots.a", "keys/slots.b"] {
            let [before, after] = [self.disk, disk].map(|disk| pages(disk, name));
            for (old, new) in before.iter().zip(&after) {
                let (Some(old), Some(new)) = (old, new) else { continue };
                let first = old.first_slot().0.max(next.0);
                let end = KeyPage::page_of(PayloadId(first)).max(old.page);
                for slot in (first..).map(PayloadId).take_while(|_| end == old.page) {
                    let (Some(one), Some(other)) = (old.masked(slot), new.masked(slot)) else {
                        break;
                    };
                    if one == other {
                        return Err(format!("the key of slot {slot} is used again"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The views, made from the log in a real directory, answer as the archive does.
    ///
    /// # Errors
    /// What they answer differently.
    pub fn views(&self) -> Found {
        let dir = fast_dir();
        let path = dir.path().join("ledger");
        // A new ledger has no payloads yet, and a list of files has no empty directories.
        std::fs::create_dir_all(path.join("payloads")).unwrap();
        for (name, bytes) in self.disk.snapshot() {
            let file = path.join(name.as_str());
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
        let mut options =
            Stand::on(self.disk.clone(), 98, Micros(LATER), crate::stand::honest()).options();
        options.machine = memledger::machine::Machine::default();
        options.master = memledger::MasterEnv { key: options.master.key, ..keys_beside(&path) };
        let master = options.master.clone();
        let ledger = Ledger::open(&path, options).map_err(|error| format!("views: {error}"))?;
        let answers = small::answers(&ledger, false).map_err(|error| format!("views: {error}"))?;
        differing(&answers, &self.truth.answers)?;
        ledger.close().map_err(|error| format!("views: {error}"))?;
        let report = Ledger::verify_dir(&path, &master, VerifyLevel::Views, &|_, _, _| ())
            .map_err(|error| format!("views: {error}"))?;
        match report.verdict() {
            CheckVerdict::Ok => Ok(()),
            verdict => Err(format!("promise 2: verify says {verdict}: {}", findings(&report))),
        }
    }
}

const EVERYTHING: ledger_store::storage::Survival = ledger_store::storage::Survival::Everything;

fn differing(answers: &[Answer], truth: &[Answer]) -> Found {
    match answers.iter().zip(truth).position(|(one, other)| one != other) {
        None => Ok(()),
        Some(seq) => Err(format!("promise 3: the answer about record {seq} is another one")),
    }
}

/// Promise 4: verify computes everything again and finds nothing.
pub fn whole(ledger: &Ledger) -> Found {
    let report = ledger
        .verify(VerifyLevel::Content, &|_, _, _| ())
        .map_err(|error| format!("promise 4: verify does not run: {error}"))?;
    match report.verdict() {
        CheckVerdict::Ok => Ok(()),
        verdict => Err(format!("promise 4: verify says {verdict}: {}", findings(&report))),
    }
}

/// What a report finds, without what it finds nothing in. That an opening is without views is known.
fn findings(report: &VerifyReport) -> String {
    let found = report.checks.iter().filter(|check| check.verdict > CheckVerdict::NotChecked);
    let lines =
        found.map(|check| format!("{} {}: {:?}", check.name, check.verdict, check.findings));
    lines.collect::<Vec<_>>().join("; ")
}

fn reader(disk: &MemStorage, ledger: &Ledger) -> Reader {
    let disk: Arc<dyn ledger_store::storage::Storage> = Arc::new(disk.crash(EVERYTHING));
    Reader::open_unanchored(disk, ledger.id()).unwrap().reader
}

fn pages(disk: &MemStorage, name: &str) -> Vec<Option<KeyPage>> {
    let path = RelPath::new(name).unwrap();
    let bytes = disk.contents(&path).unwrap_or_default();
    bytes.chunks(PAGE).skip(1).map(|page| KeyPage::decode(page).ok()).collect()
}

fn next() -> Submission {
    let proposal = Proposal::new(Content::Text("after the crash".into()), Scope::root());
    Submission::of(Command::Write(Box::new(proposal)), Terms::default())
}
