//! Owns sled: the only module that names it.
//!
//! sled can panic where others return an error, so every call is made under a guard, and whatever
//! goes wrong becomes a doubt. After a doubt the database is let go on a thread of its own, because
//! closing it may hang or panic too. May not: be read to make truth of.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Broken, ViewError};
use crate::guard::panic_words;
use crate::source::{Go, Source};

/// One sled tree.
#[derive(Debug)]
pub(crate) struct Table {
    /// Empty only while it is let go.
    db: Option<sled::Db>,
    read: AtomicU64,
    doubted: AtomicBool,
}

/// Why a database does not open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotOpened {
    InUse,
    Failed(String),
}

impl Table {
    /// Opens or creates a database. May panic: call it under a guard of its own.
    pub(crate) fn open(path: &Path, cache_bytes: u64) -> Result<Self, NotOpened> {
        let config = sled::Config::new()
            .path(path)
            .cache_capacity(cache_bytes)
            .flush_every_ms(None)
            .use_compression(false)
            .mode(sled::Mode::LowSpace);
        let db = config.open().map_err(|error| {
            let words = error.to_string();
            // sled has no kind of error for it.
            if words.contains("acquire lock") { NotOpened::InUse } else { NotOpened::Failed(words) }
        })?;
        Ok(Self { db: Some(db), read: AtomicU64::new(0), doubted: AtomicBool::new(false) })
    }

    /// Stores rows all at once, or none.
    pub(crate) fn store(&self, rows: BTreeMap<Vec<u8>, Vec<u8>>) -> Result<(), ViewError> {
        let doing = "storing rows";
        self.guarded(doing, |db| {
            let mut batch = sled::Batch::default();
            rows.into_iter().for_each(|(key, value)| batch.insert(key, value));
            db.apply_batch(batch).map_err(|error| ViewError::doubt(doing, error))
        })
    }

    /// Stores rows one by one: faster, and enough where nobody relies on them before the end.
    pub(crate) fn load(&self, rows: BTreeMap<Vec<u8>, Vec<u8>>) -> Result<(), ViewError> {
        let doing = "loading rows";
        self.guarded(doing, |db| {
            for (key, value) in rows {
                db.insert(key, value).map_err(|error| ViewError::doubt(doing, error))?;
            }
            Ok(())
        })
    }

    /// Hands everything to the system. After a power cut less may be there: the digest tells.
    pub(crate) fn flush(&self) -> Result<(), ViewError> {
        let doing = "flushing rows";
        self.guarded(doing, |db| {
            db.flush().map(|_| ()).map_err(|error| ViewError::doubt(doing, error))
        })
    }

    /// Bytes of the database files.
    pub(crate) fn bytes_on_disk(&self) -> Result<u64, ViewError> {
        let doing = "measuring";
        self.guarded(doing, |db| {
            db.size_on_disk().map_err(|error| ViewError::doubt(doing, error))
        })
    }

    /// How many rows were read since it was opened.
    pub(crate) fn rows_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Whether something went wrong.
    pub(crate) fn is_doubted(&self) -> bool {
        self.doubted.load(Ordering::Acquire)
    }

    fn guarded<T>(
        &self,
        doing: &'static str,
        call: impl FnOnce(&sled::Db) -> Result<T, ViewError>,
    ) -> Result<T, ViewError> {
        let Some(db) = &self.db else {
            return Err(ViewError::doubt(doing, "the views are closed"));
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| call(db)))
            .unwrap_or_else(|panic| Err(ViewError::doubt(doing, panic_words(panic.as_ref()))));
        if matches!(outcome, Err(ViewError::Doubt { .. })) {
            self.doubted.store(true, Ordering::Release);
        }
        outcome
    }

    fn count(&self) {
        self.read.fetch_add(1, Ordering::Relaxed);
    }
}

impl Source for Table {
    fn get<T>(
        &self,
        key: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        let doing = "reading a row";
        self.guarded(doing, |db| {
            self.count();
            let value = db.get(key).map_err(|error| ViewError::doubt(doing, error))?;
            value.map(|value| read(&value).map_err(|broken| broken.at(key))).transpose()
        })
    }

    fn last<T>(
        &self,
        from: &[u8],
        to: &[u8],
        read: impl FnOnce(&[u8], &[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        if from > to {
            return Ok(None);
        }
        let doing = "seeking a row";
        self.guarded(doing, |db| {
            self.count();
            let Some(row) = db.range(from..=to).next_back() else { return Ok(None) };
            let (key, value) = row.map_err(|error| ViewError::doubt(doing, error))?;
            read(&key, &value).map(Some).map_err(|broken| broken.at(&key))
        })
    }

    fn each(
        &self,
        from: &[u8],
        to: &[u8],
        mut read: impl FnMut(&[u8], &[u8]) -> Result<Go, Broken>,
    ) -> Result<(), ViewError> {
        if from > to {
            return Ok(());
        }
        let doing = "scanning rows";
        self.guarded(doing, |db| {
            for row in db.range(from..=to) {
                self.count();
                let (key, value) = row.map_err(|error| ViewError::doubt(doing, error))?;
                if read(&key, &value).map_err(|broken| broken.at(&key))? == Go::Stop {
                    break;
                }
            }
            Ok(())
        })
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let db = self.db.take();
        if self.is_doubted() {
            // Nobody waits for it: a rebuild takes another directory.
            let let_go = move || drop(catch_unwind(AssertUnwindSafe(|| drop(db))));
            drop(std::thread::Builder::new().name("views-let-go".into()).spawn(let_go));
        } else {
            drop(catch_unwind(AssertUnwindSafe(|| drop(db))));
        }
    }
}
