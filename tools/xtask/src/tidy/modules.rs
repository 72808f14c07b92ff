//! No dead source files: every `.rs` file is a crate root or named by a `mod` line that is reached.
//!
//! A forgotten `mod` line makes a file of tests that never run and never fail.

use std::collections::BTreeMap;

use crate::lexer::{Kind, Token, tokens};
use crate::repo::Texts;
use crate::report::Finding;
use crate::syntax::{close_of, starts};

/// A file the compiler starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) path: String,
    /// Whether it is built for tests only.
    pub(crate) tests: bool,
}

/// What builds a file is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    Product,
    Tests,
}

/// Every file that is reached from the roots.
pub(crate) fn reach(roots: &[Root], texts: &Texts) -> BTreeMap<String, Reach> {
    let mut reached = BTreeMap::new();
    let mut waiting: Vec<Found> = roots
        .iter()
        .map(|root| Found {
            home: folder(&root.path).to_owned(),
            path: root.path.clone(),
            tests: root.tests,
        })
        .collect();
    while let Some(file) = waiting.pop() {
        let Some(text) = texts.get(&file.path) else {
            continue;
        };
        let reach = if file.tests { Reach::Tests } else { Reach::Product };
        let known = reached.get(&file.path).copied();
        if known == Some(Reach::Product) || known == Some(reach) {
            continue;
        }
        reached.insert(file.path.clone(), reach);
        waiting.extend(children(&file, text, texts));
    }
    reached
}

pub(crate) fn check(reached: &BTreeMap<String, Reach>, texts: &Texts) -> Vec<Finding> {
    texts
        .keys()
        .filter(|path| path.ends_with(".rs") && !reached.contains_key(*path))
        .map(|path| {
            let message = "no `mod` line leads here, so it is never compiled: name it in its parent or remove it";
            Finding::new(path, 1, "dead-file", message)
        })
        .collect()
}

/// A file to read, and the folder where its child modules lie.
struct Found {
    path: String,
    home: String,
    tests: bool,
}

/// The files that `file` declares.
fn children(file: &Found, text: &str, texts: &Texts) -> Vec<Found> {
    let all = tokens(text);
    let mut found = Vec::new();
    for module in declarations(&all) {
        let tests = file.tests || module.tests;
        let home = join(&file.home, &module.inside.join("/"));
        if let Some(path) = module.path {
            let base = if module.inside.is_empty() { folder(&file.path) } else { &home };
            let path = join(base, path);
            found.push(Found { home: folder(&path).to_owned(), path, tests });
            continue;
        }
        let below = join(&home, module.name);
        let candidates = [format!("{below}.rs"), format!("{below}/mod.rs")];
        found.extend(
            candidates.into_iter().filter(|path| texts.contains_key(path)).map(|path| Found {
                home: below.clone(),
                path,
                tests,
            }),
        );
    }
    for at in (0..all.len()).filter(|at| starts(&all, *at, &["include", "!", "("])) {
        if let Some(name) = all.get(at + 3).filter(|token| token.kind == Kind::Text) {
            let path = join(folder(&file.path), name.text);
            found.push(Found { home: file.home.clone(), path, tests: file.tests });
        }
    }
    found
}

/// `mod name;` with what surrounds it.
#[derive(Debug, PartialEq, Eq)]
struct Declaration<'a> {
    name: &'a str,
    /// The inline modules around it, outermost first.
    inside: Vec<&'a str>,
    /// From its `#[path = "…"]`.
    path: Option<&'a str>,
    tests: bool,
}

/// The attributes that stand before an item.
#[derive(Clone, Copy, Default)]
struct Attributes<'a> {
    path: Option<&'a str>,
    tests: bool,
}

fn declarations<'a>(all: &[Token<'a>]) -> Vec<Declaration<'a>> {
    let mut found = Vec::new();
    // One entry for each open brace: an inline module's name, and whether it is for tests.
    let mut open: Vec<(Option<&str>, bool)> = Vec::new();
    let mut before = Attributes::default();
    let mut at = 0;
    while let Some(token) = all.get(at) {
        if starts(all, at, &["#", "["]) {
            let end = close_of(all, at + 1);
            attribute(all.get(at..end).unwrap_or_default(), &mut before);
            at = end + 1;
            continue;
        }
        let name = all.get(at + 1).filter(|next| token.is("mod") && next.kind == Kind::Word);
        let tests = before.tests || open.iter().any(|(_, tests)| *tests);
        if let Some(name) = name.filter(|_| starts(all, at + 2, &["{"])) {
            open.push((Some(name.text), tests));
            before = Attributes::default();
            at += 3;
            continue;
        }
        if let Some(name) = name.filter(|_| starts(all, at + 2, &[";"])) {
            let inside = open.iter().filter_map(|(name, _)| *name).collect();
            found.push(Declaration { name: name.text, inside, path: before.path, tests });
        }
        match token.text {
            "{" if token.kind == Kind::Punct => open.push((None, before.tests)),
            "}" if token.kind == Kind::Punct => drop(open.pop()),
            _ => {}
        }
        if ["{", "}", ";"].iter().any(|end| token.is(end)) {
            before = Attributes::default();
        }
        at += 1;
    }
    found
}

