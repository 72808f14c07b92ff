//! Owns the golden ledgers: two small ledgers that are always made the same way, committed under
//! `fixtures/` for every released format, and what they must answer for good.
//!
//! `lived` is the life of a ledger through its facade: words, claims, closures, every command, a key
//! rotation, checkpoints, an erasure that was carried out, a record of a kind that nobody knows, a restore.
//! `kinds` is a bare log with a record of every kind of the format, and unknown ones.
//!
//! Invariant: the same code gives the same bytes. Where a version of the format is released, its
//! fixtures are never made again: what reads them is changed instead.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ledger_format::record::ClockFlags;
use ledger_format::{
    CloseKind, Kind, LedgerId, MemoryId, Micros, RecordHash, RecordHeader, Seq, Trust,
};
use ledger_store::storage::{MemStorage, Storage};
use ledger_store::{Appender, LedgerConfig, NewRecord};
use memledger::answer::Item;
use memledger::machine::Machine;
use memledger::{
    Command, Content, InitOptions, Ledger, MasterEnv, OpenOptions, Proposal, Scope, Submission,
    Terms,
};

use crate::copies;
use crate::erasing::{self, Erasing};
use crate::rng::Rng;
use crate::small;
use crate::stand::{self, Stand, honest};
use crate::stored;
use crate::workload::{self, History, Op, Verb, time};

/// The format that this code writes.
pub const FORMAT: &str = "v1";
const DAY: i64 = 86_400_000_000;
const SEED: u64 = 1;
/// A kind that no version gives a meaning to in these tests.
pub const UNKNOWN: u16 = 999;

/// Where the fixtures lie.
#[must_use]
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// Where the keys of the golden ledgers come from: the master key is that of every test ledger, and
/// signing keys lie in this directory.
#[must_use]
pub fn keys_in(dir: &Path) -> MasterEnv {
    MasterEnv { key_dir: Some(dir.to_path_buf()), ..stand::master() }
}

/// The files of both ledgers and what they answer, by their path below the fixtures of this format.
#[must_use]
pub fn build() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let lived = lived();
    for (path, bytes) in lived.snapshot() {
        if path.as_str() != "lock" && !path.as_str().starts_with("views") {
            files.insert(format!("lived/{path}"), bytes);
        }
    }
    let ledger = Ledger::open_archive(Path::new("golden"), copies::options(&lived)).unwrap();
    files.insert("lived.answers".into(), answers(&ledger, true).into_bytes());
    files.insert("lived.records".into(), records(&ledger).into_bytes());
    let (key, _) = ledger_store::MasterKey::load(&stand::master(), &ledger.id()).unwrap().unwrap();
    let key: String = key.bytes().iter().map(|byte| format!("{byte:02x}")).collect();
    files.insert("master.key".into(), format!("{key}\n").into_bytes());
    let dir = crate::place::fast_dir();
    let history = kinds();
    stored::write(&dir.path().join("kinds"), &history, &mut Rng::new(SEED));
    for path in crate::place::files(&dir.path().join("kinds")) {
        let name = path.strip_prefix(dir.path()).unwrap().to_str().unwrap().to_owned();
        if !name.ends_with("lock") {
            files.insert(name, fs::read(path).unwrap());
        }
    }
    files.insert("kinds.ledger".into(), format!("{}\n", history.ledger).into_bytes());
    files.insert("kinds.records".into(), kinds_lines(&history).into_bytes());
    files
}

/// One line for each record of the bare log: number, kind, hash.
#[must_use]
pub fn kinds_lines(history: &History) -> String {
    let mut text = String::new();
    for entry in &history.entries {
        let event = &entry.sequenced;
        let _ = writeln!(text, "{} {} {}", event.seq(), event.header.kind, event.hash);
    }
    text
}

/// One line for each record: number, kind, hash.
#[must_use]
pub fn records(ledger: &Ledger) -> String {
    let mut text = String::new();
    for record in ledger.records(Seq(0), false) {
        let record = record.unwrap();
        let _ = writeln!(text, "{} {} {}", record.seq, record.kind, record.hash);
    }
    text
}

/// What a ledger knew after each record: one line for each memory.
#[must_use]
pub fn answers(ledger: &Ledger, from_archive: bool) -> String {
    let mut text = String::new();
    for (seq, items) in small::answers(ledger, from_archive).unwrap().iter().enumerate() {
        let _ = writeln!(text, "#{seq}");
        // In which order a version lists them is no part of the format.
        let mut items: Vec<&Item> = items.iter().collect();
        items.sort_by_key(|item| item.seq);
        items.into_iter().for_each(|item| text.push_str(&line(item)));
    }
    text
}

