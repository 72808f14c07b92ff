//! Who may open what, and what each of them sees.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use ledger_format::Seq;

use super::{LEDGER, commit, records, shared, small};
use crate::storage::{FsStorage, MemStorage, Storage};
use crate::{Appender, Check, Class, Reader, StoreError};

#[test]
fn a_second_opener_is_told_that_the_ledger_is_busy() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    commit(&mut appender).unwrap();
    let busy = Appender::open(shared(&storage), LEDGER, small()).unwrap_err();
    assert_eq!(busy.class(), Class::Busy { pid: Some(std::process::id()) });
    let busy = crate::repair_anchor(&storage, LEDGER).unwrap_err();
    assert!(matches!(busy.class(), Class::Busy { .. }));
    appender.close().unwrap();
    Appender::open(shared(&storage), LEDGER, small()).unwrap();
}

#[test]
fn a_reader_from_outside_sees_the_anchor_and_one_from_inside_the_head() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    assert_eq!(Reader::open(shared(&storage), LEDGER).unwrap().head(), None);
    let inside = appender.reader();
    assert_eq!(inside.head(), None);
    commit(&mut appender).unwrap();
    let outside = Reader::open(shared(&storage), LEDGER).unwrap();
    assert_eq!(outside.head(), appender.head(), "the first batch is anchored at once");
    for count in 2..20u64 {
        let head = commit(&mut appender).unwrap();
        assert_eq!(inside.head(), Some(head));
        assert_eq!(inside.record(head.seq).unwrap().hash, head.hash);
        assert_eq!(inside.stream(Seq(0), Check::Chain).count() as u64, 2 * count);
        let fresh = Reader::open(shared(&storage), LEDGER).unwrap();
        assert_eq!(fresh.head().unwrap().seq, Seq(1), "what is not anchored is not shown");
        assert_eq!(records(&fresh).unwrap().len(), 2);
        assert!(matches!(fresh.record(Seq(2)), Err(StoreError::NoRecord { .. })));
    }
    appender.maintain(0, true).unwrap();
    assert_eq!(outside.head().unwrap().seq, Seq(1));
    outside.refresh().unwrap();
    assert_eq!(outside.head(), appender.head());
    assert_eq!(records(&outside).unwrap().len(), 38);
}

#[test]
fn readers_go_to_other_threads() {
    fn goes<T: Clone + Send + Sync>() {}
    goes::<Reader>();
    fn moves<T: Send + Sync>() {}
    moves::<Appender>();
}

#[test]
fn a_stream_ends_at_the_head_of_its_beginning() {
    let storage = MemStorage::new();
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap();
    commit(&mut appender).unwrap();
    let mut stream = appender.reader().stream(Seq(0), Check::Chain);
    stream.next().unwrap().unwrap();
    for _ in 0..10 {
        commit(&mut appender).unwrap();
    }
    assert_eq!(stream.count(), 1);
}

#[test]
fn a_read_only_directory_can_be_read_and_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let storage: Arc<dyn Storage> = Arc::new(FsStorage::open(dir.path()).unwrap());
    let mut appender = Appender::create(Arc::clone(&storage), LEDGER, 1, small()).unwrap();
    for _ in 0..10 {
        commit(&mut appender).unwrap();
    }
    appender.close().unwrap();
    drop(storage);
    let mode = |mode| std::fs::set_permissions(dir.path(), PermissionsExt::from_mode(mode));
    mode(0o500).unwrap();
    let storage: Arc<dyn Storage> = Arc::new(FsStorage::open_read_only(dir.path()).unwrap());
    let reader = Reader::open(Arc::clone(&storage), LEDGER).unwrap();
    assert_eq!(records(&reader).unwrap().len(), 20);
    let write = Appender::open(storage, LEDGER, small()).unwrap_err();
    assert_eq!(write.class(), Class::ReadOnly, "{write}");
    mode(0o700).unwrap();
}

#[test]
fn the_anchor_follows_time_bytes_and_idleness() {
    let storage = MemStorage::new();
    let options = crate::StoreOptions { anchor_bytes: 2_000, ..small() };
    let mut appender = Appender::create(shared(&storage), LEDGER, 1, options).unwrap();
    let anchored = || Reader::open(shared(&storage), LEDGER).unwrap().head().unwrap().seq;
    commit(&mut appender).unwrap();
    commit(&mut appender).unwrap();
    appender.maintain(5_000, false).unwrap();
    appender.maintain(5_999, false).unwrap();
    assert_eq!(anchored(), Seq(1), "not due yet");
    appender.maintain(6_000, false).unwrap();
    assert_eq!(anchored(), Seq(3), "due after a second");
    commit(&mut appender).unwrap();
    appender.maintain(6_001, true).unwrap();
    assert_eq!(anchored(), Seq(5), "due when idle");
    commit(&mut appender).unwrap();
    appender.maintain(6_002, false).unwrap();
    assert_eq!(anchored(), Seq(5), "not due yet");
    for _ in 0..4 {
        commit(&mut appender).unwrap();
    }
    appender.maintain(6_003, false).unwrap();
    assert_eq!(anchored(), Seq(15), "due after many bytes");
    let writes = storage.ops();
    appender.maintain(60_000, true).unwrap();
    assert_eq!(storage.ops(), writes, "nothing new, nothing done");
}

#[test]
fn a_ledger_before_its_first_batch_opens_empty() {
    let storage = MemStorage::new();
    drop(Appender::create(shared(&storage), LEDGER, 1, small()).unwrap());
    let (mut appender, recovery) = super::open(&storage).unwrap();
    assert_eq!((recovery.head, recovery.next_epoch, recovery.unclean), (None, 1, false));
    let again = Appender::create(shared(&MemStorage::new()), LEDGER, 1, small());
    assert!(again.is_ok());
    commit(&mut appender).unwrap();
    assert_eq!(appender.head().unwrap().seq, Seq(1));
    appender.close().unwrap();
    let again = Appender::create(shared(&storage), LEDGER, 1, small()).unwrap_err();
    assert!(matches!(again, StoreError::AlreadyThere { .. }));
}
