//! Owns addresses of mail (RFC 5321, in the form that people use: no quoted local parts).

use super::Seen;
use crate::class::{ALNUM, Class, LETTER, WORD};

/// The longest local part and the longest domain of RFC 5321, section 4.5.3.1.
const LOCAL: usize = 64;
const DOMAIN: usize = 255;

pub(super) fn find(text: &[u8], at: usize) -> Seen {
    let other = Class::span(0, 127).not();
    let local = WORD
        .and(other)
        .and(Class::span(b'#', b'\''))
        .and(Class::one(b'!'))
        .and(Class::one(b'+'))
        .and(Class::one(b'-'))
        .and(Class::one(b'.'));
    let domain = ALNUM.and(other).and(Class::one(b'-')).and(Class::one(b'.'));
    let mut start = at - local.run_back(text, at, LOCAL);
    // Quotes and dots before an address belong to the sentence.
    while start < at && !WORD.and(other).at(text, start) {
        start += 1;
    }
    let mut end = at + 1 + domain.run(text, at + 1, DOMAIN);
    while end > at && !ALNUM.and(other).before(text, end) {
        end -= 1;
    }
    let name = text.get(at + 1..end)?;
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let top = name.get(dot + 1..)?;
    let whole = top.len() >= 2 && top.iter().all(|byte| LETTER.and(other).has(*byte)) && dot > 0;
    (whole && start < at && ALNUM.and(other).at(text, at + 1)).then_some(("email", start..end))
}
