//! Owns values that look like chance and are given to a name that says they are secret: `api_key =
//! …`, `"token": "…"`.
//!
//! Everything counts that is not excused, and excuses are words; see [`super::excuses`].

use super::{Seen, assign, excuses};
use crate::class::{ALNUM, BASE64, Class, DIGIT, QUOTE, SPACE, WORD};
use crate::entropy::centibits;

/// Pieces of names that say a value is secret.
pub(super) const NAMES: &[&str] = &[
    "access",
    "api",
    "auth",
    "creds",
    "credential",
    "key",
    "passwd",
    "password",
    "secret",
    "token",
];

/// How far after the name the operator may stand.
const REACH: usize = 23;
/// The least entropy of a value in hundredths of a bit per byte: a word has about 250 to 300.
const FLOOR: u32 = 345;
/// A quoted password needs less: people choose it.
const PASSWORD_FLOOR: u32 = 190;

const NAME: Class = WORD.and(Class::one(b'.')).and(Class::one(b'-'));
const VALUE: Class = NAME.and(Class::one(b'='));
const QUOTED: Class = WORD.and(Class::one(b'-')).and(Class::one(b'='));

pub(super) fn find(text: &[u8], start: usize, end: usize) -> Seen {
    let mut starts = assign::values(text, end, REACH).peekable();
    let likeliest = *starts.peek()?;
    if text.get(start..end).is_some_and(|name| name.eq_ignore_ascii_case(b"password"))
        && let Some(seen) = assign::values(text, end, REACH).find_map(|at| quoted(text, at))
    {
        return Some(seen);
    }
    let begin = start - NAME.run_back(text, start, 50);
    let name = text.get(begin..likeliest)?;
    if excuses::name(name) {
        return None;
    }
    starts.find_map(|at| value(text, at)).map(|range| ("assigned-secret", range))
}

/// A password in double quotes, 8 to 20 bytes long.
fn quoted(text: &[u8], at: usize) -> Seen {
    let length = QUOTED.run(text, at, 21);
    let framed =
        text.get(at.checked_sub(1)?) == Some(&b'"') && text.get(at + length) == Some(&b'"');
    let bytes = text.get(at..at + length)?;
    let rich = centibits(text.get(at - 1..at + length + 1)?) >= PASSWORD_FLOOR;
    (framed && (8..=20).contains(&bytes.len()) && rich)
        .then_some(("quoted-password", at..at + length))
}

/// A value that begins here, ends as one and is not excused.
fn value(text: &[u8], at: usize) -> Option<core::ops::Range<usize>> {
    let dotted = VALUE.run(text, at, 151);
    let padded = {
        let body = BASE64.run(text, at, 4096);
        body + Class::one(b'=').run(text, at + body, 3)
    };
    let fits = |length: &usize, least: usize, most: usize| {
        (least..=most).contains(length) && closes(text, at + length)
    };
    let length = Some(dotted)
        .filter(|length| fits(length, 10, 150))
        .or(Some(padded).filter(|length| ALNUM.at(text, at) && fits(length, 12, 4099)))?;
    let bytes = text.get(at..at + length)?;
    (centibits(bytes) >= FLOOR && !plain(bytes) && !excuses::value(bytes))
        .then_some(at..at + length)
}

/// Whether a value ends here.
fn closes(text: &[u8], at: usize) -> bool {
    let end = SPACE.and(QUOTE).and(Class::one(b'`')).and(Class::one(b';'));
    let escape =
        text.get(at) == Some(&b'\\') && matches!(text.get(at + 1), Some(b'n' | b'r' | b'N' | b'R'));
    at == text.len() || end.at(text, at) || escape
}

/// Letters and separators alone are words.
fn plain(value: &[u8]) -> bool {
    let digit = value.iter().any(|byte| DIGIT.has(*byte));
    let sign = value.iter().any(|byte| matches!(byte, b'=' | b'+' | b'/'));
    !digit && !sign
}
