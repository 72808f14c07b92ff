//! Backups beside a writer, and ledgers made of them again.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::bench::{Bench, Ran};
use crate::sharing::holder;

/// Every file below a directory with its bytes, but for the lock, which says who looked last.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut todo = vec![dir.to_path_buf()];
    while let Some(at) = todo.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.file_name().is_some_and(|name| name != "lock") {
                found.insert(path.clone(), fs::read(path).unwrap());
            }
        }
    }
    found
}

fn restore(bench: &Bench, to: &str) -> Ran {
    bench.run(["restore", "backup", to, "--reason", "the disk failed", "--json"])
}

/// Two memories in the backup, and one that came after it.
fn backed_up() -> Bench {
    let bench = Bench::new();
    bench.write("one", &[]);
    bench.write("two", &[]);
    bench.run(["backup", "backup"]).ends(0);
    bench.write("three", &[]);
    bench
}

#[test]
fn a_backup_beside_a_writer_leaves_the_ledger_as_it_was() {
    let bench = Bench::new();
    bench.write("before", &[]);
    let (mut child, input) = holder(&bench);
    // The holder anchors what is idle; a backup ends there, whenever that was.
    let object = bench.run(["backup", "backup", "--json"]).ends(0).object();
    assert!(object["seq"].as_u64().unwrap() >= 4, "{object}");
    drop(input);
    assert!(child.wait().unwrap().success());
    let before = files(&bench.dir());
    let object = bench.run(["backup", "backup", "--json"]).ends(0).object();
    assert_eq!(files(&bench.dir()), before, "a backup only reads");
    assert_eq!(object["seq"], bench.run(["status", "--json"]).ends(0).object()["seq"]);
    assert_eq!(object["keys"]["in_backup"], false);
    assert!(object["keys"]["master"].as_str().unwrap().contains("keys/"), "{object}");
    let key = fs::read_to_string(object["keys"]["master"].as_str().unwrap()).unwrap();
    let key = key.trim();
    for (path, bytes) in files(&bench.root().join("backup")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(key), "{} holds it", path.display());
        assert!(!path.to_string_lossy().contains("views"), "{}", path.display());
    }
}

#[test]
fn the_next_backup_writes_what_is_new_and_the_same_one_nothing() {
    let bench = backed_up();
    let first = files(&bench.root().join("backup"));
    let object = bench.run(["backup", "backup", "--json"]).ends(0).object();
    let (copied, kept) = (&object["copied_files"], object["kept_files"].as_u64().unwrap());
    assert!(kept >= 4, "sealed segments and ledger.toml stay: {object}");
    let second = files(&bench.root().join("backup"));
    for (path, bytes) in &first {
        let is_sealed = path.extension().is_some_and(|kind| kind == "seg");
        assert!(!is_sealed || second[path] == *bytes, "{copied}: {}", path.display());
    }
    let again = bench.run(["backup", "backup", "--json"]).ends(0).object();
    assert_eq!((&again["copied_files"], &again["copied_bytes"]), (&0.into(), &0.into()));
    assert_eq!(files(&bench.root().join("backup")), second);
}

#[test]
fn what_is_no_earlier_backup_of_this_ledger_is_left_alone() {
    let bench = backed_up();
    let refused = |bench: &Bench, to: &str, code, parts: &[&str]| {
        let before = files(&bench.root().join(to));
        bench.run(["backup", to]).fails(code, parts);
        assert_eq!(files(&bench.root().join(to)), before, "{to} was touched");
    };
    fs::create_dir(bench.root().join("papers")).unwrap();
    fs::write(bench.root().join("papers/letter"), "dear").unwrap();
    refused(&bench, "papers", 2, &["letter", "nothing in it was touched"]);
    bench.run(["init", "other", "--quiet"]).ends(0);
    refused(&bench, "other", 2, &["it holds a ledger"]);
    bench.run(["-C", "other", "backup", "others"]).ends(0);
    refused(&bench, "others", 6, &["another ledger"]);
    bench.run(["backup", "ledger/inside"]).fails(2, &["one lies in the other"]);
    // An older copy of the ledger does not take the place of a newer backup.
    restore(&bench, "older").ends(0);
    bench.run(["backup", "backup"]).ends(0);
    let older = ["-C", "older", "--accept-head", "backup", "backup"];
    bench.run(older).fails(6, &["another history"]);
    bench.run(["--accept-head", "list"]).ends(0);
}

