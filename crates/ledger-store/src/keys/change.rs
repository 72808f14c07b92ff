//! Owns changes of what is stored: erasing, the header, repair, and the one way in which pages are
//! rewritten.
//!
//! Invariant: pages are brought in step before they are changed, so that a change that is cut off
//! leaves one whole copy.

use std::sync::atomic::Ordering;

use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::{PayloadId, Seq};

use super::copies::Writer;
use super::{GROUP, KeyStore, lock};
use crate::StoreError;

impl KeyStore {
    /// Destroys the keys in these slots, in both copies, and returns how many of them held a key.
    /// Slots that are zero already are written again: a flush that failed earlier may have left
    /// their keys on the medium.
    ///
    /// # Errors
    /// [`StoreError::NoSuchSlot`] before anything is changed; [`StoreError::Damaged`] when both
    /// copies of a page are damaged; [`StoreError::Storage`] and [`StoreError::Poisoned`], after
    /// which any part of the slots may be destroyed: call it again after reopening.
    pub fn erase(&self, slots: &[PayloadId]) -> Result<u64, StoreError> {
        let limit = self.slots();
        if let Some(slot) = slots.iter().find(|slot| slot.0 >= limit) {
            return Err(StoreError::NoSuchSlot { slot: *slot, slots: limit });
        }
        let mut sorted = slots.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let mut touched: Vec<u64> = sorted.iter().map(|slot| KeyPage::page_of(*slot)).collect();
        touched.dedup();
        let mut destroyed = 0;
        let mut rest = sorted.iter().peekable();
        let mut writer = lock(&self.writer);
        self.update(&mut writer, &touched, &mut |page| {
            while let Some(slot) = rest.next_if(|slot| KeyPage::page_of(**slot) == page.page) {
                destroyed += u64::from(page.masked(*slot).is_some());
                page.erase(*slot);
            }
            Ok(())
        })?;
        Ok(destroyed)
    }

    /// The last erasure intent that is carried out in these files, as far as was recorded.
    #[must_use]
    pub fn erasures_through(&self) -> Option<Seq> {
        lock(&self.header).erasures_through
    }

    /// Records that all erasure intents up to `seq` are carried out. Never goes back: a lower
    /// number than the recorded one changes nothing.
    ///
    /// # Errors
    /// [`StoreError::Storage`], [`StoreError::Poisoned`].
    pub fn set_erasures_through(&self, seq: Seq) -> Result<(), StoreError> {
        let mut writer = lock(&self.writer);
        if self.erasures_through() >= Some(seq) {
            return Ok(());
        }
        self.update_header(&mut writer, |header| header.erasures_through = Some(seq))
    }

    /// Brings both copies in step: every page that is damaged, missing or older in one copy is
    /// written again from the other. Makes a missing file. `next` is the `next_payload` of the last
    /// batch: pages from there on were made ahead of need, nothing refers to them, and where a stop
    /// left neither copy of one whole they are cut off. Returns the pages rewritten, the header
    /// included.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] when both copies of a page in use are damaged (pages before it are in
    /// step then); [`StoreError::Storage`], [`StoreError::Poisoned`].
    pub fn repair(&self, next: PayloadId) -> Result<u64, StoreError> {
        let mut writer = lock(&self.writer);
        self.copies.create_missing(&mut writer)?;
        let mut healed = u64::from(self.copies.heal::<KeyFileHeader>(&mut writer, 0)?.1);
        let in_use = KeyPage::page_of(PayloadId(next.0.saturating_sub(1)));
        for page in 0..self.page_count() {
            if page > in_use && self.copies.read::<KeyPage>(page + 1).winner().is_none() {
                self.copies.cut(&mut writer, page + 1)?;
                self.pages.store(page, Ordering::Release);
                break;
            }
            healed += u64::from(self.copies.heal::<KeyPage>(&mut writer, page + 1)?.1);
        }
        Ok(healed)
    }

    /// Changes pages and makes them durable, copy a before copy b, in groups. The page numbers
    /// ascend; `change` sees the pages in this order.
    pub(super) fn update(
        &self,
        writer: &mut Writer,
        pages: &[u64],
        change: &mut dyn FnMut(&mut KeyPage) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        for group in pages.chunks(GROUP) {
            let mut images = Vec::with_capacity(group.len());
            for number in group {
                let (mut page, _) = self.copies.heal::<KeyPage>(writer, number + 1)?;
                change(&mut page)?;
                page.generation = page.generation.saturating_add(1);
                images.push((number + 1, page.encode()));
            }
            let done = self.copies.replace(writer, &images);
            // Also after a failure: what the files hold now is not what the cache holds.
            lock(&self.cache).forget(group);
            done?;
        }
        Ok(())
    }

    pub(super) fn update_header(
        &self,
        writer: &mut Writer,
        change: impl FnOnce(&mut KeyFileHeader),
    ) -> Result<(), StoreError> {
        let (mut header, _) = self.copies.heal::<KeyFileHeader>(writer, 0)?;
        change(&mut header);
        header.generation = header.generation.saturating_add(1);
        self.copies.replace(writer, &[(0, header.encode())])?;
        *lock(&self.header) = header;
        Ok(())
    }
}