/// Words of the answer that a later version must give too; fields that it adds change nothing.
fn line(item: &Item) -> String {
    format!(
        "  m{} {:?} v{} {:?} {:?} {:?} {} {:?} {:?} claimed {:?}\n",
        item.seq,
        item.status,
        item.version,
        item.layer,
        item.trust,
        item.source_kind,
        item.scope,
        item.source,
        item.text,
        item.claimed_at.map(|at| at.0),
    )
}

/// A history with a record of every kind, of unknown kinds, and of one that is critical.
#[must_use]
pub fn kinds() -> History {
    let mut verbs: Vec<Verb> = Kind::ALL.iter().map(|(kind, ..)| Verb::Known(*kind)).collect();
    verbs.push(Verb::Unknown);
    let mut rng = Rng::new(SEED);
    let mut ops: Vec<Op> = Vec::new();
    // Some steps need what others make, so all are gone through twice, with a few memories before.
    ops.extend((0..4).map(|n| workload::op(Kind::Write, [1, n, 0])));
    // What an approval is about.
    ops.push(workload::op(Kind::Write, [1, 4, 0, 0, 0, 0, 0, 0, 64]));
    for _ in 0..2 {
        ops.extend(
            verbs.iter().map(|verb| workload::op(*verb, [1, rng.byte(), 1, 1, 2, 1, 2, 1, 1, 1])),
        );
    }
    ops.push(workload::op(Verb::UnknownCritical, [1]));
    ops.push(workload::op(Kind::Write, [1, 9, 0]));
    workload::build(&ops)
}

/// The kinds in a history.
#[must_use]
pub fn kinds_of(history: &History) -> BTreeSet<u16> {
    history.entries.iter().map(|entry| entry.sequenced.header.kind).collect()
}

fn lived() -> MemStorage {
    let keys = crate::place::fast_dir();
    let mut stand = Stand::new(SEED, Micros(time::BASE), honest());
    let opening = |stand: &mut Stand| -> OpenOptions {
        let options = stand.options();
        OpenOptions { master: keys_in(keys.path()), ..options }
    };
    let OpenOptions { clock, chance, store, master, machine, .. } = opening(&mut stand);
    let init = InitOptions {
        origin: Some("golden.example".into()),
        signing_key: true,
        clock,
        chance,
        store,
        master,
        machine,
        ..InitOptions::default()
    };
    let ledger = Ledger::init(Path::new("golden"), init).unwrap().ledger;
    let secret = first_life(&ledger, &stand);
    ledger.checkpoint().unwrap();
    ledger.close().unwrap();
    let ledger = Ledger::open(Path::new("golden"), opening(&mut stand)).unwrap();
    ledger.rotate_signing_key().unwrap();
    stand.clock.set(Micros(time::BASE + 9 * DAY));
    small::write(&ledger, &"A long text that is compressed. ".repeat(40), None);
    ledger.checkpoint().unwrap();
    ledger.close().unwrap();
    unknown_record(&stand.disk, ledger_id(&stand.disk));
    let erasing = Erasing::of(&stand.disk, secret);
    let intent = erasing.intend(&stand.disk);
    erasing.destroy_keys(&stand.disk);
    erasing.destroy_bytes(&stand.disk);
    erasing.note(&stand.disk, intent);
    restored(&stand, &mut |stand| opening(stand))
}

/// Everything that a caller can record. Returns the record whose words are erased later.
fn first_life(ledger: &Ledger, stand: &Stand) -> Seq {
    let scope: Scope = "org/acme".parse().unwrap();
    let fact = Content::Fact {
        subject: "web shop".into(),
        predicate: "uses".into(),
        object: "npm".into(),
    };
    let mut proposal = Proposal::new(fact, scope.clone());
    proposal.source = Some("file:README.md#12".parse().unwrap());
    proposal.subjects = vec!["user u1".into()];
    proposal.tags = vec!["build".into()];
    proposal.valid_from = Some(Micros(time::BASE - 30 * DAY));
    proposal.key = Some("package-manager".into());
    let npm = small::submit(ledger, Command::Write(Box::new(proposal))).unwrap();
    let fare = small::write(ledger, "Refund within 90 days", None);
    let secret = small::write(ledger, "Words that are erased", None);
    stand.clock.set(Micros(time::BASE + DAY));
    let claimed = Proposal::new(Content::Text("Refund within 30 days".into()), scope.clone());
    let terms = Terms {
        claimed_at: Some(Micros(time::BASE - 400 * DAY)),
        idempotency_key: Some("row 7".into()),
        ..Terms::default()
    };
    let imported = Submission::of(Command::Write(Box::new(claimed)), terms);
    let early = ledger.submit(imported).unwrap()[0].id.unwrap();
    let pnpm = small::write(ledger, "Install with pnpm, not npm", Some(npm));
    let reason = || Some("because it was so".to_owned());
    let close = |memory, kind| Command::Close {
        memory,
        kind,
        from: None,
        until: None,
        replaced_by: None,
        reason: reason(),
    };
    small::submit(ledger, close(fare, CloseKind::Changed));
    stand.clock.set(Micros(time::BASE + 2 * DAY));
    every_change(ledger, [fare, pnpm, early]);
    let answers = small::answers(ledger, true).unwrap();
    answers.last().unwrap().iter().find(|item| item.id == secret).unwrap().seq
}

