//! Tests of the key store, by what they threaten it with.

mod crash;
mod damage;
mod life;
mod rotation;

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::storage::{FsStorage, MemStorage};

pub(super) const LEDGER: LedgerId = LedgerId([0x1D; 16]);

/// Keys that differ, from one to the next and from call to call, and are the same in every run.
#[derive(Debug, Default)]
pub(super) struct Counted(AtomicU64);

impl Entropy for Counted {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        for key in bytes.chunks_mut(32) {
            let number = self.0.fetch_add(1, Ordering::Relaxed);
            let seed = ledger_format::hash::check(&number.to_le_bytes());
            for (to, from) in key.iter_mut().zip(seed.0.iter().cycle()) {
                *to = *from;
            }
        }
        Ok(())
    }
}

pub(super) fn master(byte: u8) -> MasterKey {
    MasterKey::from_bytes([byte; 32])
}

pub(super) fn create(storage: &MemStorage) -> KeyStore {
    let storage = Arc::new(storage.clone());
    KeyStore::create_with(storage, LEDGER, &master(1), Arc::new(Counted::default())).unwrap()
}

pub(super) fn open(storage: &MemStorage) -> Result<KeyStore, StoreError> {
    KeyStore::open(Arc::new(storage.clone()), LEDGER, Some(&master(1)))
}

/// Runs a test on both kinds of storage.
pub(super) fn on_both(test: impl Fn(Arc<dyn Storage>)) {
    test(Arc::new(MemStorage::new()));
    let dir = tempfile::tempdir().unwrap();
    test(Arc::new(FsStorage::open(dir.path()).unwrap()));
}

/// What every slot up to `count` holds.
pub(super) fn states(store: &KeyStore, count: u64) -> Vec<KeyState> {
    (0..count).map(|slot| store.key(PayloadId(slot)).unwrap()).collect()
}

pub(super) fn faults(store: &KeyStore) -> (KeyCheck, Vec<KeyFault>) {
    let mut faults = Vec::new();
    let seen = store.check(0..u64::MAX, &mut |fault| faults.push(fault)).unwrap();
    assert_eq!(seen.faults, faults.len() as u64);
    (seen, faults)
}
