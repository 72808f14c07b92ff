//! Owns replacing the master key: every page is masked anew, the header follows last.
//!
//! A crash in between leaves pages of both masters and a header that names the old one. The old
//! master opens the store, and running the rotation again finishes it. Both masters are needed
//! until then, because each page names the one that masks it.

use std::sync::PoisonError;

use ledger_format::PayloadId;
use ledger_format::key_page::{KeyFileHeader, KeyPage};

use super::{GROUP, KeyStore, Master, PAGE_SLOTS, SLOTS_A, lock};
use crate::StoreError;
use crate::master::MasterKey;

impl KeyStore {
    /// Replaces the master key and returns the key pages in the files, all of which `new` masks
    /// afterwards. Reading and reserving go on meanwhile. Run again after a crash, it finishes
    /// what was begun; run again with the same keys when it is done, it changes nothing.
    ///
    /// # Errors
    /// [`StoreError::WrongMaster`] when the header names neither key;
    /// [`StoreError::RotationUnfinished`] when a page names a third one;
    /// [`StoreError::Damaged`] when both copies of a page are damaged; [`StoreError::Storage`],
    /// [`StoreError::Poisoned`].
    pub fn rotate_master(&self, old: &MasterKey, new: &MasterKey) -> Result<u64, StoreError> {
        let mut writer = lock(&self.writer);
        let (header, _) = self.copies.heal::<KeyFileHeader>(&mut writer, 0)?;
        let (from, to) = (Master::new(old, &self.ledger), Master::new(new, &self.ledger));
        let check = new.check(&self.ledger);
        if ![old.check(&self.ledger), check].contains(&header.key_check) {
            let found = old.check(&self.ledger);
            let expected = header.key_check;
            return Err(StoreError::WrongMaster { file: SLOTS_A, expected, found });
        }
        self.set_masters(vec![from.clone(), to.clone()]);
        let pages = self.page_count();
        let mut due = Vec::new();
        for number in 0..pages {
            // A page that is done may be so in one copy only: healed, the old mask is gone.
            let (page, _) = self.copies.heal::<KeyPage>(&mut writer, number + 1)?;
            if page.master != to.id {
                due.push(number);
            }
            if due.len() >= GROUP || number + 1 == pages {
                self.update(&mut writer, &due, &mut |page| remask(page, &from, &to))?;
                due.clear();
            }
        }
        if header.key_check != check {
            self.update_header(&mut writer, |header| header.key_check = check)?;
        }
        self.set_masters(vec![to]);
        Ok(pages)
    }

    fn set_masters(&self, masters: Vec<Master>) {
        *self.masters.write().unwrap_or_else(PoisonError::into_inner) = masters;
    }
}

fn remask(page: &mut KeyPage, from: &Master, to: &Master) -> Result<(), StoreError> {
    if page.master != from.id {
        return Err(StoreError::RotationUnfinished { page: page.page });
    }
    let first = page.first_slot().0;
    for slot in (first..first.saturating_add(PAGE_SLOTS)).map(PayloadId) {
        if let Some(key) = page.key(slot, from.key.bytes()) {
            page.set_key(slot, &key, to.key.bytes());
        }
    }
    page.master = to.id;
    Ok(())
}
