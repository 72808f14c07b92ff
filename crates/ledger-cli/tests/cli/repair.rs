//! `repair`: what it mends, what it refuses, what it leaves behind.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::bench::Bench;
use crate::sharing::holder;

const TORN: &[u8] = b"MLBATCH1 torn in the middle";

/// Every file that is part of the ledger, with its content.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.file_name().unwrap() != "lock" {
            found.insert(path.clone(), fs::read(&path).unwrap());
        }
    }
    found
}

/// Ends a holder without warning, and leaves half a batch behind its last one.
fn tear(bench: &Bench) {
    let (mut child, input) = holder(bench);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(input);
    tear_more(bench);
}

/// Half a batch behind the last one of a holder that did not close.
fn tear_more(bench: &Bench) {
    let mut objects = bench.run(["doctor", "--json"]).objects();
    objects.retain(|one| one["file"].as_str().is_some_and(|file| file.starts_with("log/")));
    let last = objects.last().unwrap();
    let regions = last["regions"].as_array().unwrap();
    let zeros = regions.last().filter(|one| one["state"] == "zeros");
    let end = zeros.map_or(&last["bytes"], |zeros| &zeros["from"]).as_u64().unwrap();
    let path = bench.dir().join(last["file"].as_str().unwrap());
    let mut bytes = fs::read(&path).unwrap();
    bytes.truncate(usize::try_from(end).unwrap());
    bytes.extend_from_slice(TORN);
    fs::write(path, bytes).unwrap();
}

/// The last records of one kind.
fn records(bench: &Bench, event: &str) -> Vec<Value> {
    let all = bench.run(["log", "--limit", "0", "--json"]).ends(0).objects();
    all.into_iter().filter(|record| record["event"] == event).collect()
}

fn kept(bench: &Bench) -> Vec<Vec<u8>> {
    let all = files(&bench.dir().join("quarantine"));
    all.into_iter()
        .filter(|(path, _)| path.extension() != Some("note".as_ref()))
        .map(|(_, b)| b)
        .collect()
}

#[test]
fn a_tail_is_dropped_on_request_kept_aside_and_recorded() {
    let bench = Bench::new();
    tear(&bench);
    let before = files(&bench.dir());
    bench.run(["repair", "tail", "--reason", "power cut"]).fails(2, &["--yes"]).shows(&[
        "plan: repair tail",
        "never acknowledged",
        "27 bytes",
    ]);
    assert_eq!(files(&bench.dir()), before, "a plan changes nothing");
    bench.run(["repair", "tail", "--reason", " ", "--yes"]).fails(2, &["reason"]);
    bench.run(["repair", "tail", "--yes"]).fails(2, &["--reason"]);
    let ran = bench.run(["repair", "tail", "--reason", "power cut", "--yes"]).ends(0);
    let ran = ran.shows(&["repaired  tail", "segments", "views"]);
    assert!(ran.err.contains("was taken out"), "{ran:?}");
    assert_eq!(kept(&bench), [TORN]);
    let repaired = records(&bench, "repaired");
    assert_eq!(repaired.len(), 1);
    let seq = repaired[0]["seq"].as_u64().unwrap();
    let shown = bench.run(["show", &seq.to_string()]).ends(0);
    shown.shows(&["repaired", "DroppedTail", "bytes: 27", "power cut"]);
    let again = bench.run(["repair", "tail", "--reason", "power cut", "--yes"]).ends(0);
    again.shows(&["nothing to repair"]);
    assert_eq!(records(&bench, "repaired").len(), 1, "nothing was recorded");
}

fn says(record: &Value, words: &str) -> bool {
    record["detail"].as_str().unwrap().contains(words)
}

/// How many of these records tell of the torn batch.
fn telling(records: &[Value]) -> usize {
    let words = format!("dropped_bytes: {},", TORN.len());
    records.iter().filter(|record| says(record, &words)).count()
}

/// A command that only reads drops the tail and records nothing; the next record tells of it.
#[test]
fn a_tail_dropped_by_reading_is_told_by_the_next_record() {
    let bench = Bench::new();
    tear(&bench);
    for _ in 0..2 {
        bench.run(["list"]).ends(0);
    }
    bench.write("later", &[]);
    let epochs = records(&bench, "epoch");
    assert_eq!(telling(&epochs), 1, "{epochs:?}");
    bench.write("and later still", &[]);
    let more = records(&bench, "epoch");
    assert!(more.len() > epochs.len());
    assert_eq!(telling(&more), 1, "it is told once");
}

