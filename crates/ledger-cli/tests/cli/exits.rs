//! The exit codes, and the form of refusals.

use std::fs;

use serde_json::json;

use crate::bench::Bench;

#[test]
fn unknown_flags_and_words_are_refused_with_the_closest() {
    let bench = Bench::new();
    bench.run(["wrte", "x"]).fails(2, &["wrte", "write"]);
    bench.run(["write", "x", "--laer", "project"]).fails(2, &["--laer", "--layer"]);
    bench.run(["write", "x", "--layer", "projct"]).fails(2, &["did you mean project", "canonical"]);
    bench.run(["write", "x", "--body-type", "poem"]).fails(2, &["accepted", "failure"]);
    bench.run(["promote", "x", "--trust", "very"]).fails(2, &["verified"]);
    bench.run(["list", "--source-kind", "chatt"]).fails(2, &["did you mean chat"]);
    bench.run(["verify", "--level", "deep"]).fails(2, &["content"]);
    let error = bench.run(["list", "--limt", "3", "--json"]).ends(2).error();
    assert_eq!(error["kind"], "usage");
    assert_eq!(error["code"], 2);
    assert!(error["hint"].as_str().unwrap().contains("--limit"), "{error}");
    bench.run([""; 0]).fails(2, &["verb", "help"]);
}

#[test]
fn flags_without_meaning_are_refused() {
    let bench = Bench::new();
    for args in [
        vec!["write", "x", "--as-of", "head"],
        vec!["write", "x", "--valid-at", "today"],
        vec!["write", "x", "--from-archive"],
        vec!["pin", "00000000", "--as-of", "head"],
        vec!["forget", "00000000", "--reason", "x", "--claimed"],
        vec!["status", "--as-of", "head"],
        vec!["verify", "--scope", "org/acme"],
        vec!["get", "00000000", "--limit", "3"],
        vec!["rebuild", "--from-archive"],
        vec!["list", "--confirm-clock"],
    ] {
        bench.run(&args).fails(2, &["means nothing"]);
    }
    assert_eq!(bench.run(["list"]).code, 1, "nothing was written");
}

#[test]
fn flags_stand_before_or_after_the_verb() {
    let bench = Bench::new();
    bench.write("x", &["--scope", "org/acme"]);
    let dir = bench.dir();
    let dir = dir.to_str().unwrap();
    bench.run(["-C", dir, "--json", "--scope", "org/acme", "list"]).ends(0).object();
    bench.run(["list", "--scope", "org/acme", "--json", "-C", dir]).ends(0).object();
}

#[test]
fn what_is_no_ledger_is_left_alone() {
    let bench = Bench::empty();
    let ran = bench.run(["list"]).fails(2, &["no ledger", "init"]);
    assert_eq!(ran.out, "");
    for verb in [vec!["status"], vec!["write", "x"], vec!["verify"], vec!["list", "--from-archive"]]
    {
        bench.run(verb).fails(2, &["init"]);
    }
    assert_eq!(fs::read_dir(bench.dir()).unwrap().count(), 0, "nothing was made");
    bench.run(["-C", "missing", "list"]).fails(2, &["missing"]);
    fs::write(bench.dir().join("notes.txt"), "mine").unwrap();
    bench.run(["list"]).fails(2, &["init"]);
    bench.run(["init"]).fails(2, &["not empty"]);
    assert_eq!(fs::read_dir(bench.dir()).unwrap().count(), 1, "nothing was made");
    let mut command = bench.command();
    command.env_remove("MEMLEDGER_DIR").args(["list", "--json"]);
    let error = crate::bench::run(command, b"").ends(2).error();
    assert!(error["hint"].as_str().unwrap().contains("working directory"), "{error}");
    let mut command = bench.command();
    command.env("MEMLEDGER_DIR", "").arg("list");
    crate::bench::run(command, b"").fails(2, &["MEMLEDGER_DIR"]);
}

#[test]
fn init_says_where_the_key_is_and_happens_once() {
    let bench = Bench::empty();
    let made = bench
        .run(["init", "here", "--origin", "support", "--tz", "Asia/Tokyo", "--json"])
        .ends(0)
        .object();
    assert_eq!(made["origin"], "support");
    assert_eq!(made["zone"], "Asia/Tokyo");
    let key = made["master"].as_str().unwrap();
    assert!(fs::metadata(key).unwrap().len() > 0);
    bench.run(["init", "here"]).fails(2, &["already"]);
    let status = bench.run(["-C", "here", "status", "--json"]).ends(0).object();
    assert_eq!(status["id"], made["id"]);
    assert_eq!(status["zone"], "Asia/Tokyo");
    bench.run(["init", "there"]).ends(0).shows(&[
        "ledger created",
        "master key",
        "signing key",
        "back both up",
    ]);
    bench.run(["init", "elsewhere", "--tz", "Tokyo"]).fails(2, &["Asia/Tokyo"]);
}

