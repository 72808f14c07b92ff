//! Owns hints at postal addresses: a house number with a street, a street with a house number, a box or a
//! unit with its number. Towns and countries are not looked for: rules cannot tell them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use once_cell::race::OnceBox;

use crate::class::{ALNUM, Class, DIGIT, LETTER, UPPER};

/// Words that come after the name of a street, with the number before both.
const AFTER: &[&str] = &[
    " street",
    " st",
    " avenue",
    " ave",
    " road",
    " rd",
    " boulevard",
    " blvd",
    " lane",
    " drive",
    " dr",
    " court",
    " square",
    " squares",
    " parkway",
    " terrace",
    " highway",
];
/// Ends or words of streets, with the number behind.
const BEFORE: &[&str] = &[
    "straße", "strasse", "gasse", "platz", "gatan", "gade", "vej", "katu", "straat", "laan",
    "utca", " u.", "weg", " út", "allee", "ulica", "rue ", "calle ", "avenida ", "via ", "vägen",
    "veien", "stræti", "gata",
];
/// Words with a number right behind.
const UNITS: &[&str] = &[
    "suite ",
    "apt. ",
    "apt ",
    "apartment ",
    "po box ",
    "p.o. box ",
    "postbox ",
    "postfach ",
    "psc ",
];

struct Words(AhoCorasick);

impl Words {
    fn get() -> Option<&'static Words> {
        static WORDS: OnceBox<Option<Words>> = OnceBox::new();
        WORDS.get_or_init(|| Box::new(Words::make())).as_ref()
    }

    fn make() -> Option<Words> {
        let all = AFTER.iter().chain(BEFORE).chain(UNITS);
        let build = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .build(all);
        build.ok().map(Words)
    }
}

pub(super) fn find(text: &[u8]) -> Vec<(&'static str, Range<usize>)> {
    let mut found = Vec::new();
    // Without a digit there is no house.
    if !text.iter().any(u8::is_ascii_digit) {
        return found;
    }
    let Some(Words(words)) = Words::get() else { return found };
    for hit in words.find_overlapping_iter(text) {
        let number = hit.pattern().as_usize();
        let range = if number < AFTER.len() {
            house_before(text, hit.start(), hit.end())
        } else if number < AFTER.len() + BEFORE.len() {
            house_behind(text, hit.start(), hit.end())
        } else {
            unit(text, hit.start(), hit.end())
        };
        found.extend(range.map(|range| ("address", range)));
    }
    found
}

/// `12b High Street`: a number, one to four words of which the first is capital.
fn house_before(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    if ALNUM.at(text, end) {
        return None;
    }
    let other = Class::span(0, 127).not();
    let name = ALNUM.and(other).and(Class::one(b'\'')).and(Class::one(b'-')).and(Class::one(b'.'));
    let mut at = start;
    for _ in 0..4 {
        let word = at - name.run_back(text, at, 24);
        let digits = DIGIT.run(text, word, 6);
        let house = digits > 0 && at - word <= digits + 1;
        if house {
            let street = UPPER.and(other).and(DIGIT).at(text, at + 1);
            return (street && at < start).then_some(word..end);
        }
        if word == at || text.get(word.checked_sub(1)?) != Some(&b' ') {
            return None;
        }
        at = word - 1;
    }
    None
}

/// `Hauptstraße 5`, `Rue de la Paix 5`, `5 rue de la Paix`.
fn house_behind(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let letters = LETTER.and(Class::span(0, 127).not());
    let first = start - letters.run_back(text, start, 32);
    let number = end + usize::from(text.get(end) == Some(&b' '));
    let digits = DIGIT.run(text, number, 5);
    if (1..=4).contains(&digits)
        && number > end
        && (first < start || text.get(start) == Some(&b' '))
    {
        let letter = LETTER.run(text, number + digits, 2);
        return (letter <= 1).then_some(first..number + digits + letter);
    }
    let leading = start.checked_sub(1).filter(|_| text.get(end - 1) == Some(&b' '))?;
    let digits = DIGIT.run_back(text, leading, 5);
    let street = UPPER.at(text, end)
        || text.get(end..end + 2) == Some(b"de")
        || text.get(end..end + 2) == Some(b"du");
    ((1..=4).contains(&digits) && text.get(leading) == Some(&b' ') && street)
        .then_some(leading - digits..end)
}

/// `Suite 501`, `PO Box 12`.
fn unit(text: &[u8], start: usize, end: usize) -> Option<Range<usize>> {
    let digits = DIGIT.run(text, end, 6);
    let whole = (1..=5).contains(&digits) && !ALNUM.before(text, start);
    whole.then_some(start..end + digits)
}
