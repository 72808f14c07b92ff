//! Owns the import of one file's versions from a git repository.
//!
//! Each commit that touched the file is a revision: in force from its author date, known since its
//! commit date. Renames are not followed: a file's history begins where it got this name. Merges are
//! taken as `git log` shows them. Names and messages of a repository are data: everything from git is
//! parsed by length or by NUL, and nothing of the repository's configuration or of the user's can
//! start a program.

mod blobs;
mod command;
mod log;

use std::path::{Path, PathBuf};

use memledger::{Actor, Error, Ledger, Result, Scope};

use crate::document::{
    Bodies as _, Body, Desk, LedgerBook, Revision, Slot, import as import_document, one_line,
};
use crate::quarantine::Quarantine;
use crate::{ImportReport, Progress, job};
use blobs::Blobs;
use command::Git;

/// Which file to import, and where to.
#[derive(Clone, Debug)]
pub struct GitOptions {
    /// The repository: its working directory, a folder in it, or a bare repository.
    pub repo: PathBuf,
    /// The file, from the root of the repository.
    pub path: String,
    /// Where the document belongs.
    pub scope: Scope,
    /// Name of the document; none: the path.
    pub document: Option<String>,
    /// Who imports.
    pub by: Actor,
    /// The file for revisions that cannot be taken.
    pub quarantine: PathBuf,
}

/// Imports the versions of one file.
///
/// # Errors
/// When git is missing, the folder is no repository, the path was never in it, or the ledger cannot
/// be written to. What was recorded before stays; the next run goes on from there.
pub fn import(
    ledger: &Ledger,
    options: &GitOptions,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ImportReport> {
    let path = in_repository(&options.path)?;
    let document = options.document.clone().unwrap_or_else(|| one_line(&path));
    let slot = Slot { scope: options.scope.clone(), document, by: options.by.clone(), job: job()? };
    let git = Git::open(&options.repo)?;
    let mut report = ImportReport::default();
    if git.is_shallow()? {
        report.note(
            "the repository is a shallow clone: revisions before its first commit are not in it",
        );
    }
    report.note(format!(
        "renames are not followed: texts from before {path} had this name are not imported"
    ));
    let mut quarantine = Quarantine::new(&options.quarantine)?;
    let mut revisions: Vec<Revision> = Vec::new();
    for commit in log::commits(&git, &path)? {
        match commit.revision(&path, revisions.len() as u64) {
            Ok(revision) => revisions.push(revision),
            Err(reason) => {
                quarantine.put(&format!("{} {}", slot.document, commit.hash), &reason, None)?;
                report.refused += 1;
            }
        }
    }
    if revisions.is_empty() && report.refused == 0 {
        return Err(never_there(&options.repo, &path));
    }
    let hashes: Vec<String> = revisions.iter().map(|revision| revision.name.clone()).collect();
    let mut blobs = Blobs::start(&git, &path, hashes)?;
    if let Some(last) = revisions.len().checked_sub(1) {
        blobs.refuse_folder(last)?;
    }
    let book = LedgerBook { ledger, slot: &slot };
    let mut desk = Desk { quarantine: &mut quarantine, report: &mut report, progress };
    import_document(&book, &slot, &revisions, &mut blobs, &mut desk)?;
    report.quarantine = quarantine.finish()?;
    Ok(report)
}

/// The newest version of a file: its text, the commit and the time of it. None: it is not there.
pub(crate) fn newest(repo: &Path, path: &str) -> Result<Option<(Body, Revision)>> {
    let path = in_repository(path)?;
    let git = Git::open(repo)?;
    let Some(commit) = log::commits(&git, &path)?.pop() else { return Ok(None) };
    let revision = commit.revision(&path, 0).map_err(Error::invalid)?;
    let mut blobs = Blobs::start(&git, &path, vec![revision.name.clone()])?;
    let body = blobs.body(0)?;
    Ok(Some((body, revision)))
}

/// A path as git has it in its trees.
fn in_repository(path: &str) -> Result<String> {
    let parts: Vec<&str> =
        path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let outside = path.starts_with('/') || parts.contains(&"..");
    if outside || parts.is_empty() || path.ends_with('/') || path.contains('\0') {
        return Err(Error::invalid(format!(
            "{path:?} names no file in a repository; give it from the root of the repository, such as docs/policy.md"
        )));
    }
    let joined = parts.join("/");
    if joined.len() > 3_500 {
        return Err(Error::invalid(format!(
            "a path of {} bytes is too long to cite",
            joined.len()
        )));
    }
    Ok(joined)
}

fn never_there(repo: &Path, path: &str) -> Error {
    Error::invalid(format!(
        "{path} was never in the history of {} up to HEAD; paths count from the root of the repository, and upper and lower case differ",
        repo.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_trees() {
        for (given, path) in [("a.md", "a.md"), ("./docs//a.md", "docs/a.md"), ("a b\n", "a b\n")] {
            assert_eq!(in_repository(given).unwrap(), path);
        }
        for wrong in ["", "/", "/etc/passwd", "../a", "docs/../../a", "docs/", ".", "a\0b"] {
            assert!(in_repository(wrong).is_err(), "{wrong:?}");
        }
    }
}
