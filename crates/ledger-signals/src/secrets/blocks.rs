//! Owns credentials with a structure: private keys, JSON web tokens, manifests of Kubernetes secrets.

use core::ops::Range;

use super::Seen;
use crate::class::{ALNUM, BASE64, BLANK, Class, QUOTE, SPACE, TOKEN, WORD};
use crate::entropy::centibits;

/// An armour line of a key.
#[derive(Clone, Copy)]
pub(super) enum Edge {
    Opens,
    Closes,
}

/// The private key that was opened last.
#[derive(Default)]
pub(super) struct Keys {
    open: Option<Range<usize>>,
}

/// The armour of RFC 7468 and of OpenPGP, and the least that a key has inside.
const LABEL: usize = 140;
const BODY: usize = 64;

impl Keys {
    pub(super) fn find(&mut self, text: &[u8], start: usize, end: usize, edge: Edge) -> Seen {
        if matches!(edge, Edge::Opens) {
            if let Some(body) = opened(text, end) {
                self.open = Some(start..body);
                // Cut off before its end, it is a key all the same.
                let lines = SPACE.and(BASE64).run(text, body, 1024);
                let long = lines >= BODY && text.get(body..body + lines).is_some_and(dense);
                return long.then_some(("private-key", start..body + lines));
            }
            return None;
        }
        let open = self.open.clone().filter(|open| start >= open.end + BODY - "PRIVATE ".len())?;
        self.open = None;
        Some(("private-key", open.start..end))
    }
}

/// Where the armour line ends that began before `end`, if it announces a private key.
fn opened(text: &[u8], end: usize) -> Option<usize> {
    let label = ALNUM.and(Class::one(b' ')).and(Class::one(b'_')).and(Class::one(b'-'));
    let until = end + label.run(text, end, LABEL);
    let line = text.get(end..until)?;
    let says =
        |word: &[u8]| line.windows(word.len()).position(|part| part.eq_ignore_ascii_case(word));
    let key = says(b"PRIVATE KEY-----").map(|at| at + 16);
    let block = says(b"PRIVATE KEY BLOCK-----").map(|at| at + 22);
    key.or(block).map(|at| end + at)
}

/// Text with few gaps, as base64 is and prose is not.
fn dense(lines: &[u8]) -> bool {
    let gaps = lines.iter().filter(|byte| SPACE.has(**byte)).count();
    gaps * 16 < lines.len() && centibits(lines) >= 400
}

/// A JSON web token (RFC 7519) around the first dot and the two bytes after it: every part that is
/// JSON begins with `ey`.
pub(super) fn jwt(text: &[u8], dot: usize) -> Seen {
    let header = TOKEN.run_back(text, dot, 4096);
    let plain = ALNUM.run_back(text, dot, 4096);
    let begins = |count: usize| {
        let start = dot - count;
        let there = count >= 19 && text.get(start..start + 2) == Some(b"ey");
        (there && !WORD.before(text, start)).then_some(start)
    };
    let start = begins(header).or_else(|| begins(plain))?;
    let part = TOKEN.and(Class::one(b'/')).and(Class::one(b'\\'));
    let claims = part.run(text, dot + 1, usize::MAX);
    let end = dot + 1 + claims;
    if claims < 19 || text.get(end) != Some(&b'.') || text.get(dot + 1..dot + 3) != Some(b"ey") {
        return None;
    }
    let signature = part.and(Class::one(b'=')).run(text, end + 1, usize::MAX);
    let end = end + 1 + signature;
    (centibits(text.get(start..end)?) >= 290).then_some(("jwt", start..end))
}

/// How far from `kind: Secret` its data may lie.
const NEAR: usize = 1600;

/// A Kubernetes manifest with data: `kind: Secret` and, before or after it, `data:` with a name and a
/// base64 value.
pub(super) fn manifest(text: &[u8], start: usize, end: usize) -> Seen {
    let mut at = end + BLANK.run(text, end, 64);
    at += QUOTE.run(text, at, 1);
    let secret = text.get(at..at + 6).is_some_and(|word| word.eq_ignore_ascii_case(b"secret"));
    if !secret || WORD.at(text, at + 6) || WORD.before(text, start) {
        return None;
    }
    let from = start.saturating_sub(NEAR);
    let near = text.get(from..text.len().min(end + NEAR))?;
    let mut found = None;
    for (place, word) in near.windows(5).enumerate() {
        if word.eq_ignore_ascii_case(b"data:") && found.is_none() {
            found = entry(text, from + place + 5, from + near.len(), start);
        }
    }
    found.map(|range| ("kubernetes-secret", range))
}

/// The first `name: value` with a base64 value of ten bytes. A value ends where `kind` begins, also
/// without a gap between them.
fn entry(text: &[u8], from: usize, until: usize, kind: usize) -> Option<Range<usize>> {
    let mut at = from;
    while at < until {
        if text.get(at) == Some(&b':') && TOKEN.and(Class::one(b'.')).before(text, at) {
            let mut value = at + 1 + BLANK.run(text, at + 1, 64);
            if matches!(text.get(value), Some(b'|' | b'>')) {
                value += 1 + Class::one(b'+').and(Class::one(b'-')).run(text, value + 1, 1);
            }
            value += SPACE.run(text, value, 64);
            value += QUOTE.run(text, value, 1);
            let most = kind.checked_sub(value).filter(|most| *most > 0).unwrap_or(4096);
            let length = BASE64.run(text, value, most.min(4096));
            let name = text.get(value + length) == Some(&b':');
            if length >= 10 && !name {
                return Some(value..value + length);
            }
        }
        at += 1;
    }
    None
}
