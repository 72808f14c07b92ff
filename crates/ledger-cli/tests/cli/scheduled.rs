//! `verify --since`, `verify --level fast` and `verify --scheduled`: less is read, and it is said.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use serde_json::Value;

use crate::bench::Bench;

/// A ledger of several segments: every process that writes begins one.
fn grown() -> Bench {
    let bench = Bench::new();
    for number in 0..4 {
        bench.write(&format!("memory {number}"), &[]);
    }
    bench
}

fn flip(file: &Path, at: u64) {
    let file = fs::OpenOptions::new().read(true).write(true).open(file).unwrap();
    let mut byte = [0];
    file.read_exact_at(&mut byte, at).unwrap();
    file.write_all_at(&[byte[0] ^ 16], at).unwrap();
}

fn claim<'v>(report: &'v Value, name: &str) -> &'v Value {
    let checks = report["checks"].as_array().unwrap();
    checks.iter().find(|check| check["name"] == name).unwrap_or_else(|| panic!("{name}: {report}"))
}

#[test]
fn a_run_since_a_checkpoint_reads_the_rest_and_says_on_whose_word() {
    let bench = grown();
    let note = bench.run(["checkpoint"]).ends(0).out;
    fs::write(bench.root().join("kept"), &note).unwrap();
    bench.write("later", &[]);
    bench.write("latest", &[]);
    let said = bench.run(["verify", "--since", "kept", "--json"]).ends(0).object();
    let from = said["from"].as_u64().unwrap();
    let size = said["since"]["size"].as_u64().unwrap();
    assert!(from > 0 && from < size, "{said}");
    assert!(said["since"]["last_recorded_at"].as_str().unwrap().ends_with('Z'), "{said}");
    let records = claim(&said, "records");
    let head = said["seq"].as_u64().unwrap();
    assert_eq!(records["expected"], head + 1 - from);
    assert_eq!(records["checked"], records["expected"]);
    assert_eq!(claim(&said, "views")["verdict"], "not_checked");
    bench.run(["verify", "--since", "kept"]).ends(0).shows(&[
        &format!("records 0 to {} were not read", from - 1),
        "the checkpoint 'kept' of",
        "recorded until",
    ]);
    bench.run(["verify", "--since", "kept", "--level", "views"]).ends(4);
    // What it did not read it does not find; who reads everything does.
    flip(&bench.dir().join("log/0000000001.seg"), 4_096 + 250);
    bench.stays_damaged();
    bench.run(["verify", "--since", "kept"]).ends(0);
    bench.run(["verify"]).ends(3);
}

#[test]
fn what_is_not_signed_by_the_ledger_is_nothing_to_begin_with() {
    let bench = grown();
    let other = grown();
    let note = other.run(["checkpoint"]).ends(0).out;
    fs::write(bench.root().join("foreign"), &note).unwrap();
    bench.run(["verify", "--since", "foreign"]).fails(3, &["foreign"]);
    fs::write(bench.root().join("junk"), "junk").unwrap();
    bench.run(["verify", "--since", "junk"]).fails(3, &["neither a checkpoint nor a result"]);
    bench.run(["verify", "--since", "none"]).fails(2, &["none"]);
    let key = other.run(["key", "show"]).ends(0).out.lines().next().unwrap().to_owned();
    // Signed by a key that the caller trusts, and of another history.
    bench.run(["verify", "--since", "foreign", "--key", &key]).ends(3).shows(&["fork"]);
}

#[test]
fn the_fast_level_holds_the_bytes_against_a_result() {
    let bench = grown();
    bench.run(["verify", "--result", "whole"]).ends(0);
    bench.write("later", &[]);
    let fast = bench.run(["verify", "--level", "fast", "--json"]).ends(0).object();
    for name in ["records", "tree", "keys", "payloads"] {
        assert_eq!(claim(&fast, name)["verdict"], "not_checked", "{name}");
    }
    let with = ["verify", "--level", "fast", "--since", "whole"];
    bench.run(with).ends(0).shows(&["fast: headers", "bytes ", "no other record"]);
    // A length that frames a record, and the body of one.
    flip(&bench.dir().join("log/0000000001.seg"), 4_096 + 250);
    bench.stays_damaged();
    bench.run(with).ends(3).shows(&["an earlier verification found whole"]);
}

