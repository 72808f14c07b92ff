//! Owns new keys: allocating pages ahead of need, handing out slots, and replacing the keys that
//! nothing refers to.
//!
//! Invariant: slots from `next` to `durable_end` hold keys that both copies have on the medium and
//! that nobody was given.

use std::sync::atomic::Ordering;

use ledger_format::key_page::KeyPage;
use ledger_format::{PayloadId, limits};
use zeroize::Zeroizing;

use super::copies::{PAGE, Pair, Writer};
use super::{GROUP, KeyStore, PAGE_SLOTS, PEPPER_SLOT, SLOTS_A, lock};
use crate::StoreError;

/// A slot and its key.
pub type Reserved = (PayloadId, Zeroizing<[u8; 32]>);

/// Which slots may be handed out. Not started before it is known which ones are in use.
#[derive(Debug, Default)]
pub(super) struct Pool {
    next: Option<u64>,
    durable_end: u64,
}

impl Pool {
    pub(super) fn start(&mut self, next: u64, durable_end: u64) {
        self.next = Some(next);
        self.durable_end = durable_end;
    }

    /// Slots below `next` are handed out no more.
    pub(super) fn skip_to(&mut self, next: PayloadId) {
        self.next = self.next.map(|now| now.max(next.0));
    }

    /// How many slots are missing for `count` more.
    fn missing(&self, count: u64) -> Result<u64, StoreError> {
        let next = self.next.ok_or_else(not_started)?;
        Ok(next.saturating_add(count).saturating_sub(self.durable_end))
    }

    fn take(&mut self, count: u64) -> Result<Option<u64>, StoreError> {
        let next = self.next.ok_or_else(not_started)?;
        if self.missing(count)? > 0 {
            return Ok(None);
        }
        self.next = Some(next.saturating_add(count));
        Ok(Some(next))
    }
}

const fn not_started() -> StoreError {
    StoreError::Invalid {
        what: "slots are reserved only after reset_unreferenced has said which ones are in use",
    }
}

/// What was allocated and flushed is not there.
fn no_key(page: u64) -> StoreError {
    let offset = (page + 1).saturating_mul(PAGE);
    let expected = "a key in a slot that was just allocated";
    StoreError::damaged(&SLOTS_A, offset, None, "a key slot", expected, "none")
}

impl KeyStore {
    /// Appends this many pages of random keys and flushes them in both copies. Meant to be called
    /// off the commit path, when [`KeyStore::available`] runs low.
    ///
    /// # Errors
    /// [`StoreError::NoMaster`], [`StoreError::Storage`], [`StoreError::Poisoned`],
    /// [`StoreError::Random`]; [`StoreError::Invalid`] before [`KeyStore::reset_unreferenced`].
    pub fn allocate_ahead(&self, pages: u64) -> Result<(), StoreError> {
        self.allocate(&mut lock(&self.writer), pages)
    }

    /// Slots that can be handed out without writing anything.
    #[must_use]
    pub fn available(&self) -> u64 {
        let pool = lock(&self.pool);
        pool.next.map_or(0, |next| pool.durable_end.saturating_sub(next))
    }

    /// Whether this store belongs to a holder that may hand out slots.
    pub(crate) fn is_ready(&self) -> bool {
        lock(&self.pool).next.is_some()
    }

    /// Hands out slots that nobody was given, in ascending order, with their keys. What is handed
    /// out and not used stays unused. Allocates pages when there are too few, and the caller pays
    /// for the flush.
    ///
    /// # Errors
    /// As [`KeyStore::allocate_ahead`].
    pub fn reserve(&self, count: usize) -> Result<Vec<Reserved>, StoreError> {
        let wanted = count as u64;
        let first = self.take(wanted)?;
        let end = first.saturating_add(wanted);
        let mut reserved = Vec::with_capacity(count);
        // A page and its master are looked up once for all the slots that lie on it.
        while let Some(slot) = Some(first + reserved.len() as u64).filter(|slot| *slot < end) {
            let number = KeyPage::page_of(PayloadId(slot));
            let Some(page) = self.page(number)? else { return Err(no_key(number)) };
            let master = self.master_of(&page)?;
            for slot in slot..end.min((number + 1).saturating_mul(PAGE_SLOTS)) {
                let key = page.key(PayloadId(slot), master.key.bytes());
                reserved.push((PayloadId(slot), key.ok_or_else(|| no_key(number))?));
            }
        }
        Ok(reserved)
    }

