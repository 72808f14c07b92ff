//! Facts from the command line: what contradicts comes back together and marked, a person settles it, and
//! `--explain` says what an item goes back to and what time took from it.

use std::fs;

use serde_json::Value;

use crate::bench::Bench;

const SHOP: [&str; 4] = ["write", "--fact", "web shop", "runs on"];

fn with_policy() -> Bench {
    let bench = Bench::new();
    let text = "format = 1\n[facts]\nsingle_valued = [\"runs on\"]\n";
    fs::write(bench.root().join("policy.toml"), text).unwrap();
    bench.run(["policy", "set", "policy.toml", "--reason", "one at a time"]).ends(0);
    bench
}

fn fact(bench: &Bench, object: &str, more: &[&str]) -> Value {
    let args = [&SHOP[..], &[object, "--json"], more].concat();
    bench.run(args).ends(0).object()
}

#[test]
fn a_contradiction_comes_back_together_until_somebody_settles_it() {
    let bench = with_policy();
    let tool = ["--source", "tool:deploy", "--by", "agent:coder"];
    let person = ["--source", "user:priya", "--by", "person:priya"];
    let wrong = fact(&bench, "Node 18", &tool);
    bench.run(["write", "in between", "--source", "user:priya"]).ends(0);
    let right = fact(&bench, "Node 22", &person);
    let listed = bench.run(["list", "--json"]).ends(0).objects();
    let ids: Vec<&Value> = listed.iter().map(|item| &item["id"]).collect();
    assert_eq!(ids[..2], [&right["id"], &wrong["id"]], "side by side, by authority");
    let group = listed[0]["conflict_group"].as_u64().unwrap();
    assert_eq!(listed[1]["conflict_group"], group);
    assert_eq!((&listed[0]["authority"], &listed[1]["authority"]), (&4.into(), &5.into()));
    assert_eq!(
        (&listed[0]["status"], &listed[0]["level"]),
        (&"contested".into(), &"evidence".into())
    );
    bench.run(["list"]).ends(0).shows(&["contested"]);
    let (contest, keep) = (group.to_string(), right["id"].as_str().unwrap());
    bench.run(["show", &contest]).ends(0).shows(&["contest", "rule: 1"]);
    bench.run(["resolve", &contest, "--keep", keep, "--reason", "asked ops"]).ends(0);
    let settled = bench.run(["get", keep, "--json"]).ends(0).object();
    assert_eq!(settled["conflict_group"], Value::Null);
}

#[test]
fn qualifiers_are_typed_kept_and_keep_facts_apart() {
    let bench = with_policy();
    fact(&bench, "Node 24", &["--qualifier", "environment=test"]);
    let line = r#"{"fact":{"subject":"web shop","predicate":"runs on","object":"Node 22","qualifiers":{"environment":"production"}}}"#;
    bench.run_with(["write", "--stdin"], line.as_bytes()).ends(0);
    let listed = bench.run(["list", "--json"]).ends(0).objects();
    assert!(listed.iter().all(|item| item["conflict_group"].is_null()), "{listed:?}");
    assert_eq!(listed[1]["body"]["qualifiers"]["environment"], "production");
    bench.run(["list"]).ends(0).shows(&["web shop runs on Node 24 (environment: test)"]);
    bench
        .run([&SHOP[..], &["x", "--qualifier", "test"]].concat())
        .fails(2, &["environment=production"]);
    let twice = ["x", "--qualifier", "a=1", "--qualifier", "a=2"];
    bench.run([&SHOP[..], &twice].concat()).fails(2, &["a twice"]);
    bench.run(["write", "text", "--qualifier", "a=1"]).fails(2, &["--qualifier", "TEXT"]);
    let odd = line.replace("qualifiers", "qualifier");
    bench.run_with(["write", "--stdin"], odd.as_bytes()).ends(0).shows(&["fact"]);
}

#[test]
fn explain_says_what_it_goes_back_to_and_what_time_took() {
    let bench = Bench::new();
    let first = bench.run(["write", "said", "--source", "user:a", "--by", "person:a", "--json"]);
    let id = first.ends(0).object()["id"].as_str().unwrap().to_owned();
    let made = [
        "write",
        "a lesson",
        "--source",
        "user:a",
        "--by",
        "person:a",
        "--derived-from",
        &id,
        "--json",
    ];
    let made = bench.run(made).ends(0).object();
    let made = made["id"].as_str().unwrap();
    bench.run(["get", made, "--explain"]).ends(0).shows(&[
        "goes back to",
        "note from user",
        "100.00 %",
    ]);
    bench.run(["list", "--explain"]).ends(0).shows(&["an original", "would end by"]);
    let item = bench.run(["get", made, "--json"]).ends(0).object();
    assert_eq!((&item["decay"], &item["confirm_first"]), (&1.0.into(), &false.into()));
    assert_eq!(item["source_chain"][0]["id"], id.as_str());
    assert_eq!(item["ends_with"], serde_json::json!(["source_changed", "closed"]));
}
