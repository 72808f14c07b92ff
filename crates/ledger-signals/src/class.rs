//! Owns sets of bytes and the small language of shapes that the tables of formats are written in.
//!
//! A shape is matched byte by byte without going back, so its cost is its length. Letters of a fixed
//! text match in both cases.

/// A set of bytes.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    ascii: u128,
    /// Whether all bytes of other scripts belong to it.
    others: bool,
}

impl Class {
    pub(crate) const fn span(from: u8, to: u8) -> Class {
        Class { ascii: (u128::MAX >> (127 - (to - from))) << from, others: false }
    }

    pub(crate) const fn one(byte: u8) -> Class {
        Class::span(byte, byte)
    }

    pub(crate) const fn and(self, other: Class) -> Class {
        Class { ascii: self.ascii | other.ascii, others: self.others | other.others }
    }

    /// Everything else.
    pub(crate) const fn not(self) -> Class {
        Class { ascii: !self.ascii, others: !self.others }
    }

    pub(crate) const fn has(self, byte: u8) -> bool {
        if byte < 128 { self.ascii >> byte & 1 == 1 } else { self.others }
    }

    /// Whether there is a byte at this place and it belongs to the set.
    pub(crate) fn at(self, text: &[u8], at: usize) -> bool {
        text.get(at).is_some_and(|byte| self.has(*byte))
    }

    /// Whether the byte before this place belongs to the set.
    pub(crate) fn before(self, text: &[u8], at: usize) -> bool {
        at.checked_sub(1).is_some_and(|before| self.at(text, before))
    }

    /// How many bytes from here on belong to the set, `most` at most.
    pub(crate) fn run(self, text: &[u8], at: usize, most: usize) -> usize {
        let rest = text.get(at..).unwrap_or_default();
        rest.iter().take(most).take_while(|byte| self.has(**byte)).count()
    }

    /// How many bytes before this place belong to the set, `most` at most.
    pub(crate) fn run_back(self, text: &[u8], at: usize, most: usize) -> usize {
        let past = text.get(..at).unwrap_or_default();
        past.iter().rev().take(most).take_while(|byte| self.has(**byte)).count()
    }
}

pub(crate) const DIGIT: Class = Class::span(b'0', b'9');
pub(crate) const UPPER: Class = Class::span(b'A', b'Z');
pub(crate) const LETTER: Class = UPPER.and(Class::span(b'a', b'z'));
pub(crate) const HEX: Class = DIGIT.and(Class::span(b'a', b'f')).and(Class::span(b'A', b'F'));
pub(crate) const ALNUM: Class = LETTER.and(DIGIT);
pub(crate) const WORD: Class = ALNUM.and(Class::one(b'_'));
/// The alphabet of most tokens, which is that of base64 for addresses.
pub(crate) const TOKEN: Class = WORD.and(Class::one(b'-'));
/// The same with padding anywhere.
pub(crate) const PADDED: Class = TOKEN.and(Class::one(b'='));
/// Base64 without padding.
pub(crate) const BASE64: Class = ALNUM.and(Class::one(b'+')).and(Class::one(b'/'));
pub(crate) const BLANK: Class = Class::one(b' ').and(Class::one(b'\t'));
pub(crate) const NEWLINE: Class = Class::one(b'\n').and(Class::one(b'\r'));
pub(crate) const SPACE: Class = BLANK.and(NEWLINE).and(Class::one(0x0C));
pub(crate) const QUOTE: Class = Class::one(b'"').and(Class::one(b'\''));

/// A piece of a shape.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// These letters, in any case.
    Text(&'static str),
    /// As many bytes of the set as there are, up to the second number and no fewer than the first.
    Run(Class, usize, usize),
}

/// Exactly this many bytes of a set. What follows may belong to it too.
pub(crate) const fn some(class: Class, count: usize) -> Part {
    Part::Run(class, count, count)
}

/// Where a shape ends that begins at `at`.
pub(crate) fn after(text: &[u8], mut at: usize, shape: &[Part]) -> Option<usize> {
    for part in shape {
        at += match part {
            Part::Text(letters) => {
                let there = text.get(at..at.checked_add(letters.len())?)?;
                there.eq_ignore_ascii_case(letters.as_bytes()).then_some(letters.len())?
            }
            Part::Run(class, least, most) => {
                Some(class.run(text, at, *most)).filter(|count| count >= least)?
            }
        };
    }
    Some(at)
}

/// Where a shape begins that ends at `at`.
pub(crate) fn before(text: &[u8], mut at: usize, shape: &[Part]) -> Option<usize> {
    for part in shape.iter().rev() {
        at = match part {
            Part::Text(letters) => {
                let start = at.checked_sub(letters.len())?;
                let there = text.get(start..at)?;
                there.eq_ignore_ascii_case(letters.as_bytes()).then_some(start)?
            }
            Part::Run(class, least, most) => {
                let count = class.run_back(text, at, *most);
                at.checked_sub(Some(count).filter(|count| count >= least)?)?
            }
        };
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_they_say() {
        assert!(DIGIT.has(b'0') && DIGIT.has(b'9') && !DIGIT.has(b'/') && !DIGIT.has(b':'));
        assert!(Class::span(0, 127).has(127) && !Class::span(0, 127).has(128));
        assert!(SPACE.not().has(0xC3) && !SPACE.not().has(b'\n'));
    }

    #[test]
    fn shapes_match_forwards_and_backwards() {
        let shape = [Part::Text("ab"), some(DIGIT, 2), Part::Run(LETTER, 0, 9)];
        assert_eq!(after(b"xAB12cd-", 1, &shape), Some(7));
        assert_eq!(before(b"xAB12cd-", 7, &shape), Some(1));
        assert_eq!(after(b"xAB1", 1, &shape), None);
        assert_eq!(before(b"B12", 3, &shape), None);
    }
}
