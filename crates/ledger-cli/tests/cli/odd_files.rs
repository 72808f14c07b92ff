//! What stands where a file should be: links, directories, and pipes that keep their reader waiting.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::bench::Bench;

/// How often, and with which pause between, is looked for the end of a run: a minute in all. A run
/// that waits for a pipe has none.
const LOOKS: usize = 6_000;
const PAUSE: Duration = Duration::from_millis(10);

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Runs to the end: the exit code and all that was said.
#[track_caller]
fn ends(bench: &Bench, args: &[&str]) -> (i32, String) {
    let mut command = bench.command();
    command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut looks = 0;
    while child.try_wait().unwrap().is_none() {
        if looks == LOOKS {
            child.kill().unwrap();
            panic!("{args:?} still waits");
        }
        looks += 1;
        std::thread::sleep(PAUSE);
    }
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8(said).unwrap())
}

#[test]
fn a_pipe_for_a_lock_keeps_nobody_waiting() {
    let bench = Bench::new();
    bench.write("written before", &[]);
    bench.stays_damaged();
    let lock = bench.dir().join("lock");
    fs::remove_file(&lock).unwrap();
    pipe(&lock);
    for verb in [&["list"][..], &["write", "after"], &["verify"], &["doctor"]] {
        let (code, said) = ends(&bench, verb);
        assert!(code == 0 || said.contains("lock"), "{verb:?}: {code}: {said}");
    }
    let (code, said) = ends(&bench, &["list"]);
    assert_eq!(code, 6, "{said}");
    assert!(said.contains("not a regular file"), "{said}");
}

