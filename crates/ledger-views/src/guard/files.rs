//! Owns single file operations, each with its name in its error.

use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use crate::error::ViewError;

const PIECE: usize = 1 << 20;

pub(super) fn failed<'a>(
    doing: &'static str,
    path: &'a Path,
) -> impl FnOnce(io::Error) -> ViewError + 'a {
    move |error| ViewError::File { doing, path: path.to_owned(), found: error.to_string() }
}

/// The bytes of a small file, or none when there is no such file.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, ViewError> {
    if fs::symlink_metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(odd(path));
    }
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed("reading", path)(error)),
    }
}

/// Hands over the bytes of a file, a mebibyte at a time.
pub(super) fn each_piece(path: &Path, mut piece: impl FnMut(&[u8])) -> Result<(), ViewError> {
    let mut file = File::open(path).map_err(failed("opening", path))?;
    let mut buffer = Vec::with_capacity(PIECE);
    loop {
        buffer.clear();
        let next = io::Read::by_ref(&mut file).take(PIECE as u64).read_to_end(&mut buffer);
        if next.map_err(failed("reading", path))? == 0 {
            return Ok(());
        }
        piece(&buffer);
    }
}

/// Something that is neither file nor directory. Whoever opened it could write outside the views,
/// or wait for good.
fn odd(path: &Path) -> ViewError {
    let found = "it is no regular file".to_owned();
    ViewError::File { doing: "opening", path: path.to_owned(), found }
}

/// A file of at least this length that is nearly all holes, in bytes: no database writes such a one, a
/// hole of any length is made for nothing, and to read it takes as long as to read what it pretends
/// to be.
const HOLLOW: u64 = 1 << 30;
/// One part in so many of its bytes is there.
const HOLLOW_PART: u64 = 64;

fn is_hollow(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    // Blocks are counted in units of 512 bytes, whatever the file system has.
    meta.len() >= HOLLOW && meta.blocks().saturating_mul(512) < meta.len() / HOLLOW_PART
}

fn hollow(path: &Path, length: u64) -> ViewError {
    let found = format!("it is {length} bytes long and nearly all of it is holes");
    ViewError::File { doing: "opening", path: path.to_owned(), found }
}

/// Makes sure that below a directory there are directories and regular files only, and that the
/// files are there.
pub(super) fn all_regular(dir: &Path) -> Result<(), ViewError> {
    match fs::symlink_metadata(dir) {
        Ok(meta) if meta.is_dir() => {}
        Ok(_) => return Err(odd(dir)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed("looking at", dir)(error)),
    }
    let mut below = entries(dir)?;
    match below.find(|entry| !entry.regular || entry.hollow) {
        Some(entry) if entry.regular => Err(hollow(&entry.path, entry.length)),
        Some(entry) => Err(odd(&entry.path)),
        None => Ok(()),
    }
}

/// Puts a whole file in the place of another, durably: readers see the old bytes or the new ones.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), ViewError> {
    let new = path.with_extension("new");
    // What a build that stopped left there, or a link that somebody put there, is not written to.
    remove(&new)?;
    let mut file = File::create_new(&new).map_err(failed("creating", &new))?;
    file.write_all(bytes).map_err(failed("writing", &new))?;
    file.sync_all().map_err(failed("flushing", &new))?;
    drop(file);
    fs::rename(&new, path).map_err(failed("renaming", &new))?;
    sync_parent(path)
}

/// Removes a file, durably. Says whether there was one.
pub(super) fn remove(path: &Path) -> Result<bool, ViewError> {
    match fs::remove_file(path) {
        Ok(()) => sync_parent(path).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("removing", path)(error)),
    }
}

/// Removes a file that nobody relies on to be gone.
pub(crate) fn remove_quietly(path: &Path) -> Result<(), ViewError> {
    fs::remove_file(path).map_err(failed("removing", path))
}

pub(super) fn sync_parent(path: &Path) -> Result<(), ViewError> {
    path.parent().map_or(Ok(()), sync)
}

/// Flushes a file or a directory.
pub(super) fn sync(path: &Path) -> Result<(), ViewError> {
    let file = File::open(path).map_err(failed("opening", path))?;
    file.sync_all().map_err(failed("flushing", path))
}

/// All files below a directory with their lengths, in the order of their paths.
pub(super) fn list(dir: &Path) -> Result<Vec<(PathBuf, u64)>, ViewError> {
    Ok(entries(dir)?.map(|entry| (entry.path, entry.length)).collect())
}

/// What lies below a directory and is no directory.
struct Entry {
    path: PathBuf,
    length: u64,
    regular: bool,
    hollow: bool,
}

fn entries(dir: &Path) -> Result<std::vec::IntoIter<Entry>, ViewError> {
    let mut found = Vec::new();
    let mut waiting = vec![dir.to_owned()];
    while let Some(dir) = waiting.pop() {
        let entries = match fs::read_dir(&dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed("listing", &dir)(error)),
        };
        for entry in entries {
            let entry = entry.map_err(failed("listing", &dir))?;
            let meta = entry.metadata().map_err(failed("looking at", &entry.path()))?;
            if meta.is_dir() {
                waiting.push(entry.path());
            } else {
                let (length, regular) = (meta.len(), meta.is_file());
                let hollow = is_hollow(&meta);
                found.push(Entry { path: entry.path(), length, regular, hollow });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found.into_iter())
}
