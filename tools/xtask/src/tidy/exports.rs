//! A facade stays small: the root of a crate offers at most so many names.
//!
//! Whoever opens the crate's front page reads all of them. What only some callers need belongs into a
//! public module, which counts as one name.

use crate::lexer::{Token, tokens};
use crate::report::Finding;
use crate::syntax::{close_of, head_end, paths, starts, without_tests};

/// Roots that are held to it, and how many names each may offer.
const LIMITS: &[(&str, usize)] = &[("crates/memledger/src/lib.rs", 40)];

pub(crate) fn check(path: &str, text: &str) -> Option<Finding> {
    let (_, limit) = LIMITS.iter().find(|(root, _)| *root == path)?;
    over(path, text, *limit)
}

fn over(path: &str, text: &str, limit: usize) -> Option<Finding> {
    let names = names(text);
    let finding = |message: String| Some(Finding::new(path, 1, "exports", message));
    if names.iter().any(|name| name == "*") {
        return finding(
            "a `pub use …::*` offers names that nobody counts: name what is meant".to_owned(),
        );
    }
    let found = names.len();
    if found <= limit {
        return None;
    }
    finding(format!(
        "the root offers {found} names, {limit} are allowed: move what only some callers need into a public module"
    ))
}

/// The names a crate root offers: its public items, and the leaves of its public `use` trees.
fn names(text: &str) -> Vec<String> {
    let all = tokens(text);
    let all = without_tests(&all);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(token) = all.get(at) {
        if token.is("{") || token.is("(") || token.is("[") {
            at = close_of(&all, at) + 1;
            continue;
        }
        let public = token.is("pub") && !starts(&all, at + 1, &["("]);
        if public && starts(&all, at + 1, &["use"]) {
            let semicolon = all.iter().skip(at).position(|token| token.is(";"));
            let end = semicolon.map_or(all.len(), |length| at + length);
            found.extend(leaves(all.get(at + 2..end).unwrap_or_default()));
            at = end;
        } else if public {
            let end = head_end(&all, at).unwrap_or(all.len());
            let head = all.get(at + 1..end).unwrap_or_default();
            let is_keyword = |word: &str| ITEMS.contains(&word);
            let name = head.windows(2).find_map(|pair| match pair {
                [keyword, name] if is_keyword(keyword.text) && !is_keyword(name.text) => Some(name),
                _ => None,
            });
            found.extend(name.map(|name| name.text.to_owned()));
            at = end;
        } else {
            at += 1;
        }
    }
    found
}

/// Words that stand before the name of an item.
const ITEMS: &[&str] =
    &["mod", "fn", "struct", "enum", "union", "trait", "type", "const", "static", "mut", "unsafe"];

/// The names that one `use` tree brings in.
fn leaves(tree: &[Token<'_>]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut renaming = false;
    // `a::b as c` reads as the paths `a::b`, `as` and `c`, of which only `c` is a name.
    for (parts, _) in paths(tree) {
        let Some(last) = parts.last() else { continue };
        if *last == "as" {
            found.pop();
            renaming = true;
            continue;
        }
        if *last != "_" || !renaming {
            let name =
                if *last == "self" { parts.iter().rev().nth(1).unwrap_or(last) } else { last };
            found.push((*name).to_owned());
        }
        renaming = false;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_items_and_leaves_of_use_trees_are_counted() {
        let source = "
            //! pub use doc::Comment;
            mod hidden;
            pub mod open;
            pub(crate) use a::Inside;
            pub use a::{B, c::{self, D}};
            pub use long_name as short;
            pub use e::F as G;
            pub fn h(x: u8) -> u8 { pub_like(x) }
            pub const unsafe fn i() {}
            pub struct J { pub k: u8 }
            pub static mut L: u8 = 0;
            pub type M = [u8; 3];
            #[cfg(test)] pub use test::Only;
            impl J { pub fn method() {} }
        ";
        assert_eq!(names(source), ["open", "B", "c", "D", "short", "G", "h", "i", "J", "L", "M"]);
    }

    #[test]
    fn one_name_too_many_is_found_and_a_glob_always() {
        let lib = "pub mod a; pub use b::{C, D};";
        assert_eq!(over("lib.rs", lib, 3), None);
        let finding = over("lib.rs", lib, 2).expect("three names");
        assert!(finding.message.contains("3 names, 2 are allowed"), "{}", finding.message);
        assert!(over("lib.rs", "pub use a::*;", 40).is_some());
    }

    #[test]
    fn only_the_roots_named_are_held_to_it() {
        let many: String = (0..41).map(|n| format!("pub mod m{n};")).collect();
        assert!(check("crates/memledger/src/lib.rs", &many).is_some());
        assert_eq!(check("crates/memledger/src/civil/mod.rs", &many), None);
    }
}
