//! `write --stdin`: one answer for each line, in order.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::bench::Bench;

fn lines(bench: &Bench, lines: &[&str]) -> Vec<Value> {
    let text = lines.join("\n");
    bench.run_with(["write", "--stdin"], text.as_bytes()).ends(0).objects()
}

#[test]
fn every_field_is_taken() {
    let bench = Bench::new();
    let first = bench.write("first", &["--scope", "org/acme"]);
    let line = json!({
        "text": "all of it", "layer": "semantic", "source": "file:a.md#L3", "by": "agent:coder",
        "scope": "org/acme", "supersedes": [first], "valid_from": "2026-01-01T00:00:00+01:00",
        "valid_until": "2099-01-01T00:00:00Z", "observed_at": "2026-01-02T00:00:00Z", "ttl": "2098-01-01T00:00:00Z",
        "review_by": "30d", "subjects": ["u1"], "tags": ["a", "b"], "domain": "build", "key": "tool",
        "derived_from": [first], "confidence": 0.5, "idempotency_key": "k1", "body": null,
    });
    let [done] = &lines(&bench, &[&line.to_string()])[..] else { panic!("one line") };
    assert_eq!(done["line"], 1, "{done}");
    assert_eq!(done["scope"], "org/acme");
    assert_eq!(done["superseded"], json!([first]));
    let item = bench.get(done["id"].as_str().unwrap(), &[]);
    for (name, value) in [
        ("text", json!("all of it")),
        ("layer", json!("semantic")),
        ("source", json!("file:a.md#L3")),
        ("by", json!("agent:coder")),
        ("valid_from", json!("2025-12-31T23:00:00Z")),
        ("valid_until", json!("2099-01-01T00:00:00Z")),
        ("observed_at", json!("2026-01-02T00:00:00Z")),
        ("ttl", json!("2098-01-01T00:00:00Z")),
        ("subjects", json!(["u1"])),
        ("domain", json!("build")),
        ("key", json!("tool")),
        ("derived_from", json!([first])),
        ("confidence", json!(0.5)),
    ] {
        assert_eq!(item[name], value, "{name}");
    }
}

