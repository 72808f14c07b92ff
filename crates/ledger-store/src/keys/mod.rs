//! Owns the keys of a ledger: `keys/slots.a` and `keys/slots.b`, two copies of one page file.
//!
//! Page 0 of a file is the header, key page n is at (n + 1) * 4,096. Every payload has the slot of
//! its own number; slot 0 holds the pepper of idempotency digests.
//!
//! Invariants:
//! - A page is changed in copy a, which is flushed, and then in copy b. Before that the copies are
//!   brought in step, so at every moment one copy is whole and on the medium.
//! - The valid copy of the higher generation counts. One damaged copy loses nothing.
//! - A slot is handed out once, and only when both copies of its key are on the medium.
//! - After an open no slot is handed out before [`KeyStore::reset_unreferenced`] has replaced every
//!   key that the log does not refer to.
//! - After a failed flush nothing is changed any more; the ledger has to be reopened.
//!
//! May not: know what a payload says or why it is erased; read the log.

mod adopt;
mod alloc;
mod cache;
mod change;
mod check;
mod copies;
mod entropy;
mod page;
mod rotate;
mod snapshot;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::{LedgerId, PayloadId, limits};
use zeroize::Zeroizing;

use self::alloc::Pool;
use self::cache::Cache;
use self::copies::{Copies, Pair, Writer};
use crate::StoreError;
use crate::master::MasterKey;
use crate::storage::{RelPath, Storage};

pub use self::adopt::Adopted;
pub use self::alloc::Reserved;
pub use self::check::{KeyCheck, KeyFault};
pub use self::entropy::{Entropy, OsEntropy};
pub(crate) use self::snapshot::Snapshot;

/// The directory of the key files.
pub const KEYS_DIR: RelPath = RelPath::from_static("keys");
/// The copy that is written first.
pub const SLOTS_A: RelPath = RelPath::from_static("keys/slots.a");
/// The copy that is written second.
pub const SLOTS_B: RelPath = RelPath::from_static("keys/slots.b");
/// The slot of the pepper that a new ledger begins with.
pub const PEPPER_SLOT: PayloadId = PayloadId(0);

/// Pages rewritten between two flushes: 1 MiB.
const GROUP: usize = 256;
/// Slots of one page, as a number of slots.
const PAGE_SLOTS: u64 = limits::PAGE_SLOTS as u64;

/// What a slot holds.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyState {
    /// A key.
    Key(Zeroizing<[u8; 32]>),
    /// Nothing: the key was destroyed.
    Zero,
    /// The slot lies beyond the end of the key file.
    Missing,
    /// There may be a key, but the master key to read it was not given.
    NoMaster,
}

/// The keys of one ledger. All methods take `&self` and may be called from any thread.
pub struct KeyStore {
    ledger: LedgerId,
    copies: Copies,
    entropy: Arc<dyn Entropy>,
    /// The header as it was last read or written.
    header: Mutex<KeyFileHeader>,
    /// Key pages in the files, damaged ones included.
    pages: AtomicU64,
    /// Empty without a master key; two during a rotation, the current one first.
    masters: RwLock<Vec<Master>>,
    /// Held by whoever changes a file. Taken before `pool`, never after it.
    writer: Mutex<Writer>,
    pool: Mutex<Pool>,
    cache: Mutex<Cache>,
}

/// A master key and the name by which pages refer to it.
#[derive(Clone)]
struct Master {
    key: MasterKey,
    id: [u8; 8],
}

impl Master {
    fn new(key: &MasterKey, ledger: &LedgerId) -> Self {
        let mut id = [0; 8];
        for (to, from) in id.iter_mut().zip(key.check(ledger).0) {
            *to = from;
        }
        Self { key: key.clone(), id }
    }
}

impl KeyStore {
    /// Makes the key files of a new ledger, with one page of keys and the pepper in slot 0.
    ///
    /// # Errors
    /// [`StoreError::Storage`], also when a key file exists; [`StoreError::Random`].
    pub fn create(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        master: &MasterKey,
    ) -> Result<Self, StoreError> {
        Self::create_with(storage, ledger, master, Arc::new(OsEntropy))
    }

