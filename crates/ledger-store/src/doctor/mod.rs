//! Owns the map of a ledger directory: what every byte of every file is, where damage begins, and
//! where what is healthy goes on.
//!
//! Invariants:
//! - The regions of a file lie end to end from its first byte to its last: nothing is left out.
//! - Nothing is changed, nothing needs a lock or a key, and no content stops the examination: the
//!   directory may be damaged, foreign, truncated or no ledger at all.
//! - Memory is bounded: one batch, one piece of a file, and a limited number of regions for a file.
//!
//! May not: judge the ledger as a whole. Whether the files belong together (the tree, the anchors
//! against the log, keys against payloads) is what `verify` says; this says where things lie.

mod batch;
mod fixed;
mod payloads;
mod region;
mod segments;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use ledger_format::{LedgerId, PayloadId};

pub use self::region::{FileMap, Region, RegionState};
use crate::log::read_anchors;
use crate::storage::{RelPath, Storage};
use crate::{Position, layout};

/// What lies in a ledger directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryMap {
    /// Every file, by path.
    pub files: Vec<FileMap>,
}

/// What the parts of an examination share.
pub(crate) struct Ward<'a> {
    pub(crate) storage: &'a Arc<dyn Storage>,
    /// None when no file says which ledger this is: then hashes cannot be checked.
    pub(crate) ledger: Option<LedgerId>,
    /// The head that was surely acknowledged.
    pub(crate) anchored: Option<Position>,
    /// Nothing above this head is looked at: somebody is writing there.
    pub(crate) upto: Option<Position>,
    pub(crate) erased: &'a (dyn Fn(PayloadId) -> bool + Sync),
    /// What `ledger.toml` must say, once record 0 was read.
    pub(crate) copy: OnceLock<String>,
}

/// Maps a directory. `upto` is a durable head while somebody writes; `erased` says whether an
/// erasure intent covers a payload.
#[must_use]
pub fn examine(
    storage: &Arc<dyn Storage>,
    ledger: Option<LedgerId>,
    upto: Option<Position>,
    erased: &(dyn Fn(PayloadId) -> bool + Sync),
) -> DirectoryMap {
    let anchors = read_anchors(&**storage).ok();
    let anchored = anchors.as_ref().and_then(|anchors| anchors.best()).map(Position::of_anchor);
    let ward = Ward { storage, ledger, anchored, upto, erased, copy: OnceLock::new() };
    let mut rest = Vec::new();
    let mut unread = Vec::new();
    walk(&**storage, &RelPath::ROOT, 0, &mut rest, &mut unread);
    let is_in = |dir: &RelPath, suffix: &str, path: &RelPath| {
        path.parent().as_ref() == Some(dir) && path.as_str().ends_with(suffix)
    };
    let (segments, rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|path| is_in(&layout::LOG, ".seg", path));
    let (payloads, rest): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|path| is_in(&layout::PAYLOADS, ".pay", path));
    let mut accounts = payloads::Accounts::open(&ward, &payloads);
    let mut files = segments::map(&ward, segments, &mut accounts);
    files.extend(accounts.finish());
    files.extend(rest.into_iter().map(|path| fixed::map(&ward, path)));
    files.extend(unread);
    files.sort_by(|a, b| a.file.cmp(&b.file));
    DirectoryMap { files }
}

/// Directories below this depth are not the ledger's.
const DEEPEST: usize = 16;

/// Finds every file below a directory. What cannot be listed or named is an entry of its own.
fn walk(
    storage: &dyn Storage,
    dir: &RelPath,
    depth: usize,
    found: &mut Vec<RelPath>,
    unread: &mut Vec<FileMap>,
) {
    let names = match storage.list(dir) {
        Ok(names) => names,
        Err(error) => return unread.push(FileMap::unread(dir, &error)),
    };
    for name in names {
        let Ok(path) = dir.join(&name) else {
            let what = format!("a name that no ledger makes: {name:?}");
            unread.push(FileMap::unread(dir, &what));
            continue;
        };
        match storage.open_read(&path) {
            Ok(_) => found.push(path),
            Err(_) if depth < DEEPEST && storage.list(&path).is_ok() => {
                walk(storage, &path, depth + 1, found, unread);
            }
            Err(error) => unread.push(FileMap::unread(&path, &error)),
        }
    }
}

impl DirectoryMap {
    /// Bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    /// The regions that are not as they should be, with their files.
    pub fn damaged(&self) -> impl Iterator<Item = (&FileMap, &Region)> {
        let of = |file| FileMap::damaged(file).map(move |region| (file, region));
        self.files.iter().flat_map(of)
    }
}
