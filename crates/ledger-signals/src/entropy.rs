//! Owns Shannon's entropy of a byte string in fixed point.
//!
//! `H = log2 n - (1/n) * sum c log2 c` over the counts `c` of each byte among `n` (C. E. Shannon, "A
//! Mathematical Theory of Communication", 1948). Integers only, so every machine says the same.

/// Fraction bits of a logarithm.
const FRACTION: u32 = 16;

/// Entropy per byte, in hundredths of a bit, rounded down. Nothing has none.
pub(crate) fn centibits(bytes: &[u8]) -> u32 {
    let mut counts = [0_u64; 256];
    for byte in bytes {
        if let Some(count) = counts.get_mut(usize::from(*byte)) {
            *count += 1;
        }
    }
    let total = bytes.len() as u64;
    if total == 0 {
        return 0;
    }
    let parts: u64 = counts.iter().map(|count| count.saturating_mul(log2(*count))).sum();
    let whole = total.saturating_mul(log2(total));
    let bits = whole.saturating_sub(parts) / total;
    u32::try_from((bits * 100) >> FRACTION).unwrap_or(u32::MAX)
}

/// `log2` of an integer with [`FRACTION`] fraction bits, rounded down; 0 for 0.
fn log2(value: u64) -> u64 {
    let Some(whole) = value.checked_ilog2() else { return 0 };
    // The mantissa in [1, 2) with 31 fraction bits; each squaring yields one bit of the logarithm.
    let mut mantissa = if whole > 31 { value >> (whole - 31) } else { value << (31 - whole) };
    let mut log = u64::from(whole);
    for _ in 0..FRACTION {
        mantissa = (mantissa * mantissa) >> 31;
        let carry = mantissa >> 32;
        log = (log << 1) | carry;
        mantissa >>= carry;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_entropies() {
        assert_eq!(centibits(b""), 0);
        assert_eq!(centibits(b"aaaa"), 0);
        assert_eq!(centibits(b"abab"), 100);
        assert_eq!(centibits(b"abcdefgh"), 300);
        let all: alloc::vec::Vec<u8> = (0..=255).collect();
        assert_eq!(centibits(&all), 800);
    }

    #[test]
    fn it_is_the_float_formula_rounded_down() {
        for text in ["hello world", "correct horse battery staple", "a1b2c3d4e5f6", "aab"] {
            let count = |byte: u8| text.bytes().filter(|other| *other == byte).count() as f64;
            let share = |byte: u8| count(byte) / text.len() as f64;
            let bits: f64 = text.bytes().map(|byte| -share(byte).log2() / text.len() as f64).sum();
            assert!((f64::from(centibits(text.as_bytes())) - bits * 100.0).abs() < 1.01, "{text}");
        }
    }
}
