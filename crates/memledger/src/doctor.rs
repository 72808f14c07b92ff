//! Owns the examination of a ledger directory that may be damaged: what every byte is, what that
//! means in records, and what is safe to do next.
//!
//! Invariants: nothing is changed and no lock is taken; every file is accounted for to its last
//! byte; the verdict is never better than that of [`crate::verify`] at the level of payloads.

use std::path::Path;
use std::sync::Arc;

use ledger_format::{LedgerId, Seq};
use ledger_store::doctor::examine;
pub use ledger_store::doctor::{FileMap, Region, RegionState};
use ledger_store::storage::FsStorage;
use ledger_store::{Anchors, MasterEnv, Position, Reader, read_anchors};

use crate::error::Result;
use crate::ledger::Ledger;
use crate::verify::{
    Access, CheckVerdict, VerifyLevel, VerifyReport, VerifyRequest, Watch, Watching, check_dir,
    erased_payloads, identity,
};

/// What was found in a directory.
#[derive(Clone, Debug)]
pub struct Diagnosis {
    /// The ledger, if any file says which one it is.
    pub ledger: Option<LedgerId>,
    /// Whether another process holds it, so that only what is anchored was examined.
    pub held: bool,
    /// Every file, end to end.
    pub files: Vec<FileMap>,
    /// What verification says, where there is a ledger to verify.
    pub report: Option<VerifyReport>,
    /// What is wrong and what is safe to do about it, the most urgent first.
    pub advice: Vec<Advice>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What is the matter.
    pub what: String,
    /// What is safe to do.
    pub next: String,
}

impl Diagnosis {
    /// What it comes to.
    #[must_use]
    pub fn verdict(&self) -> CheckVerdict {
        let checked = self.report.as_ref().map_or(CheckVerdict::CannotCheck, VerifyReport::verdict);
        let worst = self.files.iter().filter_map(FileMap::worst).max();
        let mapped = match worst {
            Some(RegionState::Damaged) => CheckVerdict::Damaged,
            Some(RegionState::Unknown) => CheckVerdict::CannotCheck,
            _ => CheckVerdict::Ok,
        };
        // Without an anchor that can be read nobody knows where the log ended: what its own file
        // holds is damaged, and what follows from it is not known.
        let blind = checked == CheckVerdict::CannotCheck && self.only_anchors_are_damaged();
        if blind { checked } else { checked.max(mapped) }
    }

    fn only_anchors_are_damaged(&self) -> bool {
        let mut damaged = self.files.iter().filter(|file| file.damaged().next().is_some());
        damaged.all(|file| file.file.as_str().starts_with("anchor."))
    }

    /// Bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }
}

impl Ledger {
    /// Examines a directory as it lies there. Works beside a holder, in a directory that takes no
    /// writes, and on one that is damaged, foreign or no ledger at all.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Invalid`] when there is no such directory,
    /// [`crate::ErrorKind::Unavailable`] when it cannot be read.
    pub fn doctor(dir: &Path, watch: Watch<'_>) -> Result<Diagnosis> {
        // What a master key opens is not looked at.
        let master = &MasterEnv::default();
        let storage = crate::ledger::open_storage(dir, true)?;
        let held = is_held(dir);
        let ledger = identity(&*storage, dir).ok();
        let anchors = read_anchors(&*storage).ok();
        let anchored = anchors.as_ref().and_then(Anchors::best).map(Position::of_anchor);
        let upto = anchored.filter(|_| held);
        let erased = ledger.and_then(|ledger| {
            let opened = Reader::open_unanchored(Arc::clone(&storage), ledger).ok()?;
            Some(erased_payloads(&opened.reader, Seq(0)))
        });
        let covers = |id| erased.as_ref().is_some_and(|erased| erased.contains(id));
        let files = examine(&storage, ledger, upto, &covers).files;
        let request = VerifyRequest::from(VerifyLevel::Payloads);
        let access = if held { Access::Held } else { Access::LooksOnly };
        let report = ledger
            .map(|ledger| {
                check_dir(dir, &storage, (ledger, access), master, &request, Watching::only(watch))
            })
            .transpose()?;
        let mut found = Diagnosis { ledger, held, files, report, advice: Vec::new() };
        found.advice = advise(&found, anchors.as_ref(), ledger);
        Ok(found)
    }
}

