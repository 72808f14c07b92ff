//! Owns the import of histories: folders with the full text of every revision of a document and a
//! table that says when each was written and when it was recorded.
//!
//! A folder that holds no table itself is searched for folders that do; each is a document, named by
//! its path below. Links are not followed.

mod index;

use std::fs::{self, File, FileType};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use memledger::{Actor, Error, Ledger, Result, Scope};

use crate::document::{
    Bodies, Body, Desk, LedgerBook, Revision, Slot, import as import_document, one_line, read_body,
};
use crate::quarantine::Quarantine;
use crate::{ImportReport, Progress, job};
use index::{INDEX, IndexRow};

/// How deep folders are searched.
const DEPTH: usize = 16;
/// Longest table that is read: it is held whole, and a folder from elsewhere may hold anything.
const TABLE_BYTES: u64 = 64 * 1024 * 1024;

/// Which histories to import, and where to.
#[derive(Clone, Debug)]
pub struct HistoryOptions {
    /// The folder of one history, or one above several.
    pub dir: PathBuf,
    /// Where the documents belong.
    pub scope: Scope,
    /// Name of the document; none: the name of its folder. Only for the folder of one history.
    pub document: Option<String>,
    /// Who imports.
    pub by: Actor,
    /// The file for revisions that cannot be taken.
    pub quarantine: PathBuf,
}

/// Imports every history in a folder.
///
/// # Errors
/// When there is none, a table has another header, a file cannot be read, or the ledger cannot be
/// written to. What was recorded before stays; the next run goes on from there.
pub fn import(
    ledger: &Ledger,
    options: &HistoryOptions,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ImportReport> {
    let histories = histories(options)?;
    let job = job()?;
    let mut report = ImportReport::default();
    let mut quarantine = Quarantine::new(&options.quarantine)?;
    for (document, dir) in histories {
        let slot = Slot { scope: options.scope.clone(), document, by: options.by.clone(), job };
        let mut desk = Desk { quarantine: &mut quarantine, report: &mut report, progress };
        one(ledger, &slot, &dir, &mut desk)?;
    }
    report.quarantine = quarantine.finish()?;
    Ok(report)
}

fn one(ledger: &Ledger, slot: &Slot, dir: &Path, desk: &mut Desk<'_>) -> Result<()> {
    let path = dir.join(INDEX);
    let bytes = table(&path)?;
    let (rows, bad) = index::read(&path, &slot.document, &bytes)?;
    for row in bad {
        desk.report.refused += 1;
        desk.quarantine.put(
            &format!("{}:{}", path.display(), row.line),
            &row.reason,
            Some(row.raw),
        )?;
    }
    let revisions: Vec<Revision> = rows.iter().map(|row| row.revision.clone()).collect();
    let book = LedgerBook { ledger, slot };
    import_document(&book, slot, &revisions, &mut Files { dir, rows: &rows }, desk)
}

/// The bytes of a table.
fn table(path: &Path) -> Result<Vec<u8>> {
    let kind = fs::symlink_metadata(path).map_err(|error| unreadable(path, &error))?.file_type();
    if let Some(what) = no_text(kind) {
        return Err(Error::invalid(format!(
            "{} is {what}; put the file itself there",
            path.display()
        )));
    }
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(TABLE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > TABLE_BYTES {
        return Err(Error::invalid(format!(
            "{} is longer than {TABLE_BYTES} bytes; split the history",
            path.display()
        )));
    }
    Ok(bytes)
}

/// What a name of the folder stands for that is no file with a text. Such a thing is not opened: a
/// link leads out of the folder, and a pipe or a device may keep its reader waiting for good.
fn no_text(kind: FileType) -> Option<&'static str> {
    if kind.is_file() {
        None
    } else if kind.is_symlink() {
        Some("a symbolic link")
    } else if kind.is_dir() {
        Some("a directory")
    } else {
        Some("no regular file")
    }
}

/// The histories to import, each with the name of its document, in the order of their names.
fn histories(options: &HistoryOptions) -> Result<Vec<(String, PathBuf)>> {
    let dir = &options.dir;
    if fs::symlink_metadata(dir.join(INDEX)).is_ok_and(|found| !found.is_dir()) {
        let document = match &options.document {
            Some(document) => document.clone(),
            None => folder_name(dir)?,
        };
        return Ok(vec![(document, dir.clone())]);
    }
    let mut found = Vec::new();
    search(dir, "", DEPTH, &mut found)?;
    found.sort();
    match (found.len(), &options.document) {
        (0, _) => Err(Error::invalid(format!(
            "there is no history in {}: no folder there holds an {INDEX}",
            dir.display()
        ))),
        (_, None) => Ok(found),
        (count, Some(_)) => Err(Error::invalid(format!(
            "{} holds {count} histories, so one name cannot be theirs; leave the document's name out, or import one of the folders",
            dir.display()
        ))),
    }
}

fn search(dir: &Path, name: &str, depth: usize, found: &mut Vec<(String, PathBuf)>) -> Result<()> {
    let entries = fs::read_dir(dir).map_err(|error| unreadable(dir, &error))?;
    for entry in entries {
        let entry = entry.map_err(|error| unreadable(dir, &error))?;
        let kind = entry.file_type().map_err(|error| unreadable(&entry.path(), &error))?;
        let own = entry.file_name().to_string_lossy().into_owned();
        if kind.is_file() && own == INDEX {
            found.push((one_line(name), dir.to_owned()));
        }
        if kind.is_dir() && depth > 0 {
            let below = if name.is_empty() { own } else { format!("{name}/{own}") };
            search(&entry.path(), &below, depth - 1, found)?;
        }
    }
    Ok(())
}

fn folder_name(dir: &Path) -> Result<String> {
    let whole = dir.canonicalize().map_err(|error| unreadable(dir, &error))?;
    match whole.file_name() {
        Some(name) => Ok(one_line(&name.to_string_lossy())),
        None => {
            Err(Error::invalid(format!("{} has no name; give the document one", dir.display())))
        }
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    Error::invalid(format!("{} cannot be read: {error}", path.display()))
}

/// The texts of a history.
struct Files<'a> {
    dir: &'a Path,
    rows: &'a [IndexRow],
}

impl Bodies for Files<'_> {
    fn body(&mut self, index: usize) -> Result<Body> {
        let file = self.rows.get(index).and_then(|row| row.file.as_ref());
        let Some((name, size)) = file else { return Ok(Body::Removed) };
        let path = self.dir.join(name);
        let bad = |reason: String| Ok(Body::Bad { reason, raw: None });
        match fs::symlink_metadata(&path) {
            Ok(found) => {
                if let Some(what) = no_text(found.file_type()) {
                    return bad(format!("its file {name} is {what}; put the text itself there"));
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return bad(format!("its file {name} is not in the folder"));
            }
            Err(error) => return Err(unreadable(&path, &error)),
        }
        let mut open = File::open(&path).map_err(|error| unreadable(&path, &error))?;
        let found = open.metadata().map_err(|error| unreadable(&path, &error))?;
        if found.len() != *size {
            return bad(format!(
                "its file {name} has {} bytes, the table says {size}",
                found.len()
            ));
        }
        read_body(&mut open, *size).map_err(|error| unreadable(&path, &error))
    }
}
