//! Owns the check of the key files against the log.

use std::ops::Range;

use ledger_format::PayloadId;
use ledger_format::limits::PAGE_SLOTS;

use super::findings::{Excuse, Found, Topic};
use super::links::Log;
use super::work::Work;
use crate::error::StoreError;
use crate::keys::{KeyCheck, KeyFault, KeyStore, PEPPER_SLOT, SLOTS_A};

/// Pages that key files may have beyond all that is used: 16 MiB of each.
const SPARE_PAGES: u64 = 4_096;
/// Faults of pages that are kept until it is known which pages the log needs.
const MOST: usize = 10_000;

/// What both copies of every page look like. Needs nothing of the log, so it is looked at while
/// the log is.
#[derive(Debug)]
pub(super) struct Pages {
    seen: Result<KeyCheck, StoreError>,
    faults: Vec<KeyFault>,
    more: u64,
}

/// Looks at the pages in a range, and at the header.
pub(super) fn pages(keys: &KeyStore, range: Range<u64>) -> Pages {
    let (mut faults, mut more) = (Vec::new(), 0);
    let seen = keys.check(range, &mut |fault| {
        if faults.len() < MOST {
            faults.push(fault);
        } else {
            more += 1;
        }
    });
    Pages { seen, faults, more }
}

/// Judges both copies of every page, and whether they go with the log. `opened` is the error of
/// opening them, where that failed.
pub(super) fn check(work: &Work<'_>, log: &Log, pages: Option<Pages>, opened: Option<&StoreError>) {
    let needed = needed_pages(log);
    let copies = 2 * (needed.saturating_sub(work.extent.key_page) + 1);
    let (Some(keys), Some(pages)) = (work.keys, pages) else {
        work.counts.expected(Topic::Keys, copies);
        if let Some(error) = opened {
            work.add(Found::obstacle(Topic::Keys, &SLOTS_A, error));
        }
        return;
    };
    // A holder's own store is never half changed when it is looked at.
    let excuse = if keys.is_ready() { Excuse::None } else { Excuse::UncleanStop };
    let too_long = keys.slots() > work.most_slots;
    if too_long {
        let what = "the length of the key file";
        let expected = format!("at most {} slots", work.most_slots);
        let found = format!("{} slots; those beyond were not read", keys.slots());
        work.add(Found::damage(Topic::Keys, &SLOTS_A, what, expected, found));
    }
    // Of a file that is too long, what is wrong with the pages that nobody uses was said.
    let told = |fault: &&KeyFault| !too_long || fault.page.is_none_or(|page| page < needed);
    for fault in pages.faults.iter().filter(told) {
        work.add(finding(fault, needed, excuse));
    }
    if pages.more > 0 {
        let found = format!("{} more faults", pages.more);
        let what = "key pages";
        work.add(Found::damage(Topic::Keys, &SLOTS_A, what, "whole copies", found));
    }
    match pages.seen {
        Ok(seen) => {
            work.counts.checked(Topic::Keys, seen.whole);
            work.counts.expected(Topic::Keys, seen.expected.max(copies));
        }
        Err(error) => {
            work.counts.expected(Topic::Keys, copies);
            work.add(Found::obstacle(Topic::Keys, &SLOTS_A, &error));
        }
    }
    against_log(work, keys, log);
}

/// How many slots are looked at: those that the anchor names twice over, and some. A file may be a hole
/// of any size, and reading that takes for ever.
pub(super) fn most_slots(next: PayloadId) -> u64 {
    next.0.saturating_mul(2).saturating_add(SPARE_PAGES * PAGE_SLOTS as u64)
}

/// Key pages that hold a slot below the next payload's.
fn needed_pages(log: &Log) -> u64 {
    let next = log.end.map_or(0, |end| end.head.next_payload.0);
    next.max(PEPPER_SLOT.0 + 1).div_ceil(PAGE_SLOTS as u64)
}

fn finding(fault: &KeyFault, needed: u64, excuse: Excuse) -> Found {
    let expected = if fault.repairable {
        "a whole copy, as its twin is (`repair` makes it again)"
    } else {
        "a whole copy in either file"
    };
    let what = match fault.page {
        Some(page) => format!("key page {page}"),
        None if fault.offset == 0 => "the header of the key file".to_owned(),
        None => "the end of the key file".to_owned(),
    };
    let found = Found::damage(Topic::Keys, &fault.file, what, expected, &fault.what);
    // No record refers to such a page, and it is written anew before one does.
    let unused = fault.page.is_some_and(|page| page >= needed);
    let excused = fault.residue || unused;
    found.at(fault.offset).unless(if excused { excuse } else { Excuse::None })
}

fn against_log(work: &Work<'_>, keys: &KeyStore, log: &Log) {
    let wrong = |what: &str, expected: String, found: String| {
        work.add(Found::damage(Topic::Keys, &SLOTS_A, what, expected, found));
    };
    let next = log.end.map_or(PayloadId(0), |end| end.head.next_payload);
    if keys.slots() < next.0 {
        let (expected, found) =
            (format!("{next} slots, as the log says"), keys.slots().to_string());
        wrong("the end of the key file", expected, found);
    }
    match keys.is_zero(PEPPER_SLOT) {
        // Who erased it may have said so before the first record that is looked at.
        Ok(Some(true)) if work.extent.is_whole() && !(work.erased)(PEPPER_SLOT) => {
            wrong("the pepper in slot 0", "a key".to_owned(), "an empty slot".to_owned());
        }
        // An unreadable page and a missing one have findings already.
        _ => {}
    }
    let last = log.end.and_then(|end| end.head.last_erasure);
    // A log that was rolled back has forgotten erasures that the key files remember.
    if log.whole && work.options.upto.is_none() && keys.erasures_through() > last {
        let text = |seq: Option<ledger_format::Seq>| {
            seq.map_or_else(|| "none".to_owned(), |seq| format!("one at record {seq}"))
        };
        let expected = format!("as in the log: {}", text(last));
        wrong("the last erasure carried out", expected, text(keys.erasures_through()));
    }
}
