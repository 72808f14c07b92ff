//! The contract of [`Storage`] as a check that any implementation can be held to.
//!
//! Owns the cases that all implementations answer alike. What survives a crash is not among them:
//! no process can look at that on a real file system.

use std::fmt;

use super::{LockError, RelPath, Storage, StorageError, StorageFile};

/// The first point in which a storage differs from the contract.
#[derive(Debug)]
pub struct Failure {
    what: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "storage contract broken: {}", self.what)
    }
}

impl std::error::Error for Failure {}

impl From<StorageError> for Failure {
    fn from(error: StorageError) -> Self {
        Self { what: error.to_string() }
    }
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        Self { what: error.to_string() }
    }
}

type Check = Result<(), Failure>;

const DIR: RelPath = RelPath::from_static("dir");
const FILE: RelPath = RelPath::from_static("dir/file");
const OTHER: RelPath = RelPath::from_static("dir/other");
const DEEP: RelPath = RelPath::from_static("dir/deep/er");
const DEEP_FILE: RelPath = RelPath::from_static("dir/deep/er/file");
const MISSING: RelPath = RelPath::from_static("dir/missing");
const BELOW_FILE: RelPath = RelPath::from_static("dir/file/x");

/// Runs every case on an empty, writable storage, and leaves it with a lock file at most.
pub fn check(storage: &dyn Storage) -> Check {
    holds(storage.list(&RelPath::ROOT)?.is_empty(), "the storage to check is empty")?;
    storage.create_dir(&DIR)?;
    storage.sync_dir(&RelPath::ROOT)?;
    creation(storage)?;
    reading(storage)?;
    writing(storage)?;
    lengths(storage)?;
    holes(storage)?;
    handles(storage)?;
    directories(storage)?;
    renaming(storage)?;
    removal(storage)?;
    locking(storage)
}

fn creation(storage: &dyn Storage) -> Check {
    holds(!storage.exists(&FILE)?, "a file that was not created does not exist")?;
    fails(storage.open_read(&FILE), StorageError::is_not_found, "open_read of a missing file")?;
    fails(storage.open_write(&FILE), StorageError::is_not_found, "open_write of a missing file")?;
    let file = storage.create_exclusive(&FILE)?;
    storage.sync_dir(&DIR)?;
    holds(storage.exists(&FILE)? && file.is_empty()?, "a created file exists and is empty")?;
    holds(file.path() == &FILE, "a file knows its path")?;
    let again = StorageError::is_already_exists;
    fails(storage.create_exclusive(&FILE), again, "create_exclusive of an existing file")?;
    fails(storage.create_exclusive(&DIR), again, "create_exclusive of a directory")?;
    let orphan = storage.create_exclusive(&DEEP_FILE);
    fails(orphan, StorageError::is_not_found, "create_exclusive without its directory")?;
    fails(storage.open_read(&DIR), any, "open_read of a directory")?;
    fails(storage.open_write(&DIR), any, "open_write of a directory")
}

fn reading(storage: &dyn Storage) -> Check {
    let file = storage.open_write(&FILE)?;
    file.write_all_at(b"0123456789", 0)?;
    let mut buf = [0; 4];
    holds(file.read_at(&mut buf, 3)? == 4 && &buf == b"3456", "read_at reads at its offset")?;
    holds(file.read_at(&mut buf, 8)? == 2, "read_at returns what is left before the end")?;
    holds(file.read_at(&mut buf, 10)? == 0, "read_at at the end returns nothing")?;
    holds(file.read_at(&mut buf, 1 << 40)? == 0, "read_at far beyond the end returns nothing")?;
    holds(file.read_at(&mut [], 0)? == 0, "read_at of nothing returns nothing")?;
    file.read_exact_at(&mut buf, 6)?;
    holds(&buf == b"6789", "read_exact_at reads up to the end")?;
    file.read_exact_at(&mut [], 1 << 40)?;
    match file.read_exact_at(&mut buf, 8) {
        Err(error) => holds(
            error.is_unexpected_end() && error.offset == Some(10),
            "read_exact_at across the end says where the file ends",
        ),
        Ok(()) => holds(false, "read_exact_at across the end fails"),
    }
}

