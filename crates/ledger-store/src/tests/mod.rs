//! Tests of the log as a whole: what appenders, recovery and readers promise each other.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod append;
mod crash;
mod damage;
mod faults;
mod openers;
mod points;
mod recovery;
mod untold;

use std::sync::Arc;

use ledger_format::payload::Sealed;
use ledger_format::{
    Kind, LedgerId, Micros, PayloadId, PayloadRef, RecordHash, RecordHeader, Role, SegmentNo, Seq,
    hash,
};

use crate::storage::{Fault, MemStorage, Storage, Survival, TraceEntry};
use crate::{
    Appender, Check, Head, NewRecord, Position, Reader, StoreError, StoreOptions, StoredRecord,
    layout,
};

const LEDGER: LedgerId = LedgerId([7; 16]);

/// Files so small that a few batches fill them.
fn small() -> StoreOptions {
    StoreOptions {
        segment_bytes: 4096 + 3000,
        payload_file_bytes: 900,
        fill_first: 512,
        fill_most: 2048,
        ..StoreOptions::sequential()
    }
}

/// A record with payloads of these lengths. `tag` makes its bytes its own.
fn record(tag: u64, payloads: &[usize]) -> NewRecord {
    let at = Micros(i64::try_from(tag).unwrap());
    let sealed = payloads.iter().enumerate().map(|(place, length)| {
        let byte = u8::try_from((tag + place as u64) % 251).unwrap() + 1;
        let stored = vec![byte; *length];
        let reference = PayloadRef {
            id: PayloadId(tag * 8 + place as u64),
            role: Role::Text,
            suite: 1,
            commitment: [byte; 32],
            digest: hash::ciphertext(&stored),
            length: u32::try_from(*length).unwrap(),
        };
        Sealed { reference, stored }
    });
    NewRecord {
        header: RecordHeader::new(Kind::Pin, Seq(0), RecordHash::ZERO, at),
        body: tag.to_le_bytes().repeat(4),
        payloads: sealed.collect(),
        extensions: Vec::new(),
    }
}

/// A batch of records that goes on where the log ends: two, the first with two payloads.
fn commit(appender: &mut Appender) -> Result<Head, StoreError> {
    let mut batch = appender.begin();
    let tag = batch.next_seq().0;
    batch.push(record(tag, &[70, 33]))?;
    batch.push(record(tag + 1, &[]))?;
    appender.commit(batch)
}

fn shared(storage: &MemStorage) -> Arc<dyn Storage> {
    Arc::new(storage.clone())
}

/// A log with batches in one segment: `anchored` of them, and `more` above the anchor. The holder
/// is gone without closing.
fn log_of(anchored: usize, more: usize) -> (MemStorage, Vec<Position>) {
    let storage = MemStorage::new();
    let options = StoreOptions { fill_first: 512, ..StoreOptions::sequential() };
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, options).unwrap();
    let mut positions = Vec::new();
    for number in 0..anchored + more {
        commit(&mut appender).unwrap();
        positions.push(appender.position().unwrap());
        if number + 1 == anchored {
            appender.maintain(0, true).unwrap();
        }
    }
    drop(appender);
    (storage.crash(Survival::Everything), positions)
}

fn copy(storage: &MemStorage) -> MemStorage {
    storage.crash(Survival::Everything)
}

fn open(storage: &MemStorage) -> Result<(Appender, crate::Recovery), StoreError> {
    Appender::open(shared(storage), LEDGER, small())
}

/// Opens after a crash. A write of an anchor that was cut inside its sector, which the medium
/// excludes and the model does not, leaves a copy that has to be repaired first.
fn open_after(storage: &MemStorage, cut: Option<&TraceEntry>) -> Result<Appender, StoreError> {
    match open(storage) {
        Err(StoreError::AnchorDamaged { file, .. })
            if cut.is_some_and(|entry| entry.path == file && entry.len == 512) =>
        {
            crate::repair_anchor(storage, LEDGER)?;
            Ok(open(storage)?.0)
        }
        opened => Ok(opened?.0),
    }
}

/// The operation that was cut in the middle, if the fault cuts at all.
fn cut_by(storage: &MemStorage, op: u64, fault: Fault) -> Option<TraceEntry> {
    let cuts = matches!(fault, Fault::StopInside { .. } | Fault::Short { .. });
    storage.trace().into_iter().find(|entry| cuts && entry.index == op)
}

fn records(reader: &Reader) -> Result<Vec<StoredRecord>, StoreError> {
    reader.stream(Seq(0), Check::Chain).collect()
}

fn first_segment() -> crate::storage::RelPath {
    layout::segment(SegmentNo(0))
}
