//! Owns numbers with a checksum or a fixed pattern: IBAN (ISO 13616), payment cards (ISO/IEC 7812), social
//! security numbers of the United States.

use super::Seen;
use crate::class::{ALNUM, Class, DIGIT, LETTER};

/// The shortest and the longest IBAN in use.
const IBAN: core::ops::RangeInclusive<usize> = 15..=34;

/// Two letters, two check digits, and an account, in one piece or in groups of four.
pub(super) fn iban(text: &[u8], at: usize) -> Seen {
    if !(LETTER.at(text, at + 1) && DIGIT.at(text, at + 2) && DIGIT.at(text, at + 3)) {
        return None;
    }
    let mut code = alloc::vec::Vec::with_capacity(34);
    let mut end = at;
    let mut place = at;
    while let Some(byte) = text.get(place).filter(|_| code.len() < 35) {
        if ALNUM.has(*byte) {
            code.push(byte.to_ascii_uppercase());
            end = place + 1;
        } else if *byte != b' ' || code.len() % 4 != 0 || !ALNUM.at(text, place + 1) {
            break;
        }
        place += 1;
        // A code in groups may be followed by words: every length is tried where a group ends.
        if !ALNUM.at(text, end) && IBAN.contains(&code.len()) && remainder(&code) == 1 {
            return Some(("iban", at..end));
        }
    }
    None
}

/// ISO 7064, mod 97-10, over the code with its first four characters at the end.
fn remainder(code: &[u8]) -> u32 {
    let (head, body) = code.split_at(code.len().min(4));
    body.iter().chain(head).fold(0, |rest, byte| match byte {
        b'0'..=b'9' => (rest * 10 + u32::from(byte - b'0')) % 97,
        letter => (rest * 100 + u32::from(letter.saturating_sub(b'A')) + 10) % 97,
    })
}

/// Twelve to nineteen digits of an issuer's range with a valid check digit (Luhn).
pub(super) fn card(text: &[u8], at: usize) -> Seen {
    let mut digits = [0_u8; 19];
    let mut count = 0;
    let mut place = at;
    while let Some(byte) = text.get(place) {
        if DIGIT.has(*byte) {
            *digits.get_mut(count)? = byte - b'0';
            count += 1;
        } else if !matches!(byte, b' ' | b'-') || !DIGIT.at(text, place + 1) {
            break;
        }
        place += 1;
    }
    let digits = digits.get(..count)?;
    let ends = !ALNUM.and(Class::one(b'_')).at(text, place);
    (ends && issued(digits) && luhn(digits)).then_some(("card", at..place))
}

/// Whether the length fits the range of an issuer that begins like this.
fn issued(digits: &[u8]) -> bool {
    let lead = digits.iter().take(4).fold(0_u32, |lead, digit| lead * 10 + u32::from(*digit));
    let count = digits.len();
    match lead {
        4000..=4999 => matches!(count, 13 | 16 | 19),
        5100..=5599 | 2221..=2720 | 3528..=3589 => count == 16,
        3400..=3499 | 3700..=3799 | 2131 | 1800 => count == 15,
        3000..=3059 | 3600..=3699 | 3800..=3999 => count == 14,
        6011 | 6440..=6599 => matches!(count, 16 | 19),
        5000..=5099 | 5600..=6999 => (12..=19).contains(&count),
        _ => false,
    }
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let doubled = u32::from(*digit) * if place % 2 == 1 { 2 } else { 1 };
            doubled / 10 + doubled % 10
        })
        .sum();
    sum.is_multiple_of(10)
}

/// `123-45-6789`, without the numbers that are never given out.
pub(super) fn ssn(text: &[u8], at: usize) -> Seen {
    let [a, b, c, b'-', d, e, b'-', f, g, h, i, ..] = text.get(at..)? else { return None };
    let digits = [a, b, c, d, e, f, g, h, i];
    if !digits.iter().all(|byte| DIGIT.has(**byte)) || ALNUM.and(Class::one(b'-')).at(text, at + 11)
    {
        return None;
    }
    let never = matches!([a, b, c], [b'0', b'0', b'0'] | [b'6', b'6', b'6'] | [b'9', _, _])
        || [d, e] == [&b'0', &b'0']
        || [f, g, h, i] == [&b'0'; 4];
    (!never).then_some(("ssn", at..at + 11))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standards() {
        // The examples of ISO 13616 and of the card networks' test pages.
        assert!(
            iban(b"GB82 WEST 1234 5698 7654 32 is mine", 0).is_some_and(|seen| seen.1 == (0..27))
        );
        assert!(iban(b"DE89370400440532013000", 0).is_some());
        assert!(iban(b"DE88370400440532013000", 0).is_none());
        assert!(card(b"4111 1111 1111 1111.", 0).is_some_and(|seen| seen.1 == (0..19)));
        assert!(card(b"4111 1111 1111 1112", 0).is_none());
        assert!(card(b"1700000000000", 0).is_none());
        assert!(ssn(b"078-05-1120", 0).is_some());
        assert!(ssn(b"000-05-1120", 0).is_none() && ssn(b"078-05-11201", 0).is_none());
    }
}