#[test]
fn an_anchor_is_written_again_where_the_log_confirms_the_other() {
    for name in ["anchor.a", "anchor.b"] {
        let bench = Bench::new();
        bench.write("x", &[]);
        let path = bench.dir().join(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[501] ^= 1;
        fs::write(&path, &bytes).unwrap();
        bench.run(["write", "y"]).fails(3, &[name]);
        for part in ["tail", "views"] {
            let ran = bench.run(["repair", part, "--reason", "why", "--yes"]);
            ran.fails(3, &["something else is wrong", name]);
        }
        let ran = bench.run(["repair", "anchor", "--reason", "bad sector", "--yes", "--json"]);
        let objects = ran.ends(0).objects();
        assert_eq!(objects[0]["repaired"], "anchor");
        assert_eq!(objects[1]["verdict"], "ok");
        assert_eq!(kept(&bench), [bytes]);
        let record = bench.run(["show", &objects[0]["seq"].to_string(), "--json"]).ends(0).object();
        assert!(says(&record, "RecreatedAnchor"), "{record}");
        assert_eq!(records(&bench, "repaired").len(), 1);
    }
}

#[test]
fn views_are_made_anew_when_they_say_something_else() {
    let bench = Bench::new();
    bench.write("x", &[]);
    bench.run(["repair", "views", "--reason", "r", "--yes"]).ends(0).shows(&["nothing to repair"]);
    for (path, bytes) in files(&bench.dir().join("views")) {
        let mut bytes = bytes;
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 0x55;
            fs::write(path, bytes).unwrap();
        }
    }
    bench.run(["verify"]).ends(3);
    bench.run(["repair", "views", "--reason", "bad disk", "--yes"]).ends(0).shows(&["repaired"]);
    let record = records(&bench, "repaired").remove(0);
    assert!(says(&record, "RebuiltViews"), "{record}");
}

#[test]
fn nothing_is_touched_where_acknowledged_records_are_damaged() {
    let bench = Bench::new();
    bench.write("x", &[]);
    tear(&bench);
    bench.stays_damaged();
    let log = bench.dir().join("log/0000000001.seg");
    let mut bytes = fs::read(&log).unwrap();
    bytes[4_096 + 300] ^= 4;
    fs::write(&log, &bytes).unwrap();
    let anchor = bench.dir().join("anchor.a");
    fs::write(&anchor, [9; 512]).unwrap();
    let before = files(&bench.dir());
    for part in ["tail", "anchor", "views"] {
        bench.run(["repair", part, "--reason", "r", "--yes"]).fails(3, &["nothing was touched"]);
        assert_eq!(files(&bench.dir()), before, "{part}");
    }
    let bench = Bench::new();
    bench.stays_damaged();
    for name in ["anchor.a", "anchor.b"] {
        fs::write(bench.dir().join(name), [9; 512]).unwrap();
    }
    bench.run(["repair", "anchor", "--reason", "r", "--yes"]).fails(4, &["nothing was touched"]);
}

#[test]
fn who_cannot_hold_or_record_repairs_nothing() {
    let bench = Bench::new();
    let (mut child, input) = holder(&bench);
    let ran = bench.run(["repair", "tail", "--reason", "r", "--yes"]);
    ran.fails(6, &["cannot be repaired now"]);
    drop(input);
    child.wait().unwrap();
    tear(&bench);
    let before = files(&bench.dir());
    fs::rename(bench.root().join("data"), bench.root().join("away")).unwrap();
    bench.run(["repair", "tail", "--reason", "r", "--yes"]).fails(4, &["master key"]);
    assert_eq!(files(&bench.dir()), before);
    fs::rename(bench.root().join("away"), bench.root().join("data")).unwrap();
}

/// An older copy with half a batch behind it: the head that this user saw last is missing.
#[test]
fn a_repair_does_not_cover_up_a_rollback() {
    let bench = Bench::new();
    tear(&bench);
    let before = files(&bench.dir());
    bench.run(["repair", "tail", "--reason", "r", "--yes"]).ends(0);
    bench.write("newer", &[]);
    fs::remove_dir_all(bench.dir().join("log")).unwrap();
    fs::create_dir(bench.dir().join("log")).unwrap();
    for (path, bytes) in &before {
        fs::write(path, bytes).unwrap();
    }
    bench.stays_damaged();
    let ran = bench.run(["repair", "tail", "--reason", "r", "--yes"]);
    ran.fails(3, &["rollback", "would hide it"]);
}
