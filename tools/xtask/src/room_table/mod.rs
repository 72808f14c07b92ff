//! The `rooms` command: the dependency table of `crates/README.md` is exactly what cargo sees.
//!
//! The table is the architecture in one place that people read. It may neither forget a dependency
//! nor promise one that is gone, so a change of direction between crates shows in review as a change
//! of that page.

mod check;
mod parse;

use crate::lexer::tokens;
use crate::metadata::{Metadata, Package};
use crate::repo::Repo;
use crate::report::{Finding, conclude};
use crate::syntax::{starts, without_tests};

/// The page that holds the table.
const PAGE: &str = "crates/README.md";

/// Runs the command.
pub(crate) fn run(repo: &Repo) -> Result<(), String> {
    let page = std::fs::read_to_string(repo.root().join(PAGE)).map_err(|error| {
        format!("rooms: {PAGE}: {error}; it holds the dependency table between rooms:begin and rooms:end")
    })?;
    let metadata = Metadata::members(repo)?;
    let (rows, mut findings) = parse::table(PAGE, &page);
    let crates = metadata
        .workspace()
        .map(|package| observe(repo, package, &metadata))
        .collect::<Result<Vec<_>, _>>()?;
    findings.extend(check::compare(PAGE, &rows, &crates));
    conclude("rooms", findings)
}

/// What a crate really does, to be held against its row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    pub(crate) name: String,
    /// Dependencies inside the workspace, without those of tests.
    pub(crate) inside: Vec<String>,
    /// Dependencies outside it, likewise.
    pub(crate) outside: Vec<String>,
    /// Whether the library declares itself free of std.
    pub(crate) no_std: bool,
    /// File and line of each `extern crate std` outside tests.
    pub(crate) std_claims: Vec<(String, usize)>,
}

fn observe(repo: &Repo, package: &Package, metadata: &Metadata) -> Result<Observed, String> {
    let is_member = |name: &str| metadata.workspace().any(|other| other.name == name);
    let (inside, outside) = package
        .dependencies
        .iter()
        .filter(|dependency| !dependency.dev)
        .map(|dependency| dependency.name.clone())
        .partition(|name| is_member(name));
    let mut seen = Observed { name: package.name.clone(), inside, outside, ..Observed::default() };
    let manifest =
        repo.relative(&package.manifest_path).ok_or("a member outside the repository")?;
    let sources = format!("{}/src/", manifest.trim_end_matches("/Cargo.toml"));
    let mut files = repo.files()?;
    files.retain(|path| path.starts_with(&sources) && path.ends_with(".rs"));
    for (path, text) in repo.texts(&files)? {
        let (no_std, claims) = std_use(&text);
        seen.no_std |= no_std && path == format!("{sources}lib.rs");
        seen.std_claims.extend(claims.into_iter().map(|line| (path.clone(), line)));
    }
    Ok(seen)
}

/// Whether the source holds `#![no_std]`, and the lines of `extern crate std` outside tests.
fn std_use(source: &str) -> (bool, Vec<usize>) {
    let all = tokens(source);
    let pattern = ["#", "!", "[", "no_std", "]"];
    let no_std = (0..all.len()).any(|at| starts(&all, at, &pattern));
    let left = without_tests(&all);
    let claims = left
        .iter()
        .enumerate()
        .filter(|(at, _)| starts(&left, *at, &["extern", "crate", "std"]))
        .map(|(_, token)| token.line)
        .collect();
    (no_std, claims)
}

/// A finding about the page.
fn finding(line: usize, message: String) -> Finding {
    Finding::new(PAGE, line, "rooms", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn std_is_seen_in_code_and_not_in_tests_or_comments() {
        assert_eq!(std_use("//! x\n#![no_std]\n#[cfg(test)]\nextern crate std;"), (true, vec![]));
        assert_eq!(std_use("#![no_std]\nextern crate std;"), (true, vec![2]));
        assert_eq!(std_use("// #![no_std]\nextern crate alloc;"), (false, vec![]));
    }
}
