//! Tests of the check, on small whole ledgers that are then damaged.

mod crash;
mod flips;
mod heads;
mod meaning;
mod partly;
mod whole;

use std::collections::BTreeSet;

use ledger_format::event::ledger::{Genesis, Limits};
use ledger_format::payload::{Sealed, seal};
use ledger_format::{Event, Kind, Micros, RecordHash, RecordHeader, Role, Seq};

use super::*;
use crate::keys::Entropy;
use crate::storage::{FsStorage, MemStorage, RelPath};
use crate::{Appender, LedgerConfig, MasterKey, NewRecord, StoreError, StoreOptions};

pub(crate) const LEDGER: LedgerId = LedgerId([0x5E; 16]);

/// A ledger at rest and what a caller knows about it.
pub(crate) struct Made {
    pub(crate) storage: Arc<dyn Storage>,
    pub(crate) erased: BTreeSet<PayloadId>,
    /// Where each payload lies: number, file, offset, length.
    payloads: Vec<(PayloadId, u32, u64, u32)>,
    /// The durable head at its end.
    pub(crate) head: Position,
}

/// The same keys in every run, each another one.
#[derive(Debug, Default)]
struct Counted(std::sync::atomic::AtomicU64);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        for key in bytes.chunks_mut(32) {
            let number = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let seed = ledger_format::hash::check(&number.to_le_bytes());
            for (to, from) in key.iter_mut().zip(seed.0.iter().cycle()) {
                *to = *from;
            }
        }
        Ok(())
    }
}

fn master() -> MasterKey {
    MasterKey::from_bytes([3; 32])
}

fn options() -> StoreOptions {
    StoreOptions {
        segment_bytes: 4_096 + 2_600,
        payload_file_bytes: 64 + 900,
        fill_first: 128,
        fill_most: 256,
        ..StoreOptions::sequential()
    }
}

fn genesis() -> Genesis {
    Genesis {
        ledger: LEDGER,
        created_at: Micros(1),
        origin: "example.org/a".into(),
        zone: "UTC".into(),
        hash_suite: 1,
        payload_suite: 1,
        clock: 2,
        pepper: PayloadId(0),
        limits: Limits::V1,
    }
}

/// Text that does not compress well.
fn noise(length: usize) -> String {
    let digests = (0u64..).flat_map(|at| ledger_format::hash::check(&at.to_le_bytes()).0);
    digests.map(|byte| char::from(b'0' + byte % 64)).take(length).collect()
}

fn plain(kind: Kind, body: Vec<u8>, payloads: Vec<Sealed>) -> NewRecord {
    let header = RecordHeader::new(kind, Seq(0), RecordHash::ZERO, Micros(7));
    NewRecord { header, body, payloads, extensions: Vec::new() }
}

fn open_keys(storage: &Arc<dyn Storage>) -> KeyStore {
    KeyStore::open_with(Arc::clone(storage), LEDGER, Some(&master()), Arc::new(Counted::default()))
        .unwrap()
}

/// The writer of a test ledger.
struct Holder {
    storage: Arc<dyn Storage>,
    appender: Appender,
    keys: KeyStore,
    payloads: Vec<(PayloadId, u32, u64, u32)>,
    erased: BTreeSet<PayloadId>,
}

impl Holder {
    fn create(storage: Arc<dyn Storage>) -> Self {
        Self::create_with(storage, options())
    }

    fn create_with(storage: Arc<dyn Storage>, options: StoreOptions) -> Self {
        let entropy = Arc::new(Counted::default());
        let keys = KeyStore::create_with(Arc::clone(&storage), LEDGER, &master(), entropy).unwrap();
        let appender = Appender::create(Arc::clone(&storage), LEDGER, 1, options).unwrap();
        LedgerConfig::from_genesis(&genesis()).unwrap().write(&*storage).unwrap();
        let (payloads, erased) = (Vec::new(), BTreeSet::new());
        let mut holder = Self { storage, appender, keys, payloads, erased };
        let body = Event::Genesis(genesis()).encode().unwrap();
        let mut batch = holder.appender.begin();
        batch.push(plain(Kind::Genesis, body, Vec::new())).unwrap();
        batch.set_next_payload(PayloadId(1));
        holder.appender.commit(batch).unwrap();
        holder
    }

    /// Another holder of the same ledger.
    fn reopen(made: Made) -> Self {
        let Made { storage, erased, payloads, .. } = made;
        let (appender, recovery) = Appender::open(Arc::clone(&storage), LEDGER, options()).unwrap();
        let keys = open_keys(&storage);
        keys.reset_unreferenced(recovery.head.unwrap().next_payload).unwrap();
        Self { storage, appender, keys, payloads, erased }
    }

