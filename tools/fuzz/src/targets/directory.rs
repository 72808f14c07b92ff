//! Owns the target of whole directories: a small log whose files were changed in any way, and the
//! rule for what may come of it: a report, and never another record.

use std::sync::{Arc, OnceLock};

use ledger_format::payload::Sealed;
use ledger_format::{
    Kind, LedgerId, Micros, PayloadId, PayloadRef, RecordHash, RecordHeader, Role, Seq, hash,
};
use ledger_store::storage::{MemStorage, RelPath, Storage, Survival};
use ledger_store::verify::{VerifyLevel, VerifyOptions, verify};
use ledger_store::{Appender, Check, NewRecord, Reader, StoreOptions, StoredRecord};

const LEDGER: LedgerId = LedgerId([7; 16]);
const BATCHES: u64 = 12;
/// Batches that the anchor covers.
const ANCHORED: u64 = 9;
/// A change that grows a file beyond this is not made: the model would take the memory.
const LONGEST: usize = 1 << 20;

struct Base {
    storage: MemStorage,
    files: Vec<RelPath>,
    records: Vec<StoredRecord>,
}

/// Changes of eight bytes and more: which file, what is done, offset, count, and bytes.
pub(super) fn edits(bytes: &[u8]) {
    let base = base();
    let storage = base.storage.crash(Survival::Everything);
    let mut rest = bytes;
    let mut anchors_touched = false;
    while let Some((head, after)) = rest.split_first_chunk::<6>() {
        let count = usize::from(head[5]).min(after.len());
        let (data, after) = after.split_at(count);
        let file = &base.files[usize::from(head[0]) % base.files.len()];
        anchors_touched |= file.as_str().starts_with("anchor");
        let offset = u32::from_le_bytes([head[2], head[3], head[4], 0]) as usize;
        edit(&storage, base, file, head[1], offset, data);
        rest = after;
    }
    let whole = storage.snapshot() == base.storage.snapshot();
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    let found = look(&shared, whole);
    is_prefix(&found, base, "reading");
    if let Ok((appender, _)) =
        Appender::open(Arc::clone(&shared), LEDGER, StoreOptions::sequential())
    {
        is_prefix(&stream(&appender.reader()), base, "holding");
        let head = appender.head().map_or(0, |head| head.seq.0 + 1);
        assert!(
            anchors_touched || head >= 2 * ANCHORED,
            "a holder goes on after {head} records of {} that were anchored",
            2 * ANCHORED
        );
    }
}

/// The whole check gives a verdict; the reader gives records.
fn look(shared: &Arc<dyn Storage>, whole: bool) -> Vec<StoredRecord> {
    let options = VerifyOptions { level: VerifyLevel::Payloads, ..VerifyOptions::default() };
    let report = verify(shared, LEDGER, None, options, &|_| false, &|_| ());
    assert!(!format!("{report:?}").is_empty());
    let found = Reader::open(Arc::clone(shared), LEDGER).map(|reader| stream(&reader));
    if whole {
        assert_eq!(found.as_ref().map(Vec::len).ok(), Some(2 * ANCHORED as usize));
    }
    found.unwrap_or_default()
}

/// Records up to the first that cannot be read.
fn stream(reader: &Reader) -> Vec<StoredRecord> {
    reader.stream(Seq(0), Check::Chain).map_while(Result::ok).collect()
}

fn is_prefix(found: &[StoredRecord], base: &Base, how: &str) {
    assert!(base.records.starts_with(found), "{how} gives a record that was never written");
}

fn edit(storage: &MemStorage, base: &Base, file: &RelPath, what: u8, offset: usize, data: &[u8]) {
    let other = &base.files[usize::from(what / 8) % base.files.len()];
    let foreign = storage.contents(other).unwrap_or_default();
    let change = |bytes: &mut Vec<u8>| {
        let at = offset % (bytes.len() + 1);
        match what % 8 {
            0 => {
                let end = (at + data.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&data[..end - at]);
            }
            1 => bytes.truncate(at),
            2 => drop(bytes.splice(at..at, data.iter().copied())),
            3 => {
                let end = (at + data.len()).min(bytes.len());
                bytes[at..end].fill(0);
            }
            4 => bytes.extend_from_slice(data),
            5 => *bytes = foreign,
            6 => {
                let end = (at + foreign.len()).min(bytes.len());
                bytes[at..end].copy_from_slice(&foreign[..end - at]);
            }
            _ => bytes.resize((bytes.len() + offset % 8_192).min(LONGEST), 0),
        }
        bytes.truncate(LONGEST);
    };
    if what == 255 {
        // It may be gone already.
        let _ = storage.remove_file(file);
    } else {
        let _ = storage.edit(file, change);
    }
}

fn base() -> &'static Base {
    static BASE: OnceLock<Base> = OnceLock::new();
    BASE.get_or_init(|| {
        let storage = MemStorage::new();
        let records = live(&storage).unwrap();
        let storage = storage.crash(Survival::Everything);
        let files = storage.snapshot().into_keys().collect();
        Base { storage, files, records }
    })
}

/// Some segments, an anchor, and batches above it. The holder does not close.
fn live(storage: &MemStorage) -> Result<Vec<StoredRecord>, ledger_store::StoreError> {
    let options = StoreOptions {
        segment_bytes: 4096 + 2000,
        payload_file_bytes: 900,
        fill_first: 512,
        fill_most: 2048,
        ..StoreOptions::sequential()
    };
    let shared: Arc<dyn Storage> = Arc::new(storage.clone());
    let mut appender = Appender::create(shared, LEDGER, 1, options)?;
    for number in 0..BATCHES {
        let mut batch = appender.begin();
        batch.push(record(2 * number, 40))?;
        batch.push(record(2 * number + 1, 0))?;
        appender.commit(batch)?;
        if number + 1 == ANCHORED {
            appender.maintain(0, true)?;
        }
    }
    appender.reader().stream(Seq(0), Check::Chain).collect()
}

fn record(tag: u64, payload: usize) -> NewRecord {
    let byte = u8::try_from(tag).unwrap() + 1;
    let stored = vec![byte; payload];
    let reference = PayloadRef {
        id: PayloadId(tag),
        role: Role::Text,
        suite: 1,
        commitment: [byte; 32],
        digest: hash::ciphertext(&stored),
        length: u32::try_from(payload).unwrap(),
    };
    let at = Micros(i64::try_from(tag).unwrap());
    let payloads = if payload == 0 { Vec::new() } else { vec![Sealed { reference, stored }] };
    NewRecord {
        header: RecordHeader::new(Kind::Pin, Seq(0), RecordHash::ZERO, at),
        body: tag.to_le_bytes().repeat(2),
        payloads,
        extensions: Vec::new(),
    }
}
