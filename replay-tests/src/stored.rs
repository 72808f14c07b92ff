//! Owns putting a history into a real log, as somebody would have who lived it, and reading it back.

use std::path::Path;
use std::sync::Arc;

use ledger_format::payload::Sealed;
use ledger_format::{LedgerId, RecordView};
use ledger_replay::Sequenced;
use ledger_store::storage::{FsStorage, Storage};
use ledger_store::{Appender, Check, NewRecord, Reader, StoreOptions};

use crate::rng::Rng;
use crate::workload::{Entry, History};

/// Writes a history into a new directory: in batches of a few records, by several holders one after
/// another. Payloads are bytes that nobody can open.
pub fn write(dir: &Path, history: &History, rng: &mut Rng) {
    let storage: Arc<dyn Storage> = Arc::new(FsStorage::create(dir).unwrap());
    let options = StoreOptions::sequential();
    let create = Appender::create(Arc::clone(&storage), history.ledger, 1, options.clone());
    let mut appender = create.unwrap();
    let mut rest = history.entries.as_slice();
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.len().min(1 + rng.index(9)));
        let mut batch = appender.begin();
        for entry in now {
            let (seq, hash) = batch.push(record(entry)).unwrap();
            assert_eq!((seq, hash), (entry.sequenced.seq(), entry.sequenced.hash));
        }
        appender.commit(batch).unwrap();
        rest = later;
        if rng.chance(1, 6) {
            appender.close().unwrap();
            let again = Appender::open(Arc::clone(&storage), history.ledger, options.clone());
            appender = again.unwrap().0;
        }
    }
    appender.close().unwrap();
}

fn record(entry: &Entry) -> NewRecord {
    let view = RecordView::decode(&entry.bytes).unwrap();
    let sealed = |reference: &ledger_format::PayloadRef| Sealed {
        stored: vec![0x5a; reference.length as usize],
        reference: reference.clone(),
    };
    NewRecord {
        header: view.header.clone(),
        body: view.body.to_vec(),
        payloads: view.payloads.iter().map(sealed).collect(),
        extensions: view.extensions.clone(),
    }
}

/// The events of a log, checked against its chain.
#[must_use]
pub fn read(dir: &Path, ledger: LedgerId) -> Vec<Sequenced> {
    let storage = Arc::new(FsStorage::open_read_only(dir).unwrap());
    let reader = Reader::open(storage, ledger).unwrap();
    let stored = reader.stream(ledger_format::Seq(0), Check::Chain);
    let events = stored.map(|stored| {
        let stored = stored.unwrap();
        Sequenced::from_bytes(&stored.bytes, stored.hash).unwrap()
    });
    events.collect()
}
