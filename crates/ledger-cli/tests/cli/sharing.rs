//! More than one process, directories that take no writes, readers that go away.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};

use crate::bench::{Bench, run};

/// A process that holds the ledger until its stdin ends.
pub(crate) fn holder(bench: &Bench) -> (Child, ChildStdin) {
    let mut child = bench
        .command()
        .args(["write", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{{\"text\":\"held by {}\"}}", child.id()).unwrap();
    let mut answer = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut answer).unwrap();
    assert!(answer.contains("committed"), "{answer}");
    (child, input)
}

#[test]
fn a_second_process_is_told_who_holds_it_and_can_read() {
    let bench = Bench::new();
    let id = bench.write("before", &[]);
    let (mut child, input) = holder(&bench);
    let pid = child.id().to_string();
    for args in
        [vec!["write", "x"], vec!["list"], vec!["status"], vec!["rebuild"], vec!["pin", &id]]
    {
        bench
            .run([&args[..], &["--wait", "0"]].concat())
            .fails(6, &[&pid, "--from-archive", "--wait SECONDS waits for it"]);
    }
    let waited = bench.run(["write", "x", "--wait", "1.2"]);
    waited.fails(6, &[&pid, "waiting for it, 1.2 seconds at most", "waited 1.2 seconds for it"]);
    bench.run(["list", "--from-archive", "--wait", "3"]).fails(2, &["holds nothing", "--wait"]);
    let error = bench.run(["list", "--json", "--wait", "0"]).ends(6).error();
    assert_eq!(error["code"], 6);
    assert!(error["message"].as_str().unwrap().contains(&pid), "{error}");
    let read = bench.run(["list", "--from-archive"]).ends(0);
    assert!(read.out.starts_with("known at "), "{read:?}");
    assert!(read.out.contains("before"), "{read:?}");
    bench.run(["get", &id, "--from-archive"]).ends(0);
    bench.run(["verify", "--from-archive"]).ends(0);
    bench.run(["verify"]).ends(0).shows(&["not checked", "another process holds"]);
    bench.run(["verify", "--level", "views"]).ends(4);
    bench.run(["doctor"]).ends(0).shows(&["held by another process", "nothing is damaged"]);
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(bench.ids(&[]).len(), 2);
}

/// Forty processes write once each, all at the same time.
#[test]
fn case_8_forty_processes_write_at_once_and_all_forty_are_kept() {
    let bench = Bench::new();
    let begun: Vec<Child> = (0..40)
        .map(|number| {
            let mut command = bench.command();
            command.args(["write", "--json", "--wait", "120", "--", &format!("writer {number}")]);
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let mut answered: Vec<u64> = begun
        .into_iter()
        .map(|child| {
            let ended = child.wait_with_output().unwrap();
            assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
            let answer: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
            answer["seq"].as_u64().unwrap()
        })
        .collect();
    answered.sort_unstable();
    answered.dedup();
    assert_eq!(answered.len(), 40, "each has a record of its own");
    let listed = bench.run(["list", "--json", "--limit", "0"]).ends(0).objects();
    let texts: std::collections::BTreeSet<String> =
        listed.iter().filter_map(|item| Some(item["text"].as_str()?.to_owned())).collect();
    assert_eq!(texts, (0..40).map(|number| format!("writer {number}")).collect());
    bench.run(["verify"]).ends(0);
}

/// What a killed process had acknowledged is there when the next one looks.
#[test]
fn what_was_acknowledged_outlives_its_process() {
    let bench = Bench::new();
    let (mut child, input) = holder(&bench);
    child.kill().unwrap();
    child.wait().unwrap();
    drop(input);
    let ran = bench.run(["list"]).ends(0).shows(&["held"]);
    assert!(ran.err.contains("memledger: "), "it is told: {ran:?}");
    let quiet = bench.run(["list", "--quiet"]).ends(0);
    assert_eq!(quiet.err, "");
}

/// Lets everybody read a tree and nobody write it.
fn close_tree(path: &Path) {
    let is_dir = path.is_dir();
    if is_dir {
        fs::read_dir(path).unwrap().for_each(|entry| close_tree(&entry.unwrap().path()));
    }
    fs::set_permissions(path, fs::Permissions::from_mode(if is_dir { 0o555 } else { 0o444 }))
        .unwrap();
}

fn open_tree(path: &Path) {
    let is_dir = path.is_dir();
    fs::set_permissions(path, fs::Permissions::from_mode(if is_dir { 0o755 } else { 0o644 }))
        .unwrap();
    if is_dir {
        fs::read_dir(path).unwrap().for_each(|entry| open_tree(&entry.unwrap().path()));
    }
}

#[test]
fn a_directory_that_takes_no_writes_is_read_from_its_archive() {
    let bench = Bench::new();
    let id = bench.write("still readable", &[]);
    let status = bench.run(["status", "--json"]).ends(0).object();
    let key = format!("data/memledger/keys/{}.key", status["id"].as_str().unwrap());
    let key = fs::read_to_string(bench.root().join(key)).unwrap();
    // Another user may have to pass through here, and run what lies there.
    fs::set_permissions(bench.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = bench.root().join("memledger");
    fs::copy(crate::bench::PROGRAM, &program).unwrap();
    close_tree(&bench.dir());
    let as_reader = |args: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command
            .env_clear()
            .env("MEMLEDGER_DIR", bench.dir())
            .env("MEMLEDGER_MASTER_KEY", key.trim())
            .current_dir(bench.root())
            .args(args);
        // To the superuser every file can be written, so another user looks.
        if fs::metadata("/proc/self")
            .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
        {
            command.uid(65_534).gid(65_534);
        }
        run(command, b"")
    };
    let read = as_reader(&["list"]).ends(0);
    assert!(read.out.contains("still readable"), "{read:?}");
    assert!(read.err.contains("takes no writes"), "{read:?}");
    let got = as_reader(&["get", &id, "--json"]).ends(0);
    assert_eq!(got.object()["basis"]["from_archive"], true);
    as_reader(&["status"]).ends(0).shows(&["raw archive"]);
    as_reader(&["verify"]).ends(0);
    as_reader(&["doctor"]).ends(0).shows(&["nothing is damaged"]);
    let refused = as_reader(&["write", "x"]);
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(!refused.err.contains("panicked"), "{refused:?}");
    open_tree(&bench.dir());
}

#[test]
fn a_reader_that_goes_away_ends_a_listing_quietly() {
    let bench = Bench::new();
    let text = "a text of some length that fills the pipe ".repeat(20);
    let lines: Vec<String> = (0..400)
        .map(|n| serde_json::json!({ "text": format!("{n} {text}") }).to_string())
        .collect();
    bench.run_with(["write", "--stdin"], lines.join("\n").as_bytes()).ends(0);
    let mut child = bench
        .command()
        .args(["list", "--json", "--limit", "0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
}

/// A second `write --stdin` with everything closed on it must not hang or panic.
#[test]
fn closed_streams_are_no_panic() {
    let bench = Bench::new();
    let ended = bench
        .command()
        .args(["write", "--stdin"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(ended.code(), Some(0));
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    bench.write("x", &[]);
    let ended =
        bench.command().args(["list"]).stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(ended.status.code(), Some(6));
    assert!(String::from_utf8(ended.stderr).unwrap().contains("cannot be written"));
}
