//! Ledgers of every released format, as they were committed: they open, verify, answer, grow, leave and
//! come back. `MEMLEDGER_GOLDEN=write cargo test -p replay-tests golden` makes those of this format.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ledger_format::{Kind, LedgerId, Seq, hash};
use ledger_replay::{State, apply};
use ledger_store::MasterEnv;
use memledger::backup::RestoreRequest;
use memledger::machine::Machine;
use memledger::proof::{Heads, compare};
use memledger::transfer::RawRecord;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{ErrorKind, Ledger, OpenOptions};
use replay_tests::golden::{self, FORMAT, fixtures};
use replay_tests::place::{copy_tree, fast_dir};
use replay_tests::{small, stored};
use tempfile::TempDir;

/// A copy of a golden ledger, which may be changed.
struct Copy {
    dir: TempDir,
    fixture: PathBuf,
}

/// Every format that was released.
fn formats() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort_unstable();
    assert!(!found.is_empty(), "no format has fixtures");
    found
}

impl Copy {
    fn of(fixture: &Path) -> Self {
        let dir = fast_dir();
        copy_tree(fixture, dir.path());
        Self { dir, fixture: fixture.to_path_buf() }
    }

    fn ledger(&self) -> PathBuf {
        self.dir.path().join("lived")
    }

    /// With the master key of the fixture.
    fn options(&self) -> OpenOptions {
        OpenOptions { master: self.master(), confirm_clock: true, ..OpenOptions::default() }
    }

    fn master(&self) -> MasterEnv {
        let key_file = Some(self.dir.path().join("master.key"));
        make_private(key_file.as_ref().unwrap());
        MasterEnv { key_file, key_dir: Some(self.dir.path().join("keys")), ..MasterEnv::default() }
    }

    fn expected(&self, name: &str) -> String {
        fs::read_to_string(self.fixture.join(name)).unwrap()
    }
}

