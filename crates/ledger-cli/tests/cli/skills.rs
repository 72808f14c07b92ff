//! `skill`: a version is promoted when it earned it, or when a person says why, and withdrawn when it
//! breaks; and every basis has its own answer.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::bodies::{body, refused};

const PERSON: [&str; 4] = ["--source", "user:ann", "--by", "person:ann"];
const AGENT: [&str; 4] = ["--source", "tool:ci", "--by", "agent:coder"];

fn skill(version: u32) -> Value {
    json!({"type": "skill", "name": "deploy", "version": version, "steps": [{"do": format!("way {version}")}]})
}

fn episode(version: u32, outcome: &str) -> Value {
    json!({"type": "episode", "task": "deploy the site", "outcome": outcome, "skill": {"name": "deploy", "version": version}})
}

fn shown(bench: &Bench, flags: &[&str]) -> Value {
    bench.run([&["skill", "show", "deploy", "--json"], flags].concat()).ends(0).object()
}

#[test]
fn three_verified_successes_in_a_row_earn_a_promotion() {
    let bench = Bench::new();
    let first = body(&bench, &skill(1), &PERSON);
    let promote = ["skill", "promote", "deploy", "--by", "agent:coder"];
    for _ in 0..2 {
        body(&bench, &episode(1, "ok"), &PERSON);
    }
    // A tool's word for it is not verified, and another version is another matter.
    body(&bench, &episode(1, "ok"), &AGENT);
    body(&bench, &episode(2, "ok"), &PERSON);
    bench
        .run(promote)
        .fails(7, &["has not earned it", "2 verified in a row, of 3 ok", "3 are needed"]);
    body(&bench, &episode(1, "ok"), &PERSON);
    body(&bench, &episode(1, "failed"), &AGENT);
    bench.run(promote).fails(7, &["0 verified in a row, of 4 ok, 1 failed"]);
    for _ in 0..3 {
        body(&bench, &episode(1, "ok"), &PERSON);
    }
    let done = bench.run([&promote[..], &["--json"]].concat()).ends(0).object();
    assert_eq!((&done["version"], &done["in_use"]), (&1.into(), &1.into()));
    bench.run(promote).fails(6, &["promoted already"]);
    let found = shown(&bench, &[]);
    let one = &found["versions"][0];
    assert_eq!((&one["id"], &one["phase"]), (&Value::from(first), &"promoted".into()));
    assert_eq!((&one["ok"], &one["failed"], &one["partial"]), (&7.into(), &1.into(), &0.into()));
    assert_eq!(one["success_rate"], 0.875);
    assert_eq!(one["in_a_row"].as_array().unwrap().len(), 3);
    assert!(one["last_use"].is_string());
    assert_eq!(shown(&bench, &["--from-archive"])["versions"], found["versions"]);
    bench.run(["skill", "list"]).ends(0).shows(&["deploy", "v1", "promoted", "87.50%"]);
}

#[test]
fn the_policy_says_how_many_and_a_person_can_say_why() {
    let bench = Bench::new();
    body(&bench, &skill(1), &PERSON);
    body(&bench, &episode(1, "ok"), &PERSON);
    let promote = ["skill", "promote", "deploy"];
    bench.run([&promote[..], &["--by", "person:ann"]].concat()).fails(7, &["with a reason"]);
    bench
        .run([&promote[..], &["--by", "agent:a", "--reason", "r"]].concat())
        .fails(7, &["not earned"]);
    let approved = [&promote[..], &["--by", "person:ann", "--reason", "read it"]].concat();
    bench.run(approved).ends(0).shows(&["v1 promoted", "1 verified in a row"]);
    let log = bench.run(["history", shown(&bench, &[])["versions"][0]["id"].as_str().unwrap()]);
    log.ends(0).shows(&["skill_state", "person:ann"]);
    std::fs::write(bench.root().join("p.toml"), "format = 1\n[skills]\nsuccesses = 1\n").unwrap();
    bench.run(["policy", "set", "p.toml", "--reason", "small team"]).ends(0);
    body(&bench, &skill(2), &PERSON);
    body(&bench, &episode(2, "ok"), &PERSON);
    bench.run(promote).ends(0).shows(&["v2 promoted", "in use: v2"]);
}