/// Takes what matters from one attribute, `cfg_attr` included.
fn attribute<'a>(attribute: &[Token<'a>], before: &mut Attributes<'a>) {
    for (at, _) in attribute.iter().enumerate().filter(|(_, token)| token.is("path")) {
        let literal = attribute.get(at + 2).filter(|token| token.kind == Kind::Text);
        if starts(attribute, at + 1, &["="]) && literal.is_some() {
            before.path = literal.map(|token| token.text);
        }
    }
    before.tests |= starts(attribute, 2, &["cfg", "(", "test"])
        || starts(attribute, 2, &["cfg", "(", "all", "(", "test"]);
}

/// The folder of a file, empty at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// `relative` seen from `base`, with `.` and `..` resolved.
pub(crate) fn join(base: &str, relative: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(relative.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(files: &[(&str, &str)]) -> Texts {
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn reached(files: &[(&str, &str)], root: &str) -> Vec<(String, Reach)> {
        let roots = [Root { path: root.to_owned(), tests: false }];
        reach(&roots, &texts(files)).into_iter().filter(|(path, _)| path != root).collect()
    }

    #[test]
    fn a_file_that_no_mod_line_names_is_dead() {
        let files = texts(&[
            ("a/src/lib.rs", "// mod dead;\nmod live;"),
            ("a/src/live.rs", ""),
            ("a/src/dead.rs", ""),
        ]);
        let roots = [Root { path: "a/src/lib.rs".to_owned(), tests: false }];
        let found = check(&reach(&roots, &files), &files);
        let [finding] = found.as_slice() else { panic!("one finding: {found:?}") };
        assert_eq!((finding.path.as_str(), finding.rule), ("a/src/dead.rs", "dead-file"));
    }

    #[test]
    fn a_test_file_missing_from_the_runner_is_dead() {
        let files = texts(&[
            ("r/tests/runner.rs", "mod sweep { mod b; }\nmod d;"),
            ("r/tests/sweep/b.rs", ""),
            ("r/tests/d/mod.rs", ""),
            ("r/tests/sweep/c.rs", ""),
        ]);
        let roots = [Root { path: "r/tests/runner.rs".to_owned(), tests: true }];
        let found = check(&reach(&roots, &files), &files);
        assert_eq!(
            found.iter().map(|f| f.path.as_str()).collect::<Vec<_>>(),
            ["r/tests/sweep/c.rs"]
        );
    }

    #[test]
    fn children_lie_beside_roots_and_mod_files_and_below_others() {
        let files = [
            ("s/main.rs", "mod a; pub(crate) mod b;"),
            ("s/a.rs", "mod c;"),
            ("s/a/c.rs", ""),
            ("s/b/mod.rs", "mod d;"),
            ("s/b/d.rs", ""),
        ];
        assert_eq!(reached(&files, "s/main.rs").len(), 4);
    }

    #[test]
    fn path_attributes_and_includes_are_followed() {
        let files = [
            ("s/lib.rs", "#[path = \"../x/y.rs\"]\nmod a;\ninclude!(\"z.rs\");"),
            ("x/y.rs", ""),
            ("s/z.rs", ""),
        ];
        assert_eq!(reached(&files, "s/lib.rs").len(), 2);
    }

    #[test]
    fn files_for_tests_only_are_told_apart() {
        let files = [
            ("s/lib.rs", "#[cfg(test)]\nmod a;\nmod b;"),
            ("s/a.rs", "mod c;"),
            ("s/a/c.rs", ""),
            ("s/b.rs", "#[cfg(test)] mod t { mod d; }"),
            ("s/b/t/d.rs", ""),
        ];
        let tests: Vec<String> = reached(&files, "s/lib.rs")
            .into_iter()
            .filter(|(_, r)| *r == Reach::Tests)
            .map(|(path, _)| path)
            .collect();
        assert_eq!(tests, ["s/a.rs", "s/a/c.rs", "s/b/t/d.rs"]);
    }
}
