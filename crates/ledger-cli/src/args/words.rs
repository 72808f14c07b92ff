//! Owns reading the words of a fixed set, with the accepted words and the closest one in a refusal.

use std::time::Duration;

use memledger::civil::Zone;
use memledger::format::{BodyType, JobId, Layer, MemoryId, Outcome, Seq, SourceKind, Trust};
use memledger::life::Batch;

/// Gives the parser of one set of words.
macro_rules! parser {
    ($(#[$doc:meta])* $function:ident, $kind:ty, $what:literal) => {
        $(#[$doc])*
        pub(crate) fn $function(text: &str) -> Result<$kind, String> {
            <$kind>::from_name(text).ok_or_else(|| {
                let words: Vec<&str> = <$kind>::ALL.iter().map(|(_, _, word)| *word).collect();
                unknown($what, text, &words)
            })
        }
    };
}

parser! {
    /// A layer.
    layer, Layer, "layer"
}
parser! {
    /// A body type.
    body_type, BodyType, "body type"
}
parser! {
    /// A trust.
    trust, Trust, "trust"
}
parser! {
    /// How a task went.
    outcome, Outcome, "outcome"
}
parser! {
    /// A source kind.
    source_kind, SourceKind, "source kind"
}

/// A name and its value.
pub(crate) fn named(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
    parts
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .ok_or_else(|| format!("{text:?} is no name and value; write environment=production"))
}

/// A zone.
pub(crate) fn zone(text: &str) -> Result<Zone, String> {
    Zone::parse(text).map_err(|error| error.to_string())
}

/// A number from 0 to 1 in parts of 10,000.
pub(crate) fn confidence(text: &str) -> Result<u16, String> {
    text.parse().ok().and_then(parts).ok_or_else(|| {
        format!("{text:?} is no confidence; write a number from 0 to 1, such as 0.8")
    })
}

/// `number` in parts of 10,000, if it is from 0 to 1.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the range is checked, so the product is from 0 to 10,000"
)]
pub(crate) fn parts(number: f64) -> Option<u16> {
    (0.0..=1.0).contains(&number).then(|| (number * 10_000.0).round() as u16)
}

/// A sequence number, with or without `#`.
pub(crate) fn seq(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    Some(digits)
        .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| match text.strip_prefix('m').filter(|rest| seq(rest).is_ok()) {
            Some(rest) => format!(
                "{text:?} is a memory, not a record; write {rest} for the record that wrote it"
            ),
            None => format!("{text:?} is no sequence number; write digits, such as 12 or #12"),
        })
}

/// A job by its id, or a record.
pub(crate) fn batch(text: &str) -> Result<Batch, String> {
    if let Some(job) =
        (text.len() == 32 || text.len() == 36).then(|| MemoryId::parse(text)).flatten()
    {
        return Ok(Batch::Job(JobId(job.0)));
    }
    seq(text).map(|seq| Batch::Seq(Seq(seq)))
}

/// How many of something.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    text.parse()
        .map_err(|_| format!("{text:?} is no number; write digits, such as 20, or 0 for all"))
}

/// A time to wait in seconds, up to a day.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| *time <= Duration::from_secs(86_400))
        .ok_or_else(|| format!("{text:?} is no time to wait; write seconds from 0 to 86400"))
}

/// How often something happens: a number and a unit.
pub(crate) fn span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time span; write a number and m, h or d, such as 6h");
    let (number, unit) = text.split_at_checked(text.len().saturating_sub(1)).ok_or_else(wrong)?;
    let seconds = match unit {
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return Err(wrong()),
    };
    let number: u32 = number.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

/// How often something happens, or 0 for not at all.
pub(crate) fn span_or_zero(text: &str) -> Result<Duration, String> {
    if text == "0" { Ok(Duration::ZERO) } else { span(text) }
}

/// What to say about a word that is none of `accepted`.
pub(crate) fn unknown(what: &str, found: &str, accepted: &[&str]) -> String {
    let list = accepted.join(", ");
    match closest(found, accepted) {
        Some(word) => format!("unknown {what} {found:?}; did you mean {word}? accepted: {list}"),
        None => format!("unknown {what} {found:?}; accepted: {list}"),
    }
}

/// The accepted word that `found` most likely was meant to be.
pub(crate) fn closest<'a>(found: &str, accepted: &[&'a str]) -> Option<&'a str> {
    let most = 1 + found.chars().count() / 4;
    accepted
        .iter()
        .map(|word| (distance(found, word), *word))
        .filter(|(steps, _)| *steps <= most)
        .min()
        .map(|(_, word)| word)
}

/// Letters to add, drop or replace to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (above, x) in a.chars().enumerate() {
        let mut diagonal = above;
        let mut left = above + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, y) in row.iter_mut().skip(1).zip(b.chars()) {
            let best = (diagonal + usize::from(x != y)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = best;
            left = best;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("layer", "layer"), 0);
    }

    #[test]
    fn a_close_word_is_offered_and_a_far_one_is_not() {
        let error = layer("semantik").expect_err("misspelt");
        assert!(error.contains("did you mean semantic?"), "{error}");
        let error = layer("banana").expect_err("none");
        assert!(!error.contains("did you mean"), "{error}");
        assert!(error.contains("canonical"), "{error}");
    }

    #[test]
    fn confidence_is_kept_exactly() {
        assert_eq!(confidence("0.8"), Ok(8_000));
        assert_eq!(confidence("1"), Ok(10_000));
        for wrong in ["1.1", "-0.1", "NaN", "high", ""] {
            assert!(confidence(wrong).is_err(), "{wrong}");
        }
    }
}
