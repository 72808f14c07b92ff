//! Holds a file against the table of rooms.

use super::rooms::Room;
use crate::lexer::tokens;
use crate::report::Finding;
use crate::syntax::{paths, without_tests};

/// `for_tests` says that only test builds reach the file.
pub(crate) fn check(rooms: &[Room], path: &str, text: &str, for_tests: bool) -> Vec<Finding> {
    let all = tokens(text);
    let product = without_tests(&all);
    let for_tests = for_tests || path.contains("/tests/") || path.contains("/benches/");
    let mut findings = Vec::new();
    for room in rooms.iter().filter(|room| !room.places.iter().any(|place| within(path, place))) {
        if room.in_tests && for_tests {
            continue;
        }
        let seen = if room.in_tests { &product } else { &all };
        for (parts, line) in paths(seen) {
            if let Some(used) = room.uses.iter().find(|used| mentions(&parts, used)) {
                let message = format!("`{used}` has no place here: {}", room.instead);
                findings.push(Finding::new(path, line, room.rule, message));
            }
        }
    }
    findings
}

fn within(path: &str, place: &str) -> bool {
    if place.ends_with('/') { path.starts_with(place) } else { path == place }
}

/// Whether the parts of `used` stand side by side in a written path.
fn mentions(parts: &[&str], used: &str) -> bool {
    let mut wanted: Vec<&str> = used.trim_end_matches('!').split("::").collect();
    if used.ends_with('!') {
        wanted.push("!");
    }
    parts.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: &[Room] = &[Room {
        rule: "room-x",
        uses: &["std::fs", "SystemTime::now", "println!"],
        places: &["a/src/fs.rs", "cli/"],
        in_tests: true,
        instead: "ask",
    }];

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(ROOM, path, text, false).into_iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_use_outside_its_room_is_found_however_it_is_written() {
        for text in [
            "use std::fs;",
            "use std::{io, fs::File};",
            "fn a() { ::std::fs::read(p) }",
            "fn a() { std::time::SystemTime::now() }",
            "fn a() { println!(\"a\") }",
        ] {
            assert_eq!(lines("a/src/b.rs", text), [1], "{text}");
            assert_eq!(lines("a/src/fs.rs", text), [0; 0], "{text}");
            assert_eq!(lines("cli/src/b.rs", text), [0; 0], "{text}");
        }
    }

    #[test]
    fn other_names_comments_and_strings_pass() {
        let text =
            "// std::fs\nuse rustix::fs; fn a() { \"std::fs\"; writeln!(x); println; now(); }";
        assert_eq!(lines("a/src/b.rs", text), [0; 0]);
    }

    #[test]
    fn tests_are_free_where_the_room_says_so() {
        let text = "#[cfg(test)]\nmod tests {\nuse std::fs;\n}\nuse std::fs;";
        assert_eq!(lines("a/src/b.rs", text), [5]);
        assert_eq!(lines("a/tests/b.rs", text), [0; 0]);
        assert!(check(ROOM, "a/src/b.rs", text, true).is_empty());
        let strict: Vec<Room> = ROOM.iter().map(|room| Room { in_tests: false, ..*room }).collect();
        assert_eq!(check(&strict, "a/src/b.rs", text, true).len(), 2);
    }
}