#[test]
fn a_canary_leaves_the_old_version_and_a_rollback_brings_it_back() {
    let bench = Bench::new();
    let first = body(&bench, &skill(1), &PERSON);
    let second = body(&bench, &skill(2), &PERSON);
    let act = |verb: &str, more: &[&str]| {
        let flags = ["--by", "person:ann", "--reason", "it is time"];
        bench.run([&["skill", verb, "deploy"], more, &flags].concat())
    };
    act("rollback", &[]).fails(6, &["nothing to roll back"]);
    act("promote", &["--version", "1"]).ends(0);
    act("canary", &[]).ends(0).shows(&["v2 canary", "in use: v1"]);
    assert_eq!(bench.ids(&[]), [first.clone(), second.clone()]);
    act("canary", &[]).fails(6, &["canary already"]);
    act("rollback", &[]).ends(0).shows(&["v2 rolled_back", "in use: v1"]);
    assert_eq!(bench.ids(&[]), std::slice::from_ref(&first));
    act("promote", &["--version", "2"]).ends(0).shows(&["in use: v2"]);
    assert_eq!(bench.ids(&[]), std::slice::from_ref(&second));
    let then = bench.run(["status", "--json"]).ends(0).object()["seq"].to_string();
    let old = bench.get(&first, &[]);
    assert_eq!(
        (&old["status"], &old["superseded_by"]),
        (&"closed".into(), &Value::from(second.clone()))
    );
    act("rollback", &[]).ends(0).shows(&["v2 rolled_back", "in use: v1"]);
    assert_eq!(bench.ids(&[]), [first]);
    let phases = |flags: &[&str]| -> Vec<String> {
        let found = shown(&bench, flags);
        let list = found["versions"].as_array().unwrap().clone();
        list.iter().map(|one| one["phase"].as_str().unwrap_or("new").to_owned()).collect()
    };
    assert_eq!(phases(&[]), ["promoted", "rolled_back"]);
    let then = format!("#{then}");
    assert_eq!(phases(&["--as-of", &then]), ["promoted", "promoted"]);
    assert_eq!(shown(&bench, &["--as-of", &then])["in_use"], 2);
    assert_eq!(phases(&["--as-of", &then, "--from-archive"]), ["promoted", "promoted"]);
}

#[test]
fn a_version_is_written_once_and_names_live_in_their_scope() {
    let bench = Bench::new();
    let web = ["--scope", "org/acme/project/web"];
    body(&bench, &skill(1), &[&PERSON[..], &web].concat());
    let file = bench.root().join("body.json");
    let again = ["write", "--body", file.to_str().unwrap(), "--scope", "org/acme/project/web"];
    bench.run(again).fails(6, &["deploy@1", "never written twice"]);
    body(&bench, &skill(1), &PERSON);
    refused(&bench, &skill(1), 6, &["write the next one"]);
    let key = ["write", "--body", file.to_str().unwrap(), "--key", "mine"];
    bench.run(key).fails(2, &["leave the key out"]);
    // An episode below counts for the skill above, and one above not for the skill below.
    body(&bench, &episode(1, "failed"), &[&PERSON[..], &web].concat());
    assert_eq!(shown(&bench, &[])["versions"][0]["failed"], 1);
    body(&bench, &episode(1, "ok"), &PERSON);
    let below = shown(&bench, &web);
    assert_eq!(
        (&below["versions"][0]["failed"], &below["versions"][0]["ok"]),
        (&1.into(), &0.into())
    );
    bench.run(["skill", "show", "build"]).fails(1, &["no skill \"build\""]);
    assert_eq!(bench.run(["skill", "list", "--json"]).ends(0).objects().len(), 2);
}

#[test]
fn a_failure_of_a_version_stands_beside_it() {
    let bench = Bench::new();
    let skills = [body(&bench, &skill(1), &PERSON), body(&bench, &skill(2), &PERSON)];
    let tried = json!({"type": "failure", "tried": "way 2", "happened": "nothing", "skill": {"name": "deploy", "version": 2}});
    let failure = body(&bench, &tried, &[&PERSON[..], &["--scope", "org/acme"]].concat());
    assert_eq!(bench.get(&skills[1], &[])["contradicted_by"], json!([failure]));
    assert_eq!(bench.get(&skills[0], &[])["contradicted_by"], json!([]));
    assert_eq!(bench.get(&failure, &[])["contradicts"], json!([skills[1]]));
    let found = shown(&bench, &[]);
    assert_eq!(found["versions"][1]["failures"], json!([failure]));
    bench.run(["skill", "show", "deploy"]).ends(0).shows(&["1 failure", "failed: m"]);
}
