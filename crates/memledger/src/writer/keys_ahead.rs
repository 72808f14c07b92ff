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
    maker: Maker,
}

/// Who makes them.
enum Maker {
    /// Whoever says how many were used, at once.
    Caller,
    /// A thread, to which wishes are sent.
    Thread { wishes: Option<SyncSender<u64>>, thread: Option<JoinHandle<()>> },
}

impl KeysAhead {
    /// With `in_turns` there is no thread: slots are made before [`KeysAhead::used`] returns.
    pub(crate) fn start(keys: Arc<KeyStore>, in_turns: bool) -> Result<Self> {
        if in_turns {
            return Ok(Self { keys, most: 0, maker: Maker::Caller });
        }
        // One wish beside the one that is carried out: more would ask for the same slots again.
        let (wishes, waiting) = sync_channel::<u64>(1);
        let store = Arc::clone(&keys);
        let thread = std::thread::Builder::new()
            .name("memledger-keys".into())
            .spawn(move || {
                while let Ok(wanted) = waiting.recv() {
                    make(&store, wanted);
                }
            })
            .map_err(|error| {
                Error::new(ErrorKind::Unavailable, format!("no thread for keys: {error}"))
            })?;
        let maker = Maker::Thread { wishes: Some(wishes), thread: Some(thread) };
        Ok(Self { keys, most: 0, maker })
    }

    /// Says how many slots the last batch took, and has more made when few are left.
    pub(crate) fn used(&mut self, slots: u64) {
        self.most = self.most.max(slots);
        let wanted = LEAST.max(self.most.saturating_mul(BATCHES));
        if self.keys.available() >= wanted {
            return;
        }
        match &self.maker {
            Maker::Caller => make(&self.keys, wanted),
            // A full channel means that the same is under way.
            Maker::Thread { wishes: Some(wishes), .. } => {
                let _ = wishes.try_send(wanted);
            }
            Maker::Thread { .. } => {}
        }
    }
}

fn make(keys: &KeyStore, wanted: u64) {
    let ready = keys.available();
    if ready < wanted {
        let missing = wanted.saturating_mul(2).saturating_sub(ready);
        // No failure is lost: whoever needs a slot next meets it and is told.
        let _ = keys.allocate_ahead(missing.div_ceil(limits::PAGE_SLOTS as u64));
    }
}

impl Drop for KeysAhead {
    fn drop(&mut self) {
        let Maker::Thread { wishes, thread } = &mut self.maker else { return };
        *wishes = None;
        if let Some(thread) = thread.take() {
            // What it did not finish is made when it is needed.
            let _ = thread.join();
        }
    }
}
