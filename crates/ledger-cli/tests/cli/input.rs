//! Text that is hard to keep, and input that must be refused.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

use serde_json::json;

use crate::bench::Bench;

const HARD: [&str; 16] = [
    "---",
    "a | b",
    "--json",
    "-",
    " leading and trailing ",
    "line one\nline two\n",
    "\r\nx\r\n",
    "a\u{2028}b\u{2029}c",
    "\u{202e}evil\u{202c} שלום مرحبا",
    "👩‍👩‍👧‍👦🇫🇷👍🏽",
    "e\u{301} \u{e9}",
    "\u{feff}byte order mark",
    "\"quoted\" \\back\\slash\\ \t tab",
    "{\"text\":\"json\"}",
    "\u{1b}[2Jclear",
    "\u{10ffff}\u{fffd}",
];

#[test]
fn white_space_is_no_text() {
    let bench = Bench::new();
    for text in [" ", "\n\n", "\t \u{3000}\r\n"] {
        bench.run(["write", "--", text]).fails(2, &["white space"]);
        bench.run_with(["write", "-"], text.as_bytes()).fails(2, &["stdin", "white space"]);
        let line = serde_json::json!({ "text": text }).to_string();
        let said = bench.run_with(["write", "--stdin"], line.as_bytes()).ends(0);
        assert!(said.out.contains("white space"), "{said:?}");
    }
    let said = bench.run_with(["write", "--stdin"], b"plain words").ends(0);
    assert!(said.out.contains("not a JSON object"), "{said:?}");
    assert!(bench.ids(&[]).is_empty());
}

#[test]
fn text_comes_back_byte_for_byte() {
    let bench = Bench::new();
    for text in HARD {
        let by_stdin = bench.run_with(["write", "-", "--json"], text.as_bytes()).ends(0).object();
        let id = by_stdin["id"].as_str().unwrap();
        assert_eq!(bench.get(id, &[])["text"], text, "by stdin");
        assert_eq!(bench.get(id, &["--from-archive"])["text"], text, "from the archive");
        // In scopes of their own: the same words again would be a duplicate.
        if text != "-" {
            let id = bench.write(text, &["--scope", "way/argument"]);
            assert_eq!(bench.get(&id, &[])["text"], text, "by argument");
        }
        let file = bench.root().join("text");
        std::fs::write(&file, text).unwrap();
        let typed = ["write", "--json", "--scope", "way/file", "--text-file"];
        let by_file = bench.run([&typed[..], &[file.to_str().unwrap()]].concat()).ends(0).object();
        assert_eq!(bench.get(by_file["id"].as_str().unwrap(), &[])["text"], text, "by file");
    }
    let line = json!({ "text": "nul \u{0} inside" }).to_string();
    let by_line = bench.run_with(["write", "--stdin"], line.as_bytes()).ends(0).object();
    assert_eq!(bench.get(by_line["id"].as_str().unwrap(), &[])["text"], "nul \u{0} inside");
}

