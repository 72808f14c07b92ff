//! Owns the proof that a change shows: a copy of the ledger, one flipped bit in it, and what verify
//! finds.
//!
//! Invariants: the original is not touched; the copy is made in a directory of its own and does not
//! stay; nothing that was there before is removed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use memledger::transfer::RawRecord;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{Ledger, MasterEnv};

use crate::exit::Failure;

/// What was changed, and what verify says about it.
pub(super) struct Found {
    /// The changed file, from the ledger's directory.
    pub(super) file: String,
    /// The changed byte.
    pub(super) offset: usize,
    /// Each claim that does not hold, with its first finding.
    pub(super) findings: Vec<String>,
}

/// Flips one bit of a record in a copy.
pub(super) fn tamper(dir: &Path, record: &RawRecord) -> Result<Found, Failure> {
    let copy = beside(dir);
    fs::create_dir(&copy).map_err(|error| failed(&copy, &error))?;
    let found = on_a_copy(dir, &copy, record);
    fs::remove_dir_all(&copy).map_err(|error| failed(&copy, &error))?;
    found
}

/// `memledger-demo` has its copy in `memledger-demo.changed`.
fn beside(dir: &Path) -> PathBuf {
    let mut name = dir.file_name().unwrap_or_default().to_owned();
    name.push(".changed");
    dir.with_file_name(name)
}

fn on_a_copy(dir: &Path, copy: &Path, record: &RawRecord) -> Result<Found, Failure> {
    copy_into(dir, copy).map_err(|error| failed(copy, &error))?;
    let (file, offset) = flip(copy, record)?;
    let report =
        Ledger::verify_dir(copy, &MasterEnv::from_process(), VerifyLevel::Log, &|_, _, _| {})?;
    let damaged = report.checks.iter().filter(|check| check.verdict == CheckVerdict::Damaged);
    let findings = damaged
        .map(|check| {
            let first = check.findings.first().map(String::as_str).unwrap_or_default();
            format!("{} {}: {first}", check.name, check.verdict)
        })
        .collect();
    Ok(Found { file, offset, findings })
}

/// Flips the lowest bit of the middle byte of a record where it lies in the log.
fn flip(copy: &Path, record: &RawRecord) -> Result<(String, usize), Failure> {
    let log = copy.join("log");
    for entry in fs::read_dir(&log).map_err(|error| failed(&log, &error))? {
        let path = entry.map_err(|error| failed(&log, &error))?.path();
        let mut bytes = fs::read(&path).map_err(|error| failed(&path, &error))?;
        let found = bytes.windows(record.bytes.len()).position(|part| part == record.bytes);
        let Some(offset) = found.map(|start| start + record.bytes.len() / 2) else {
            continue;
        };
        if let Some(byte) = bytes.get_mut(offset) {
            *byte ^= 1;
        }
        fs::write(&path, &bytes).map_err(|error| failed(&path, &error))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        return Ok((format!("log/{name}"), offset));
    }
    Err(Failure::not_found(format!("record {} is in no file of the log", record.seq)))
}

fn copy_into(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            copy_into(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::file(format!("{}: {error}", path.display()))
        .hint("the demonstration needs a directory it can write to, and room for a copy beside it")
}
