//! Checkpoints, proofs, keys, and a ledger that lacks a head that somebody kept.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::bench::Bench;

/// A ledger with three memories, and beside it a checkpoint, the key and a proof.
fn signed() -> Bench {
    let bench = Bench::empty();
    bench.run(["init", "--origin", "support.example", "--quiet"]).ends(0);
    for text in ["one", "two", "three"] {
        bench.write(text, &[]);
    }
    keep(&bench, "kept.note");
    bench.run(["prove", "4", "-o", "4.tlog-proof"]).ends(0);
    bench
}

/// Makes a checkpoint and keeps it and the key outside.
fn keep(bench: &Bench, name: &str) {
    let note = bench.run(["checkpoint", "--quiet"]).ends(0).out;
    fs::write(bench.root().join(name), note).unwrap();
    let keys = bench.run(["key", "show"]).ends(0).out;
    let keys: Vec<&str> = keys.lines().filter(|line| !line.starts_with(' ')).collect();
    fs::write(bench.root().join("key"), keys.last().unwrap()).unwrap();
}

fn copy(from: &Path, to: &Path) {
    let done = Command::new("cp").arg("-r").args([from, to]).status().unwrap();
    assert!(done.success());
}

/// Puts an older copy in the place of the ledger.
fn roll_back(bench: &Bench, older: &Path) {
    fs::remove_dir_all(bench.dir()).unwrap();
    copy(older, &bench.dir());
}

const CHECK: [&str; 5] = ["prove", "check", "4.tlog-proof", "--key", "key"];

#[test]
fn a_stranger_checks_a_record_without_the_ledger() {
    let bench = signed();
    fs::remove_dir_all(bench.dir()).unwrap();
    let checked = bench.run(CHECK).ends(0).shows(&["verified  record 4", "write", "signed by"]);
    assert_eq!(checked.err, "");
    let object = bench.run(CHECK.into_iter().chain(["--json"])).ends(0).object();
    assert_eq!((&object["verified"], &object["index"]), (&true.into(), &4.into()));
    assert_eq!(object["origin"], "support.example");
}

#[test]
fn a_changed_proof_record_or_key_is_refused() {
    let bench = signed();
    let file = bench.root().join("4.tlog-proof");
    let good = fs::read(&file).unwrap();
    // Every byte is tried in ledger-proof; here that the program says it.
    for at in [0, 30, good.len() / 2, good.len() - 2] {
        let mut changed = good.clone();
        changed[at] ^= 1;
        fs::write(&file, &changed).unwrap();
        let ran = bench.run(CHECK);
        assert!([3, 4].contains(&ran.code), "byte {at}: {ran:?}");
    }
    fs::write(&file, &good).unwrap();
    fs::write(bench.root().join("other"), "another record").unwrap();
    bench.run(CHECK.into_iter().chain(["--record", "other"])).fails(3, &["not the one at 4"]);
    bench.run(["prove", "check", "4.tlog-proof", "--key", "a+b"]).fails(2, &["--key"]);
    bench.run(["prove", "check", "4.tlog-proof"]).fails(2, &["--key"]);
}

#[test]
fn an_unknown_key_and_another_log_prove_nothing() {
    let bench = signed();
    let other = signed();
    let key = fs::read_to_string(other.root().join("key")).unwrap();
    let check = |key: &str| bench.run(["prove", "check", "4.tlog-proof", "--key", key]);
    check(&key).fails(4, &["no signature by a trusted key"]);
    let elsewhere = Bench::empty();
    elsewhere.run(["init", "--origin", "elsewhere.example", "--quiet"]).ends(0);
    let key = elsewhere.run(["key", "show"]).ends(0).out;
    check(key.lines().next().unwrap()).fails(4, &["elsewhere.example"]);
    let verify = ["verify", "--level", "log", "--checkpoint", "kept.note", "--key"];
    bench.run(verify.into_iter().chain([key.lines().next().unwrap()])).ends(4);
}

#[test]
fn a_log_is_proven_to_continue_an_earlier_one() {
    let bench = signed();
    let old = bench.run(["checkpoint", "show", "--json"]).ends(0).object();
    let size = old["size"].to_string();
    bench.write("four", &[]);
    keep(&bench, "grown.note");
    bench.run(["prove", "--from", &size, "-o", "grown.proof"]).ends(0);
    let check = ["prove", "check", "grown.proof", "--key", "key"];
    bench.run(check.into_iter().chain(["--old", "kept.note"])).ends(0).shows(&["begins with"]);
    bench.run(check.into_iter().chain(["--old", "grown.note"])).fails(4, &["--old"]);
    bench.run(check).fails(2, &["--old"]);
}

#[test]
fn nothing_is_signed_twice_and_checkpoints_are_listed() {
    let bench = signed();
    let kept = fs::read_to_string(bench.root().join("kept.note")).unwrap();
    let again = bench.run(["checkpoint"]).ends(0);
    assert_eq!(again.out, kept);
    assert!(again.err.contains("nothing was added"), "{again:?}");
    bench.write("four", &[]);
    bench.run(["checkpoint"]).ends(0);
    assert_eq!(bench.run(["checkpoint", "list"]).ends(0).out.lines().count(), 2);
    let first = bench.run(["checkpoint", "list", "--json"]).ends(0).objects()[0].clone();
    assert_eq!(first["note"], kept);
    bench.run(["checkpoint", "show", "3"]).fails(1, &["no such checkpoint"]);
    bench.run(["prove", "999"]).fails(1, &["no record 999"]);
    bench.run(["prove", "head"]).fails(1, &["no checkpoint covers"]);
    bench.run(["prove"]).fails(2, &["missing"]);
}