#[test]
fn the_scope_and_who_chose_it() {
    let bench = Bench::new();
    let run = |scope: &str, args: &[&str]| {
        let mut command = bench.command();
        command.env("MEMLEDGER_SCOPE", scope).args(args);
        crate::bench::run(command, b"")
    };
    let written = run("org/acme", &["write", "a", "--json"]).ends(0).object();
    assert_eq!(
        (&written["scope"], &written["scope_step"]),
        (&json!("org/acme"), &json!("environment"))
    );
    let written = run("org/acme", &["write", "b", "--json", "--scope", "org/b"]).ends(0).object();
    assert_eq!((&written["scope"], &written["scope_step"]), (&json!("org/b"), &json!("flag")));
    run("org", &["write", "c"]).fails(2, &["MEMLEDGER_SCOPE", "pairs"]);
    run("org", &["status"]).fails(2, &["MEMLEDGER_SCOPE", "pairs"]);
    run("org", &["verify"]).ends(0);
    assert_eq!(run("org/acme", &["list", "--json"]).objects().len(), 1);
    assert_eq!(bench.ids(&[]).len(), 2);
    assert_eq!(bench.ids(&["--scope", "org/a"]), [""; 0], "segments are compared, not letters");
    let id = written["id"].as_str().unwrap();
    bench.run(["get", id, "--scope", "org/acme"]).fails(1, &["scope org/acme"]);
    bench.run(["pin", id, "--scope", "org/acme"]).fails(1, &["scope org/acme"]);
    bench.run(["get", id, "--scope", "org/b"]).ends(0);
}

#[test]
fn expectations_that_do_not_hold_are_conflicts() {
    let bench = Bench::new();
    let id = bench.write("a", &[]);
    let item = bench.get(&id, &[]);
    let version = item["version"].to_string();
    bench.run(["pin", &id, "--expected-version", &version]).ends(0);
    bench.run(["unpin", &id, "--expected-version", &version]).fails(6, &["read again"]);
    bench.run(["write", "b", "--expected-head", "0"]).fails(6, &["read again"]);
    let head = bench.run(["status", "--json"]).object()["seq"].to_string();
    bench.run(["write", "b", "--expected-head", &format!("#{head}")]).ends(0);
}

#[test]
fn damage_is_exit_three_and_names_its_place() {
    let bench = Bench::new();
    bench.write("to be damaged, and long enough to be hit", &[]);
    bench.stays_damaged();
    let mut logs: Vec<_> =
        fs::read_dir(bench.dir().join("log")).unwrap().map(|e| e.unwrap().path()).collect();
    logs.sort();
    let file = &logs[0];
    // A flipped bit in the records, then one in the header of the segment too.
    for place in [4_096 + 300, 700] {
        let mut bytes = fs::read(file).unwrap();
        bytes[place] ^= 1;
        fs::write(file, bytes).unwrap();
        let ran = bench.run(["verify"]).ends(3);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains("byte") && all.contains("log/"), "{ran:#?}");
        assert!(ran.out.contains("DAMAGED"), "the claims are listed all the same: {ran:#?}");
        assert_eq!(bench.run(["verify", "--json"]).ends(3).object()["verdict"], "damaged");
        bench.run(["list", "--from-archive"]).fails(3, &["byte"]);
    }
}

#[test]
fn a_missing_or_wrong_key_is_exit_four() {
    let bench = Bench::new();
    let id = bench.write("secret", &[]);
    bench.run(["key", "check"]).ends(0).shows(&["fits"]);
    let keys = bench.root().join("data/memledger/keys");
    let away = bench.root().join("away");
    fs::rename(&keys, &away).unwrap();
    bench.run(["key", "check"]).fails(4, &["master key"]);
    bench.run(["verify", "--level", "log"]).ends(0);
    bench.run(["verify"]).ends(4).shows(&["cannot be checked"]);
    let locked = bench.get(&id, &[]);
    assert_eq!(locked.get("text"), None);
    assert_eq!(locked["text_state"], "locked");
    bench.run(["write", "x"]).ends(4);
    let mut command = bench.command();
    command.env("MEMLEDGER_MASTER_KEY", "11".repeat(32)).args(["key", "check"]);
    crate::bench::run(command, b"").fails(4, &["key"]);
    let mut command = bench.command();
    command.env("MEMLEDGER_MASTER_KEY", "short").args(["list"]);
    crate::bench::run(command, b"").fails(4, &["MEMLEDGER_MASTER_KEY"]);
    fs::rename(&away, &keys).unwrap();
    assert_eq!(bench.get(&id, &[])["text"], "secret");
}

#[test]
fn verify_says_what_it_checked_and_against_what() {
    let bench = Bench::new();
    bench.write("x", &[]);
    let seen = ["records", " of ", "ok", "views", "the head this user saw last (5 records)"];
    bench.run(["verify"]).ends(0).shows(&seen);
    bench.run(["verify", "--accept-head"]).ends(0).shows(&["local anchor only"]);
    let report = bench.run(["verify", "--json", "--level", "log"]).ends(0).object();
    assert_eq!(report["verdict"], "ok");
    let check = |name: &str| {
        let checks = report["checks"].as_array().unwrap();
        checks
            .iter()
            .find(|check| check["name"] == name)
            .unwrap_or_else(|| panic!("{name}: {report}"))
            .clone()
    };
    assert_eq!(check("views")["verdict"], "not_checked");
    assert_eq!(check("records")["checked"], check("records")["expected"]);
    bench.run(["verify", "--from-archive"]).ends(0);
    bench.run(["verify", "--from-archive", "--level", "views"]).ends(4);
}

#[test]
fn rebuilding_gives_the_same_views() {
    let bench = Bench::new();
    bench.write("x", &[]);
    let before = bench.run(["status", "--json"]).object()["views_digest"].clone();
    assert!(before.is_string());
    let rebuilt = bench.run(["rebuild", "--json"]).ends(0).object();
    assert_eq!(rebuilt["digest"], before);
    bench.run(["rebuild"]).ends(0).shows(&["views rebuilt"]);
    fs::remove_dir_all(bench.dir().join("views")).unwrap();
    assert_eq!(bench.ids(&[]).len(), 1);
}
