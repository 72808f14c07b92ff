//! Owns how numbers stand in rows: ordered numbers in keys, short numbers in values.
//!
//! Invariants: ordered numbers compare as bytes like the numbers themselves, and no first byte of
//! one is `0xFF`, so that a prefix followed by `0xFF` lies behind every key with that prefix; every
//! number has one encoding.

use ledger_format::bytes::Reader;

use crate::error::Broken;

/// Bytes after the first: the first byte holds their count and the top four bits.
const fn more(value: u64) -> u32 {
    let bits = u64::BITS - value.leading_zeros();
    bits.saturating_sub(4).div_ceil(8)
}

/// Appends a number so that byte order is number order: 1 byte below 16, 3 below a million, 4 below
/// 268 million, 9 at most.
pub(crate) fn put_ordered(out: &mut Vec<u8>, value: u64) {
    let more = more(value);
    let [top, ..] = value.checked_shr(8 * more).unwrap_or(0).to_le_bytes();
    let [count, ..] = more.to_le_bytes();
    out.push((count << 4) | top);
    let skip = 8 - count;
    out.extend(value.to_be_bytes().iter().skip(usize::from(skip)));
}

/// Takes a number that [`put_ordered`] wrote.
pub(crate) fn take_ordered(reader: &mut Reader<'_>) -> Result<u64, Broken> {
    let first = reader.u8()?;
    let count = first >> 4;
    if count > 8 {
        return Err(Broken("a number in a key is too long"));
    }
    let mut value = u64::from(first & 0x0f);
    for byte in reader.take(usize::from(count))? {
        value = (value << 8) | u64::from(*byte);
    }
    if more(value) != u32::from(count) {
        return Err(Broken("a number in a key is not in its shortest form"));
    }
    Ok(value)
}

/// Appends a number, seven bits a byte.
pub(crate) fn put_short(out: &mut Vec<u8>, mut value: u64) {
    loop {
        let [low, ..] = (value & 0x7f).to_le_bytes();
        value >>= 7;
        if value == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Takes a number that [`put_short`] wrote.
pub(crate) fn take_short(reader: &mut Reader<'_>) -> Result<u64, Broken> {
    let mut value = 0u64;
    for shift in (0..u64::BITS).step_by(7) {
        let byte = reader.u8()?;
        let part = u64::from(byte & 0x7f);
        value |= part << shift;
        if byte & 0x80 == 0 {
            let whole = (value >> shift) == part;
            let shortest = part != 0 || shift == 0;
            return if whole && shortest { Ok(value) } else { Err(Broken("a bad number")) };
        }
    }
    Err(Broken("a number that does not end"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ordered(value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        put_ordered(&mut out, value);
        out
    }

    fn any_size() -> impl Strategy<Value = u64> {
        (any::<u64>(), 0u32..64).prop_map(|(value, shift)| value >> shift)
    }

    #[test]
    fn the_ends_and_the_steps_have_the_expected_lengths() {
        for (value, length) in [(0, 1), (15, 1), (16, 2), (4_095, 2), (4_096, 3), (u64::MAX, 9)] {
            assert_eq!(ordered(value).len(), length, "{value}");
        }
        assert!(ordered(u64::MAX).first() < Some(&0xff), "0xFF stays free");
    }

    #[test]
    fn longer_forms_of_a_number_do_not_read() {
        let long = Reader::new("key", &[0x10, 0x05]);
        assert!(take_ordered(&mut long.clone()).is_err());
        assert!(take_ordered(&mut Reader::new("key", &[0x90; 10])).is_err());
        assert!(take_short(&mut Reader::new("value", &[0x85, 0x00])).is_err());
        assert!(take_short(&mut Reader::new("value", &[0xff; 12])).is_err());
        let over = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
        assert!(take_short(&mut Reader::new("value", &over)).is_err());
    }

    proptest! {
        #[test]
        fn numbers_come_back_and_keep_their_order(a in any_size(), b in any_size()) {
            let (left, right) = (ordered(a), ordered(b));
            prop_assert_eq!(a.cmp(&b), left.cmp(&right));
            prop_assert_eq!(take_ordered(&mut Reader::new("key", &left)), Ok(a));
            let mut short = Vec::new();
            put_short(&mut short, a);
            prop_assert_eq!(take_short(&mut Reader::new("value", &short)), Ok(a));
        }
    }
}
