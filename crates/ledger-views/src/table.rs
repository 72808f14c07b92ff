//! Owns sled: the only module that names it.
//!
//! sled can panic where others return an error, so every call is made under a guard, and whatever
//! goes wrong becomes a doubt. After a doubt the database is let go on a thread of its own, because
//! closing it may hang or panic too. May not: be read to make truth of, or know what rows mean.

use std::ops::Bound::{Excluded, Included, Unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::error::{Broken, ViewError};
use crate::guard::panic_words;
use crate::page::{self, Pair, Row};
use crate::source::{Go, Source};

/// Where the row about all others is. It stands alone, so that it is whole whatever pages are.
const META: &[u8] = b"m";
/// What the keys of pages begin with.
const PAGE: u8 = b'p';

/// Rows in one sled tree, packed into pages.
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
    /// Makes a database where none is.
    pub(crate) fn create(path: &Path, cache_bytes: u64) -> Result<Self, ViewError> {
        let doing = "making new views";
        catch_unwind(|| Self::open(path, cache_bytes))
            .map_err(|panic| ViewError::doubt(doing, panic_words(panic.as_ref())))?
            .map_err(|error| match error {
                NotOpened::InUse => ViewError::doubt(doing, "another process has them open"),
                NotOpened::Failed(found) => ViewError::doubt(doing, found),
            })
    }

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

    /// Stores rows and the row about all rows: all at once, or none.
    pub(crate) fn store<'a>(
        &self,
        rows: impl Iterator<Item = Pair<'a>>,
        meta: Vec<u8>,
    ) -> Result<(), ViewError> {
        self.guarded("storing rows", |db| {
            let failed = |error| ViewError::doubt("storing rows", error);
            let mut batch = sled::Batch::default();
            let mut rows = rows.peekable();
            let mut newer = Vec::new();
            while let Some((first, _)) = rows.peek() {
                let home = Home::of(db, first)?;
                newer.clear();
                while let Some(row) = rows.next_if(|(key, _)| home.holds(key)) {
                    newer.push(row);
                }
                home.merge(&newer)?.into_iter().for_each(|(at, page)| batch.insert(at, page));
            }
            batch.insert(META, meta);
            db.apply_batch(batch).map_err(failed)
        })
    }

    /// Adds the next pages to a database that has none behind them, and no rows elsewhere.
    pub(crate) fn append(&self, pages: Vec<Row>, begin: bool) -> Result<(), ViewError> {
        self.guarded("appending pages", |db| {
            for (number, (first, page)) in pages.into_iter().enumerate() {
                // The first page begins before every row, so that there always is one.
                let at = if begin && number == 0 { vec![PAGE] } else { page_key(&first) };
                let put = db.insert(at, page);
                put.map_err(|error| ViewError::doubt("appending pages", error))?;
            }
            Ok(())
        })
    }

    /// The row about all rows.
    pub(crate) fn meta<T>(
        &self,
        read: impl FnOnce(&[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        let doing = "reading the row about the rows";
        self.guarded(doing, |db| {
            let value = db.get(META).map_err(|error| ViewError::doubt(doing, error))?;
            value.map(|value| read(&value).map_err(|broken| broken.at(META))).transpose()
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
        self.guarded(doing, |db| db.size_on_disk().map_err(|error| ViewError::doubt(doing, error)))
    }

    /// How many pages were fetched and rows handed over since it was opened.
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

/// The page where rows from some key on belong.
struct Home {
    at: Vec<u8>,
    page: Option<sled::IVec>,
    /// The next page, if there is one.
    until: Option<sled::IVec>,
}

impl Home {
    fn of(db: &sled::Db, key: &[u8]) -> Result<Self, ViewError> {
        let failed = |error| ViewError::doubt("looking for a page", error);
        let key = page_key(key);
        // The first page begins before every row, so that there always is one.
        let before = db.range(..=key.as_slice()).next_back().transpose().map_err(failed)?;
        let (at, page) = match before.filter(|(at, _)| at.first() == Some(&PAGE)) {
            Some((at, page)) => (at.to_vec(), Some(page)),
            None => (vec![PAGE], None),
        };
        let after = (Excluded(at.as_slice()), Unbounded);
        let next = db.range::<&[u8], _>(after).next().transpose().map_err(failed)?;
        Ok(Self { at, page, until: next.map(|(key, _)| key) })
    }

    fn holds(&self, key: &[u8]) -> bool {
        // Compared behind the byte that all keys of pages begin with.
        self.until.as_ref().and_then(|until| until.get(1..)).is_none_or(|until| key < until)
    }

    fn merge(self, newer: &[Pair<'_>]) -> Result<Vec<Row>, ViewError> {
        let old = self.page.as_deref().unwrap_or_default();
        let mut pages = page::merge(old, newer).map_err(|broken| broken.at(&self.at))?;
        for (number, (at, _)) in pages.iter_mut().enumerate() {
            *at = if number == 0 { self.at.clone() } else { page_key(at) };
        }
        Ok(pages)
    }
}

fn page_key(key: &[u8]) -> Vec<u8> {
    let mut at = Vec::with_capacity(key.len() + 1);
    at.push(PAGE);
    at.extend_from_slice(key);
    at
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
            let at = page_key(key);
            let Some(found) = db.range(..=at.as_slice()).next_back() else { return Ok(None) };
            let (at, page) = found.map_err(|error| ViewError::doubt(doing, error))?;
            if at.first() != Some(&PAGE) {
                return Ok(None);
            }
            let value = page::find(&page, key).map_err(|broken| broken.at(&at))?;
            value.map(|value| read(value).map_err(|broken| broken.at(key))).transpose()
        })
    }

    fn last<T>(
        &self,
        from: &[u8],
        to: &[u8],
        read: impl FnOnce(&[u8], &[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        let doing = "seeking a row";
        self.guarded(doing, |db| {
            // More than one page only where the first one begins behind `to`.
            for found in db.range([PAGE].as_slice()..=page_key(to).as_slice()).rev() {
                self.count();
                let (at, page) = found.map_err(|error| ViewError::doubt(doing, error))?;
                let last = page::find_last(&page, to).map_err(|broken| broken.at(&at))?;
                if let Some((key, value)) = last {
                    let inside = key.as_slice() >= from;
                    let row = inside.then(|| read(&key, value).map_err(|broken| broken.at(&key)));
                    return row.transpose();
                }
            }
            Ok(None)
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
            let failed = |error| ViewError::doubt(doing, error);
            let start = page_key(from);
            let first = db.range([PAGE].as_slice()..=start.as_slice()).next_back();
            let start = first.transpose().map_err(failed)?.map_or(start, |(at, _)| at.to_vec());
            let end = page_key(to);
            // A page that is split meanwhile shows its later rows again in the next one.
            let mut next = Included(from.to_vec());
            for found in db.range(start.as_slice()..=end.as_slice()) {
                self.count();
                let (at, page) = found.map_err(failed)?;
                let mut rows = page::Rows::new(&page);
                while let Some(value) = rows.next().map_err(|broken| broken.at(&at))? {
                    let key = rows.key();
                    let early = match &next {
                        Included(next) => key < next.as_slice(),
                        Excluded(last) => key <= last.as_slice(),
                        Unbounded => false,
                    };
                    if early {
                        continue;
                    }
                    if key > to {
                        return Ok(());
                    }
                    self.count();
                    if read(key, value).map_err(|broken| broken.at(key))? == Go::Stop {
                        return Ok(());
                    }
                }
                if rows.key() >= from {
                    next = Excluded(rows.key().to_vec());
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