fn writing(storage: &dyn Storage) -> Check {
    let file = storage.open_write(&FILE)?;
    file.write_all_at(b"ab", 1)?;
    holds(content(&*file)? == b"0ab3456789", "a write replaces its bytes only")?;
    file.write_all_at(b"z", 12)?;
    holds(content(&*file)? == b"0ab3456789\0\0z", "a gap reads as zeros")?;
    file.write_all_at(b"", 100)?;
    holds(file.len()? == 13, "writing nothing does not grow a file")?;
    file.sync_data()?;
    file.sync_all()?;
    holds(content(&*file)? == b"0ab3456789\0\0z", "a flush changes nothing for readers")
}

fn lengths(storage: &dyn Storage) -> Check {
    let file = storage.open_write(&FILE)?;
    file.set_len(3)?;
    holds(content(&*file)? == b"0ab", "set_len cuts")?;
    file.set_len(5)?;
    holds(content(&*file)? == b"0ab\0\0", "set_len grows by zeros, not by what was there")?;
    file.zero_fill(1, 1)?;
    file.zero_fill(2, 0)?;
    holds(content(&*file)? == b"0\0b\0\0", "zero_fill writes its range only")?;
    file.zero_fill(4, 200_000)?;
    holds(file.len()? == 200_004, "zero_fill grows a file")?;
    let bytes = content(&*file)?;
    holds(bytes.iter().skip(3).all(|byte| *byte == 0), "what zero_fill wrote is zeros")
}

fn holes(storage: &dyn Storage) -> Check {
    let file = storage.open_write(&FILE)?;
    file.set_len(0)?;
    file.write_all_at(&[7; 20_000], 0)?;
    file.punch_hole(100, 10_000)?;
    let bytes = content(&*file)?;
    let expected = (0..20_000).map(|at| if (100..10_100).contains(&at) { 0 } else { 7 });
    holds(bytes.into_iter().eq(expected), "a hole reads as zeros, and nothing beside it")?;
    file.punch_hole(19_999, 5_000)?;
    file.punch_hole(30_000, 5_000)?;
    file.punch_hole(0, 0)?;
    holds(file.len()? == 20_000, "a hole does not change the length")?;
    let bytes = content(&*file)?;
    holds(bytes.last() == Some(&0) && bytes.first() == Some(&7), "a hole ends with the file")
}

fn handles(storage: &dyn Storage) -> Check {
    let (reader, writer) = (storage.open_read(&FILE)?, storage.open_write(&FILE)?);
    writer.set_len(0)?;
    writer.write_all_at(b"seen", 0)?;
    holds(content(&*reader)? == b"seen", "a write is seen by other handles at once")?;
    fails(reader.write_all_at(b"x", 0), any, "a write through open_read")?;
    fails(reader.set_len(0), any, "set_len through open_read")?;
    fails(reader.zero_fill(0, 1), any, "zero_fill through open_read")?;
    fails(reader.punch_hole(0, 1), any, "punch_hole through open_read")?;
    holds(content(&*reader)? == b"seen", "a refused write changes nothing")
}

fn directories(storage: &dyn Storage) -> Check {
    storage.create_dir(&DEEP)?;
    storage.create_dir(&DEEP)?;
    storage.create_exclusive(&DEEP_FILE)?;
    storage.create_exclusive(&OTHER)?;
    holds(storage.list(&DIR)? == ["deep", "file", "other"], "list is sorted and not recursive")?;
    holds(storage.list(&RelPath::ROOT)? == ["dir"], "the root lists what is in it")?;
    holds(storage.exists(&DIR)? && storage.exists(&DEEP)?, "directories exist")?;
    holds(storage.exists(&RelPath::ROOT)?, "the root exists")?;
    holds(!storage.exists(&BELOW_FILE)?, "nothing exists below a file")?;
    storage.sync_dir(&DEEP)?;
    fails(storage.list(&MISSING), StorageError::is_not_found, "list of a missing directory")?;
    fails(storage.list(&FILE), any, "list of a file")?;
    fails(storage.create_dir(&FILE), any, "create_dir over a file")?;
    fails(storage.create_dir(&BELOW_FILE), any, "create_dir below a file")?;
    fails(storage.sync_dir(&MISSING), StorageError::is_not_found, "sync_dir of nothing")?;
    fails(storage.sync_dir(&FILE), any, "sync_dir of a file")
}

