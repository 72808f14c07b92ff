//! Owns writing the steps of an erasure by hand, one by one: the intent, the keys, the bytes, the note
//! that they are gone. The workflow that does them in order comes with the erasure feature.

use std::sync::Arc;

use ledger_format::event::duty::{EraseIntent, PayloadRange};
use ledger_format::event::ledger::Epoch;
use ledger_format::names::EpochReason;
use ledger_format::{
    Event, JobId, Kind, LedgerId, MemoryId, Micros, PayloadId, RecordHash, RecordView,
};
use ledger_format::{RecordHeader, Seq};
use ledger_store::storage::{MemStorage, Storage};
use ledger_store::{Appender, KeyStore, LedgerConfig, NewRecord, Reader};

use crate::stand;

/// One payload of a record: its number, where its bytes lie, and the bytes.
#[derive(Clone, Debug)]
pub struct Stored {
    pub id: PayloadId,
    pub file: u32,
    pub offset: u64,
    pub bytes: Vec<u8>,
}

/// A ledger in memory, closed, and the payloads that are to go.
#[derive(Clone, Debug)]
pub struct Erasing {
    pub ledger: LedgerId,
    pub memory: MemoryId,
    pub payloads: Vec<Stored>,
}

fn storage(disk: &MemStorage) -> Arc<dyn Storage> {
    Arc::new(disk.clone())
}

impl Erasing {
    /// The payloads of the record that wrote a memory.
    #[must_use]
    pub fn of(disk: &MemStorage, seq: Seq) -> Self {
        let ledger = LedgerConfig::read(disk).unwrap().ledger;
        let reader = Reader::open(storage(disk), ledger).unwrap();
        let record = reader.record(seq).unwrap();
        let mut offset = record.payload_offset;
        let mut payloads = Vec::new();
        let view = RecordView::decode(&record.bytes).unwrap();
        let Event::Write(write) = view.event().unwrap() else { panic!("record {seq} is no write") };
        for reference in &view.payloads {
            let (id, file) = (reference.id, record.payload_file);
            let bytes = reader.payload(file, offset, reference.length).unwrap();
            payloads.push(Stored { id, file, offset, bytes });
            offset += u64::from(reference.length);
        }
        Self { ledger, memory: write.memory, payloads }
    }

    /// Appends the intent, in an epoch of its own. Returns its record.
    #[must_use]
    pub fn intend(&self, disk: &MemStorage) -> Seq {
        let (mut appender, recovery) = self.hold(disk);
        let at = appender.head().unwrap().recorded_at;
        let ranges =
            self.payloads.iter().map(|gone| PayloadRange { first: gone.id, last: gone.id });
        let intent = EraseIntent {
            erasure: JobId([9; 16]),
            part: 0,
            parts: 1,
            subject: None,
            memories: vec![self.memory],
            aliases: Vec::new(),
            payloads: ranges.collect(),
        };
        let mut batch = appender.begin();
        batch.push(epoch(recovery.next_epoch, at)).unwrap();
        let (seq, _) =
            batch.push(record(Kind::EraseIntent, &Event::EraseIntent(intent), at)).unwrap();
        batch.set_last_erasure(seq);
        appender.commit(batch).unwrap();
        appender.close().unwrap();
        seq
    }

    /// Destroys the keys.
    pub fn destroy_keys(&self, disk: &MemStorage) {
        let keys = KeyStore::open(storage(disk), self.ledger, None).unwrap();
        let slots: Vec<PayloadId> = self.payloads.iter().map(|gone| gone.id).collect();
        keys.erase(&slots).unwrap();
    }

    /// Overwrites the bytes.
    pub fn destroy_bytes(&self, disk: &MemStorage) {
        let (mut appender, _) = self.hold(disk);
        for gone in &self.payloads {
            let length = u32::try_from(gone.bytes.len()).unwrap();
            appender.erase_payload(gone.file, gone.offset, length).unwrap();
        }
        appender.close().unwrap();
    }

    /// Notes in the key files that the intent was carried out.
    pub fn note(&self, disk: &MemStorage, intent: Seq) {
        let keys = KeyStore::open(storage(disk), self.ledger, None).unwrap();
        keys.set_erasures_through(intent).unwrap();
    }

    /// What is still there of it on a disk: `keys`, `bytes`, or nothing.
    #[must_use]
    pub fn left_on(&self, disk: &MemStorage) -> Vec<&'static str> {
        let keys = KeyStore::open(storage(disk), self.ledger, None).unwrap();
        let has_key = self.payloads.iter().any(|gone| keys.is_zero(gone.id).unwrap() != Some(true));
        let files = disk.snapshot();
        let holds = |gone: &Stored| {
            files.values().any(|file| file.windows(gone.bytes.len()).any(|part| part == gone.bytes))
        };
        let has_bytes = self.payloads.iter().any(holds);
        [(has_key, "keys"), (has_bytes, "bytes")]
            .into_iter()
            .filter_map(|(is_left, name)| is_left.then_some(name))
            .collect()
    }

    fn hold(&self, disk: &MemStorage) -> (Appender, ledger_store::Recovery) {
        Appender::open(storage(disk), self.ledger, stand::small()).unwrap()
    }
}

/// The record that a new holder begins with.
#[must_use]
pub fn epoch(number: u64, at: Micros) -> NewRecord {
    let epoch = Epoch {
        epoch: number,
        holder: JobId([3; 16]),
        reason: EpochReason::Opened,
        program: "a test".into(),
        dropped_bytes: 0,
    };
    record(Kind::Epoch, &Event::Epoch(epoch), at)
}

fn record(kind: Kind, event: &Event, at: Micros) -> NewRecord {
    let header = RecordHeader::new(kind, Seq(0), RecordHash::ZERO, at);
    let body = event.encode().unwrap();
    NewRecord { header, body, payloads: Vec::new(), extensions: Vec::new() }
}
