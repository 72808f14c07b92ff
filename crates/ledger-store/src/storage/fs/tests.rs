//! The file system behind the seam: the contract, permissions, links, refusals and messages.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;
use crate::storage::conformance;

fn path(text: &str) -> RelPath {
    RelPath::new(text).unwrap()
}

#[test]
fn keeps_the_contract() {
    let dir = tempfile::tempdir().unwrap();
    let storage = FsStorage::open(dir.path()).unwrap();
    conformance::check(&storage).unwrap();
}

#[test]
fn only_the_owner_can_read() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("ledger");
    let storage = FsStorage::create(&root).unwrap();
    storage.create_dir(&path("log/old")).unwrap();
    storage.create_exclusive(&path("log/1.seg")).unwrap();
    let mode = |at: &str| std::fs::metadata(root.join(at)).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        [mode("."), mode("log"), mode("log/old"), mode("log/1.seg")],
        [0o700, 0o700, 0o700, 0o600]
    );
    // Creating what is there opens it.
    FsStorage::create(&root).unwrap();
}

#[test]
fn a_missing_directory_is_not_found() {
    let dir = tempfile::tempdir().unwrap();
    let error = FsStorage::open(&dir.path().join("none")).unwrap_err();
    assert!(error.is_not_found(), "{error}");
    assert!(FsStorage::create(&dir.path().join("none/below")).unwrap_err().is_not_found());
}

#[test]
fn links_and_pipes_are_no_files() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::NamedTempFile::new().unwrap();
    let storage = FsStorage::open(dir.path()).unwrap();
    symlink(outside.path(), dir.path().join("link")).unwrap();
    assert!(storage.open_read(&path("link")).is_err());
    assert!(storage.open_write(&path("link")).is_err());
    assert!(storage.create_exclusive(&path("link")).unwrap_err().is_already_exists());
    rustix::fs::mknodat(&storage.root.dir, "pipe", rustix::fs::FileType::Fifo, Mode::RWXU, 0)
        .unwrap();
    let error = storage.open_read(&path("pipe")).unwrap_err();
    assert!(error.to_string().ends_with("not a regular file"), "{error}");
}

#[test]
fn removal_does_not_follow_links() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("kept"), b"x").unwrap();
    let storage = FsStorage::open(dir.path()).unwrap();
    storage.create_dir(&path("views")).unwrap();
    symlink(outside.path(), dir.path().join("views/link")).unwrap();
    storage.remove_dir_all(&path("views")).unwrap();
    assert!(outside.path().join("kept").exists());
    symlink(outside.path(), dir.path().join("views")).unwrap();
    assert!(storage.remove_dir_all(&path("views")).is_err());
    assert!(outside.path().join("kept").exists());
}

#[test]
fn read_only_reads_and_refuses_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    let writer = FsStorage::open(dir.path()).unwrap();
    writer.create_exclusive(&path("file")).unwrap().write_all_at(b"abc", 0).unwrap();
    let storage = FsStorage::open_read_only(dir.path()).unwrap();
    let mut buf = [0; 3];
    storage.open_read(&path("file")).unwrap().read_exact_at(&mut buf, 0).unwrap();
    assert_eq!(&buf, b"abc");
    let refused = [
        storage.create_exclusive(&path("new")).map(drop),
        storage.open_write(&path("file")).map(drop),
        storage.create_dir(&path("dir")),
        storage.sync_dir(&RelPath::ROOT),
        storage.rename(&path("file"), &path("new")),
        storage.remove_file(&path("file")),
        storage.remove_dir_all(&path("dir")),
    ];
    for result in refused {
        let error = result.unwrap_err();
        assert!(error.is_read_only(), "{error}");
    }
    assert!(storage.try_lock().is_err());
    assert_eq!(storage.list(&RelPath::ROOT).unwrap(), ["file"]);
}

#[test]
fn a_moved_directory_stays_the_same_ledger() {
    let dir = tempfile::tempdir().unwrap();
    let (here, there) = (dir.path().join("here"), dir.path().join("there"));
    let storage = FsStorage::create(&here).unwrap();
    let guard = storage.try_lock().unwrap();
    std::fs::rename(&here, &there).unwrap();
    std::fs::create_dir(&here).unwrap();
    storage.create_exclusive(&path("file")).unwrap();
    assert!(there.join("file").exists() && !here.join("file").exists());
    assert!(!guard.still_held().unwrap(), "the path names another directory now");
}

#[test]
fn a_name_that_is_not_text_is_reported() {
    use std::os::unix::ffi::OsStrExt;
    let dir = tempfile::tempdir().unwrap();
    let storage = FsStorage::open(dir.path()).unwrap();
    let name = std::ffi::OsStr::from_bytes(b"bad\xff");
    std::fs::write(dir.path().join(name), b"").unwrap();
    let error = storage.list(&RelPath::ROOT).unwrap_err();
    assert_eq!(error.source.kind(), io::ErrorKind::InvalidData);
}

#[test]
fn errors_name_the_full_path_and_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let storage = FsStorage::open(dir.path()).unwrap();
    storage.create_exclusive(&path("file")).unwrap();
    let file = storage.open_read(&path("file")).unwrap();
    let error = file.write_all_at(b"x", 7).unwrap_err();
    assert_eq!((error.op, error.offset), (Op::WriteAllAt, Some(7)));
    assert_eq!(error.path, storage.root().join("file"));
}

#[test]
fn a_full_disk_is_told_apart() {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    let root = Arc::new(Root::open(dir.path(), true).unwrap());
    let file = FsFile::new(root, path("file"), full);
    let error = file.zero_fill(512, 10).unwrap_err();
    assert!(error.is_no_space(), "{error}");
    assert_eq!(error.offset, Some(512));
}

#[test]
fn zero_fill_allocates_and_a_hole_releases() {
    let dir = tempfile::tempdir().unwrap();
    let storage = FsStorage::open(dir.path()).unwrap();
    let file = storage.create_exclusive(&path("file")).unwrap();
    let blocks = || {
        file.sync_all().unwrap();
        std::fs::metadata(dir.path().join("file")).unwrap().blocks()
    };
    file.zero_fill(0, 1 << 20).unwrap();
    let filled = blocks();
    file.punch_hole(0, 1 << 20).unwrap();
    assert_eq!(file.len().unwrap(), 1 << 20);
    // Where the system itself can make holes, ours has to give its space back.
    let probe = File::create(dir.path().join("probe")).unwrap();
    let mode = rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE;
    if rustix::fs::fallocate(&probe, mode, 0, 1).is_ok() && filled > 0 {
        assert!(blocks() < filled);
    }
}