/// A line, the field at fault and a part of the reason.
const REFUSED: &[(&str, &str, &str)] = &[
    (r#"{"text":"\ud800"}"#, "text", "surrogate"),
    (r#"{"text":"\udc00\ud800"}"#, "text", "surrogate"),
    (r#"{"txt":"a"}"#, "txt", "did you mean text"),
    (r#"{"text":5}"#, "text", "a number"),
    (r#"{"text":"a","tags":"b"}"#, "tags", "array"),
    (r#"{"text":"a","tags":[1]}"#, "tags", "a number"),
    (r#"{"text":"a","layer":"semantik"}"#, "layer", "did you mean semantic"),
    (r#"{"text":"a","valid_from":"2026-03-03T10:00:00"}"#, "valid_from", "offset"),
    (r#"{"text":"a","valid_from":"2026-03-03"}"#, "valid_from", "whole day"),
    (r#"{"text":"a","valid_from":1772000000}"#, "valid_from", "a number"),
    (r#"{"text":"a","observed_at":"2016-12-31T23:59:60Z"}"#, "observed_at", "leap"),
    (r#"{"text":"a","ttl":"7 days"}"#, "ttl", "7d"),
    (r#"{"text":"a","confidence":2}"#, "confidence", "0 to 1"),
    (r#"{"text":"a","confidence":"high"}"#, "confidence", "a string"),
    (r#"{"text":"a","supersedes":["0000"]}"#, "supersedes", "whole memory id"),
    (r#"{"text":"a","scope":"org"}"#, "scope", "pairs"),
    (r#"{"text":"a","source":"x"}"#, "source", "kind:uri"),
    (r#"{"fact":["a","b"]}"#, "fact", "subject"),
    (r#"{"fact":{"subject":"a","predicate":"b","value":"c"}}"#, "fact", "object"),
    (r#"{"text":"a","fact":["a","b","c"]}"#, "fact", "one of"),
    (r#"{"body":{"type":"episode","a":1,"a":2}}"#, "body", "twice"),
];

#[test]
fn a_line_that_is_refused_is_answered_in_its_place() {
    let bench = Bench::new();
    let between = |at: usize| format!(r#"{{"text":"between, number {at}"}}"#);
    let pairs = REFUSED.iter().enumerate();
    let all: Vec<String> =
        pairs.flat_map(|(at, (line, _, _))| [(*line).to_owned(), between(at)]).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let answers = lines(&bench, &all);
    assert_eq!(answers.len(), all.len());
    for (pair, (line, field, reason)) in answers.chunks(2).zip(REFUSED) {
        let error = &pair[0]["error"];
        assert_eq!(error["field"], *field, "{line}: {}", pair[0]);
        assert!(error["message"].as_str().unwrap().contains(reason), "{line}: {error}");
        assert_eq!(error["kind"], "invalid", "{line}");
        assert_eq!(pair[1]["verdict"], "committed", "what follows {line}");
    }
    let numbers: Vec<u64> = answers.iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=all.len() as u64).collect::<Vec<_>>());
}

#[test]
fn lines_that_are_no_object_are_refused() {
    let bench = Bench::new();
    let answers = lines(
        &bench,
        &[
            "[]",
            "1",
            "null",
            "\"text\"",
            "{",
            r#"{"text":"a"}{"text":"b"}"#,
            "{}",
            r#"{"text":"a","text":"b"}"#,
            r#"{"text":""}"#,
            r#"{"text":null}"#,
            " ",
        ],
    );
    assert_eq!(answers.len(), 11);
    assert!(answers.iter().all(|answer| answer["error"]["code"] == 2), "{answers:#?}");
    let ran =
        bench.run_with(["write", "--stdin"], b"{\"text\":\"a\xff\"}\n{\"text\":\"b\"}\n").ends(0);
    let answers = ran.objects();
    assert!(answers[0]["error"]["message"].as_str().unwrap().contains("byte 10"), "{answers:?}");
    assert_eq!(answers[1]["verdict"], "committed");
}

#[test]
fn names_are_one_line_of_text() {
    let bench = Bench::new();
    let answers = lines(
        &bench,
        &[
            r#"{"text":"a","subjects":["u\u0000"]}"#,
            r#"{"text":"a","tags":[""]}"#,
            r#"{"text":"a","key":"a\nb"}"#,
            r#"{"text":"a","by":"agent:\u0007"}"#,
            r#"{"text":"a","scope":"org/a\u0000b"}"#,
        ],
    );
    assert!(answers.iter().all(|answer| answer["error"]["code"] == 2), "{answers:#?}");
    assert!(answers[0]["error"]["message"].as_str().unwrap().contains("U+0000"), "{answers:?}");
}

#[test]
fn only_a_line_feed_ends_a_line() {
    let bench = Bench::new();
    let text = "a\u{2028}b\u{2029}c\u{85}d";
    let answers = lines(&bench, &[&format!("{{\"text\":\"{text}\"}}\r"), "", r#"{"text":"next"}"#]);
    assert_eq!(answers.len(), 2, "an empty line says nothing");
    assert_eq!(bench.get(answers[0]["id"].as_str().unwrap(), &[])["text"], text);
    assert_eq!(answers[1]["line"], 3);
}

#[test]
fn too_much_is_refused_and_the_rest_goes_on() {
    let bench = Bench::new();
    let long = json!({ "text": "a".repeat(1_048_577) }).to_string();
    let longest = json!({ "text": "a".repeat(9_000_000) }).to_string();
    let answers = lines(&bench, &[&long, &longest, r#"{"text":"small"}"#]);
    assert!(answers[0]["error"]["message"].as_str().unwrap().contains("1048577"), "{}", answers[0]);
    assert!(answers[1]["error"]["message"].as_str().unwrap().contains("longer"), "{}", answers[1]);
    assert_eq!(answers[2]["verdict"], "committed");
}

#[test]
fn a_repeated_key_gives_the_first_result_and_another_body_is_a_conflict() {
    let bench = Bench::new();
    let answers = lines(
        &bench,
        &[
            r#"{"text":"a","idempotency_key":"k"}"#,
            r#"{"text":"a","idempotency_key":"k"}"#,
            r#"{"text":"b","idempotency_key":"k"}"#,
        ],
    );
    assert_eq!(answers[0]["id"], answers[1]["id"]);
    assert_eq!(answers[1]["repeated"], true);
    assert_eq!(answers[2]["error"]["code"], 6, "{}", answers[2]);
    bench.run(["write", "a", "--idempotency-key", "k"]).ends(0).shows(&["again"]);
    bench.run(["write", "b", "--idempotency-key", "k"]).fails(6, &["idempotency key"]);
    assert_eq!(bench.ids(&[]).len(), 1);
}

#[test]
fn a_caller_who_waits_gets_each_answer_at_once() {
    let bench = Bench::new();
    let mut child = bench
        .command()
        .args(["write", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for number in 1..=3 {
        writeln!(input, "{{\"text\":\"line {number}\"}}").unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["line"], number);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
    assert_eq!(bench.ids(&[]).len(), 3);
}

#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let bench = Bench::new();
    let mut child = bench
        .command()
        .args(["write", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    writeln!(input, "{{\"text\":\"first\"}}").unwrap();
    output.read_line(&mut String::new()).unwrap();
    drop(output);
    for number in 0..2_000 {
        if writeln!(input, "{{\"text\":\"more {number}\"}}").is_err() {
            break;
        }
    }
    drop(input);
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(0));
    assert_eq!(String::from_utf8(ended.stderr).unwrap(), "");
    assert!(!bench.ids(&["--limit", "0"]).is_empty());
}

#[test]
fn many_lines_keep_their_order() {
    let bench = Bench::new();
    let all: Vec<String> =
        (0..2_000).map(|number| json!({ "text": format!("{number}") }).to_string()).collect();
    let answers = lines(&bench, &all.iter().map(String::as_str).collect::<Vec<_>>());
    let seqs: Vec<u64> = answers.iter().map(|answer| answer["seq"].as_u64().unwrap()).collect();
    assert!(seqs.is_sorted() && seqs.len() == 2_000);
    let texts: Vec<Value> = bench
        .run(["list", "--json", "--limit", "0"])
        .objects()
        .into_iter()
        .map(|mut item| item["text"].take())
        .collect();
    assert_eq!(texts, (0..2_000).map(|number| json!(number.to_string())).collect::<Vec<_>>());
}

#[test]
fn flags_of_one_memory_do_not_go_with_many() {
    let bench = Bench::new();
    for flags in [
        vec!["--layer", "project"],
        vec!["--tag", "x"],
        vec!["--by", "agent:x"],
        vec!["--supersedes", "00000000"],
        vec!["text"],
    ] {
        let mut args = vec!["write", "--stdin"];
        args.extend(flags);
        bench.run(args).fails(2, &["--stdin"]);
    }
    let scoped =
        bench.run_with(["write", "--stdin", "--scope", "org/acme"], b"{\"text\":\"a\"}").ends(0);
    assert_eq!(scoped.object()["scope_step"], "flag");
}
