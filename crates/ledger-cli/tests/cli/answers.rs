//! Reading: pages, filters, the archive.

use serde_json::json;

use crate::bench::Bench;

#[test]
fn listings_come_in_pages() {
    let bench = Bench::new();
    let ids: Vec<String> = (0..5).map(|n| bench.write(&format!("memory {n}"), &[])).collect();
    let page = bench.run(["list", "--json", "--limit", "2"]).ends(0).objects();
    assert_eq!(page.len(), 3);
    let next = page[2]["next"].as_str().unwrap();
    let rest = bench.run(["list", "--json", "--limit", "2", "--cursor", next]).ends(0).objects();
    assert_eq!([&page[0]["id"], &page[1]["id"]], [&json!(ids[0]), &json!(ids[1])]);
    assert_eq!([&rest[0]["id"], &rest[1]["id"]], [&json!(ids[2]), &json!(ids[3])]);
    let last = rest[2]["next"].as_str().unwrap();
    let end = bench.run(["list", "--json", "--limit", "2", "--cursor", last]).ends(0).objects();
    assert_eq!(end.len(), 1, "no cursor where nothing follows");
    bench.run(["list", "--limit", "2"]).ends(0).shows(&["more: --cursor"]);
    bench.run(["list", "--cursor", "banana"]).fails(2, &["cursor"]);
    bench.run(["list", "--limit", "all"]).fails(2, &["write digits", "0 for all"]);
    bench.run(["log", "-n", "all"]).fails(2, &["write digits", "0 for all"]);
    assert_eq!(bench.ids(&["--limit", "0"]).len(), 5);
}

#[test]
fn records_come_in_pages_from_the_end() {
    let bench = Bench::new();
    for n in 0..4 {
        bench.write(&format!("memory {n}"), &[]);
    }
    let all = bench.run(["log", "--json", "--limit", "0"]).ends(0).objects();
    assert_eq!(all[0]["event"], "genesis");
    assert_eq!(all.last().unwrap()["payloads"][0]["text"], "memory 3");
    let page = bench.run(["log", "--json", "-n", "2"]).ends(0).objects();
    for (shown, stored) in page.iter().zip(&all[all.len() - 2..]) {
        assert_eq!(shown["hash"], stored["hash"]);
    }
    let next = page[2]["next"].as_str().unwrap();
    let before = bench.run(["log", "--json", "-n", "2", "--cursor", next]).ends(0).objects();
    assert_eq!(before[1]["seq"].as_u64().unwrap() + 1, page[0]["seq"].as_u64().unwrap());
    bench.run(["log"]).ends(0).shows(&["genesis", "memory 3"]);
    let short = bench.run(["log", "-n", "1"]).ends(0);
    short.shows(&["older: --cursor"]);
    let old = bench.run(["log", "--as-of", "#1"]).ends(0);
    assert!(!old.out.contains("memory"), "{old:?}");
}

#[test]
fn one_record() {
    let bench = Bench::new();
    let id = bench.write("to be shown", &["--by", "person:priya"]);
    let item = bench.get(&id, &[]);
    let seq = item["seq"].to_string();
    let record = bench.run(["show", &seq, "--json", "--raw"]).ends(0).object();
    assert_eq!(record["hash"], item["hash"]);
    assert_eq!(record["memories"], json!([id]));
    assert_eq!(record["raw"].as_str().unwrap().len() as u64, record["bytes"].as_u64().unwrap() * 2);
    bench.run(["show", "head"]).ends(0).shows(&["write", "to be shown", "person:priya", "prev"]);
    bench.run(["show", &format!("#{seq}"), "--raw"]).ends(0).shows(&["raw"]);
    bench.run(["show", "999"]).fails(1, &["no such record"]);
    bench.run(["show", &seq, "--as-of", "#1"]).fails(1, &["no such record"]);
    bench.run(["show", "999"]).fails(1, &["999", "the last one", "memledger log"]);
    bench.run(["show", "banana"]).fails(2, &["sequence number"]);
    bench.run(["show", "m4"]).fails(2, &["write 4 for the record"]);
}

