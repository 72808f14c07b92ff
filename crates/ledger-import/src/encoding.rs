//! Owns the spellings of bytes in text files: base64 (RFC 4648 section 4) for foreign rows, hex for
//! our own, and the keys that make a second import find the first one.

use memledger::format::hash;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let joined = group.iter().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte));
        let joined = joined << (8 * (3 - group.len()));
        for place in 0..4 {
            let index = (joined >> (18 - 6 * place)) & 63;
            let letter = ALPHABET.get(index as usize).copied().unwrap_or(b'=');
            out.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The bytes that [`hex`] spelled; none for anything else. Upper case is another spelling, so it is
/// refused.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let nibble = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() {
        return None;
    }
    pairs.iter().map(|[high, low]| Some(nibble(*high)? << 4 | nibble(*low)?)).collect()
}

/// A digest to compare texts by within one run. Never stored.
pub(crate) fn digest(bytes: &[u8]) -> [u8; 32] {
    hash::ciphertext(bytes)
}

/// An idempotency key of a fixed length for fields of any length. Each field is preceded by its
/// length, so that no two lists of fields give the same key.
pub(crate) fn import_key(fields: &[&str]) -> String {
    let mut joined = Vec::new();
    for field in fields {
        joined.extend_from_slice(&(field.len() as u64).to_le_bytes());
        joined.extend_from_slice(field.as_bytes());
    }
    format!("import:{}", hex(&digest(&joined)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn base64_equals_the_vectors_of_rfc_4648() {
        let vectors = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        for (length, expected) in vectors.iter().enumerate() {
            assert_eq!(base64(&b"foobar"[..length]), *expected);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xfe]), "+//+");
    }

    #[test]
    fn hex_has_one_spelling() {
        assert_eq!(unhex("0aFF"), None);
        assert_eq!(unhex("0af"), None);
        assert_eq!(unhex("0g"), None);
        assert_eq!(unhex(""), Some(Vec::new()));
    }

    #[test]
    fn keys_keep_fields_apart() {
        assert_ne!(import_key(&["a", "bc"]), import_key(&["ab", "c"]));
        assert!(import_key(&[&"x".repeat(10_000)]).len() < 100);
    }

    proptest! {
        #[test]
        fn hex_round_trips(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            prop_assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        }
    }
}