/// Everything that can become of a memory.
fn every_change(ledger: &Ledger, [fare, pnpm, early]: [MemoryId; 3]) {
    let (from, until, reason) = (None, None, Some("because it was so".to_owned()));
    let changes = [
        Command::Reopen { memory: fare, from, until, reason: reason.clone() },
        Command::Confirm { memories: vec![pnpm], ttl_until: None, reason: reason.clone() },
        Command::Use { memories: vec![pnpm], reason: reason.clone() },
        Command::PushDown { memory: pnpm, query: None, evidence: None, reason: reason.clone() },
        Command::Lift { memory: pnpm, reason: reason.clone() },
        Command::Pin { memory: pnpm, set: true },
        Command::Pin { memory: pnpm, set: false },
        Command::Rank {
            memory: pnpm,
            trust: Some(Trust::Verified),
            layer: None,
            up: true,
            reason: reason.clone(),
        },
        Command::Rank {
            memory: pnpm,
            trust: Some(Trust::Draft),
            layer: None,
            up: false,
            reason: reason.clone(),
        },
        Command::Forget { memories: vec![early], subject: None, reason: reason.clone() },
    ];
    for change in changes {
        small::submit(ledger, change);
    }
    let mut both = vec![fare, pnpm];
    both.sort_unstable();
    let contest = Command::Contest { memories: both, reason: reason.clone() };
    let contest = ledger.submit(Submission::of(contest, Terms::default())).unwrap()[0].seq;
    small::submit(ledger, Command::Resolve { contest, kept: vec![pnpm], reason });
}

fn ledger_id(disk: &MemStorage) -> LedgerId {
    LedgerConfig::read(disk).unwrap().ledger
}

/// A record of a kind of the future, which changes no state.
fn unknown_record(disk: &MemStorage, ledger: LedgerId) {
    let storage: Arc<dyn Storage> = Arc::new(disk.clone());
    let (mut appender, recovery) = Appender::open(storage, ledger, stand::small()).unwrap();
    let at = appender.head().unwrap().recorded_at;
    let mut header = RecordHeader::new(Kind::Epoch, Seq(0), RecordHash::ZERO, at);
    header.clock = ClockFlags::default();
    header.kind = UNKNOWN;
    header.critical = false;
    let body = b"what a later version says".to_vec();
    let unknown = NewRecord { header, body, payloads: Vec::new(), extensions: Vec::new() };
    let mut batch = appender.begin();
    batch.push(erasing::epoch(recovery.next_epoch, at)).unwrap();
    batch.push(unknown).unwrap();
    appender.commit(batch).unwrap();
    appender.close().unwrap();
}

/// The same ledger after a backup and a restore, and one more write.
fn restored(stand: &Stand, opening: &mut dyn FnMut(&mut Stand) -> OpenOptions) -> MemStorage {
    let (backup, target) = (MemStorage::new(), MemStorage::new());
    copies::back_up(&stand.disk, &backup).unwrap();
    let mut other = Stand::on(target.clone(), SEED + 1, Micros(time::BASE + 10 * DAY), honest());
    let options = opening(&mut other);
    let backup_machine: Machine = copies::machine(&backup);
    let request = memledger::backup::RestoreRequest {
        backup: Path::new("backup"),
        backup_machine: &backup_machine,
        dir: Path::new("golden"),
        reason: "to be golden",
    };
    Ledger::restore(request, &options, &|_, _, _| ()).unwrap();
    let ledger = Ledger::open(Path::new("golden"), opening(&mut other)).unwrap();
    small::write(&ledger, "Written after a restore", None);
    ledger.close().unwrap();
    target
}
