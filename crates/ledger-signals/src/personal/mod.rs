//! Owns the search for data about persons: one pass over the bytes, which stops where an address of
//! mail, a number or a street may begin. Every matcher looks a bounded number of bytes around.

mod address;
mod codes;
mod email;
mod network;
mod phone;

use alloc::vec::Vec;
use core::ops::Range;

use crate::class::{ALNUM, DIGIT, LETTER, WORD};
use crate::finding::{Finding, settle};
use crate::view::View;

/// A rule and where it applies.
type Seen = Option<(&'static str, Range<usize>)>;

/// Data about persons, in the order of the text.
pub(crate) fn find(view: &View<'_>) -> Vec<Finding> {
    let text = view.text();
    let bytes = text.as_bytes();
    let mut found = address::find(bytes);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let begins = !WORD.before(bytes, at);
        let seen = match byte {
            b'@' => email::find(bytes, at),
            b'0'..=b'9' if begins => number(bytes, at),
            b'+' | b'(' if DIGIT.at(bytes, at + 1) && begins => phone::find(bytes, at),
            b':' => network::six(bytes, at),
            letter if LETTER.has(*letter) && begins => codes::iban(bytes, at),
            _ => None,
        };
        // What was found is not read again, and neither is the rest of a word.
        at = match &seen {
            Some((_, range)) => range.end.max(at + 1),
            None if begins && ALNUM.has(*byte) && !DIGIT.has(*byte) => {
                at + ALNUM.run(bytes, at, 4096)
            }
            None => at + 1,
        };
        found.extend(seen);
    }
    // A limit on the length of an address may fall into a character.
    let finding = |(rule, range)| {
        let found = Finding::whole(text, rule, range);
        Finding { rule, range: view.place(found.range) }
    };
    settle(found.into_iter().map(finding).collect())
}

/// What a run of digits may be, the surest first.
fn number(text: &[u8], at: usize) -> Seen {
    network::four(text, at)
        .or_else(|| codes::card(text, at))
        .or_else(|| codes::ssn(text, at))
        .or_else(|| phone::find(text, at))
}
