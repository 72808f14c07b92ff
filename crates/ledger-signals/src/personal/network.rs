//! Owns addresses of the internet, without those that name no one's connection: private networks, the
//! machine itself, documentation.

use super::Seen;
use crate::class::{ALNUM, Class, DIGIT, HEX};

/// Four numbers up to 255.
pub(super) fn four(text: &[u8], at: usize) -> Seen {
    let mut parts = [0_u32; 4];
    let mut place = at;
    for (number, part) in parts.iter_mut().enumerate() {
        if number > 0 {
            text.get(place).filter(|byte| **byte == b'.')?;
            place += 1;
        }
        let digits = DIGIT.run(text, place, 4);
        let value = text.get(place..place + digits)?.iter();
        *part = value.fold(0, |value, byte| value * 10 + u32::from(byte - b'0'));
        if digits == 0 || digits > 3 || *part > 255 {
            return None;
        }
        place += digits;
    }
    let dotted = Class::one(b'.').before(text, at)
        || text.get(place) == Some(&b'.') && DIGIT.at(text, place + 1);
    let ends = !ALNUM.and(Class::one(b'_')).and(Class::one(b'-')).at(text, place);
    let nobody = matches!(
        parts,
        [0 | 10 | 127 | 224..=255, ..]
            | [172, 16..=31, ..]
            | [192, 168, ..]
            | [169, 254, ..]
            | [192, 0, 2, _]
            | [198, 51, 100, _]
            | [203, 0, 113, _]
    );
    (!dotted && ends && !nobody).then_some(("ip", at..place))
}

/// Eight groups of RFC 4291, or fewer around `::`; seen from its first colon.
pub(super) fn six(text: &[u8], colon: usize) -> Seen {
    let inside = HEX.and(Class::one(b':'));
    if inside.before(text, colon) && Class::one(b':').run_back(text, colon, 6) > 0 {
        return None;
    }
    let start = colon - HEX.run_back(text, colon, 5);
    if inside.and(ALNUM).and(Class::one(b'.')).before(text, start) {
        return None;
    }
    let end = start + inside.run(text, start, 40);
    let address = text.get(start..end)?;
    if address.len() < 15 || ALNUM.and(Class::one(b'_')).at(text, end) {
        return None;
    }
    let groups = address.split(|byte| *byte == b':');
    let (filled, empty, long) =
        groups.fold((0, 0, false), |(filled, empty, long), group| match group.len() {
            0 => (filled, empty + 1, long),
            length => (filled + 1, empty, long || length > 4),
        });
    let whole = filled == 8 && empty == 0 || (4..8).contains(&filled) && empty == 1;
    let documentation =
        address.to_ascii_lowercase().starts_with(b"2001:db8") || address.starts_with(b"fe80");
    (whole && !long && !documentation).then_some(("ip", start..end))
}
