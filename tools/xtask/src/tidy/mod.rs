//! The `tidy` command: what a reader of this tree can rely on, file by file.
//!
//! Looks at what git would commit. Every rule lives in its own file as a pure function from text to
//! findings; this one only gathers the texts and calls them.

mod calls;
mod exports;
mod functions;
mod headings;
mod layout;
mod modules;
mod rooms;
mod roots;
mod size;
mod words;

use crate::metadata::Metadata;
use crate::repo::Repo;
use crate::report::conclude;

/// Runs the command.
pub(crate) fn run(repo: &Repo) -> Result<(), String> {
    let files = repo.files()?;
    let texts = repo.texts(&files)?;
    let metadata = Metadata::members(repo)?;
    let reached = modules::reach(&roots::find(repo, &metadata, &texts), &texts);

    let mut findings = layout::check(&files);
    findings.extend(modules::check(&reached, &texts));
    for (path, text) in &texts {
        findings.extend(words::check(path, text));
        if !path.ends_with(".rs") {
            continue;
        }
        findings.extend(size::check(path, text));
        findings.extend(functions::check(path, text));
        findings.extend(headings::check(path, text));
        findings.extend(exports::check(path, text));
        let for_tests = reached.get(path) == Some(&modules::Reach::Tests);
        findings.extend(calls::check(rooms::ROOMS, path, text, for_tests));
    }
    conclude("tidy", findings)
}
