//! Owns telephone numbers: the international form (ITU-T E.123), the common national ones, and any group of
//! digits right after a word that announces a number.

use super::Seen;
use crate::class::{ALNUM, Class, DIGIT};

/// Digits of a number: the most of ITU-T E.164, and the fewest that are taken for one.
const MOST: usize = 15;
const FEWEST: usize = 7;

/// What a run of digits and the marks between them looks like.
struct Shape {
    digits: usize,
    groups: usize,
    /// The digits of the first, the second and the last group.
    first: usize,
    second: usize,
    last: usize,
    end: usize,
    brackets: bool,
    /// The only mark between groups; 0 when they differ.
    mark: u8,
}

pub(super) fn find(text: &[u8], at: usize) -> Seen {
    if Class::span(b'-', b'/').and(Class::one(b':')).and(Class::one(b'$')).before(text, at) {
        return None;
    }
    let plus = text.get(at) == Some(&b'+');
    let shape = shape(text, at + usize::from(plus))?;
    let rest = text.get(at..)?;
    let exit = rest.starts_with(b"00") && !rest.starts_with(b"000");
    let trunk = !rest.starts_with(b"00") && (rest.starts_with(b"0") || rest.starts_with(b"(0"));
    let american = (shape.groups == 3 && shape.first == 3 && shape.second == 3 && shape.last == 4)
        || (shape.groups == 4 && shape.first == 1 && shape.last == 4 && shape.digits == 11);
    let known = plus && shape.digits >= FEWEST
        || exit && shape.digits >= 10
        || american
        || trunk && shape.groups >= 2 && shape.digits >= 9 && shape.last >= 2
        || shape.brackets && shape.digits >= FEWEST && rest.first() == Some(&b'(');
    let fits = (6..=MOST).contains(&shape.digits) && !date(&shape);
    let number = fits && (known || announced(text, at));
    number.then(|| ("phone", at..extension(text, shape.end)))
}

fn shape(text: &[u8], at: usize) -> Option<Shape> {
    let mut shape = Shape {
        digits: 0,
        groups: 0,
        first: 0,
        second: 0,
        last: 0,
        end: at,
        brackets: false,
        mark: 0,
    };
    let mut place = at;
    let mut marks = 0_usize;
    loop {
        let group = DIGIT.run(text, place, MOST + 1);
        if group > 0 {
            shape.groups += 1;
            shape.digits += group;
            match shape.groups {
                1 => shape.first = group,
                2 => shape.second = group,
                _ => {}
            }
            shape.last = group;
            place += group;
            shape.end = place;
            marks = 0;
        }
        let mark = *text.get(place).unwrap_or(&0);
        let between = matches!(mark, b' ' | b'-' | b'.' | b'/' | b'(' | b')');
        if !between || marks == 2 || shape.digits > MOST {
            break;
        }
        shape.brackets |= mark == b'(' || mark == b')';
        if shape.groups > 0 && DIGIT.at(text, place + 1) {
            let same = shape.groups == 1 || shape.mark == mark;
            shape.mark = if same { mark } else { 0 };
        }
        marks += 1;
        place += 1;
    }
    let cut = ALNUM.at(text, shape.end) && !matches!(text.get(shape.end), Some(b'x' | b'X'))
        || matches!(text.get(shape.end), Some(b'%' | b':' | b'_'));
    (shape.digits > 0 && !cut).then_some(shape)
}

/// `2023-05-08`, `8.5.2023`, `8/5/23`.
fn date(shape: &Shape) -> bool {
    let three = shape.groups == 3 && shape.first <= 4 && shape.second <= 2;
    let year =
        shape.first == 4 && shape.last <= 2 || shape.first <= 2 && matches!(shape.last, 2 | 4);
    three && year && matches!(shape.mark, b'-' | b'.' | b'/')
}

/// `x123` and `ext. 123` behind a number.
fn extension(text: &[u8], end: usize) -> usize {
    let blank = end + Class::one(b' ').run(text, end, 1);
    for word in ["x", "ext. ", "ext "] {
        let there = text
            .get(blank..blank + word.len())
            .is_some_and(|part| part.eq_ignore_ascii_case(word.as_bytes()));
        let digits = DIGIT.run(text, blank + word.len(), 6);
        if there && (1..=5).contains(&digits) {
            return blank + word.len() + digits;
        }
    }
    end
}

/// How far before a number the word may stand that announces it.
const REACH: usize = 32;

/// Words that announce a number, in lower case.
const WORDS: &[&str] = &[
    "phone",
    "tel",
    "mobile",
    "cell",
    "call",
    "fax",
    "whatsapp",
    "dial",
    "ring",
    "sms",
    "contact",
    "number is",
    "reach me",
    "text me",
    "handy",
    "anruf",
    "rufnummer",
    "móvil",
    "appel",
    "电话",
    "手机",
];

fn announced(text: &[u8], at: usize) -> bool {
    let before = text.get(at.saturating_sub(REACH)..at).unwrap_or_default().to_ascii_lowercase();
    WORDS.iter().any(|word| before.windows(word.len()).any(|part| part == word.as_bytes()))
}