    fn take(&self, count: u64) -> Result<u64, StoreError> {
        loop {
            if let Some(first) = lock(&self.pool).take(count)? {
                return Ok(first);
            }
            let mut writer = lock(&self.writer);
            // Another thread may have allocated while this one waited.
            let missing = lock(&self.pool).missing(count)?;
            self.allocate(&mut writer, missing.div_ceil(PAGE_SLOTS))?;
        }
    }

    /// Gives every slot from `from` on a fresh key, destroys the old ones, and lets reservations
    /// begin at `from`: the `next_payload` of the last batch. To be called at every open before
    /// the first reservation. Slot 0 is never touched.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when `from` lies beyond the end of the files or both copies of its
    /// page are damaged; [`StoreError::NoMaster`], [`StoreError::RotationUnfinished`],
    /// [`StoreError::Storage`], [`StoreError::Poisoned`], [`StoreError::Random`].
    pub fn reset_unreferenced(&self, from: PayloadId) -> Result<(), StoreError> {
        let from = from.max(PEPPER_SLOT.next());
        let mut writer = lock(&self.writer);
        let pages = self.page_count();
        let end = pages.saturating_mul(PAGE_SLOTS);
        if from.0 > end {
            let expected = format!("{} slots, as the log says", from.0);
            let offset = (pages + 1).saturating_mul(PAGE);
            return Err(StoreError::damaged(&SLOTS_A, offset, None, "the end", expected, end));
        }
        let mut first = KeyPage::page_of(from);
        if !from.0.is_multiple_of(PAGE_SLOTS) {
            let master_of = |page: &KeyPage| self.master_of(page);
            self.update(&mut writer, &[first], &mut |page| {
                let master = master_of(page)?;
                self.fill(page, from, master.key.bytes())
            })?;
            first += 1;
        }
        self.refill(&mut writer, first, pages)?;
        lock(&self.pool).start(from.0, end);
        Ok(())
    }

    fn allocate(&self, writer: &mut Writer, pages: u64) -> Result<(), StoreError> {
        lock(&self.pool).missing(0)?;
        let first = self.page_count();
        let end = first.saturating_add(pages);
        self.refill(writer, first, end)?;
        self.pages.store(end, Ordering::Release);
        lock(&self.pool).durable_end = end.saturating_mul(PAGE_SLOTS);
        Ok(())
    }

    /// Writes whole pages of fresh keys over whatever is there: nothing refers to it.
    fn refill(&self, writer: &mut Writer, first: u64, end: u64) -> Result<(), StoreError> {
        if first >= end {
            return Ok(());
        }
        let master = self.master()?;
        let numbers: Vec<u64> = (first..end).collect();
        for group in numbers.chunks(GROUP) {
            let mut images = Vec::with_capacity(group.len());
            for number in group {
                let old: Pair<KeyPage> = self.copies.read(number + 1);
                let generation = old.winner().map_or(0, |(_, page)| page.generation);
                let mut page = KeyPage::empty(self.ledger, *number, master.id);
                page.generation = generation.saturating_add(1);
                let slot = page.first_slot();
                self.fill(&mut page, slot, master.key.bytes())?;
                images.push((number + 1, page.encode()));
            }
            let done = self.copies.replace(writer, &images);
            lock(&self.cache).forget(group);
            done?;
        }
        Ok(())
    }

    /// Puts fresh keys into the slots of a page from `from` on.
    fn fill(
        &self,
        page: &mut KeyPage,
        from: PayloadId,
        master: &[u8; 32],
    ) -> Result<(), StoreError> {
        let first = page.first_slot().0;
        // One call of the system for a page: each costs more than masking a key.
        let mut keys = Zeroizing::new([[0; 32]; limits::PAGE_SLOTS]);
        self.entropy.fill(keys.as_flattened_mut())?;
        let slots = first.max(from.0)..first.saturating_add(PAGE_SLOTS);
        for (slot, key) in slots.zip(keys.iter()) {
            page.set_key(PayloadId(slot), key, master);
        }
        Ok(())
    }
}
