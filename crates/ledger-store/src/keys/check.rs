//! Owns the check of the key files: every page in both copies, nothing beyond them, no keys needed.
//!
//! May not: change anything, or stop at the first fault.

use std::ops::Range;

use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::limits;

use super::copies::{Copies, Copy, PAGE, Pair};
use super::page::Page;
use super::{KeyStore, lock};
use crate::StoreError;
use crate::storage::RelPath;

/// A fault in the key files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFault {
    /// The file.
    pub file: RelPath,
    /// Where the page begins in it.
    pub offset: u64,
    /// The key page; `None` for the header and for what is no page.
    pub page: Option<u64>,
    /// What is wrong, as a clause.
    pub what: String,
    /// Whether the other copy still holds what is needed, so that a repair loses nothing.
    pub repairable: bool,
    /// Whether an interrupted change can have left it, so that it is no sign of damage after an
    /// unclean stop: a whole copy that is one change behind, or one torn copy beside a whole one.
    pub residue: bool,
}

/// What a check of the key files looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyCheck {
    /// Copies of pages that were found whole and in step, the header page included.
    pub whole: u64,
    /// Copies of pages that there should be: both copies of every page looked at, in the longer file.
    pub expected: u64,
    /// Faults reported.
    pub faults: u64,
}

impl KeyStore {
    /// Checks both copies of the pages in a range, and of the header, and hands each fault to `fault`. Changes of other threads
    /// wait page by page only.
    ///
    /// # Errors
    /// [`StoreError::Storage`] when a file cannot be measured. An unreadable page is a fault.
    pub fn check(
        &self,
        pages: Range<u64>,
        fault: &mut dyn FnMut(KeyFault),
    ) -> Result<KeyCheck, StoreError> {
        let mut seen = KeyCheck::default();
        {
            let _writer = lock(&self.writer);
            trailing(&self.copies, &mut seen, fault)?;
            compare(&self.copies.read::<KeyFileHeader>(0), &mut seen, fault);
        }
        for page in pages.start..self.page_count().min(pages.end) {
            let _writer = lock(&self.writer);
            compare(&self.copies.read::<KeyPage>(page + 1), &mut seen, fault);
        }
        Ok(seen)
    }
}

/// Bytes after the last whole page: less than a page, so no copy of a page is counted for them.
fn trailing(
    copies: &Copies,
    seen: &mut KeyCheck,
    fault: &mut dyn FnMut(KeyFault),
) -> Result<(), StoreError> {
    for copy in Copy::BOTH {
        let len = copies.len(copy)?;
        let extra = len % PAGE;
        if extra != 0 {
            seen.faults += 1;
            fault(KeyFault {
                file: copy.path(),
                offset: len - extra,
                page: None,
                what: format!("{extra} bytes follow the last whole page"),
                repairable: true,
                residue: true,
            });
        }
    }
    Ok(())
}

fn compare<P: Page>(pair: &Pair<P>, seen: &mut KeyCheck, fault: &mut dyn FnMut(KeyFault)) {
    seen.expected += 2;
    if pair.in_step() {
        seen.whole += 2;
        return;
    }
    let mut report = |copy: Copy, what: String, repairable: bool, residue: bool| {
        seen.faults += 1;
        fault(KeyFault {
            file: copy.path(),
            offset: pair.index.saturating_mul(limits::PAGE_BYTES as u64),
            page: pair.index.checked_sub(1),
            what,
            repairable,
            residue,
        });
    };
    match (&pair.a, &pair.b) {
        (Ok(a), Ok(b)) => {
            let (newer, older) =
                (a.generation().max(b.generation()), a.generation().min(b.generation()));
            let behind = if b.generation() > a.generation() { Copy::A } else { Copy::B };
            let what = if newer == older {
                format!("differs from its twin at the same generation {newer}")
            } else {
                format!("is at generation {older}, its twin at {newer}")
            };
            // Copy a is written first and only ever one change ahead.
            report(behind, what, true, behind == Copy::B && newer == older.saturating_add(1));
        }
        (a, b) => {
            let one_whole = a.is_ok() || b.is_ok();
            for (copy, side) in [(Copy::A, a), (Copy::B, b)] {
                if let Err(flaw) = side {
                    report(copy, flaw.to_string(), one_whole, one_whole);
                }
            }
        }
    }
    seen.whole += u64::from(pair.winner().is_some());
}
