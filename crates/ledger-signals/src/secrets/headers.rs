//! Owns credentials in requests: `Authorization` headers, and the headers and users of a curl command,
//! which may go over a few lines.

use core::ops::Range;

use super::Seen;
use crate::class::{ALNUM, BASE64, BLANK, Class, LETTER, NEWLINE, QUOTE, SPACE, WORD};
use crate::entropy::centibits;

/// A piece of a command line.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    Curl,
    Header,
    User,
}

/// The curl command that was begun last.
#[derive(Default)]
pub(super) struct Command {
    begun: bool,
    /// Line ends since then, counted up to `counted`.
    lines: usize,
    counted: usize,
}

/// Line ends after which an option no longer belongs to the command: five continued lines.
const LINES: usize = 11;
/// What a header's value is made of.
const VALUE: Class = WORD
    .and(BASE64)
    .and(Class::one(b'='))
    .and(Class::one(b'~'))
    .and(Class::one(b'@'))
    .and(Class::one(b'.'))
    .and(Class::one(b'-'));

impl Command {
    pub(super) fn find(&mut self, text: &[u8], start: usize, end: usize, piece: Piece) -> Seen {
        if matches!(piece, Piece::Curl) {
            if !WORD.before(text, start) && !WORD.at(text, end) {
                *self = Command { begun: true, lines: 0, counted: end };
            }
            return None;
        }
        if !self.begun || !SPACE.before(text, start) {
            return None;
        }
        let passed = text.get(self.counted..start).unwrap_or_default();
        self.lines += passed.iter().filter(|byte| NEWLINE.has(**byte)).count();
        self.counted = self.counted.max(start);
        if self.lines > LINES {
            self.begun = false;
            return None;
        }
        let at = match text.get(end) {
            Some(b'=') => end + 1,
            _ => end + BLANK.run(text, end, 5),
        };
        match piece {
            Piece::User => user(text, at),
            _ => quoted(text, at),
        }
    }
}

/// A quoted header that carries a credential.
fn quoted(text: &[u8], at: usize) -> Seen {
    let quote = *text.get(at).filter(|byte| QUOTE.has(**byte))?;
    let name = at + 1;
    let colon = name + LETTER.and(Class::one(b'-')).run(text, name, 64);
    let carries = |word: &[u8]| {
        let tail = text.get(colon.checked_sub(word.len())?.max(name)..colon)?;
        tail.eq_ignore_ascii_case(word).then_some(())
    };
    carries(b"authorization").or_else(|| carries(b"key")).or_else(|| carries(b"token"))?;
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let value = value(text, colon + 1);
    let rich = centibits(text.get(value.clone())?) >= 270;
    (value.len() >= 8 && rich && text.get(value.end) == Some(&quote))
        .then_some(("http-header", value))
}

/// Where the value of a header lies, without its scheme.
fn value(text: &[u8], colon: usize) -> Range<usize> {
    let mut at = colon + BLANK.run(text, colon, 5);
    let scheme = LETTER.and(Class::one(b'-')).run(text, at, 10);
    let named = text.get(at..at + scheme).unwrap_or_default();
    let known = ["basic", "bearer", "token", "api-token", "apitoken"];
    if known.iter().any(|word| named.eq_ignore_ascii_case(word.as_bytes()))
        && BLANK.at(text, at + scheme)
    {
        at += scheme + 1;
    }
    at..at + VALUE.run(text, at, usize::MAX)
}

/// An `Authorization` header outside a command: its value must look like chance, not like a word.
pub(super) fn header(text: &[u8], colon: usize) -> Seen {
    let value = value(text, colon);
    let bytes = text.get(value.clone())?;
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let rich = value.len() >= 16 && digits >= 2 && centibits(bytes) >= 350;
    rich.then_some(("http-header", value))
}

/// `-u name:password`, in the quotes that a shell takes.
fn user(text: &[u8], at: usize) -> Seen {
    let quote = text.get(at).copied().filter(|byte| QUOTE.has(*byte));
    let bare = WORD
        .and(QUOTE)
        .and(Class::one(b'$'))
        .and(Class::one(b'@'))
        .and(Class::one(b'.'))
        .and(Class::one(b'-'))
        .and(Class::one(b':'))
        .and(Class::one(b'{'))
        .and(Class::one(b'}'));
    let word = match quote {
        // `"name":"password"` is one word to a shell.
        Some(quote) => {
            let inner = Class::one(quote).not().run(text, at + 1, 512);
            let end = at + 1 + inner + 1;
            match text.get(end) {
                Some(b':') => at..end + argument(text, end),
                _ => at + 1..end - 1,
            }
        }
        None => at..at + argument(text, at).max(bare.run(text, at, 512)),
    };
    let bytes = text.get(word.clone())?;
    let colon = bytes.iter().position(|byte| *byte == b':')?;
    let (name, password) = (bytes.get(..colon)?, bytes.get(colon + 1..)?);
    let long = name.len().max(password.len()) >= 3;
    (long && centibits(bytes) >= 190 && !reference(name, password)).then_some(("curl-user", word))
}

/// How long the shell word is that begins here, with quoted parts.
fn argument(text: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = text.get(at).filter(|byte| !SPACE.has(**byte)) {
        if at - from > 512 {
            break;
        }
        at += 1;
        if QUOTE.has(*byte) {
            let inner = Class::one(*byte).not().run(text, at, 512);
            at = (at + inner + 1).min(text.len());
        }
    }
    at - from
}

/// Whether both are names of variables or gaps to fill, so that no password is told.
fn reference(name: &[u8], password: &[u8]) -> bool {
    let bare = |part: &[u8]| -> alloc::vec::Vec<u8> {
        part.iter().copied().filter(|byte| !QUOTE.has(*byte)).collect()
    };
    let (name, password) = (bare(name), bare(password));
    let variable = match password.as_slice() {
        [b'$', b'{', inner @ .., b'}'] => {
            WORD.run(inner, 0, 99) == inner.len() && !inner.is_empty()
        }
        [b'$', inner @ ..] => ALNUM.at(inner, 0) && WORD.run(inner, 0, 99) == inner.len(),
        _ => false,
    };
    let gap = |part: &[u8]| matches!(part, [b'<', .., b'>']) || part.starts_with(b"{{");
    variable && !name.is_empty() || gap(&name) && gap(&password)
}
