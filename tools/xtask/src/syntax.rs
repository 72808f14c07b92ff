//! The little grammar the rules share: matching brackets, items, test-only items and paths.
//!
//! Works on token slices and indexes into them. Where real Rust is richer than this, the answers err
//! towards missing something, never towards a false finding.

use crate::lexer::{Kind, Token};

/// Whether the tokens from `at` on are exactly `pattern`.
pub(crate) fn starts(tokens: &[Token<'_>], at: usize, pattern: &[&str]) -> bool {
    tokens
        .get(at..at + pattern.len())
        .is_some_and(|found| found.iter().zip(pattern).all(|(token, text)| token.is(text)))
}

/// The index of the bracket that closes the one at `open`; the last index if nothing does.
pub(crate) fn close_of(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.kind != Kind::Punct {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            return at;
        }
    }
    tokens.len().saturating_sub(1)
}

/// The index of the `{` or `;` that ends the head of the item at `start`, outside any brackets.
pub(crate) fn head_end(tokens: &[Token<'_>], start: usize) -> Option<usize> {
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        if token.is("{") || token.is(";") {
            return Some(at);
        }
        if token.is("}") {
            return None;
        }
        at = if token.is("(") || token.is("[") { close_of(tokens, at) + 1 } else { at + 1 };
    }
    None
}

/// Index ranges of items that exist in test builds only, as `start..end`, in order.
pub(crate) fn test_items(tokens: &[Token<'_>]) -> Vec<std::ops::Range<usize>> {
    if is_cfg_test(tokens, 0, &["#", "!", "["]) {
        return std::iter::once(0..tokens.len()).collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !is_cfg_test(tokens, at, &["#", "["]) {
            at += 1;
            continue;
        }
        let end = match head_end(tokens, close_of(tokens, at + 1) + 1) {
            Some(head) if starts(tokens, head, &["{"]) => close_of(tokens, head) + 1,
            Some(head) => head + 1,
            None => tokens.len(),
        };
        found.push(at..end);
        at = end;
    }
    found
}

/// Whether an attribute at `at`, opened by `open`, is `cfg(test)` or `cfg(all(test, …))`.
fn is_cfg_test(tokens: &[Token<'_>], at: usize, open: &[&str]) -> bool {
    let inside = at + open.len();
    starts(tokens, at, open)
        && (starts(tokens, inside, &["cfg", "(", "test", ")"])
            || starts(tokens, inside, &["cfg", "(", "all", "(", "test"]))
}

/// The tokens without the items that exist in test builds only.
pub(crate) fn without_tests<'a>(tokens: &[Token<'a>]) -> Vec<Token<'a>> {
    let tests = test_items(tokens);
    let in_test = |at: &usize| tests.iter().any(|range| range.contains(at));
    tokens.iter().enumerate().filter(|(at, _)| !in_test(at)).map(|(_, token)| *token).collect()
}

/// Every path written in the tokens, `use` trees spread out, with the line of its last part.
///
/// A macro's name keeps its `!`.
pub(crate) fn paths<'a>(tokens: &[Token<'a>]) -> Vec<(Vec<&'a str>, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        at = path(tokens, at, &[], &mut found).max(at + 1);
    }
    found
}

/// Reads one path (or `use` tree) at `at` behind `prefix`; returns the index after it.
fn path<'a>(
    tokens: &[Token<'a>],
    at: usize,
    prefix: &[&'a str],
    found: &mut Vec<(Vec<&'a str>, usize)>,
) -> usize {
    let mut parts = prefix.to_vec();
    let mut at = at;
    while let Some(token) = tokens.get(at).filter(|token| token.kind == Kind::Word || token.is("*"))
    {
        parts.push(token.text);
        at += 1;
        if !starts(tokens, at, &[":", ":"]) {
            let call = starts(tokens, at, &["!"]) && !starts(tokens, at, &["!", "="]);
            found.push((parts, token.line));
            return if call { mark_macro(found, at) } else { at };
        }
        at += 2;
        if starts(tokens, at, &["{"]) {
            let end = close_of(tokens, at);
            at += 1;
            while at < end {
                at = path(tokens, at, &parts, found).max(at + 1);
            }
            return end + 1;
        }
    }
    if parts.len() > prefix.len() {
        let line = tokens.get(at.saturating_sub(1)).map_or(0, |token| token.line);
        found.push((parts, line));
    }
    at
}

/// Turns the path just found into a macro's by giving it its mark.
fn mark_macro(found: &mut [(Vec<&str>, usize)], at: usize) -> usize {
    if let Some((parts, _)) = found.last_mut() {
        parts.push("!");
    }
    at + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::tokens;

    fn joined(source: &str) -> Vec<String> {
        let found = tokens(source);
        paths(&found).iter().map(|(parts, _)| parts.join("::")).collect()
    }

    #[test]
    fn brackets_match_across_kinds() {
        let found = tokens("{ ( [ ] ) } x");
        assert_eq!(close_of(&found, 0), 5);
        assert_eq!(close_of(&tokens("{ ("), 0), 1);
    }

    #[test]
    fn test_items_are_cut_out_and_others_stay() {
        let source = "fn a() {} #[cfg(test)] mod t { fn b() {} } #[cfg(test)] use c::d; fn e() {}";
        let found = tokens(source);
        let left = without_tests(&found);
        let words = |name: &str| left.iter().any(|token| token.is(name));
        assert!(words("a") && words("e"));
        assert!(!words("b") && !words("d"));
        assert!(!without_tests(&tokens("#[cfg(not(test))] fn a() {}")).is_empty());
        assert!(without_tests(&tokens("#![cfg(test)] fn a() {}")).is_empty());
    }

    #[test]
    fn use_trees_are_spread_out() {
        assert_eq!(
            joined("use std::{fs, io::{self, Read}};"),
            ["use", "std::fs", "std::io::self", "std::io::Read"]
        );
        assert_eq!(joined("a::b(c::d)"), ["a::b", "c::d"]);
        assert_eq!(joined("println!(x)"), ["println::!", "x"]);
        assert_eq!(joined("a != b"), ["a", "b"]);
    }
}
