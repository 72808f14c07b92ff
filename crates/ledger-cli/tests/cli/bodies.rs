//! Typed bodies: what is accepted comes back as it went in, and what is not is refused with what is.

use serde_json::{Value, json};

use crate::bench::Bench;

/// Writes a body and gives its id.
#[track_caller]
pub(crate) fn body(bench: &Bench, value: &Value, flags: &[&str]) -> String {
    let file = bench.root().join("body.json");
    std::fs::write(&file, value.to_string()).unwrap();
    let mut args = vec!["write", "--json", "--body", file.to_str().unwrap()];
    args.extend(flags);
    let written = bench.run(args).ends(0).object();
    assert_eq!(written["verdict"], "committed", "{written}");
    written["id"].as_str().unwrap().to_owned()
}

/// Tries a body and gives how that ends.
pub(crate) fn refused(bench: &Bench, value: &Value, code: i32, says: &[&str]) {
    let file = bench.root().join("body.json");
    std::fs::write(&file, value.to_string()).unwrap();
    bench.run(["write", "--body", file.to_str().unwrap()]).fails(code, says);
}

const ID: &str = "01900000-0000-7000-8000-000000000000";

#[test]
fn every_type_comes_back_as_it_went_in() {
    let bench = Bench::new();
    let said = bench.write("Never deploy on Friday", &[]);
    let bodies = [
        json!({"type": "note", "text": "a", "data": {"z": [1, 2.5, null], "a": "\u{2028}é"}}),
        json!({"type": "message", "role": "user", "text": " two  spaces\r\n", "conversation": "c1", "turn": 4}),
        json!({"type": "episode", "task": "deploy", "outcome": "partial", "skill": {"name": "deploy", "version": 7},
            "tools": [{"name": "npm", "arguments": {"b": 1, "a": 2}, "status": "failed"}], "errors": ["E1"], "resolution": "again", "tags": ["ci"]}),
        json!({"type": "skill", "name": "deploy", "version": 1, "steps": [{"do": "build", "tool": "npm"}, {"do": "push"}],
            "trigger": "a release", "preconditions": ["green"], "inputs": ["tag"], "success": ["it runs"], "failure": ["roll back"],
            "in_scope": ["web"], "out_of_scope": ["db"]}),
        json!({"type": "instruction", "text": "ask first", "message": said, "task": "t1"}),
        json!({"type": "decision", "text": "use pnpm", "why": "faster", "approved_by": "lead"}),
        json!({"type": "summary", "text": "quiet week", "covers": [said], "made_by": {"model": "m", "version": "2"}}),
        json!({"type": "failure", "tried": "npm ci", "happened": "it hung", "evidence": "log 7", "contradicts": [said]}),
    ];
    for sent in bodies {
        let id = body(&bench, &sent, &["--source", "chat:1", "--by", "user:ann"]);
        let item = bench.get(&id, &[]);
        let mut expected = sent.clone();
        assert_eq!(
            item["body_type"],
            expected.as_object_mut().unwrap().shift_remove("type").unwrap()
        );
        assert_eq!(item["body"], expected);
        assert_eq!(
            item["body"].to_string(),
            expected.to_string(),
            "field by field, in their order"
        );
        assert_eq!(bench.get(&id, &["--from-archive"])["body"], expected);
    }
    let clause =
        json!({"type": "canonical", "document": "d", "version": "3", "clause": "*", "text": "x"});
    body(&bench, &clause, &["--source", "chat:1", "--by", "user:ann"]);
}