/// Whether somebody holds the ledger. Where the lock cannot be looked at nobody is known to.
fn is_held(dir: &Path) -> bool {
    FsStorage::open_read_only(dir).and_then(|storage| storage.is_held()).unwrap_or(false)
}

fn advise(found: &Diagnosis, anchors: Option<&Anchors>, ledger: Option<LedgerId>) -> Vec<Advice> {
    let mut advice = Vec::new();
    let mut say = |what: String, next: &str| advice.push(Advice { what, next: next.to_owned() });
    if ledger.is_none() {
        say("no file says which ledger this is".to_owned(), NOT_A_LEDGER);
        return advice;
    }
    for file in &found.files {
        let name = file.file.as_str();
        if let Some(reason) = &file.unread {
            say(format!("{file} cannot be read: {reason}", file = file.file), CANNOT_READ);
        }
        let lost = file.damaged().filter_map(|region| region.records);
        if let Some((first, last)) = lost.reduce(|(a, _), (_, b)| (a, b)) {
            let what = format!("{name} is damaged where records {first} to {last} are");
            say(what, if name.starts_with("log/") { RESTORE_LOG } else { RESTORE_PAYLOADS });
        } else if file.damaged().next().is_some() && !name.starts_with("anchor.") {
            say(format!("{name} is damaged"), next_for(name));
        }
        let unfinished = |region: &&Region| region.state == RegionState::Unfinished;
        if !found.held
            && name.starts_with("log/")
            && file.regions.iter().any(|one| unfinished(&one))
        {
            say(format!("{name} ends with a batch that was never acknowledged"), DROP_TAIL);
        }
    }
    if let (Some(anchors), Some(ledger)) = (anchors, ledger)
        && let Some(problem) = anchors.problem(ledger)
    {
        let one = anchors.best().is_some() && !anchors.are_contradictory();
        say(problem.to_string(), if one { RECREATE_ANCHOR } else { NO_ANCHOR });
    }
    let verified = found.report.as_ref().map(VerifyReport::verdict);
    if advice.is_empty() && verified == Some(CheckVerdict::Damaged) {
        let what = "every file is whole by itself, but they do not belong together".to_owned();
        advice.push(Advice { what, next: TOGETHER.to_owned() });
    }
    advice
}

fn next_for(name: &str) -> &'static str {
    if name.starts_with("log/") {
        RESTORE_LOG
    } else if name.starts_with("payloads/") {
        RESTORE_PAYLOADS
    } else if name.starts_with("keys/") {
        RESTORE_KEYS
    } else {
        RESTORE_FILE
    }
}

const NOT_A_LEDGER: &str = "nothing here is touched; name the ledger's directory with -C, or put back `ledger.toml` and the anchors from a backup";
const CANNOT_READ: &str =
    "look at its permissions and at the disk; copy the directory before anything else is tried";
const RESTORE_LOG: &str = "copy the directory, then put this file back from a backup: the log is never cut where records were acknowledged; what is not damaged can be read meanwhile with --from-archive";
const RESTORE_PAYLOADS: &str = "copy the directory, then put this file back from a backup; the records stand, only this content is missing";
const RESTORE_KEYS: &str = "where the other copy of the page is whole nothing is lost, and the next change of the page writes both; else put the key files back from a backup";
const RESTORE_FILE: &str = "put this file back from a backup; the log says what it must hold";
const DROP_TAIL: &str = "`memledger repair tail --reason …` takes it out and keeps a copy; opening the ledger for writing does so too, and says it";
const RECREATE_ANCHOR: &str = "`memledger repair anchor --reason …` writes it again from the other copy, once the log was found whole up to it";
const NO_ANCHOR: &str = "put one anchor back from a backup: nothing else can tell whether records are missing at the end, so none is made again without a whole copy";
const TOGETHER: &str =
    "`memledger verify` says what contradicts what; put all files back from one backup";
