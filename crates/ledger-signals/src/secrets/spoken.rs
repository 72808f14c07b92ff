//! Owns passwords as people say them: "the password is Sunflower42!", `PIN: …` not included.

use super::Seen;
use crate::class::{ALNUM, BLANK, Class, LETTER, QUOTE, SPACE, WORD};

/// Words after which a password follows, in English, German, Spanish and French.
pub(super) const WORDS: &[&str] =
    &["password", "passwort", "kennwort", "passcode", "passphrase", "contraseña", "mot de passe"];

/// Words that may stand between: "is now", "for the wifi is", "lautet".
const FILLERS: usize = 40;

pub(super) fn find(text: &[u8], start: usize, end: usize) -> Seen {
    if WORD.before(text, start) || ALNUM.at(text, end) {
        return None;
    }
    let reach = text.len().min(end + FILLERS);
    let between = text.get(end..reach)?;
    let is = [" is ", ": ", "=", " lautet ", " ist ", " es ", " est ", " to "].iter().filter_map(
        |word| {
            let place = between.windows(word.len()).position(|part| part == word.as_bytes())?;
            Some(place + word.len())
        },
    );
    let mut at = end + is.min()?;
    at += QUOTE.and(BLANK).and(Class::one(b'`')).and(Class::one(b'*')).run(text, at, 4);
    let length = SPACE.and(QUOTE).and(Class::one(b'`')).not().run(text, at, 65);
    let word = text.get(at..at + length)?;
    let word = word.get(..word.len() - trailing(word))?;
    strong(word).then_some(("spoken-password", at..at + word.len()))
}

/// Marks that end a sentence, not a password.
fn trailing(word: &[u8]) -> usize {
    let marks =
        word.iter().rev().take_while(|byte| matches!(**byte, b'.' | b',' | b';' | b')' | b':'));
    marks.count()
}

/// What nobody would write for another reason: letters of both cases, digits or signs, no path, no code.
fn strong(word: &[u8]) -> bool {
    let some = |class: Class| word.iter().any(|byte| class.has(*byte));
    let sign = Class::one(b'!')
        .and(Class::span(b'#', b'&'))
        .and(Class::span(b'*', b'+'))
        .and(Class::one(b'?').and(Class::one(b'@')).and(Class::one(b'^')).and(Class::one(b'~')));
    let code = WORD.and(sign).and(Class::one(b'-')).not();
    let kinds = [
        some(Class::span(b'a', b'z')),
        some(Class::span(b'A', b'Z')),
        some(Class::span(b'0', b'9')),
        some(sign),
    ];
    let count = kinds.iter().filter(|kind| **kind).count();
    (8..=64).contains(&word.len())
        && count >= 3
        && some(LETTER)
        && !some(code)
        && !matches!(word.first(), Some(b'$' | b'%' | b'@' | b'#'))
}