#[test]
fn what_a_type_does_not_have_is_refused_with_what_it_has() {
    let bench = Bench::new();
    let long = vec!["x"; 2_000];
    let mut deep = json!(1);
    for _ in 0..40 {
        deep = json!([deep]);
    }
    let cases = [
        (
            json!({"type": "note", "text": "a", "colour": 1}),
            "no field \"colour\"; accepted: text data?",
        ),
        (json!({"type": "note"}), "needs the field \"text\""),
        (json!({"type": "note", "text": " "}), "is empty"),
        (json!({"type": "note", "text": "a", "data": deep}), "nested more than 32 deep"),
        (
            json!({"type": "message", "role": "boss", "text": "a"}),
            "message.role is user or assistant",
        ),
        (
            json!({"type": "message", "role": "user", "text": "a", "turn": 0}),
            "a number from 1 on; found 0",
        ),
        (json!({"type": "message", "role": "user", "text": "a", "turn": 1.5}), "found 1.5"),
        (
            json!({"type": "episode", "task": "a", "outcome": "fine"}),
            "ok or failed or partial; found \"fine\"",
        ),
        (
            json!({"type": "episode", "task": "a", "outcome": "ok", "tools": [{"nam": "x"}]}),
            "episode.tools[0] has no field \"nam\"",
        ),
        (
            json!({"type": "episode", "task": "a", "outcome": "ok", "skill": "deploy"}),
            "episode.skill is a JSON object",
        ),
        (
            json!({"type": "episode", "task": "a", "outcome": "ok", "errors": long}),
            "2000 items, the limit is 1024",
        ),
        (
            json!({"type": "episode", "task": "a", "outcome": "ok", "errors": null}),
            "a list of texts; found null",
        ),
        (json!({"type": "skill", "name": "a", "version": 1, "steps": []}), "without steps"),
        (
            json!({"type": "skill", "name": "a\nb", "version": 1, "steps": [{"do": "x"}]}),
            "control character",
        ),
        (
            json!({"type": "skill", "name": "a", "steps": [{"do": "x"}]}),
            "needs the field \"version\"",
        ),
        (json!({"type": "summary", "text": "a", "covers": []}), "covers nothing"),
        (json!({"type": "summary", "text": "a", "covers": ["m1"]}), "an id; found \"m1\""),
        (json!({"type": "summary", "text": "a", "covers": [ID, ID]}), "names a memory twice"),
        (json!({"type": "summary", "text": "a", "covers": [ID]}), "no memory"),
        (json!({"type": "failure", "tried": "a"}), "needs the field \"happened\""),
        (json!({"type": "state", "text": "a"}), "no JSON object"),
    ];
    let before = bench.run(["status", "--json"]).ends(0).object()["memories"].clone();
    for (value, says) in &cases {
        let code = if *says == "no memory" { 1 } else { 2 };
        refused(&bench, value, code, &[says]);
    }
    for typed in ["episode", "skill", "failure"] {
        bench.run(["write", "words", "--body-type", typed]).fails(2, &["given as a JSON object"]);
    }
    assert_eq!(bench.run(["status", "--json"]).ends(0).object()["memories"], before);
}

#[test]
fn the_help_lists_every_field() {
    let bench = Bench::empty();
    bench.run(["write", "--help"]).ends(0).shows(&["memledger help bodies"]);
    let help = bench.run(["help", "bodies"]).ends(0);
    for field in [
        "covers",
        "contradicts?",
        "out_of_scope?",
        "tool_call?",
        "list of {name arguments? status?}",
    ] {
        assert!(help.out.contains(field), "{field}: {}", help.out);
    }
}

#[test]
fn a_message_is_archived_and_makes_no_claim() {
    let bench = Bench::new();
    let said =
        body(&bench, &json!({"type": "message", "role": "user", "text": "the code is 7"}), &[]);
    let note = bench.write("the code is 7, they say", &[]);
    for way in [&[][..], &["--from-archive"], &["--valid-at", "2100-01-01"]] {
        assert_eq!(bench.ids(way), std::slice::from_ref(&note), "{way:?}");
        let shown = |flags: &[&str]| bench.ids(&[flags, way].concat());
        assert_eq!(shown(&["--body-type", "message"]), std::slice::from_ref(&said));
        assert_eq!(shown(&["--include-history"]), [said.clone(), note.clone()]);
    }
    assert_eq!(bench.get(&said, &[])["text"], "the code is 7");
    let found = bench.run(["summary", "grep", "code is", "--json"]).ends(0).objects();
    assert_eq!((found.len(), &found[0]["id"]), (1, &Value::from(said)));
    bench.run(["summary", "grep", "Code is"]).fails(1, &["upper and lower case"]);
}

#[test]
fn a_failure_stands_beside_what_it_contradicts() {
    let bench = Bench::new();
    let success = bench.write("npm ci works on the build machine", &[]);
    let other = bench.write("the build machine has 8 cores", &[]);
    let tried = json!({"type": "failure", "tried": "npm ci", "happened": "it hung", "contradicts": [success]});
    let failure = body(&bench, &tried, &[]);
    for way in [&[][..], &["--from-archive"]] {
        let item = |id: &str| bench.get(id, way);
        assert_eq!(item(&success)["contradicted_by"], json!([failure]));
        assert_eq!(item(&failure)["contradicts"], json!([success]));
        assert_eq!(item(&other)["contradicted_by"], json!([]));
        assert!(
            item(&success)["hint"].as_str().unwrap().contains("no source"),
            "the graver hint first"
        );
    }
    bench.run(["list"]).ends(0).shows(&["failed in", "contradicts"]);
    // Before it failed, nothing stood beside it; and what is withdrawn stands beside nothing.
    let seq = bench.get(&failure, &[])["seq"].as_u64().unwrap() - 1;
    let then = format!("#{seq}");
    assert_eq!(bench.get(&success, &["--as-of", &then])["contradicted_by"], json!([]));
    bench.run(["close", &failure, "--reason", "the cable was out", "--wrong"]).ends(0);
    assert_eq!(bench.get(&success, &[])["contradicted_by"], json!([]));
}