    /// Commits a batch of two records: one with these texts, one without payloads.
    fn write(&mut self, texts: &[&str]) -> Result<(), StoreError> {
        let mut sealed = Vec::new();
        for ((id, key), text) in self.keys.reserve(texts.len())?.iter().zip(texts) {
            let nonce = [u8::try_from(id.0).unwrap(); 24];
            sealed.push(seal(&LEDGER, *id, Role::Text, text.as_bytes(), key, &nonce).unwrap());
        }
        let lengths: Vec<_> =
            sealed.iter().map(|one| (one.reference.id, one.reference.length)).collect();
        let mut batch = self.appender.begin();
        batch.push(plain(Kind::Pin, vec![1; 16], sealed))?;
        batch.push(plain(Kind::Unpin, vec![2; 16], Vec::new()))?;
        self.appender.commit(batch)?;
        let position = self.appender.position().unwrap();
        let total: u64 = lengths.iter().map(|(_, length)| u64::from(*length)).sum();
        let mut at = position.payload_end - total;
        for (id, length) in lengths {
            self.payloads.push((id, position.payload_file, at, length));
            at += u64::from(length);
        }
        Ok(())
    }

    /// Records that a payload is to be erased.
    fn intend(&mut self, id: PayloadId) -> Result<Seq, StoreError> {
        let mut batch = self.appender.begin();
        let seq = batch.next_seq();
        batch.push(plain(Kind::Forget, vec![3; 8], Vec::new()))?;
        batch.set_last_erasure(seq);
        self.appender.commit(batch)?;
        self.erased.insert(id);
        Ok(seq)
    }

    fn erase(&mut self, id: PayloadId) -> Result<(), StoreError> {
        let seq = self.intend(id)?;
        self.keys.erase(&[id])?;
        let (_, file, offset, length) = *self.payloads.iter().find(|one| one.0 == id).unwrap();
        self.appender.erase_payload(file, offset, length)?;
        self.keys.set_erasures_through(seq)
    }

    fn close(self) -> Made {
        let head = self.appender.position().unwrap();
        self.appender.close().unwrap();
        let Self { storage, payloads, erased, .. } = self;
        Made { storage, erased, payloads, head }
    }

    /// Ends without closing.
    fn leave(self) -> Made {
        let head = self.appender.position().unwrap();
        let Self { storage, payloads, erased, .. } = self;
        Made { storage, erased, payloads, head }
    }
}

/// Two holders, three segments, two payload files, one erased payload.
fn made(storage: Arc<dyn Storage>) -> Made {
    let mut holder = Holder::create(storage);
    holder.write(&["the first words", "and a second text beside them"]).unwrap();
    holder.write(&["more words"]).unwrap();
    holder.write(&["text that will be erased", "text that stays"]).unwrap();
    holder.erase(PayloadId(4)).unwrap();
    let mut holder = Holder::reopen(holder.close());
    holder.write(&[&noise(900)]).unwrap();
    holder.write(&["the end"]).unwrap();
    holder.close()
}

pub(crate) fn made_in_memory() -> (MemStorage, Made) {
    let storage = MemStorage::new();
    let made = made(Arc::new(storage.clone()));
    (storage, made)
}

fn check_with(made: &Made, keys: Option<&KeyStore>, options: VerifyOptions) -> VerifyReport {
    let erased = |id: PayloadId| made.erased.contains(&id);
    verify(&made.storage, LEDGER, keys, options, &erased, &|_| {})
}

fn at_level(level: VerifyLevel) -> VerifyOptions<'static> {
    VerifyOptions { level, ..VerifyOptions::default() }
}

/// Everything, with the master key, where the key files open.
fn check(made: &Made) -> VerifyReport {
    let keys = KeyStore::open(Arc::clone(&made.storage), LEDGER, Some(&master()));
    check_with(made, keys.as_ref().ok(), at_level(VerifyLevel::Content))
}

fn damage(report: &VerifyReport) -> Vec<&Finding> {
    report.findings.iter().filter(|finding| finding.severity == Severity::Damage).collect()
}

fn text(report: &VerifyReport) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    for claim in &report.claims {
        let _ = writeln!(text, "{claim:?}");
    }
    for finding in &report.findings {
        let _ = writeln!(text, "{:?} {}: {finding}", finding.severity, finding.claim);
    }
    text
}

/// Runs a test on both kinds of storage.
fn on_both(test: impl Fn(Arc<dyn Storage>)) {
    test(Arc::new(MemStorage::new()));
    let dir = tempfile::tempdir().unwrap();
    test(Arc::new(FsStorage::open(dir.path()).unwrap()));
}

pub(crate) fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

/// A ledger whose holder ended without closing it.
pub(crate) fn left_open() -> (MemStorage, Made) {
    let storage = MemStorage::new();
    let mut holder = Holder::create(Arc::new(storage.clone()));
    holder.write(&["one"]).unwrap();
    (storage, holder.leave())
}
