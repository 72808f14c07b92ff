//! Owns the thread that makes key slots before anybody asks for them, beside the commits.
//!
//! Invariant: nothing depends on it: whoever finds no slot makes pages, pays for the flush, and is
//! told what is wrong. May not: hand out slots.

use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use ledger_format::limits;
use ledger_store::KeyStore;

use crate::error::{Error, ErrorKind, Result};

/// Slots that should be ready, in the smallest case.
const LEAST: u64 = 64;
/// Batches like the largest one so far that the slots that are ready last for.
const BATCHES: u64 = 4;

pub(crate) struct KeysAhead {
    keys: Arc<KeyStore>,
    /// Most slots that one batch took.
    most: u64,
    wishes: Option<SyncSender<u64>>,
    thread: Option<JoinHandle<()>>,
}

impl KeysAhead {
    pub(crate) fn start(keys: Arc<KeyStore>) -> Result<Self> {
        // One wish beside the one that is carried out: more would ask for the same slots again.
        let (wishes, waiting) = sync_channel::<u64>(1);
        let store = Arc::clone(&keys);
        let thread = std::thread::Builder::new()
            .name("memledger-keys".into())
            .spawn(move || {
                while let Ok(wanted) = waiting.recv() {
                    let ready = store.available();
                    if ready < wanted {
                        let missing = wanted.saturating_mul(2).saturating_sub(ready);
                        // No failure is lost: whoever needs a slot next meets it and is told.
                        let _ = store.allocate_ahead(missing.div_ceil(limits::PAGE_SLOTS as u64));
                    }
                }
            })
            .map_err(|error| {
                Error::new(ErrorKind::Unavailable, format!("no thread for keys: {error}"))
            })?;
        Ok(Self { keys, most: 0, wishes: Some(wishes), thread: Some(thread) })
    }

    /// Says how many slots the last batch took, and has more made when few are left.
    pub(crate) fn used(&mut self, slots: u64) {
        self.most = self.most.max(slots);
        let wanted = LEAST.max(self.most.saturating_mul(BATCHES));
        if self.keys.available() < wanted
            && let Some(wishes) = &self.wishes
        {
            // A full channel means that the same is under way.
            let _ = wishes.try_send(wanted);
        }
    }
}

impl Drop for KeysAhead {
    fn drop(&mut self) {
        self.wishes = None;
        if let Some(thread) = self.thread.take() {
            // What it did not finish is made when it is needed.
            let _ = thread.join();
        }
    }
}
