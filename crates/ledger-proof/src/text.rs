//! Owns the small parts that all texts are made of: base64, decimal numbers, lines.
//!
//! Invariant: one value has one text, so that what parses prints as it was.

use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::merkle::Hash;

/// Standard base64 with padding (RFC 4648 section 4).
pub(crate) fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// The bytes; none where it is not the one encoding of them.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    STANDARD.decode(text).ok()
}

/// A hash in standard base64 with padding; none where the text is not the one encoding of 32 bytes.
#[must_use]
pub fn hash(text: &str) -> Option<Hash> {
    decode(text)?.try_into().ok()
}

/// A decimal number without leading zeros, sign or spaces.
pub(crate) fn decimal(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let leading = text.len() > 1 && text.starts_with('0');
    if plain && !leading { text.parse().ok() } else { None }
}

/// Lines of a text that ends each of them with LF; none where the last one is not ended.
pub(crate) fn lines(text: &str) -> Option<impl Iterator<Item = &str>> {
    Some(text.strip_suffix('\n')?.split('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_one_text() {
        assert_eq!(decimal("0"), Some(0));
        assert_eq!(decimal("18446744073709551615"), Some(u64::MAX));
        for text in ["", "00", "01", "+1", "-1", " 1", "1 ", "1e3", "18446744073709551616", "١"] {
            assert_eq!(decimal(text), None, "{text:?}");
        }
    }

    #[test]
    fn bytes_have_one_text() {
        assert_eq!(decode("AA=="), Some(Vec::from([0])));
        for text in ["AA", "AA=", "AB==", "A A=", "AA==\n", "AA===", "-_8="] {
            assert_eq!(decode(text), None, "{text:?}");
        }
    }
}