#[test]
fn filters_narrow() {
    let bench = Bench::new();
    let a = bench.write("likes tea", &["--subject", "u1", "--tag", "drink", "--domain", "food"]);
    let b =
        bench.write("likes coffee", &["--subject", "u2", "--tag", "drink", "--layer", "semantic"]);
    let c = bench.write("today: tea", &["--key", "drink", "--layer", "day", "--source", "chat:x"]);
    let only = |flags: &[&str], wanted: &[&str]| assert_eq!(bench.ids(flags), wanted, "{flags:?}");
    only(&["--subject", "u1"], &[&a]);
    only(&["--tag", "drink"], &[&a, &b]);
    only(&["--domain", "food"], &[&a]);
    only(&["--layer", "semantic"], &[&b]);
    only(&["--key", "drink"], &[&c]);
    only(&["--source-kind", "chat"], &[&c]);
    only(&["--grep", "tea"], &[&a, &c]);
    only(&["--tag", "drink", "--grep", "coffee"], &[&b]);
    only(&["--tag", "none"], &[]);
    bench.run(["list", "--tag", "none"]).fails(1, &["no memory"]);
}

#[test]
fn a_listing_for_people_is_aligned() {
    let bench = Bench::new();
    bench.write("short", &["--source", "chat:x"]);
    bench.write("a longer text 日本", &["--layer", "semantic"]);
    let text = bench.run(["list"]).ends(0).out;
    let columns: Vec<usize> = text.lines().map(|line| line.find("open").unwrap()).collect();
    assert_eq!(columns[0], columns[1], "{text}");
    let prefix = text.split_whitespace().next().unwrap();
    bench.run(["get", prefix]).ends(0).shows(&["short", "chat:x", "evidence", "hash"]);
}

#[test]
fn status_in_both_forms() {
    let bench = Bench::new();
    bench.write("x", &[]);
    bench.run(["status"]).ends(0).shows(&[
        "records",
        "head",
        "root",
        "anchored",
        "views",
        "master key",
    ]);
    let status = bench.run(["status", "--json"]).ends(0).object();
    assert_eq!(status["size"].as_u64().unwrap(), status["seq"].as_u64().unwrap() + 1);
    assert_eq!(status["memories"], 1);
    assert_eq!(status["anchored"], status["seq"], "closing leaves a clean anchor");
    let archive = bench.run(["status", "--from-archive", "--json"]).ends(0).object();
    assert_eq!(archive["head"], status["head"]);
    assert_eq!(archive["writable"], false);
}

#[test]
fn both_ways_to_the_past_agree() {
    let bench = Bench::new();
    let id = bench.write("x", &["--valid-from", "2026-01-01", "--tag", "t"]);
    bench.run(["close", &id, "--reason", "y", "--at", "2026-02-01"]).ends(0);
    for flags in [vec!["--valid-at", "2026-01-15"], vec!["--as-of", "#5", "--include-history"]] {
        let mut archive = flags.clone();
        archive.push("--from-archive");
        let strip = |flags: &[&str]| {
            let mut args = vec!["list", "--json"];
            args.extend(flags);
            let mut items = bench.run(args).objects();
            items.iter_mut().for_each(|item| drop(item["basis"].take()));
            items
        };
        assert_eq!(strip(&flags), strip(&archive), "{flags:?}");
    }
}

#[test]
fn before_the_first_record_the_ledger_knew_nothing_and_says_so() {
    let bench = Bench::new();
    bench.write("true for long", &["--valid-from", "2001-01-01"]);
    let asked = bench.run(["list", "--as-of", "2001-03-03"]);
    let said = asked.fails(1, &["nothing was recorded by then", "--valid-at"]);
    assert!(!said.err.contains("--include-history"), "{said:?}");
    bench.run(["list", "--valid-at", "2001-03-03"]).ends(0).shows(&["true for long"]);
}
