//! Owns changing a ledger's files behind its back, and the rule for what may come of it: a report,
//! and never another answer.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use memledger::Ledger;
use memledger::verify::{CheckVerdict, VerifyLevel, VerifyReport};

use crate::place::{Place, keys_beside};
use crate::rng::Rng;
use crate::small::{Answer, answers};

/// Flips one bit, chosen by a seed, of every `step`-th byte of a file, one after another, and puts it
/// back each time. Says how many bytes were changed.
pub fn each_flip(path: &Path, step: usize, mut changed: impl FnMut(u64)) -> usize {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let bytes = fs::read(path).unwrap();
    let mut rng = Rng::new(bytes.len() as u64);
    let mut flips = 0;
    for (at, byte) in bytes.iter().enumerate().step_by(step) {
        let at = at as u64;
        let flipped = byte ^ (1 << rng.below(8));
        file.write_all_at(&[flipped], at).unwrap();
        changed(at);
        file.write_all_at(&[*byte], at).unwrap();
        flips += 1;
    }
    assert_eq!(fs::read(path).unwrap(), bytes, "all is as it was");
    flips
}

/// The whole check at a level, with the views or without.
#[must_use]
pub fn verify(path: &Path, level: VerifyLevel) -> VerifyReport {
    Ledger::verify_dir(path, &keys_beside(path), level, &|_, _, _| ()).unwrap()
}

/// Verification says that something is wrong. The findings, each on its line.
///
/// # Panics
/// When it says that all is well.
#[must_use]
pub fn reported(path: &Path, level: VerifyLevel, what: &str) -> String {
    let report = verify(path, level);
    let verdict = report.verdict();
    let told = [CheckVerdict::Damaged, CheckVerdict::CannotCheck];
    assert!(told.contains(&verdict), "{what}: {verdict} {report:#?}");
    let findings = report.checks.into_iter().flat_map(|check| check.findings);
    findings.collect::<Vec<_>>().join("\n")
}

/// Asking the archive gives an error or the true answers: about every record, or, where a copy of
/// the anchor is lost and that is said, about those that the other copy reaches. Whether it answered.
pub fn archive_is_true(place: &Place, path: &Path, truth: &[Answer], what: &str) -> bool {
    let Ok(ledger) = place.archive_at(path) else {
        return false;
    };
    let Ok(told) = answers(&ledger, true) else {
        return false;
    };
    let reached = &truth[..told.len().min(truth.len())];
    assert!(told == reached, "{what}: another answer");
    let said = ledger.notices().iter().any(|notice| notice.contains("anchor"));
    assert!(told.len() == truth.len() || said, "{what}: fewer answers and no word about it");
    true
}

/// Opening and asking both ways gives an error or the true answers. Whether it answered.
pub fn opening_is_true(place: &Place, path: &Path, truth: &[Answer], what: &str) -> bool {
    let Ok(ledger) = place.open_at(path) else {
        return false;
    };
    for from_archive in [false, true] {
        match answers(&ledger, from_archive) {
            Ok(told) => assert!(told == truth, "{what}: another answer"),
            Err(_) => return false,
        }
    }
    ledger.close().is_ok()
}

/// The files of a directory inside the ledger.
#[must_use]
pub fn inside(place: &Place, dir: &str) -> Vec<PathBuf> {
    crate::place::files(&place.path().join(dir))
}
