//! Owns answers for people: short, aligned, without colours.
//!
//! Invariants: text of a memory never acts on the terminal; times are in the zone of the question.
//! May not: leave out what an answer depends on.

mod archive;
mod explain;
mod fields;
mod item;
mod life;

use memledger::answer::Text;
use memledger::civil::{Zone, format_in, format_utc};
use memledger::format::{MemoryId, Micros};
use memledger::{Basis, Interval};

use super::width::visible;

pub(crate) use archive::{log_line, record, status, verify};
pub(crate) use explain::explanation;
pub(crate) use fields::Fields;
pub(crate) use item::{aligned, brief, card, table};
pub(crate) use life::{difference, events, lineage, outcome};

/// The instant on the valid axis, and what it was typed as.
pub(crate) fn valid(basis: &Basis, typed: &str) -> String {
    let at = format_utc(basis.valid_at);
    format!("valid at {at} ({}, {})", visible(typed.trim()), basis.zone)
}

/// Hyphenated characters of an id that are shown where a prefix is enough: its time and the twelve
/// bits after it.
const SHORT: usize = 18;

/// The ids as prefixes that tell them apart.
pub(crate) fn short_ids(ids: &[MemoryId]) -> Vec<String> {
    let full: Vec<String> = ids.iter().map(MemoryId::hyphenated).collect();
    let mut sorted: Vec<&str> = full.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let clash = sorted
        .iter()
        .zip(sorted.iter().skip(1))
        .map(|(a, b)| a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count())
        .max()
        .unwrap_or_default();
    let length = SHORT.max(clash + 1);
    full.iter().map(|id| id.get(..length).unwrap_or(id).to_owned()).collect()
}

/// The name of a memory for people: m and the record that wrote it.
pub(crate) fn short_name(item: &memledger::answer::Item) -> String {
    format!("m{}", item.seq)
}

/// An instant for a column: the date, and the time of day unless it is midnight.
pub(crate) fn short_time(at: Micros, zone: &Zone) -> String {
    let full = format_in(at, zone);
    let Some((date, time)) = full.split_once('T') else {
        return full;
    };
    match time.get(..5) {
        Some("00:00") | None => date.to_owned(),
        Some(time) => format!("{date} {time}"),
    }
}

/// `from → until`, with the open ends named.
pub(crate) fn span(one: &Interval, zone: &Zone) -> String {
    let from = match one.from {
        Micros::MIN => "ever".to_owned(),
        at => format_in(at, zone),
    };
    let until = match one.until {
        Micros::MAX => "open".to_owned(),
        at => format_in(at, zone),
    };
    format!("{from} → {until}")
}

/// Every span, or that there is none.
pub(crate) fn spans(validity: &[Interval], zone: &Zone) -> String {
    if validity.is_empty() {
        return "never".to_owned();
    }
    validity.iter().map(|one| span(one, zone)).collect::<Vec<_>>().join(", ")
}

/// The words, or why there are none.
pub(crate) fn words(text: &Text) -> String {
    match text {
        Text::Words(words) => words.clone(),
        Text::Bytes(bytes) => format!("[{} bytes]", bytes.len()),
        Text::Erased(seq) => format!("[erased at seq {seq}]"),
        Text::Locked => "[locked: the key is not at hand]".to_owned(),
        Text::Forgotten(seq) => format!("[forgotten at seq {seq}]"),
    }
}

/// Whole text, indented, harmless.
pub(crate) fn block(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(|line| format!("  {}", visible(line))).collect();
    lines.join("\n")
}

/// `12 memories`, `1 memory`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        _ => format!("{} {many}", grouped(number)),
    }
}

/// A number with a comma every three digits.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size in bytes, with two digits that matter.
pub(crate) fn size(bytes: u64) -> String {
    let units = [("GiB", 1u64 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match units.into_iter().find(|(_, unit)| bytes >= *unit) {
        Some((name, unit)) => {
            let tenths = bytes.saturating_mul(10) / unit;
            format!("{}.{} {name}", grouped(tenths / 10), tenths % 10)
        }
        None => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_sizes() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(size(17), "17 B");
        assert_eq!(size(1536), "1.5 KiB");
        assert_eq!(count(1, "memory", "memories"), "1 memory");
        assert_eq!(count(0, "memory", "memories"), "0 memories");
    }

    #[test]
    fn prefixes_grow_until_they_tell_ids_apart() {
        let mut other = [7; 16];
        other[15] = 8;
        let shown = short_ids(&[MemoryId([7; 16]), MemoryId(other), MemoryId([7; 16])]);
        assert_ne!(shown[0], shown[1]);
        assert_eq!(shown[0], shown[2]);
        assert_eq!(short_ids(&[MemoryId([7; 16])])[0].len(), SHORT);
    }

    #[test]
    fn midnight_is_a_date() {
        assert_eq!(short_time(Micros(0), &Zone::UTC), "1970-01-01");
        assert_eq!(short_time(Micros(60_000_000), &Zone::UTC), "1970-01-01 00:01");
    }
}
