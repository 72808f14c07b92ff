//! `verify` with a head kept elsewhere, and `doctor` on what is whole, damaged or no ledger.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bench::Bench;

/// Every file below a directory with its content.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.insert(path, bytes);
        }
    }
    found
}

fn put(files: &BTreeMap<PathBuf, Vec<u8>>) {
    for (path, bytes) in files {
        fs::write(path, bytes).unwrap();
    }
}

#[test]
fn a_head_kept_elsewhere_finds_what_the_anchors_cannot() {
    let bench = Bench::new();
    bench.write("one", &[]);
    let whole = files(&bench.dir());
    let kept = bench.run(["verify", "--json"]).ends(0).object();
    let early = kept["remember"].as_str().unwrap().to_owned();
    bench.write("two", &[]);
    let kept = bench.run(["verify", "--json"]).ends(0).object();
    let late = kept["remember"].as_str().unwrap().to_owned();
    assert_ne!(early, late);
    let both = ["verify", "--remembered", &early, "--remembered", &late];
    bench.run(both).ends(0).shows(&["checkpoints", "2 of 2", "kept elsewhere", &late]);
    let forked = format!("{}:{}", late.split_once(':').unwrap().0, "0".repeat(64));
    bench.run(["verify", "--remembered", &forked]).ends(3).shows(&["a fork"]);
    for wrong in ["7", "x:00", &early[..early.len() - 1], &format!("{early}0")] {
        bench.run(["verify", "--remembered", wrong]).fails(2, &["SIZE:ROOT"]);
    }
    // The whole directory as it once was: consistent, and shorter.
    fs::remove_dir_all(bench.dir()).unwrap();
    for dir in ["log", "payloads", "keys", "views", "quarantine"] {
        fs::create_dir_all(bench.dir().join(dir)).unwrap();
    }
    let parents = whole.keys().filter_map(|path| path.parent());
    parents.for_each(|parent| fs::create_dir_all(parent).unwrap());
    put(&whole);
    bench.stays_damaged();
    bench.run(["verify", "--level", "log"]).ends(3).shows(&["kept heads", "a rollback"]);
    // As somebody sees it who was not here before.
    let stranger = ["verify", "--level", "log", "--accept-head"];
    let with = |head: &str| bench.run(stranger.into_iter().chain(["--remembered", head]));
    bench.run(stranger).ends(0);
    with(&early).ends(0);
    with(&late).ends(3).shows(&["a rollback"]);
}

#[test]
fn anchors_that_cannot_be_read_are_exit_four() {
    let bench = Bench::new();
    bench.write("x", &[]);
    bench.stays_damaged();
    fs::write(bench.dir().join("anchor.a"), [7; 512]).unwrap();
    bench.run(["verify"]).ends(3);
    bench.run(["doctor"]).ends(3).shows(&["anchor.a", "memledger repair anchor"]);
    fs::remove_file(bench.dir().join("anchor.b")).unwrap();
    bench.run(["verify"]).ends(4).shows(&["cannot be checked"]);
    bench.run(["doctor"]).ends(4).shows(&["put one anchor back from a backup"]);
}

#[test]
fn a_missing_ledger_toml_is_damage_and_the_rest_is_checked() {
    let bench = Bench::new();
    bench.write("x", &[]);
    bench.stays_damaged();
    fs::remove_file(bench.dir().join("ledger.toml")).unwrap();
    let report = bench.run(["verify", "--json"]).ends(3).object();
    let checks = report["checks"].as_array().unwrap();
    let damaged: Vec<_> = checks.iter().filter(|check| check["verdict"] == "damaged").collect();
    assert_eq!(damaged.len(), 1, "{report}");
    assert_eq!(damaged[0]["name"], "config");
    bench.run(["doctor"]).ends(3);
}

/// The object of a file, and the last object, of `doctor --json`.
fn diagnosis(bench: &Bench, code: i32) -> (Vec<Value>, Value) {
    let mut objects = bench.run(["doctor", "--json"]).ends(code).objects();
    let last = objects.pop().unwrap();
    (objects, last)
}