    /// As [`KeyStore::create`], with another source of keys.
    ///
    /// # Errors
    /// As [`KeyStore::create`].
    pub fn create_with(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        master: &MasterKey,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, StoreError> {
        let header = KeyFileHeader {
            ledger,
            generation: 1,
            key_check: master.check(&ledger),
            erasures_through: None,
        };
        let copies = Copies::create(storage, ledger, &header.encode())?;
        let masters = vec![Master::new(master, &ledger)];
        let store = Self::new(ledger, copies, header, 0, masters, entropy);
        lock(&store.pool).start(1, 0);
        store.allocate_ahead(1)?;
        Ok(store)
    }

    /// Opens the key files of a ledger. Without a master key everything but reading and making
    /// keys is possible.
    ///
    /// # Errors
    /// [`StoreError::WrongMaster`]; [`StoreError::Damaged`] when both copies of the header are
    /// damaged or missing, or belong to another ledger; [`StoreError::Storage`].
    pub fn open(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        master: Option<&MasterKey>,
    ) -> Result<Self, StoreError> {
        Self::open_with(storage, ledger, master, Arc::new(OsEntropy))
    }

    /// As [`KeyStore::open`], with another source of keys.
    ///
    /// # Errors
    /// As [`KeyStore::open`].
    pub fn open_with(
        storage: Arc<dyn Storage>,
        ledger: LedgerId,
        master: Option<&MasterKey>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Self, StoreError> {
        let copies = Copies::open(storage, ledger)?;
        let (copy, header) = copies.read::<KeyFileHeader>(0).into_winner()?;
        if let Some(master) = master {
            let found = master.check(&ledger);
            if found != header.key_check {
                let file = copy.path();
                return Err(StoreError::WrongMaster { file, expected: header.key_check, found });
            }
        }
        let pages = copies.pages()?;
        let masters = master.iter().map(|key| Master::new(key, &ledger)).collect();
        Ok(Self::new(ledger, copies, header, pages, masters, entropy))
    }

    fn new(
        ledger: LedgerId,
        copies: Copies,
        header: KeyFileHeader,
        pages: u64,
        masters: Vec<Master>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        Self {
            ledger,
            copies,
            entropy,
            header: Mutex::new(header),
            pages: AtomicU64::new(pages),
            masters: RwLock::new(masters),
            writer: Mutex::new(Writer::default()),
            pool: Mutex::new(Pool::default()),
            cache: Mutex::new(Cache::default()),
        }
    }

    /// The ledger these keys belong to.
    #[must_use]
    pub const fn ledger(&self) -> LedgerId {
        self.ledger
    }

    /// Whether a master key was given, so that keys can be read.
    #[must_use]
    pub fn has_master(&self) -> bool {
        self.master().is_ok()
    }

    /// Slots in the key files, whether or not they are in use.
    #[must_use]
    pub fn slots(&self) -> u64 {
        self.page_count().saturating_mul(PAGE_SLOTS)
    }

    /// What a slot holds.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when both copies of its page are damaged;
    /// [`StoreError::RotationUnfinished`] when the page is masked by a master key that was not
    /// given; [`StoreError::Storage`].
    pub fn key(&self, slot: PayloadId) -> Result<KeyState, StoreError> {
        let Some(page) = self.page(KeyPage::page_of(slot))? else {
            return Ok(KeyState::Missing);
        };
        if page.masked(slot).is_none() {
            return Ok(KeyState::Zero);
        }
        if !self.has_master() {
            return Ok(KeyState::NoMaster);
        }
        let master = self.master_of(&page)?;
        Ok(page.key(slot, master.key.bytes()).map_or(KeyState::Zero, KeyState::Key))
    }

    /// Whether a slot holds no key. Needs no master key. `None` beyond the end of the file.
    ///
    /// # Errors
    /// As [`KeyStore::key`], but for the master key.
    pub fn is_zero(&self, slot: PayloadId) -> Result<Option<bool>, StoreError> {
        let page = self.page(KeyPage::page_of(slot))?;
        Ok(page.map(|page| page.masked(slot).is_none()))
    }

    /// The pepper that a new ledger begins with; after a rotation it is [`KeyStore::key`] of the
    /// slot that the event names.
    ///
    /// # Errors
    /// As [`KeyStore::key`].
    pub fn pepper(&self) -> Result<KeyState, StoreError> {
        self.key(PEPPER_SLOT)
    }

    fn page_count(&self) -> u64 {
        self.pages.load(Ordering::Acquire)
    }

    fn master(&self) -> Result<Master, StoreError> {
        let masters = self.masters.read().unwrap_or_else(PoisonError::into_inner);
        masters.first().cloned().ok_or(StoreError::NoMaster)
    }

    /// The master key that masks a page.
    fn master_of(&self, page: &KeyPage) -> Result<Master, StoreError> {
        let masters = self.masters.read().unwrap_or_else(PoisonError::into_inner);
        if masters.is_empty() {
            return Err(StoreError::NoMaster);
        }
        let found = masters.iter().find(|master| master.id == page.master);
        found.cloned().ok_or(StoreError::RotationUnfinished { page: page.page })
    }

    /// A page from the cache or the files; `None` beyond their end.
    fn page(&self, number: u64) -> Result<Option<Arc<KeyPage>>, StoreError> {
        if number >= self.page_count() {
            return Ok(None);
        }
        let basis = {
            let cache = lock(&self.cache);
            if let Some(page) = cache.get(number) {
                return Ok(Some(page));
            }
            cache.basis()
        };
        let mut pair: Pair<KeyPage> = self.copies.read(number + 1);
        if pair.winner().is_none() {
            // A page that is being rewritten may be half old and half new in either copy.
            let _writer = lock(&self.writer);
            pair = self.copies.read(number + 1);
        }
        let page = Arc::new(pair.into_winner()?.1);
        lock(&self.cache).put(basis, number, &page);
        Ok(Some(page))
    }
}

impl fmt::Debug for KeyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyStore")
            .field("ledger", &self.ledger)
            .field("pages", &self.page_count())
            .field("has_master", &self.has_master())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for KeyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Key(_) => "Key(..)",
            Self::Zero => "Zero",
            Self::Missing => "Missing",
            Self::NoMaster => "NoMaster",
        })
    }
}

/// A thread that panicked while it held a lock changed the files step by step or not at all, so
/// what it guards is still true.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