/// A checkout may let others read the file, and a key that others may read is refused.
fn make_private(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn verifies(copy: &Copy, dir: &Path) {
    let report =
        Ledger::verify_dir(dir, &copy.master(), VerifyLevel::Content, &|_, _, _| ()).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{:?}", report.checks);
    let compared = compare(dir, &Heads::default()).unwrap();
    assert!(compared.checks.len() >= 3, "keys, checkpoint records, notes: {compared:?}");
    for check in compared.checks {
        assert_eq!(check.verdict, CheckVerdict::Ok, "{check:?}");
    }
}

#[test]
fn fault_24_golden_ledgers_of_every_format_open_verify_and_answer() {
    for fixture in formats() {
        let copy = Copy::of(&fixture);
        verifies(&copy, &copy.ledger());
        let archive = Ledger::open_archive(&copy.ledger(), copy.options()).unwrap();
        assert_eq!(golden::records(&archive), copy.expected("lived.records"));
        assert_eq!(golden::answers(&archive, true), copy.expected("lived.answers"));
        archive.close().unwrap();
        // And the same from views, which this version makes of it.
        let ledger = Ledger::open(&copy.ledger(), copy.options()).unwrap();
        assert_eq!(golden::answers(&ledger, false), copy.expected("lived.answers"));
        ledger.close().unwrap();
    }
}

fn raw(ledger: &Ledger) -> Vec<RawRecord> {
    ledger.records(Seq(0), true).map(Result::unwrap).collect()
}

/// The records that an earlier version wrote, with their payloads, whatever becomes of the ledger.
fn same(found: &[RawRecord], golden: &[RawRecord]) {
    let unknown = format!("unknown({})", golden::UNKNOWN);
    assert!(golden.iter().any(|record| record.kind == unknown), "it holds what nobody knows");
    assert_eq!(&found[..golden.len()], golden);
}

#[test]
fn fault_24_golden_ledgers_grow_leave_and_come_back_with_the_same_bytes() {
    for fixture in formats() {
        let copy = Copy::of(&fixture);
        let dir = copy.dir.path();
        let ledger = Ledger::open(&copy.ledger(), copy.options()).unwrap();
        let before = raw(&ledger);
        small::write(&ledger, "written by a later version", None);
        ledger.close().unwrap();
        verifies(&copy, &copy.ledger());
        let ledger = Ledger::open_archive(&copy.ledger(), copy.options()).unwrap();
        let grown = raw(&ledger);
        same(&grown, &before);
        assert!(grown.len() > before.len());
        let mut out = grown.clone().into_iter().map(Ok);
        let moved = dir.join("moved");
        Ledger::import_records(&moved, copy.options(), &mut out, &mut |_| ()).unwrap();
        let carried = Ledger::open_archive(&moved, copy.options()).unwrap();
        assert_eq!(raw(&carried), grown, "through export and import");
        let (backup, restored) = (dir.join("backup"), dir.join("restored"));
        let machine = Machine::default();
        let (from, quiet) = (copy.ledger(), &|_: &str, _, _| ());
        Ledger::backup(&from, &backup, &copy.options(), &machine, quiet).unwrap();
        let request = RestoreRequest {
            backup: &backup,
            backup_machine: &machine,
            dir: &restored,
            reason: "a test",
        };
        Ledger::restore(request, &copy.options(), quiet).unwrap();
        let back = Ledger::open_archive(&restored, copy.options()).unwrap();
        same(&raw(&back), &grown);
        verifies(&copy, &restored);
    }
}

#[test]
fn fault_24_a_golden_log_holds_every_kind_and_replays() {
    for fixture in formats() {
        let id = fs::read_to_string(fixture.join("kinds.ledger")).unwrap();
        let id: LedgerId = LedgerId(hex(id.trim()));
        let events = stored::read(&fixture.join("kinds"), id);
        let mut state = State::default();
        let mut lines = String::new();
        for event in &events {
            apply(&mut state, event);
            lines.push_str(&format!("{} {} {}\n", event.seq(), event.header.kind, event.hash));
        }
        assert_eq!(lines, fs::read_to_string(fixture.join("kinds.records")).unwrap());
        assert!(state.unknown_critical().is_some(), "it says from where on nothing can be told");
        assert_eq!(state.head().unwrap().hash, events.last().unwrap().hash);
    }
}

fn hex<const N: usize>(text: &str) -> [u8; N] {
    let mut bytes = [0; N];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap();
    }
    bytes
}

/// The kinds of this format are all in its golden log: a new kind asks for a new fixture.
#[test]
fn fault_24_the_builder_uses_every_kind() {
    let all: BTreeSet<u16> = Kind::ALL.iter().map(|(kind, ..)| kind.number()).collect();
    let used = golden::kinds_of(&golden::kinds());
    let missing: Vec<&u16> = all.difference(&used).collect();
    assert_eq!(missing, Vec::<&u16>::new());
    assert!(used.iter().any(|kind| !all.contains(kind)), "and one that nobody knows");
}

/// What this version writes is what it wrote when the format was fixed.
#[test]
fn fault_24_the_builder_makes_the_same_bytes_as_ever() {
    let built = golden::build();
    let dir = fixtures().join(FORMAT);
    if std::env::var("MEMLEDGER_GOLDEN").is_ok_and(|word| word == "write") {
        assert!(!dir.exists(), "remove {} first, unless it is released", dir.display());
        for (name, bytes) in &built {
            let path = dir.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
    }
    let stored: BTreeMap<String, Vec<u8>> = replay_tests::place::files(&dir)
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&dir).unwrap().display().to_string();
            (name, fs::read(path).unwrap())
        })
        .collect();
    let differing = |(name, bytes): (&String, &Vec<u8>)| {
        (stored.get(name) != Some(bytes)).then(|| name.clone())
    };
    let other: Vec<String> = built.iter().filter_map(differing).collect();
    if other.is_empty() && built.len() == stored.len() {
        return;
    }
    let now = digest(&built);
    let told = fs::read_to_string(fixtures().join(format!("{FORMAT}.changed"))).unwrap_or_default();
    let reason = told.lines().last().and_then(|line| line.strip_prefix(&format!("{now} ")));
    assert!(
        reason.is_some_and(|reason| reason.len() > 20),
        "{other:?} are no longer written as they were. If the format changed, that is a new version with fixtures of its own and a line in CHANGELOG.md. If something changed that is no format (what a caller records, the order of calls), say why in a last line of replay-tests/fixtures/{FORMAT}.changed:\n{now} REASON"
    );
}

