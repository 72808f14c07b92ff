//! Owns how a value is given to a name: `name = value`, `"name": "value"`, `name => value`,
//! `name := value`, `name, value`, with what may stand in between.

use crate::class::{ALNUM, BLANK, Class, QUOTE, SPACE, WORD};

/// What may follow the piece of a name that was found, up to the operator.
const GAP: Class =
    WORD.and(BLANK).and(Class::one(b'.')).and(Class::one(b'-')).and(QUOTE).and(SPACE);
/// What may stand between the operator and the value.
const FILLER: Class = SPACE.and(QUOTE).and(Class::one(b'`')).and(Class::one(b'='));
/// How much of it: five and the quote that opens the value.
const FILLERS: usize = 6;
/// What goes on after a value of the wrong length.
const GOES_ON: Class =
    WORD.and(Class::one(b'-')).and(Class::one(b'=')).and(Class::one(b'+')).and(Class::one(b'/'));

/// Where values may begin for a name that ends at `end`, the likeliest first; none without an
/// operator within `reach` bytes.
pub(super) fn values(text: &[u8], end: usize, reach: usize) -> impl Iterator<Item = usize> + use<> {
    let operator = end + GAP.run(text, end, reach);
    let (first, last) = match operators(text, operator) {
        Some(ends) => {
            let fillers = FILLER.run(text, ends.1, FILLERS);
            (ends.0, ends.1 + fillers)
        }
        None => (1, 0),
    };
    (first..=last).rev()
}

/// Where the operator that begins here ends, read as short and as long as it can be.
fn operators(text: &[u8], at: usize) -> Option<(usize, usize)> {
    let rest = text.get(at..)?;
    let long = match rest {
        [b'=', b'>', ..] | [b'|', b'|', ..] | [b'?', b'=', ..] | [b':', b'=', ..] => 2,
        [b':', b':', b'=', ..] => 3,
        [b':', b':', b':', b'=', ..] => 4,
        [b'=' | b'>' | b':' | b',', ..] => 1,
        _ => return None,
    };
    let short = if matches!(rest, [b'|' | b'?', ..] | [b':', b':', ..]) { long } else { 1 };
    Some((at + short, at + long))
}

/// Whether a value of a known length ends here. A full stop ends it, a file ending does not.
pub(super) fn ends(text: &[u8], at: usize) -> bool {
    let dotted = text.get(at) == Some(&b'.') && ALNUM.at(text, at + 1);
    !GOES_ON.at(text, at) && !dotted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Option<&str> {
        values(text.as_bytes(), 3, 20).next().and_then(|at| text.get(at..))
    }

    #[test]
    fn every_way_to_give_a_value_is_read() {
        for between in
            ["=", " = ", "\": \"", "' => '", ":=", "::=", ":::=", "||", "?=", ", ", "_x.y-z>"]
        {
            assert_eq!(first(&alloc::format!("key{between}value")), Some("value"), "{between}");
        }
        for between in ["", " ", " | ", " ? ", "(", " is the 20th of so many words = "] {
            assert_eq!(first(&alloc::format!("key{between}value")), None, "{between}");
        }
    }
}