#[test]
fn a_history_is_made_of_files_only() {
    let bench = Bench::new();
    let folder = bench.root().join("history");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("whole.md"), "kept").unwrap();
    fs::write(bench.root().join("secret"), "none of its business").unwrap();
    symlink(bench.root().join("secret"), folder.join("link.md")).unwrap();
    symlink("/dev/zero", folder.join("device.md")).unwrap();
    fs::create_dir(folder.join("folder.md")).unwrap();
    pipe(&folder.join("pipe.md"));
    let names = ["whole.md", "link.md", "device.md", "folder.md", "pipe.md"];
    let mut table = "seq\tcommit\tauthor_date\tcommit_date\tbytes\tlines_added\tlines_removed\tsame_as_seq\tfile\tsubject\n".to_owned();
    for (at, name) in names.iter().enumerate() {
        let size = if *name == "link.md" { 20 } else { 4 };
        let day = format!("2026-01-0{}T00:00:00Z", at + 1);
        table.push_str(&format!("{at}\tc{at}\t{day}\t{day}\t{size}\t1\t0\t\t{name}\tsubject\n"));
    }
    fs::write(folder.join("index.tsv"), table).unwrap();
    let (code, said) = ends(&bench, &["import", "history", "history", "--quarantine", "bad"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("refused    4"), "{said}");
    let bad = fs::read_to_string(bench.root().join("bad")).unwrap();
    for why in
        ["link.md is a symbolic link", "folder.md is a directory", "pipe.md is no regular file"]
    {
        assert!(bad.contains(why), "{why} is missing in {bad}");
    }
    let listed = bench.run(["list"]).ends(0);
    assert!(listed.out.contains("kept") && !listed.out.contains("none of its"), "{listed:?}");

    fs::remove_file(folder.join("index.tsv")).unwrap();
    pipe(&folder.join("index.tsv"));
    let (code, said) = ends(&bench, &["import", "history", "history"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("index.tsv is no regular file"), "{said}");
}

#[test]
fn a_log_without_its_configuration_is_no_empty_directory() {
    let bench = Bench::new();
    bench.write("still here", &[]);
    bench.stays_damaged();
    fs::remove_file(bench.dir().join("ledger.toml")).unwrap();
    for args in [&["list"][..], &["write", "x"], &["list", "--from-archive"]] {
        let ran = bench.run(args).fails(3, &["ledger.toml is missing"]);
        assert!(!ran.err.contains("memledger init"), "{ran:?}");
    }
    bench.run(["init"]).fails(2, &[]);
}

#[test]
fn what_lies_in_place_of_a_file_is_named() {
    let bench = Bench::new();
    bench.write("still here", &[]);
    bench.stays_damaged();
    let log = bench.dir().join("log/0000000001.seg");
    let away = bench.root().join("away");
    fs::rename(&log, &away).unwrap();
    for put in [0, 1] {
        match put {
            0 => symlink(&away, &log).unwrap(),
            _ => fs::create_dir(&log).unwrap(),
        }
        let ran = bench.run(["list"]).fails(3, &["move it away", "from a copy"]);
        assert!(!ran.err.contains("--from-archive"), "{ran:?}");
        if put == 0 { fs::remove_file(&log).unwrap() } else { fs::remove_dir(&log).unwrap() }
    }
    fs::rename(&away, &log).unwrap();
    bench.run(["verify"]).ends(0);
}

/// A hole costs nothing to make and everything to read.
#[test]
fn a_file_that_is_mostly_a_hole_is_named_and_not_read() {
    let bench = Bench::new();
    bench.write("still here", &[]);
    bench.stays_damaged();
    for name in ["keys/slots.a", "payloads/0000000000.pay"] {
        let file = fs::OpenOptions::new().write(true).open(bench.dir().join(name)).unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(1 << 43).unwrap();
        bench.run(["verify", "--level", "payloads"]).ends(3).shows(&[name, "were not read"]);
        bench.run(["doctor"]).ends(3).shows(&[name, "which was not read"]);
        file.set_len(length).unwrap();
    }
    bench.run(["verify"]).ends(0);
}

#[test]
fn views_are_not_written_through_links() {
    let bench = Bench::new();
    bench.write("still here", &[]);
    let outside = bench.root().join("outside");
    let views = bench.dir().join("views");
    let current = fs::read_to_string(views.join("CURRENT")).unwrap();
    let rows = views.join(current.trim()).join("rows");
    fs::remove_file(rows.join("conf")).unwrap();
    symlink(&outside, rows.join("conf")).unwrap();
    let (code, said) = ends(&bench, &["verify"]);
    assert_eq!(code, 3, "{said}");
    assert!(!outside.exists(), "verify wrote outside the ledger");
    let (code, said) = ends(&bench, &["list"]);
    assert!(code == 0 && said.contains("still here"), "{said}");
    assert!(!outside.exists(), "list wrote outside the ledger");

    let current = fs::read_to_string(views.join("CURRENT")).unwrap();
    let clean = views.join(current.trim()).join("CLEAN");
    fs::remove_file(&clean).unwrap();
    pipe(&clean);
    let (code, said) = ends(&bench, &["list"]);
    assert!(code == 0 && said.contains("still here"), "{said}");
}

#[test]
fn log_and_views_lie_within_the_ledger() {
    let bench = Bench::new();
    bench.write("still here", &[]);
    bench.stays_damaged();
    for name in ["log", "views"] {
        let (own, away) = (bench.dir().join(name), bench.root().join("away"));
        fs::rename(&own, &away).unwrap();
        symlink(&away, &own).unwrap();
        let link = format!("'{name}' is a symbolic link");
        for args in [&["list"][..], &["write", "x"], &["verify"], &["list", "--from-archive"]] {
            let ran = bench.run(args);
            assert!(ran.code != 0 && ran.err.contains(&link), "{args:?} {ran:?}");
        }
        fs::remove_file(&own).unwrap();
        fs::rename(&away, &own).unwrap();
    }
    bench.run(["verify"]).ends(0);
}

#[test]
fn a_hole_in_the_views_is_not_read() {
    let bench = Bench::new();
    bench.write("still here", &[]);
    let views = bench.dir().join("views");
    let db =
        || views.join(fs::read_to_string(views.join("CURRENT")).unwrap().trim()).join("rows/db");
    for (args, code) in [(["verify"], 3), (["list"], 0)] {
        let file = fs::OpenOptions::new().write(true).open(db()).unwrap();
        file.set_len(1 << 43).unwrap();
        let ran = bench.run(args).ends(code);
        assert!(format!("{}{}", ran.out, ran.err).contains("holes"), "{args:?} {ran:?}");
    }
}

#[test]
fn a_verification_tells_of_what_was_taken_out_and_put_in() {
    let bench = Bench::new();
    bench.write("still here", &[]);
    bench.run(["checkpoint"]).ends(0);
    let note = fs::read_dir(bench.dir().join("checkpoints")).unwrap().next().unwrap().unwrap();
    let kept = fs::read(note.path()).unwrap();
    fs::remove_file(note.path()).unwrap();
    let name = note.file_name().into_string().unwrap();
    bench.run(["verify"]).ends(0).shows(&[&format!("checkpoints/{name} is not here")]);
    fs::write(note.path(), kept).unwrap();
    let verified = bench.run(["verify"]).ends(0);
    assert!(!verified.out.contains("is not here"), "{verified:?}");

    for dir in ["log", "keys"] {
        let stray = bench.dir().join(dir).join("stray");
        fs::write(&stray, "x").unwrap();
        bench.run(["verify", "--level", "log"]).ends(0).shows(&[dir, "stray"]);
        fs::remove_file(stray).unwrap();
    }
    let quarantine = bench.dir().join("quarantine");
    fs::remove_dir(&quarantine).unwrap();
    fs::write(&quarantine, "x").unwrap();
    bench.run(["verify", "--level", "log"]).ends(3).shows(&["quarantine", "a directory"]);
    fs::remove_file(&quarantine).unwrap();
    bench.run(["verify"]).ends(0);
}

#[test]
fn views_of_a_fork_are_named() {
    let bench = Bench::new();
    bench.write("common", &[]);
    let fork = bench.root().join("fork");
    let copied = Command::new("cp").arg("-r").args([bench.dir(), fork.clone()]).status();
    assert!(copied.unwrap().success());
    bench.write("here", &[]);
    let there = ["-C", fork.to_str().unwrap(), "write", "there", "--accept-head"];
    bench.run(there).ends(0);
    fs::remove_dir_all(bench.dir().join("views")).unwrap();
    fs::rename(fork.join("views"), bench.dir().join("views")).unwrap();
    // The other command left another head to remember.
    let verify = ["verify", "--accept-head"];
    bench.run(verify).ends(3).shows(&["the views belong to another history"]);
    bench.run(["list", "--accept-head"]).ends(0).shows(&["here"]);
    bench.run(["verify"]).ends(0);
}

#[test]
fn a_new_ledger_that_was_copied_without_its_empty_directories_is_whole() {
    let bench = Bench::new();
    fs::remove_dir(bench.dir().join("payloads")).unwrap();
    let _ = fs::remove_dir(bench.dir().join("quarantine"));
    bench.run(["verify"]).ends(0);
    bench.run(["list"]).ends(1);
    bench.write("the first", &[]);
    bench.run(["list"]).ends(0).shows(&["the first"]);
}
