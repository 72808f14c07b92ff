//! `verify --result` and `verify --check-result`: what a verification came to, signed.

use std::fs;

use crate::bench::Bench;

#[test]
fn a_result_is_signed_and_checked_with_and_without_the_ledger() {
    let bench = Bench::new();
    bench.write("x", &[]);
    let said = bench.run(["verify", "--result", "r.note", "--json"]).ends(0).object();
    let checked = bench.run(["verify", "--check-result", "r.note", "--json"]).ends(0).object();
    assert_eq!(checked["result"]["report"], said);
    assert_eq!(checked["result"]["exit"], 0);
    assert!(checked["result"]["at"].as_str().unwrap().ends_with('Z'), "{checked}");
    let key = checked["signed_by"].as_str().unwrap();
    fs::write(bench.root().join("key"), key).unwrap();
    fs::create_dir(bench.root().join("elsewhere")).unwrap();
    let ran = bench.run(["-C", "elsewhere", "verify", "--check-result", "r.note", "--key", "key"]);
    ran.ends(0).shows(&[
        "verified at",
        "records",
        "ok",
        "signed by",
        said["remember"].as_str().unwrap(),
    ]);
    let other = Bench::new();
    let foreign = other.run(["key", "show"]).ends(0).out.lines().next().unwrap().to_owned();
    bench.run(["verify", "--check-result", "r.note", "--key", &foreign]).fails(3, &["r.note"]);
    let text = fs::read_to_string(bench.root().join("r.note")).unwrap();
    for (from, to) in [("\"exit\":0", "\"exit\":4"), ("verification v1", "verification v2")] {
        assert!(text.contains(from), "{text}");
        fs::write(bench.root().join("forged"), text.replacen(from, to, 1)).unwrap();
        bench.run(["verify", "--check-result", "forged"]).fails(3, &["forged"]);
    }
    let both = ["verify", "--check-result", "r.note", "--level", "log"];
    bench.run(both).fails(2, &["--level"]);
    bench.run(["verify", "--check-result", "none"]).fails(2, &["none"]);
}

#[test]
fn a_damaged_ledger_is_said_to_be_damaged_and_the_file_says_so_too() {
    let bench = Bench::new();
    bench.write("x", &[]);
    bench.stays_damaged();
    let log = bench.dir().join("log/0000000001.seg");
    let mut bytes = fs::read(&log).unwrap();
    bytes[4_096 + 300] ^= 4;
    fs::write(&log, &bytes).unwrap();
    bench.run(["verify", "--result", "r.note"]).ends(3);
    let ran = bench.run(["verify", "--check-result", "r.note"]);
    ran.ends(3).shows(&["damaged", "signed by"]);
}

#[test]
fn without_a_signing_key_no_result_is_promised() {
    let bench = Bench::new();
    let status = bench.run(["status", "--json"]).ends(0).object();
    let key = format!("data/memledger/keys/{}.signing", status["id"].as_str().unwrap());
    fs::rename(bench.root().join(&key), bench.root().join("away")).unwrap();
    bench.run(["verify", "--result", "r.note"]).fails(4, &["signing key"]);
    assert!(!bench.root().join("r.note").exists());
    fs::rename(bench.root().join("away"), bench.root().join(&key)).unwrap();
    bench.run(["verify", "--result", "missing/r.note"]).fails(2, &["missing/r.note"]);
}