#[test]
fn what_people_see_cannot_act_on_the_terminal() {
    let bench = Bench::new();
    let id = bench.write("\u{1b}[2J\u{202e}evil\u{7}", &["--tag", "t", "--source", "chat:x"]);
    for args in [vec!["get", &id], vec!["list"], vec!["blame", &id], vec!["log"]] {
        let out = bench.run(args).ends(0).out;
        assert!(!out.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{out:?}");
        assert!(out.contains("evil"), "{out:?}");
    }
}

#[test]
fn long_text_is_cut_for_people_only() {
    let bench = Bench::new();
    let text = "日本語 ".repeat(200);
    let id = bench.write(&text, &[]);
    let row = bench.run(["list"]).ends(0).out;
    assert!(row.contains('…') && row.chars().count() < 200, "{row}");
    assert_eq!(bench.get(&id, &[])["text"], text);
}

#[test]
fn the_limit_is_one_mebibyte() {
    let bench = Bench::new();
    let most = "a".repeat(1_048_576);
    bench.run_with(["write", "-"], most.as_bytes()).ends(0);
    let more = format!("{most}b");
    bench.run_with(["write", "-"], more.as_bytes()).fails(2, &["1,048,577", "1,048,576"]);
    let file = bench.root().join("more");
    std::fs::write(&file, &more).unwrap();
    bench.run(["write", "--text-file", file.to_str().unwrap()]).fails(2, &["1,048,577"]);
}

#[test]
fn nothing_and_no_text_are_refused() {
    let bench = Bench::new();
    bench.run(["write", ""]).fails(2, &["empty"]);
    bench.run_with(["write", "-"], b"").fails(2, &["empty"]);
    bench.run(["write"]).fails(2, &["nothing to write", "--fact"]);
    bench.run_with(["write", "-"], b"abc\xff").fails(2, &["UTF-8", "byte 3"]);
    bench.run_with(["write", "-"], b"\xed\xa0\x80").fails(2, &["UTF-8", "byte 0"]);
    let argument = OsString::from_vec(b"ab\xc3\x28".to_vec());
    bench.run([OsString::from("write"), argument]).fails(2, &["UTF-8", "byte 2"]);
    let name = OsString::from_vec(b"\xff".to_vec());
    bench.run(["write".into(), "x".into(), "--tag".into(), name]).fails(2, &["UTF-8"]);
    bench.run(["write", "--text-file", "missing"]).fails(2, &["missing"]);
    bench.run(["write", "x", "--tag", ""]).fails(2, &["tag"]);
    bench.run(["write", "x", "--tag", "a\nb"]).fails(2, &["control character"]);
    bench.run(["write", "x", "--scope", "org"]).fails(2, &["pairs"]);
    bench.run(["write", "x", "--source", "telepathy:x"]).fails(2, &["chat user tool"]);
    bench.run(["write", "x", "--by", "ghost:x"]).fails(2, &["agent:"]);
    bench.run(["write", "x", "--confidence", "1.5"]).fails(2, &["0 to 1"]);
}

#[test]
fn facts_and_typed_bodies() {
    let bench = Bench::new();
    let fact = bench
        .run(["write", "--json", "--fact", "web", "uses", "pnpm", "--confidence", "0.25"])
        .ends(0)
        .object();
    let item = bench.get(fact["id"].as_str().unwrap(), &[]);
    assert_eq!(item["body_type"], "fact");
    assert_eq!(item["layer"], "semantic");
    assert_eq!(item["body"]["object"], "pnpm");
    assert_eq!(item["confidence"], 0.25);
    assert_eq!(bench.ids(&["--predicate", "uses"]).len(), 1);
    let file = bench.root().join("body.json");
    std::fs::write(&file, r#"{"type":"episode","task":"build","outcome":"ok"}"#).unwrap();
    let path = file.to_str().unwrap();
    let body = bench.run(["write", "--json", "--body", path]).ends(0).object();
    let item = bench.get(body["id"].as_str().unwrap(), &[]);
    assert_eq!(item["body_type"], "episode");
    assert_eq!(item["body"], json!({ "task": "build", "outcome": "ok" }));
    bench.run(["write", "--body", path, "--body-type", "skill"]).fails(2, &["episode", "skill"]);
    std::fs::write(&file, r#"{"type":"epsode"}"#).unwrap();
    bench.run(["write", "--body", path]).fails(2, &["did you mean episode"]);
    std::fs::write(&file, r#"{"type":"episode","task":"x"}"#).unwrap();
    bench.run(["write", "--body", path]).fails(2, &["outcome"]);
    std::fs::write(&file, "[]").unwrap();
    bench.run(["write", "--body", path]).fails(2, &["object"]);
    bench.run(["write", "--fact", "a", "b"]).ends(2);
    bench.run(["write", "text", "--fact", "a", "b", "c"]).ends(2);
}

#[test]
fn ids_are_whole_or_unique_prefixes() {
    let bench = Bench::new();
    let a = bench.write("first of the pair", &[]);
    let b = bench.write("second of the pair", &[]);
    assert_eq!(bench.get(&a[..26], &[])["id"], json!(a));
    assert_eq!(bench.get(&a.replace('-', "")[..28], &[])["id"], json!(a));
    assert_eq!(bench.get(&a.to_uppercase(), &[])["id"], json!(a));
    if a[..8] == b[..8] {
        bench
            .run(["get", &a[..8]])
            .fails(6, &["2 memories", &a, &b, "first of the pair", "more of the id"]);
        bench.run(["pin", &a[..8]]).fails(6, &[&b]);
    }
    bench.run(["get", "1234567"]).fails(2, &["is no memory", "m12"]);
    bench.run(["get", "hello"]).fails(2, &["is no memory", "m12"]);
    bench.run(["get", "00000000"]).fails(1, &["00000000"]);
    let unknown = "00000000-0000-7000-8000-000000000000";
    bench.run(["get", unknown]).fails(1, &[unknown]);
    bench.run(["history", unknown]).fails(1, &[unknown]);
    bench.run(["blame", unknown]).fails(1, &[unknown]);
    bench.run(["close", unknown, "--reason", "x"]).fails(1, &[unknown]);
    bench.run(["write", "--supersedes", unknown, "x"]).fails(1, &[unknown]);
}

#[test]
fn superseding_has_bounds() {
    let bench = Bench::new();
    let here = bench.write("here", &["--scope", "org/acme"]);
    bench
        .run(["write", "elsewhere", "--scope", "org/other", "--supersedes", &here])
        .fails(6, &["another scope"]);
    bench.write("made from it", &["--scope", "org/other", "--derived-from", &here]);
    let other = bench
        .run_with(
            ["write", "--stdin"],
            json!({ "text": "x", "scope": "org/other", "supersedes": [here] })
                .to_string()
                .as_bytes(),
        )
        .ends(0)
        .object();
    assert_eq!(other["error"]["code"], 6, "{other}");
    assert_eq!(bench.get(&here, &[])["status"], "open");
    let many: Vec<String> =
        (0..33).map(|n| format!("00000000-0000-7000-8000-0000000000{n:02}")).collect();
    let mut args = vec!["write", "x", "--supersedes"];
    args.extend(many.iter().map(String::as_str));
    bench.run(args).fails(2, &["33", "32"]);
}

#[test]
fn a_list_with_commas_is_told_how_lists_are_written() {
    let bench = Bench::new();
    let many = vec!["m4"; 40].join(",");
    let ran = bench.run(["write", "x", "--supersedes", &many]);
    let ran = ran.fails(2, &["spaces and not commas: m4 m4"]);
    assert!(ran.err.len() < 250, "what was typed is not repeated whole: {ran:?}");
}

#[test]
fn a_lifetime_that_is_none_is_told_what_one_looks_like() {
    let bench = Bench::new();
    bench.run(["write", "x", "--ttl", "5y"]).fails(2, &["30m, 24h, 7d"]);
    let line = br#"{"text":"x","ttl":"5y"}"#;
    bench.run_with(["write", "--stdin"], line).shows(&["30m, 24h, 7d"]);
}
