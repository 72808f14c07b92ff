//! Owns taking keys over from another copy of the same ledger.

use ledger_format::PayloadId;
use ledger_format::key_page::KeyPage;
use zeroize::Zeroizing;

use super::{KeyStore, PAGE_SLOTS, lock};
use crate::error::StoreError;

/// A slot and its key; none destroys what the slot holds.
pub type Adopted = (PayloadId, Option<Zeroizing<[u8; 32]>>);

impl KeyStore {
    /// Puts keys into slots, in both copies, before records refer to them. Makes pages as needed.
    ///
    /// # Errors
    /// As [`KeyStore::allocate_ahead`]; [`StoreError::Damaged`] when both copies of a page are
    /// damaged.
    pub fn adopt(&self, keys: &[Adopted]) -> Result<(), StoreError> {
        let mut sorted: Vec<&Adopted> = keys.iter().collect();
        sorted.sort_by_key(|(slot, _)| *slot);
        let Some((last, _)) = sorted.last() else { return Ok(()) };
        let missing = (KeyPage::page_of(*last) + 1).saturating_sub(self.slots() / PAGE_SLOTS);
        if missing > 0 {
            self.allocate_ahead(missing)?;
        }
        let mut pages: Vec<u64> = sorted.iter().map(|(slot, _)| KeyPage::page_of(*slot)).collect();
        pages.dedup();
        let mut rest = sorted.into_iter().peekable();
        let mut writer = lock(&self.writer);
        self.update(&mut writer, &pages, &mut |page| {
            let master = self.master_of(page)?;
            while let Some((slot, key)) =
                rest.next_if(|(slot, _)| KeyPage::page_of(*slot) == page.page)
            {
                match key {
                    Some(key) => page.set_key(*slot, key, master.key.bytes()),
                    None => page.erase(*slot),
                };
            }
            Ok(())
        })?;
        // What was taken over is in use from now on.
        lock(&self.pool).skip_to(last.next());
        Ok(())
    }
}
