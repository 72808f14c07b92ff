//! Words that do not belong into a commit, each with its reason.
//!
//! The patterns are put together from halves, so that this file does not hold them.

use crate::report::Finding;

/// A word and why it may not be committed.
struct Word {
    text: &'static str,
    /// What may not stand before it, beside letters, digits and `_`.
    not_after: &'static str,
    reason: &'static str,
    /// Files that may hold it all the same.
    except: &'static [&'static str],
}

const UNFINISHED: &str = "unfinished: do it now, or write the limit into the documentation";
const IGNORED: &str = "a test that does not run proves nothing: make it pass or remove it";
const HOST: &str = "the host of a package registry: say \"the crates registry\" and the like, and leave the \
                    address to the client's own configuration";
const MACHINE: &str =
    "a path of one machine: use one from the repository root or a temporary folder";

/// Where Cargo itself writes the registry's address.
const LOCK: &[&str] = &["Cargo.lock", "tools/fuzz/Cargo.lock"];

const WORDS: &[Word] = &[
    word(concat!("to", "do!"), UNFINISHED),
    word(concat!("unimpl", "emented!"), UNFINISHED),
    word(concat!("FIX", "ME"), UNFINISHED),
    word(concat!("X", "XX"), UNFINISHED),
    word(concat!("db", "g!"), "left from debugging: remove it"),
    word(concat!("#[ig", "nore]"), IGNORED),
    word(concat!("#[ig", "nore ="), IGNORED),
    host(concat!("crates", ".io")),
    host(concat!("pypi", ".org")),
    host(concat!("python", "hosted.org")),
    host(concat!("npm", "js.org")),
    host(concat!("npm", "js.com")),
    host(concat!("deb.", "debian.org")),
    path(concat!("/ho", "me/")),
    path(concat!("/Us", "ers/")),
    path(concat!("/ro", "ot/")),
    path(concat!("/wo", "rk/main")),
    path(concat!("/wo", "rk/shared")),
];

const fn word(text: &'static str, reason: &'static str) -> Word {
    Word { text, not_after: "", reason, except: &[] }
}

const fn host(text: &'static str) -> Word {
    Word { text, not_after: "", reason: HOST, except: LOCK }
}

/// A path counts only where it is absolute: not as the rest of a longer path or of an address.
const fn path(text: &'static str) -> Word {
    Word { text, not_after: "./~-}$)*", reason: MACHINE, except: &[] }
}

pub(crate) fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for word in WORDS.iter().filter(|word| !word.except.contains(&path)) {
        for (at, line) in text.lines().enumerate() {
            if holds(line, word) {
                let message = format!("`{}`: {}", word.text, word.reason);
                findings.push(Finding::new(path, at + 1, "word", message));
            }
        }
    }
    findings
}

/// Whether the line holds the word by itself, not as a part of a longer one.
fn holds(line: &str, word: &Word) -> bool {
    line.match_indices(word.text).any(|(at, found)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at + found.len()..).and_then(|text| text.chars().next());
        let word_like = |c: char| c.is_alphanumeric() || c == '_';
        let joined_before = before.is_some_and(|c| word_like(c) || word.not_after.contains(c));
        let ends_in_word = found.chars().next_back().is_some_and(word_like);
        let joined_after = ends_in_word && after.is_some_and(word_like);
        !joined_before && !joined_after
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_with_its_reason() {
        for word in WORDS {
            let found = check("a.md", &format!("fine\nsee {} there\n", word.text));
            let finding = found.first().unwrap_or_else(|| panic!("{} is not found", word.text));
            assert_eq!(finding.line, 2);
            assert!(finding.message.ends_with(word.reason));
        }
    }

    #[test]
    fn parts_of_other_words_pass() {
        let x = concat!("X", "XX");
        let home = concat!("/ho", "me/");
        for text in
            [format!("mktemp a{x}{x}"), format!("https://a.example{home}b"), format!("src{home}b")]
        {
            assert_eq!(check("a.md", &text), [], "{text}");
        }
    }

    #[test]
    fn the_lock_file_may_name_its_registry() {
        let line = concat!("source = \"registry+https://index.crates", ".io/\"");
        assert_eq!(check("Cargo.lock", line), []);
        assert_eq!(check("a.toml", line).len(), 1);
    }

    #[test]
    fn this_file_holds_none_of_them() {
        assert_eq!(check("words.rs", include_str!("words.rs")), []);
    }
}
