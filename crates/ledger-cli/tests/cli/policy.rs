//! `policy`: what the gate goes by, and what a refusal looks like at the prompt.

use std::fs;

use crate::bench::Bench;

const POLICY: &str = "format = 1\n\n[layers.semantic]\nowner = \"us\"\nttl = \"none\"\nttl_unverified = \"2d\"\nexpiry = \"closing\"\ndeletion = \"close\"\n";
const CASES: &str = r#"
[[case]]
name = "a secret stays out"
text = "deploy with AKIAZ7QH2XW4NB5LKD6P"
source = "chat"
expect = { verdict = "refused", rule = "secret" }

[[case]]
name = "a fact of a chat lives two days"
body = "fact"
source = "chat"
expect = { verdict = "committed", trust = "unverified", ttl = "2d" }
"#;

fn file(bench: &Bench, name: &str, text: &str) {
    fs::write(bench.root().join(name), text).unwrap();
}

#[test]
fn a_secret_is_refused_with_its_reason_and_leaves_no_trace() {
    let bench = Bench::new();
    let secret = "AKIAZ7QH2XW4NB5LKD6P";
    let text = format!("deploy with {secret}");
    bench.run(["write", &text]).ends(7).shows(&["refused", "holds a secret"]);
    let line =
        format!("{{\"text\":{text:?}}}\n{{\"text\":\"deploy with the key of the vault\"}}\n");
    let answers = bench.run_with(["write", "--stdin"], line.as_bytes()).ends(0).objects();
    assert_eq!(answers[0]["verdict"], "refused");
    assert_eq!(answers[1]["verdict"], "committed");
    let mut files = vec![bench.dir()];
    while let Some(path) = files.pop() {
        if path.is_dir() {
            files.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        assert!(!bytes.windows(secret.len()).any(|part| part == secret.as_bytes()), "{path:?}");
    }
    bench.run(["policy", "check"]).ends(0).shows(&["3 of 3 verdicts"]);
}

#[test]
fn a_policy_is_tried_set_compared_and_rolled_back() {
    let bench = Bench::new();
    file(&bench, "policy.toml", POLICY);
    file(&bench, "cases.toml", CASES);
    bench.run(["policy", "test", "cases.toml"]).ends(7).shows(&["expected ttl 2d, found 7d"]);
    let tried = ["policy", "test", "cases.toml", "--policy", "policy.toml"];
    bench.run(tried).ends(0).shows(&["ok", "refused by secret"]);
    let set = ["policy", "set", "policy.toml", "--reason", "facts are checked daily"];
    let done = bench.run([&set[..], &["--test", "cases.toml", "--by", "person:lead"]].concat());
    done.ends(0).shows(&["policy version 1 in force, after version 0"]);
    bench.run(set).fails(6, &["in force already"]);
    let shown = bench.run(["policy", "show"]).ends(0);
    assert_eq!(shown.out, POLICY);
    bench.run(["policy", "show", "--table"]).ends(0).shows(&["semantic", "us", "2d"]);
    let diff = bench.run(["policy", "diff", "0"]).ends(0);
    assert!(diff.out.contains("layers.semantic.ttl_unverified: 7d -> 2d"), "{}", diff.out);
    let written = bench.run(["write", "x", "--json"]).ends(0).object();
    assert_eq!(written["policy_version"], 1);
    bench.run(["policy", "rollback", "0", "--reason", "too short"]).ends(0).shows(&["version 2"]);
    bench.run(["policy", "diff", "0", "2"]).fails(1, &["say the same"]);
    let then = bench.run(["policy", "show", "--as-of", "#2"]).ends(0);
    assert_eq!(then.out, bench.run(["policy", "show", "--version", "0"]).ends(0).out);
    bench.run(["policy", "show", "--version", "9"]).fails(1, &["no policy version 9"]);
}

#[test]
fn what_is_no_policy_is_refused_with_its_line() {
    let bench = Bench::new();
    file(&bench, "policy.toml", "format = 1\n[gate]\nsecret = \"refuse\"\n");
    let set = ["policy", "set", "policy.toml", "--reason", "r"];
    bench.run(set).fails(2, &["line 3", "unknown field `secret`"]);
    bench.run(["policy", "set", "none.toml", "--reason", "r"]).fails(2, &["none.toml"]);
    file(&bench, "cases.toml", CASES);
    file(&bench, "policy.toml", "format = 1\n");
    let strict = [&set[..], &["--test", "cases.toml"]].concat();
    bench.run(strict).fails(7, &["was not set"]);
    assert_eq!(bench.run(["policy", "show", "--json"]).ends(0).object()["version"], 0);
    bench.run(["policy", "test", "policy.toml"]).fails(2, &["policy.toml"]);
}

#[test]
fn the_poisoning_suite_holds_here_and_stands_before_a_weak_policy() {
    let bench = Bench::new();
    let ran = bench.run(["poison"]).ends(0);
    let ran = ran.shows(&["ok     secrets", "ok     orders-in-tool-results"]);
    assert!(ran.err.contains("0 failed"), "{}", ran.err);
    let before = bench.run(["log", "--limit", "0"]).ends(0).out;
    file(&bench, "weak.toml", "format = 1\n[gate]\nsecrets = \"mark\"\n");
    let ran = bench.run(["poison", "--policy", "weak.toml"]).ends(7);
    ran.shows(&["FAILED secrets", "BROKEN an access key in a note of an agent (secret): m"]);
    let cases = bench.run(["poison", "--policy", "weak.toml", "--json"]).ends(7).objects();
    let secrets = cases.iter().find(|case| case["case"] == "secrets").unwrap();
    assert_eq!(secrets["passed"], false);
    assert!(secrets["checks"][0]["memories"][0]["seq"].is_u64(), "{secrets}");
    assert_eq!(bench.run(["log", "--limit", "0"]).ends(0).out, before, "the ledger was only asked");
    let set = ["policy", "set", "weak.toml", "--reason", "keys of a test machine"];
    bench.run(set).fails(7, &["poisoning suite", "secrets", "--override"]);
    bench.run([&set[..], &["--override"]].concat()).fails(2, &["--by"]);
    let agent = [&set[..], &["--override", "--by", "agent:helper"]].concat();
    bench.run(agent).fails(2, &["by a person"]);
    let person = [&set[..], &["--override", "--by", "person:lead"]].concat();
    bench.run(person).ends(0).shows(&["policy version 1 in force"]);
    let stats = bench.run(["stats", "--json"]).ends(0).object();
    assert_eq!(stats["events"]["suite_result"], 2);
    assert_eq!(stats["suites"]["1"]["failed"], 1);
    let back = ["policy", "rollback", "0", "--reason", "the machine is gone"];
    bench.run(back).ends(0).shows(&["policy version 2"]);
}