fn renaming(storage: &dyn Storage) -> Check {
    let old = storage.open_read(&OTHER)?;
    storage.rename(&FILE, &OTHER)?;
    holds(!storage.exists(&FILE)?, "the old name is gone after a rename")?;
    let replaced = content(&*storage.open_read(&OTHER)?)?;
    holds(replaced == b"seen", "a rename replaces the file at its target")?;
    holds(old.is_empty()?, "a replaced file stays readable through its handle")?;
    fails(storage.rename(&MISSING, &FILE), StorageError::is_not_found, "rename of nothing")?;
    fails(storage.rename(&OTHER, &DEEP), any, "rename of a file over a directory")?;
    fails(storage.rename(&DIR, &DEEP), any, "rename of a directory into itself")?;
    storage.rename(&DEEP, &FILE)?;
    holds(storage.list(&FILE)? == ["file"], "a renamed directory keeps what is in it")?;
    storage.rename(&FILE, &DEEP)?;
    storage.sync_dir(&DIR)?;
    Ok(())
}

fn removal(storage: &dyn Storage) -> Check {
    let open = storage.open_write(&OTHER)?;
    storage.remove_file(&OTHER)?;
    holds(!storage.exists(&OTHER)?, "a removed file does not exist")?;
    open.write_all_at(b"still", 0)?;
    holds(content(&*open)?.starts_with(b"still"), "a removed file works through its handle")?;
    fails(storage.remove_file(&OTHER), StorageError::is_not_found, "remove_file of nothing")?;
    fails(storage.remove_file(&DIR), any, "remove_file of a directory")?;
    let missing = storage.remove_dir_all(&MISSING);
    fails(missing, StorageError::is_not_found, "remove_dir_all of nothing")?;
    fails(storage.remove_dir_all(&DEEP_FILE), any, "remove_dir_all of a file")?;
    fails(storage.remove_dir_all(&RelPath::ROOT), any, "remove_dir_all of the root")?;
    holds(storage.exists(&DEEP_FILE)?, "a refused removal removes nothing")?;
    storage.remove_dir_all(&DIR)?;
    storage.sync_dir(&RelPath::ROOT)?;
    holds(storage.list(&RelPath::ROOT)?.is_empty(), "remove_dir_all leaves nothing")
}

fn locking(storage: &dyn Storage) -> Check {
    let guard = storage.try_lock()?;
    holds(guard.still_held()?, "a lock is held after it is taken")?;
    match storage.try_lock() {
        Err(LockError::Held { pid, .. }) => {
            holds(pid == Some(std::process::id()), "a refusal names the holder")?;
        }
        Err(error) => return Err(error.into()),
        Ok(_) => return holds(false, "a lock is not given out twice"),
    }
    drop(guard);
    let guard = storage.try_lock()?;
    storage.remove_file(&super::LOCK_FILE)?;
    holds(!guard.still_held()?, "a lock on a removed file is not held")?;
    let second = storage.try_lock()?;
    drop(guard);
    holds(second.still_held()?, "a stale guard does not release another's lock")
}

fn content(file: &dyn StorageFile) -> Result<Vec<u8>, StorageError> {
    let mut bytes = vec![0; usize::try_from(file.len()?).unwrap_or_default()];
    file.read_exact_at(&mut bytes, 0)?;
    Ok(bytes)
}

fn holds(condition: bool, what: &str) -> Check {
    if condition { Ok(()) } else { Err(Failure { what: what.to_owned() }) }
}

fn fails<T>(
    result: Result<T, StorageError>,
    expected: impl FnOnce(&StorageError) -> bool,
    what: &str,
) -> Check {
    match result {
        Ok(_) => Err(Failure { what: format!("{what} has to fail") }),
        Err(error) if expected(&error) => Ok(()),
        Err(error) => Err(Failure { what: format!("{what} fails in another way: {error}") }),
    }
}

fn any(_: &StorageError) -> bool {
    true
}