#[test]
fn doctor_accounts_for_every_byte_and_changes_none() {
    let bench = Bench::new();
    bench.write("one", &[]);
    fs::write(bench.dir().join("notes.txt"), "mine").unwrap();
    fs::create_dir_all(bench.dir().join("other/deep")).unwrap();
    fs::write(bench.dir().join("other/deep/file"), "mine too").unwrap();
    let before = files(&bench.dir());
    let (objects, last) = diagnosis(&bench, 0);
    assert_eq!(files(&bench.dir()), before);
    assert_eq!(last["verdict"], "ok");
    let total: usize = before.values().map(Vec::len).sum();
    assert_eq!(last["bytes"], total);
    assert_eq!(objects.len(), before.len());
    for object in objects {
        let path = bench.dir().join(object["file"].as_str().unwrap());
        assert_eq!(object["bytes"], before[&path].len(), "{object}");
        let mut at = 0;
        for region in object["regions"].as_array().unwrap() {
            assert_eq!(region["from"], at, "{object}");
            at = region["to"].as_u64().unwrap();
        }
        assert_eq!(object["bytes"], at, "{object}");
    }
    bench.run(["doctor"]).ends(0).shows(&["notes.txt", "a file that no ledger makes"]);
    fs::remove_file(bench.dir().join("notes.txt")).unwrap();
    fs::remove_dir_all(bench.dir().join("other")).unwrap();
}

#[test]
fn doctor_names_where_damage_begins_and_ends_and_what_to_do() {
    let bench = Bench::new();
    bench.write("one", &[]);
    bench.write("two", &[]);
    bench.stays_damaged();
    let log = bench.dir().join("log/0000000001.seg");
    let mut bytes = fs::read(&log).unwrap();
    bytes[4_096 + 300] ^= 4;
    fs::write(&log, &bytes).unwrap();
    let (objects, last) = diagnosis(&bench, 3);
    let object = objects.iter().find(|one| one["file"] == "log/0000000001.seg").unwrap();
    let regions = object["regions"].as_array().unwrap();
    let bad: Vec<_> = regions.iter().filter(|one| one["state"] == "damaged").collect();
    assert_eq!(bad.len(), 1, "{object}");
    let (from, to) = (bad[0]["from"].as_u64().unwrap(), bad[0]["to"].as_u64().unwrap());
    assert!(from <= 4_396 && 4_396 < to && to - from < 1_000, "{object}");
    assert!(bad[0]["first_seq"].is_u64());
    let advice = last["advice"].to_string();
    assert!(advice.contains("backup") && advice.contains("log/0000000001.seg"), "{advice}");
    bench.run(["doctor"]).ends(3).shows(&["DAMAGED", "verdict: DAMAGED", "backup"]);
}

#[test]
fn doctor_says_what_it_can_about_anything() {
    let bench = Bench::empty();
    bench.run(["doctor"]).ends(4).shows(&["no file says which ledger this is"]);
    fs::create_dir_all(bench.dir().join("log")).unwrap();
    fs::write(bench.dir().join("log/0000000000.seg"), vec![0xA5; 9_000]).unwrap();
    fs::write(bench.dir().join("anchor.a"), "garbage").unwrap();
    let before = files(&bench.dir());
    let (objects, _) = diagnosis(&bench, 4);
    assert_eq!(objects.len(), 2);
    assert_eq!(files(&bench.dir()), before, "nothing was made, not even a lock");
    bench.run(["-C", "missing", "doctor"]).fails(2, &["missing"]);
    let whole = Bench::new();
    whole.write("cut at any length", &[]);
    whole.stays_damaged();
    for (path, bytes) in files(&whole.dir()) {
        for length in [0, 1, bytes.len() / 2] {
            fs::write(&path, &bytes[..length.min(bytes.len())]).unwrap();
            let ran = whole.run(["doctor"]);
            assert!([0, 3, 4].contains(&ran.code), "{} cut to {length}: {ran:?}", path.display());
            assert!(ran.err.is_empty(), "{} cut to {length}: {ran:?}", path.display());
        }
        fs::write(&path, &bytes).unwrap();
    }
}
