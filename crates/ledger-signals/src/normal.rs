//! Owns the form in which two spellings of one text are the same.
//!
//! Compatibility forms are composed (NFKC, Unicode Standard Annex #15), case is folded by way of the
//! upper case, so that `ß` and `SS` meet; invisible characters and marks of direction go; runs of
//! white space and of punctuation become one space. What changes the meaning stays: signs of numbers,
//! decimal marks, currency, operators, other symbols and emoji.

use alloc::string::String;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::view::invisible;

/// The normal form of a text; a normal form is its own normal form. A text of nothing but punctuation
/// keeps it, so that `?` and `!` differ. At most eighteen times as long as the text.
#[must_use]
pub fn normal_form(text: &str) -> String {
    let folded = fold(text);
    let plain = collapse(&folded);
    if plain.is_empty() {
        return folded.split_whitespace().collect::<alloc::vec::Vec<_>>().join(" ");
    }
    plain
}

/// Composed, without case, without what shows nothing.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = text.chars().filter(|read| !invisible(*read));
    let upper = visible.nfkc().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).nfkc().filter(|read| !invisible(*read)).collect()
}

/// White space and punctuation as single spaces, none at the ends.
fn collapse(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut pending = false;
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(read) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        if separates(read) && !belongs(before, read, after) {
            pending = true;
        } else {
            if pending && !plain.is_empty() {
                plain.push(' ');
            }
            pending = false;
            plain.push(read);
        }
        before = read;
    }
    plain
}

/// White space, and the punctuation of sentences: marks, quotes, dashes, brackets.
fn separates(read: char) -> bool {
    match read {
        '!' | '"' | '\'' | '(' | ')' | ',' | '-' | '.' | ':' | ';' | '?' | '[' | ']' | '_'
        | '`' | '{' | '}' => true,
        '\u{A1}' | '\u{AB}' | '\u{B4}' | '\u{B7}' | '\u{BB}' | '\u{BF}' | '\u{589}' | '\u{5BE}' => {
            true
        }
        '\u{60C}' | '\u{61B}' | '\u{61F}' | '\u{6D4}' | '\u{964}' | '\u{965}' | '\u{E2F}' => true,
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{2E00}'..='\u{2E5D}' => true,
        '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301F}'
        | '\u{30FB}' => true,
        _ => read.is_whitespace() || read.is_control(),
    }
}

/// Whether a mark is part of a number: `-5`, `1.5`, `1,000`, `12:30`.
fn belongs(before: char, read: char, after: char) -> bool {
    let inner = before.is_numeric() && after.is_numeric();
    match read {
        '-' => after.is_numeric() && (before.is_whitespace() || "([=:".contains(before)),
        '.' | ',' | ':' => inner,
        _ => false,
    }
}

/// Whether a character is part of a word: a letter, a digit, or a mark on one.
pub(crate) fn wordy(read: char) -> bool {
    read.is_alphanumeric() || is_combining_mark(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn spellings_of_one_text_meet() {
        let same = [
            ("Hello,   World!", "hello world"),
            ("ＳＴＲＡＳＳＥ", "straße"),
            ("na\u{200B}ïve", "nai\u{308}ve"),
            ("\u{202E}abc\u{202C}", "ABC"),
            ("“quoted” — text…", "quoted text"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("你好，世界。", "你好 世界"),
        ];
        for (one, two) in same {
            assert_eq!(normal_form(one), normal_form(two), "{one} {two}");
        }
    }

    #[test]
    fn what_means_something_else_stays_apart() {
        let apart = [
            ("-5 degrees", "5 degrees"),
            ("1.5", "15"),
            ("$5", "€5"),
            ("a < b", "a > b"),
            ("👍", "👎"),
            ("?", "!"),
            ("it is", "it is not"),
            ("10:30", "1030"),
        ];
        for (one, two) in apart {
            assert_ne!(normal_form(one), normal_form(two), "{one} {two}");
        }
    }

    #[test]
    fn it_is_its_own_form() {
        for text in ["", "...", "A-b_c", "İstanbul", "ﬁne ㍿ ½", "- 5", "(-5)", "नमस्ते", "ᾷ ΰ"]
        {
            let once = normal_form(text);
            assert_eq!(normal_form(&once), once, "{text}");
            assert_eq!(once.trim(), once.to_string());
        }
    }
}