#[test]
fn a_rollback_is_reported_by_the_next_command() {
    let bench = signed();
    let older = bench.root().join("older");
    copy(&bench.dir(), &older);
    bench.write("four", &[]);
    keep(&bench, "grown.note");
    roll_back(&bench, &older);
    for args in [&["list"][..], &["status"], &["write", "x"], &["log", "--from-archive"]] {
        bench.run(args).fails(3, &["a rollback", "--accept-head"]);
    }
    bench.run(["verify"]).ends(3).shows(&["kept heads", "DAMAGED", "a rollback"]);
    // Whoever did not see the newer head is told by a checkpoint that somebody kept.
    let stranger = ["verify", "--accept-head", "--level", "log", "--checkpoint", "grown.note"];
    bench.run(stranger).ends(3).shows(&["given checkpoints", "a rollback"]);
    bench.run(["list", "--accept-head"]).ends(0);
    bench.run(["list"]).ends(0);
}

#[test]
fn a_fork_is_reported_even_when_it_is_longer() {
    let bench = signed();
    let older = bench.root().join("older");
    copy(&bench.dir(), &older);
    bench.write("four", &[]);
    keep(&bench, "mine.note");
    roll_back(&bench, &older);
    let state = bench.root().join("home/.local/state/memledger/heads");
    let seen = bench.root().join("seen");
    fs::rename(&state, &seen).unwrap();
    for text in ["other", "history", "altogether"] {
        bench.write(text, &[]);
    }
    // Signed again with the right key: what is there is consistent, and only kept heads tell.
    keep(&bench, "other.note");
    bench.run(["verify"]).ends(0);
    fs::remove_dir_all(&state).unwrap();
    fs::rename(&seen, &state).unwrap();
    bench.run(["list"]).fails(3, &["a fork"]);
    bench.run(["verify", "--level", "log"]).ends(3).shows(&["a fork"]);
    let given = ["verify", "--accept-head", "--level", "log", "--checkpoint", "mine.note"];
    bench.run(given).ends(3).shows(&["mine.note: a fork"]);
    bench.run(["prove", "4", "--checkpoint", "mine.note", "--accept-head"]).fails(3, &["a fork"]);
}

#[test]
fn a_key_follows_another_and_both_vouch_for_it() {
    let bench = signed();
    let rotated = bench.run(["key", "rotate", "--json"]).ends(0).object();
    assert!(rotated["before"].is_string());
    bench.write("four", &[]);
    keep(&bench, "new.note");
    bench.run(["verify"]).ends(0).shows(&["signing keys", "2 of 2"]);
    let old = rotated["before"].as_str().unwrap();
    bench.run(["prove", "check", "4.tlog-proof", "--key", old]).ends(0);
    bench.run(CHECK).fails(4, &["no signature by a trusted key"]);
    bench.run(["key", "show"]).ends(0).shows(&["replaced, since record 2", "in force, since"]);
}

#[test]
fn a_rotation_that_stopped_half_way_is_finished() {
    let bench = signed();
    let id = bench.run(["status", "--json"]).ends(0).object()["id"].as_str().unwrap().to_owned();
    let keys = bench.root().join("data/memledger/keys");
    let file = keys.join(format!("{id}.signing"));
    let before = bench.root().join("before");
    fs::rename(&file, &before).unwrap();
    fs::copy(&before, &file).unwrap();
    bench.run(["key", "rotate"]).ends(0);
    // As a crash leaves it: the log names the next key, and it is not in its place yet.
    fs::rename(&file, keys.join(format!("{id}.signing.next"))).unwrap();
    fs::rename(&before, &file).unwrap();
    bench.write("four", &[]);
    bench.run(["checkpoint"]).ends(0);
    bench.run(["key", "rotate"]).ends(0);
    bench.run(["verify"]).ends(0).shows(&["signing keys", "3 of 3"]);
}

#[test]
fn without_its_key_a_ledger_signs_nothing_and_says_so() {
    let bench = signed();
    let id = bench.run(["status", "--json"]).ends(0).object()["id"].as_str().unwrap().to_owned();
    let file = bench.root().join("data/memledger/keys").join(format!("{id}.signing"));
    fs::remove_file(file).unwrap();
    bench.write("four", &[]);
    bench.run(["checkpoint"]).fails(4, &["signing key", "MEMLEDGER_SIGNING_KEY_FILE"]);
    bench.run(["key", "rotate"]).fails(4, &["signing key"]);
    bench.run(["key", "show"]).ends(0).shows(&["not at hand"]);
    bench.run(["verify"]).ends(0);
}

#[test]
fn a_name_that_cannot_sign_is_refused_before_anything_is_made() {
    let bench = Bench::empty();
    bench.run(["init", "--origin", "two words"]).fails(2, &["--origin"]);
    bench.run(["init", "--origin", "support.example"]).ends(0);
}
