//! A fresh ledger for every test, with its master key in the environment of the test alone.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use memledger::answer::Text;
use memledger::civil::{When, Zone, parse_instant};
use memledger::clock::DeclaredClock;
use memledger::format::Micros;
use memledger::{Actor, Filter, InitOptions, Interval, Ledger, OpenOptions, Question, Scope};

const KEY: &str = "MEMLEDGER_MASTER_KEY";

/// Whether this process has a key of its own. If not, the test is run in a process that has one: keys
/// of tests must not pile up where those of people are.
pub(super) fn isolated(test: &str) -> bool {
    if std::env::var_os(KEY).is_some() {
        return true;
    }
    let own = std::env::current_exe().unwrap();
    let mut process = Command::new(own);
    process.args([test, "--exact", "--nocapture"]).env(KEY, "7b".repeat(32));
    // Captured: whoever counts results must not count this one twice.
    let ran = process.output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout);
    let why = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{test} failed in its own process:\n{said}\n{why}");
    said.lines().filter(|line| line.starts_with("SKIPPED")).for_each(|line| println!("{line}"));
    false
}

pub(super) struct Bench {
    pub(super) folder: tempfile::TempDir,
    pub(super) ledger: Ledger,
}

/// The present of every test.
pub(super) fn now() -> Micros {
    parse_instant("2026-06-30T12:00:00Z").unwrap()
}

pub(super) fn scope() -> Scope {
    "org/acme".parse().unwrap()
}

pub(super) fn importer() -> Actor {
    "service:importer".parse().unwrap()
}

impl Bench {
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(DeclaredClock::new(now()));
        let options = InitOptions { clock, ..InitOptions::default() };
        let ledger = Ledger::init(&folder.path().join("ledger"), options).unwrap().ledger;
        Self { folder, ledger }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn records(&self) -> u64 {
        self.ledger.status().unwrap().size
    }

    /// The texts of a document in force at `valid`, and with `claimed` as known then.
    pub(super) fn texts(
        &self,
        document: &str,
        valid: Micros,
        claimed: Option<Micros>,
        from_archive: bool,
    ) -> Vec<String> {
        let held = self.listed(document, Some(valid), claimed, from_archive);
        held.into_iter().map(|(text, _)| text).collect()
    }

    /// All texts of a document as claimed to be known then, with when each holds.
    pub(super) fn held(&self, document: &str, claimed: Micros) -> Vec<(String, Vec<Interval>)> {
        let views = self.listed(document, None, Some(claimed), false);
        assert_eq!(self.listed(document, None, Some(claimed), true), views, "views and archive");
        views
    }

    fn listed(
        &self,
        document: &str,
        valid: Option<Micros>,
        claimed: Option<Micros>,
        from_archive: bool,
    ) -> Vec<(String, Vec<Interval>)> {
        let question = Question {
            known: claimed.map_or(When::Head, When::Instant),
            valid: valid.map(When::Instant),
            zone: Zone::UTC,
            claimed: claimed.is_some(),
            from_archive,
        };
        let filter = Filter {
            scope: scope(),
            key: Some(document.to_owned()),
            include_history: valid.is_none(),
            ..Filter::default()
        };
        let listing = self.ledger.snapshot(&question).unwrap().list(&filter).unwrap();
        let words = |item: memledger::answer::Item| match item.text {
            Text::Words(words) => (words, item.validity),
            other => panic!("{other:?}"),
        };
        listing.items.into_iter().map(words).collect()
    }
}

pub(super) fn options() -> OpenOptions {
    OpenOptions { clock: Arc::new(DeclaredClock::new(now())), ..OpenOptions::default() }
}

pub(super) fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
