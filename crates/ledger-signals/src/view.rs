//! Owns the text as the rules read it: without invisible characters, and with letters that only look
//! different put back to plain ones. A text that hides nothing is read as it is, without a copy.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A text, and what it is when read.
pub(crate) struct View<'a> {
    original: &'a str,
    folded: Option<Folded>,
}

struct Folded {
    text: String,
    /// For each byte of `text`, where its character starts in the original.
    origin: Vec<usize>,
}

impl<'a> View<'a> {
    pub(crate) fn of(original: &'a str) -> View<'a> {
        let hides = !original.is_ascii() && original.chars().any(|read| fold(read) != Some(read));
        View { original, folded: hides.then(|| Folded::of(original)) }
    }

    /// The text with nothing hidden.
    pub(crate) fn text(&self) -> &str {
        self.folded.as_ref().map_or(self.original, |folded| &folded.text)
    }

    /// Where a range of [`View::text`] lies in the original, without what was skipped at its end.
    pub(crate) fn place(&self, range: Range<usize>) -> Range<usize> {
        let Some(folded) = &self.folded else { return range };
        let whole = self.original.len();
        let at = |byte: usize| folded.origin.get(byte).copied().unwrap_or(whole);
        let last = at(range.end.saturating_sub(1));
        let read = self.original.get(last..).and_then(|rest| rest.chars().next());
        at(range.start)..(last + read.map_or(0, char::len_utf8)).max(at(range.start))
    }

    /// The text as it was given, if reading changes it.
    pub(crate) fn before(&self) -> Option<&'a str> {
        self.folded.as_ref().map(|_| self.original)
    }
}

impl Folded {
    fn of(original: &str) -> Folded {
        let mut text = String::with_capacity(original.len());
        let mut origin = Vec::with_capacity(original.len());
        for (at, read) in original.char_indices() {
            if let Some(plain) = fold(read) {
                text.push(plain);
                origin.resize(text.len(), at);
            }
        }
        Folded { text, origin }
    }
}

/// What a character is read as: `None` for one that shows nothing.
fn fold(read: char) -> Option<char> {
    if read.is_ascii() {
        return Some(read);
    }
    if let Some(hidden) = tag(read) {
        return Some(hidden);
    }
    if invisible(read) {
        return None;
    }
    match read {
        // Compatibility forms of one letter, digit or sign: ligatures and the like stay.
        '\u{17F}'
        | '\u{212A}'
        | '\u{2460}'..='\u{2468}'
        | '\u{24B6}'..='\u{24E9}'
        | '\u{FF01}'..='\u{FF5E}'
        | '\u{1D400}'..='\u{1D7FF}' => Some(single(read)),
        '\u{A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{3000}' => Some(' '),
        _ => Some(read),
    }
}

/// The character that a compatibility form stands for, if it is exactly one.
fn single(read: char) -> char {
    let mut parts = [None, None];
    let mut count = 0_usize;
    unicode_normalization::char::decompose_compatible(read, |part| {
        if let Some(place) = parts.get_mut(count) {
            *place = Some(part);
        }
        count += 1;
    });
    match parts {
        [Some(part), None] => part,
        _ => read,
    }
}

/// Tag characters show nothing and spell ASCII: a known way to hide orders in a text.
fn tag(read: char) -> Option<char> {
    let code = u32::from(read);
    let spelled = code.checked_sub(0xE_0000).filter(|spelled| (0x20..0x7F).contains(spelled))?;
    char::from_u32(spelled)
}

/// Whether a character shows nothing by itself: joiners, marks of direction, selectors of a glyph.
pub(crate) fn invisible(read: char) -> bool {
    matches!(read,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_copied() {
        for text in ["", "plain", "Grüße, 世界 👍"] {
            assert!(View::of(text).folded.is_none(), "{text}");
        }
    }

    #[test]
    fn hidden_letters_are_read_and_found_again() {
        let text = "a\u{200B}b ｋｅｙ 𝐱é";
        let view = View::of(text);
        assert_eq!(view.text(), "ab key xé");
        let place = |range| text.get(view.place(range));
        assert_eq!(place(3..6), Some("ｋｅｙ"));
        assert_eq!(place(0..2), Some("a\u{200B}b"));
        assert_eq!(place(0..1), Some("a"));
        assert_eq!(place(7..10), Some("𝐱é"));
        assert_eq!(View::of("x\u{E0068}\u{E0069}").text(), "xhi");
    }
}
