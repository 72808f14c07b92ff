//! Owns the proof that a change shows: a copy of the ledger, one flipped byte, and what verify
//! finds. The original is not touched and the copy does not stay.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use memledger::{CheckVerdict, Ledger, VerifyLevel};

use crate::exit::Failure;

/// Flips the middle byte of the log's last segment in a copy, and returns what was flipped and what
/// verify said about it.
pub(super) fn tamper(dir: &Path) -> Result<Vec<String>, Failure> {
    let copy = dir.with_extension("tampered");
    let found = on_a_copy(dir, &copy);
    let removed = fs::remove_dir_all(&copy);
    let lines = found?;
    removed.map_err(|error| failed(&copy, &error))?;
    Ok(lines)
}

fn on_a_copy(dir: &Path, copy: &Path) -> Result<Vec<String>, Failure> {
    copy_dir(dir, copy).map_err(|error| failed(copy, &error))?;
    let segment = largest(&copy.join("log")).map_err(|error| failed(copy, &error))?;
    let mut bytes = fs::read(&segment).map_err(|error| failed(&segment, &error))?;
    let middle = bytes.len() / 2;
    if let Some(byte) = bytes.get_mut(middle) {
        *byte ^= 1;
    }
    fs::write(&segment, &bytes).map_err(|error| failed(&segment, &error))?;
    let name = segment.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut lines = vec![format!(
        "one bit flipped at byte {middle} of log/{} in a copy:",
        name.unwrap_or_default()
    )];
    let report = Ledger::verify_dir(copy, VerifyLevel::Log, &|_, _, _| {})?;
    for check in report.checks.iter().filter(|check| check.verdict > CheckVerdict::NotChecked) {
        let finding = check.findings.first().map(String::as_str).unwrap_or_default();
        lines.push(format!(
            "{}  {}  {} of {}  {finding}",
            check.name, check.verdict, check.checked, check.expected
        ));
    }
    Ok(lines)
}

fn largest(dir: &Path) -> io::Result<PathBuf> {
    let mut best = (0, PathBuf::new());
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let length = entry.metadata()?.len();
        if length > best.0 {
            best = (length, entry.path());
        }
    }
    Ok(best.1)
}

fn copy_dir(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_dir(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
        .hint("the demonstration needs a directory it can write to")
}
