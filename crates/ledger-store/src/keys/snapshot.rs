//! Owns reading the key pages that count, one by one, beside a holder who may be writing them.
//!
//! Invariant: a page that is handed out was whole, and belongs to the master key of the header.

use std::sync::Arc;

use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::{LedgerId, PayloadId};

use super::copies::{Copies, PAGE};
use super::page::Page;
use crate::StoreError;
use crate::storage::Storage;

/// How often both copies of a page may be found half-written.
const TRIES: usize = 100;

/// The key pages up to a head.
#[derive(Debug)]
pub(crate) struct Snapshot {
    copies: Copies,
    header: KeyFileHeader,
    /// The header page included.
    pages: u64,
}

impl Snapshot {
    /// Opens the pages that hold the slots below `next`.
    pub(crate) fn open(
        storage: &Arc<dyn Storage>,
        ledger: LedgerId,
        next: PayloadId,
    ) -> Result<Self, StoreError> {
        let copies = Copies::open(Arc::clone(storage), ledger)?;
        let header = read::<KeyFileHeader>(&copies, 0)?;
        let pages = KeyPage::page_of(PayloadId(next.0.saturating_sub(1))).saturating_add(2);
        Ok(Self { copies, header, pages })
    }

    /// Pages, the header included.
    pub(crate) const fn pages(&self) -> u64 {
        self.pages
    }

    /// Bytes of all pages.
    pub(crate) const fn length(&self) -> u64 {
        self.pages.saturating_mul(PAGE)
    }

    /// The bytes of a page, as it counts now; the header is at 0, and stays what it was.
    pub(crate) fn page(&self, index: u64) -> Result<Vec<u8>, StoreError> {
        if index == 0 {
            return Ok(Page::encode(&self.header));
        }
        let page = read::<KeyPage>(&self.copies, index)?;
        let is_masked = self.header.key_check.0.starts_with(&page.master);
        if is_masked {
            Ok(Page::encode(&page))
        } else {
            Err(StoreError::RotationUnfinished { page: page.page })
        }
    }
}

/// The copy that counts. A holder writes one copy and then the other, so that finding both
/// half-written, one after the other, is bad luck and passes.
fn read<P: Page>(copies: &Copies, index: u64) -> Result<P, StoreError> {
    for _ in 0..TRIES {
        let pair = copies.read::<P>(index);
        if pair.winner().is_some() {
            return Ok(pair.into_winner()?.1);
        }
        std::thread::yield_now();
    }
    Ok(copies.read::<P>(index).into_winner()?.1)
}
