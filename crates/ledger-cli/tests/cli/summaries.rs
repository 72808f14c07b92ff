//! `summary`: what is pinned survives, drift shows, and every generation leads back and down.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::bodies::{body, refused};

fn message(bench: &Bench, text: &str) -> String {
    body(
        bench,
        &json!({"type": "message", "role": "user", "text": text}),
        &["--source", "chat:1", "--by", "user:ann"],
    )
}

fn summary(text: &str, covers: &[&str], pinned: &[&str]) -> Value {
    json!({"type": "summary", "text": text, "covers": covers, "pinned": pinned})
}

fn ids(objects: &[Value]) -> Vec<&str> {
    objects.iter().map(|one| one["id"].as_str().unwrap()).collect()
}

#[test]
fn generations_rise_and_lead_down_to_the_raw_messages() {
    let bench = Bench::new();
    let said: Vec<String> = (0..4).map(|n| message(&bench, &format!("message {n}"))).collect();
    let one = body(&bench, &summary("two messages", &[&said[0], &said[1]], &[]), &[]);
    let two = body(&bench, &summary("three messages", &[&one, &said[2]], &[]), &[]);
    assert_eq!(bench.get(&one, &[])["generation"], 1);
    assert_eq!(bench.get(&two, &[])["generation"], 2);
    assert_eq!(bench.get(&two, &["--from-archive"])["generation"], 2);
    let down = |id: &str, flags: &[&str]| {
        bench.run([&["summary", "expand", id, "--json"], flags].concat()).ends(0).objects()
    };
    assert_eq!(ids(&down(&two, &[])), said[..3].iter().map(String::as_str).collect::<Vec<_>>());
    assert!(down(&two, &[]).iter().all(|one| one["raw"] == true));
    assert_eq!(down(&two, &["--from-archive"]), down(&two, &[]));
    assert_eq!(ids(&down(&one, &[])).len(), 2);
    bench.run(["summary", "expand", &said[3]]).fails(1, &["names nothing"]);
    bench.run(["summary", "verify", &said[3]]).fails(2, &["no summary"]);
}

#[test]
fn what_is_pinned_survives_or_the_summary_is_refused() {
    let bench = Bench::new();
    let rule =
        bench.write("Never deploy on  Friday", &["--source", "user:ann", "--by", "person:ann"]);
    let other = bench.write("The lunch was late", &[]);
    bench.run(["pin", &rule]).ends(0);
    let covers = [rule.as_str(), other.as_str()];
    refused(&bench, &summary("a late lunch", &covers, &[]), 7, &["pinned and would not survive"]);
    refused(&bench, &summary("a late lunch", &covers, &[&rule]), 7, &["repeat its words"]);
    refused(&bench, &summary("a late lunch", &[&other], &[&rule]), 2, &["not among what"]);
    bench
        .run(["write", "a late lunch", "--body-type", "summary", "--derived-from", &rule])
        .fails(7, &["pinned"]);
    let one =
        body(&bench, &summary("Lunch was late; never deploy on friday.", &covers, &[&rule]), &[]);
    // What the first generation kept, the second keeps.
    refused(&bench, &summary("lunch", &[&one], &[]), 7, &["pinned"]);
    body(&bench, &summary("NEVER deploy on Friday", &[&one], &[&rule]), &[]);
    bench.run(["unpin", &rule]).ends(0);
    body(&bench, &summary("lunch", &[&one], &[]), &[]);
    bench
        .run(["summary", "verify", &one])
        .ends(0)
        .shows(&["generation 1 covers 2 memories", "all of them stand"]);
}

#[test]
fn what_does_not_stand_any_more_is_listed() {
    let bench = Bench::new();
    let old = bench.write("npm is used", &[]);
    let gone = bench.write("the lunch was late", &[]);
    let wrong = bench.write("the code is 7", &[]);
    let one = body(
        &bench,
        &summary("npm, lunch, 7", &[&old, &gone, &wrong], &[]),
        &["--source", "model:m"],
    );
    let verify =
        |flags: &[&str]| bench.run([&["summary", "verify", &one, "--json"], flags].concat());
    let before = verify(&[]).ends(0).object();
    assert_eq!((&before["sound"], &before["stale"]), (&true.into(), &false.into()));
    let seq = before["basis"]["seq"].to_string();
    let new = bench.write("pnpm is used", &["--supersedes", &old]);
    bench.run(["forget", &gone, "--yes", "--reason", "nobody cares"]).ends(0);
    bench.run(["close", &wrong, "--wrong", "--reason", "it was 8"]).ends(0);
    let after = verify(&[]).ends(6).object();
    let what: Vec<&str> = after["drift"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["what"].as_str().unwrap())
        .collect();
    assert_eq!(what.len(), 3);
    for word in ["changed", "forgotten", "closed"] {
        assert!(what.contains(&word), "{word}: {what:?}");
    }
    let changed =
        after["drift"].as_array().unwrap().iter().find(|one| one["what"] == "changed").unwrap();
    assert_eq!((&changed["id"], &changed["superseded_by"]), (&Value::from(old), &Value::from(new)));
    assert_eq!(bench.get(&one, &[])["stale"], true);
    verify(&["--from-archive"]).ends(6);
    verify(&["--as-of", &format!("#{seq}")]).ends(0);
    let recorded = verify(&["--record"]).ends(6).object();
    assert_eq!(recorded["phase"], "drifted");
    assert_eq!(verify(&[]).ends(6).object()["phase"], "drifted");
    bench.run(["history", &one]).ends(0).shows(&["summary_state"]);
}

#[test]
fn a_rollback_brings_the_generation_before_back() {
    let bench = Bench::new();
    let said = message(&bench, "the deadline is May 3");
    let one = body(&bench, &summary("deadline May 3", &[&said], &[]), &[]);
    let two = body(&bench, &summary("some deadline", &[&one], &[]), &[]);
    let three = body(&bench, &summary("nothing", &[&two], &[]), &[]);
    bench.run(["close", &one, "--reason", "there is a newer one"]).ends(0);
    let back = ["summary", "rollback", &three, "--reason", "it lost the deadline", "--json"];
    bench.run([&back[..], &["--to", &said]].concat()).fails(2, &["no earlier generation"]);
    let done = bench.run([&back[..], &["--to", &one]].concat()).ends(0).object();
    assert_eq!(
        (&done["withdrawn"], &done["in_force"]),
        (&Value::from(three.clone()), &Value::from(one.clone()))
    );
    assert_eq!(bench.ids(&[]), [one.clone(), two.clone()]);
    bench.run(back).fails(6, &["closed already"]);
    let done = bench.run(["summary", "rollback", &two, "--reason", "as well"]).ends(0);
    done.shows(&["withdrawn", &one]);
    assert_eq!(bench.ids(&[]), [one]);
}