#[test]
fn a_restored_ledger_goes_on_and_later_heads_are_rolled_back() {
    let bench = backed_up();
    let kept = bench.run(["checkpoint", "--quiet"]).ends(0).out;
    fs::write(bench.root().join("late.note"), kept).unwrap();
    let restored = restore(&bench, "restored").ends(0);
    assert!(restored.err.contains("--accept-head"), "{restored:?}");
    let object = restored.object();
    let (last, seq) = (object["last"].as_u64().unwrap(), object["seq"].as_u64().unwrap());
    assert_eq!(seq, last + 2, "an epoch and the restore");
    let told = format!("record {seq} says that it was restored from a backup of {}", last + 1);
    bench.run(["-C", "restored", "list"]).fails(3, &["a rollback", &told, "--accept-head"]);
    let late = ["-C", "restored", "verify", "--checkpoint", "late.note"];
    bench.run(late).ends(3).shows(&["late.note: a rollback", &told]);
    let listed = bench.run(["-C", "restored", "list", "--accept-head"]).ends(0);
    let listed = listed.shows(&["one", "two"]);
    assert!(!listed.out.contains("three"), "{listed:?}");
    // Accepted once, it is the ledger; it grows past the head that was lost, and that stays lost.
    for number in 0..4 {
        bench.run(["-C", "restored", "write", &format!("new {number}"), "--quiet"]).ends(0);
    }
    bench.run(["-C", "restored", "verify"]).ends(0);
    bench.run(late).ends(3).shows(&["late.note: a rollback", &told]);
    let log = bench.run(["-C", "restored", "log"]).ends(0);
    log.shows(&["restored", "the disk failed"]);
    bench.run(["--accept-head", "list"]).ends(0);
}

#[test]
fn a_restore_of_the_whole_is_no_rollback_and_old_checkpoints_hold() {
    let bench = backed_up();
    let kept = bench.run(["checkpoint", "--quiet"]).ends(0).out;
    fs::write(bench.root().join("kept.note"), kept).unwrap();
    bench.run(["backup", "backup"]).ends(0);
    let restored = restore(&bench, "restored").ends(0);
    assert!(!restored.err.contains("rolled back"), "{restored:?}");
    bench.run(["-C", "restored", "list"]).ends(0).shows(&["three"]);
    let verify = ["-C", "restored", "verify", "--checkpoint", "kept.note"];
    bench.run(verify).ends(0).shows(&["given checkpoints   ok"]);
    // The original now lacks the head of its successor.
    bench.run(["list"]).fails(3, &["a rollback"]);
    bench.run(["--accept-head", "list"]).ends(0);
}

#[test]
fn nothing_is_restored_over_anything_or_from_anything_that_is_not_whole() {
    let bench = backed_up();
    let ledger = files(&bench.dir());
    restore(&bench, "ledger").fails(2, &["it holds a ledger", "nothing in it was touched"]);
    assert_eq!(files(&bench.dir()), ledger);
    bench.run(["restore", "ledger", "new", "--reason", "x"]).fails(2, &["no whole backup"]);
    bench.run(["restore", "backup", "new", "--reason", " "]).fails(2, &["needs a reason"]);
    bench.run(["restore", "nowhere", "new", "--reason", "x"]).fails(2, &["nowhere"]);
    let names: Vec<PathBuf> = files(&bench.root().join("backup")).into_keys().collect();
    for path in names {
        let good = fs::read(&path).unwrap();
        let mut bad = good.clone();
        let middle = bad.len() / 2;
        bad[middle] ^= 1;
        fs::write(&path, &bad).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        restore(&bench, "new").fails(3, &[&name]);
        fs::remove_file(&path).unwrap();
        let code = if name == "backup.toml" { 2 } else { 3 };
        restore(&bench, "new").ends(code);
        fs::write(&path, &good).unwrap();
        assert!(!bench.root().join("new").exists(), "{name}: the target was touched");
    }
    restore(&bench, "new").ends(0);
}

#[test]
fn a_restore_without_the_master_key_says_where_to_put_it() {
    let bench = backed_up();
    let data = bench.root().join("data");
    fs::rename(&data, bench.root().join("away")).unwrap();
    restore(&bench, "new").fails(4, &["master key", "MEMLEDGER_MASTER_KEY_FILE"]);
    assert!(!bench.root().join("new").exists());
    fs::rename(bench.root().join("away"), &data).unwrap();
    restore(&bench, "new").ends(0);
}

#[test]
fn a_damaged_ledger_takes_no_backup_with_it() {
    let bench = backed_up();
    let before = files(&bench.root().join("backup"));
    let segment = bench.dir().join("log/0000000001.seg");
    let mut bytes = fs::read(&segment).unwrap();
    let at = bytes.len() - 200;
    bytes[at] ^= 1;
    fs::write(&segment, bytes).unwrap();
    bench.stays_damaged();
    bench.run(["backup", "backup"]).fails(3, &["stays in force", "0000000001.seg"]);
    let after = files(&bench.root().join("backup"));
    for (path, bytes) in &before {
        assert_eq!(&after[path], bytes, "{}", path.display());
    }
    restore(&bench, "new").ends(0);
}

#[test]
fn a_backup_is_read_and_checked_in_place_and_never_written() {
    let bench = backed_up();
    let backup = bench.root().join("backup");
    let before = files(&backup);
    bench.run(["-C", "backup", "write", "x"]).fails(2, &["is a backup", "memledger restore"]);
    let repair = ["-C", "backup", "repair", "views", "--reason", "x", "--yes"];
    bench.run(repair).fails(2, &["is a backup"]);
    let read = ["-C", "backup", "list", "--from-archive", "--accept-head"];
    bench.run(read).ends(0).shows(&["one", "two"]);
    bench.run(["-C", "backup", "verify"]).ends(0);
    assert_eq!(files(&backup), before);
    bench.run(["--accept-head", "list"]).ends(0);
}