/// The life of a timer: first everything, then what is new, everything again after N runs, after
/// damage, and what an interruption left.
#[test]
fn scheduled_runs_go_on_from_each_other() {
    let bench = grown();
    let run = |flags: &[&str]| {
        let mut args = vec!["verify", "--scheduled", "--json", "--whole-every", "3"];
        args.extend(flags);
        bench.run(args)
    };
    let from = |said: &Value| said["from"].as_u64().unwrap();
    assert!(bench.run(["status", "--json"]).object()["verified"].is_null());
    assert_eq!(from(&run(&[]).ends(0).object()), 0);
    bench.write("a", &[]);
    let second = run(&[]).ends(0).object();
    assert!(from(&second) > 0, "{second}");
    let third = run(&[]).ends(0).object();
    assert!(from(&third) >= from(&second));
    assert_eq!(from(&run(&[]).ends(0).object()), 0, "one in three");
    let status = bench.run(["status", "--json"]).object();
    let last = &status["verified"];
    assert_eq!((&last["verdict"], &last["overdue"]), (&"ok".into(), &false.into()), "{last}");
    bench.run(["status"]).ends(0).shows(&["verified", "whole at", "next by"]);
    let deeper = run(&["--level", "log"]).ends(0).object();
    assert!(from(&deeper) > 0, "less deep rests on deeper");
    let deeper = run(&["--level", "content"]).ends(0).object();
    assert_eq!(from(&deeper), 0, "deeper does not rest on less deep");
    run(&["--level", "views"]).fails(2, &["--scheduled"]);
    bench.run(["verify", "--every", "1d"]).fails(2, &["--scheduled"]);
    bench.run(["verify", "--scheduled", "--every", "1w"]).fails(2, &["time span"]);
}

#[test]
fn damage_is_remembered_until_a_run_that_reads_everything_finds_none() {
    let bench = grown();
    let run = || bench.run(["verify", "--scheduled", "--result", "r.note", "--json"]);
    run().ends(0);
    bench.write("a", &[]);
    let log = bench.dir().join("log");
    let newest = fs::read_dir(&log).unwrap().map(|file| file.unwrap().path()).max().unwrap();
    flip(&newest, 4_096 + 250);
    run().ends(3);
    let checked = bench.run(["verify", "--check-result", "r.note", "--json"]).ends(3).object();
    assert!(checked["result"]["schedule"]["whole_at"].is_i64(), "{checked}");
    flip(&newest, 4_096 + 250);
    assert_eq!(bench.run(["status", "--json"]).object()["verified"]["verdict"], "damaged");
    let after = run().ends(0).object();
    assert_eq!(after["from"], 0, "everything is read after damage: {after}");
    assert_eq!(bench.run(["status", "--json"]).object()["verified"]["verdict"], "ok");
    // A result that somebody changed is not believed, and not gone on from.
    let text = fs::read_to_string(bench.root().join("r.note")).unwrap();
    fs::write(bench.root().join("r.note"), text.replace("\"exit\":0", "\"exit\":1")).unwrap();
    assert_eq!(run().ends(0).object()["from"], 0);
}

/// Beside a writer: nobody waits for a scheduled run, and it waits for nobody.
#[test]
fn a_scheduled_run_leaves_the_ledger_to_its_holder() {
    let bench = grown();
    let (mut child, input) = crate::sharing::holder(&bench);
    bench.run(["verify", "--scheduled"]).ends(0);
    drop(input);
    assert!(child.wait().unwrap().success());
}