/// What is built, in one word.
fn digest(files: &BTreeMap<String, Vec<u8>>) -> String {
    let mut hasher = hash::FileHasher::new();
    for (name, bytes) in files {
        hasher.update(name.as_bytes());
        hasher.update(&(bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    }
    hasher.digest().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// A copy in which a version number of a file was raised by one, as a later version of the format would
/// write it, its check included.
fn raised(copy: &Copy, file: &str, at: usize, check: usize, begins: usize) {
    let path = copy.ledger().join(file);
    let mut bytes = fs::read(&path).unwrap();
    bytes[begins + at] += 1;
    let digest = hash::check(&bytes[begins..begins + check]);
    bytes[begins + check..begins + check + 16].copy_from_slice(&digest.0);
    fs::write(path, bytes).unwrap();
}

type Change<'a> = &'a dyn Fn(&Copy);

#[test]
fn fault_24_a_later_format_is_refused_by_name_and_is_no_damage() {
    let fixture = fixtures().join(FORMAT);
    let last = fs::read_dir(fixture.join("lived/log")).unwrap().count() - 1;
    let last = format!("log/{last:010}.seg");
    let changes: [(&str, Change<'_>); 4] = [
        ("ledger.toml", &|copy| {
            let path = copy.ledger().join("ledger.toml");
            let text = fs::read_to_string(&path).unwrap();
            fs::write(path, text.replace("format = 1", "format = 2\nshape = \"round\"")).unwrap();
        }),
        ("a segment", &|copy| raised(copy, &last, 8, 4080, 0)),
        ("a batch", &|copy| raised(copy, &last, 8, 144, 4096)),
        ("a batch for later readers", &|copy| raised(copy, &last, 10, 144, 4096)),
    ];
    for (what, change) in changes {
        let copy = Copy::of(&fixture);
        change(&copy);
        let before = files_of(&copy);
        let opened = Ledger::open(&copy.ledger(), copy.options()).map(drop);
        let error = opened.expect_err(what);
        assert_eq!(error.kind(), ErrorKind::Unproven, "{what}: {error}");
        assert!(error.to_string().contains("version 2"), "{what}: {error}");
        let level = VerifyLevel::Content;
        let report = Ledger::verify_dir(&copy.ledger(), &copy.master(), level, &|_, _, _| ());
        let report = report.unwrap();
        assert_eq!(report.verdict(), CheckVerdict::CannotCheck, "{what}: {:?}", report.checks);
        assert_eq!(files_of(&copy), before, "{what}: something was changed");
    }
    let copy = Copy::of(&fixture);
    let (backup, new) = (copy.dir.path().join("backup"), copy.dir.path().join("new"));
    let machine = Machine::default();
    let quiet = &|_: &str, _, _| ();
    Ledger::backup(&copy.ledger(), &backup, &copy.options(), &machine, quiet).unwrap();
    let path = backup.join("backup.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, text.replace("format = 1", "format = 2")).unwrap();
    let request =
        RestoreRequest { backup: &backup, backup_machine: &machine, dir: &new, reason: "a test" };
    let error = Ledger::restore(request, &copy.options(), quiet).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unproven, "{error}");
    assert!(error.to_string().contains("format 2") && !new.exists(), "{error}");
}

/// Every file of the ledger but the lock, which says who looked last.
fn files_of(copy: &Copy) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = replay_tests::place::files(&copy.ledger());
    files.retain(|path| !path.ends_with("lock"));
    files.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}
