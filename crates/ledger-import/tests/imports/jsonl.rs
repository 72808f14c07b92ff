//! Whole ledgers as text, out and in again.

use std::io::BufReader;
use std::path::Path;

use ledger_import::ImportReport;
use ledger_import::jsonl::{export, import};
use memledger::format::Seq;
use memledger::transfer::RawRecord;
use memledger::verify::VerifyLevel;
use memledger::{Command, Content, ErrorKind, Ledger, Proposal, Submission, Terms};

use super::bench::{Bench, isolated, options, scope};

fn filled(texts: usize) -> Bench {
    let bench = Bench::new();
    for text in 0..texts {
        let mut proposal = Proposal::new(Content::Text(format!("text {text} é\u{2028}")), scope());
        proposal.subjects = vec!["Jo".to_owned()];
        let terms = Terms { idempotency_key: Some(format!("key {text}")), ..Terms::default() };
        bench.ledger.submit(Submission::of(Command::Write(Box::new(proposal)), terms)).unwrap();
    }
    bench
}

fn exported(bench: &Bench, sealed: bool) -> String {
    let mut out = Vec::new();
    let written = export(&bench.ledger, &mut out, sealed, &mut |_| {}).unwrap();
    assert_eq!(written.records, bench.records());
    String::from_utf8(out).unwrap()
}

fn bring(dir: &Path, text: &str) -> memledger::Result<ImportReport> {
    import(dir, options(), &mut BufReader::new(text.as_bytes()), "out.jsonl", &mut |_| {})
}

fn all(ledger: &Ledger) -> Vec<RawRecord> {
    ledger.records(Seq(0), true).map(Result::unwrap).collect()
}

#[test]
fn a_ledger_comes_back_byte_for_byte() {
    if !isolated("imports::jsonl::a_ledger_comes_back_byte_for_byte") {
        return;
    }
    let bench = filled(20);
    let (text, copy) = (exported(&bench, false), bench.path("copy"));
    let report = bring(&copy, &text).unwrap();
    assert_eq!((report.appended, report.present), (bench.records(), 0));
    let ledger = Ledger::open(&copy, options()).unwrap();
    assert_eq!(all(&ledger), all(&bench.ledger));
    let verified = ledger.verify(VerifyLevel::Views, &|_, _, _| {}).unwrap();
    assert!(verified.checks.iter().all(|check| check.findings.is_empty()), "{verified:?}");
    assert_eq!(
        ledger.known_idempotency("key 3").unwrap(),
        bench.ledger.known_idempotency("key 3").unwrap()
    );
    ledger.close().unwrap();
    let again = bring(&copy, &text).unwrap();
    assert_eq!((again.appended, again.present), (0, bench.records()));
}

#[test]
fn what_was_changed_on_the_way_is_refused_with_its_place() {
    if !isolated("imports::jsonl::what_was_changed_on_the_way_is_refused_with_its_place") {
        return;
    }
    let bench = filled(4);
    let text = exported(&bench, false);
    let lines: Vec<&str> = text.lines().collect();
    let says = |name: &str, changed: String, part: &str| {
        let error = bring(&bench.path(name), &changed).unwrap_err();
        assert!(error.to_string().contains(part), "{name}: {error}");
        error.kind()
    };
    let at = lines[6].find("\"record\":\"").unwrap() + 40;
    let mut flipped = text.clone().into_bytes();
    let offset = lines[..6].iter().map(|line| line.len() + 1).sum::<usize>() + at;
    flipped[offset] = if flipped[offset] == b'0' { b'1' } else { b'0' };
    let kind = says("flipped", String::from_utf8(flipped).unwrap(), "record 5 hashes to");
    assert_eq!(kind, ErrorKind::Damaged);
    says("cut", lines[..lines.len() - 2].join("\n"), "2 records early");
    says(
        "half",
        text[..text.len() - 40].to_owned(),
        &format!("out.jsonl:{}: no JSON", lines.len()),
    );
    let mut swapped = lines.clone();
    swapped.swap(3, 4);
    says("swapped", swapped.join("\n"), "out.jsonl:4: record 3 where record 2 belongs");
    says(
        "longer",
        format!("{text}{}", lines[lines.len() - 1]),
        "more records than the header says",
    );
    says("headless", lines[1..].join("\n"), "out.jsonl:1: no header");
    says("empty", String::new(), "is empty");
    says("sealed", exported(&bench, true), "sealed export");
}

/// A key of another payload, a content that was taken out, a payload under another number: a ledger
/// made of them would show it only to whoever asks for that text.
#[test]
fn content_that_was_changed_on_the_way_is_refused() {
    if !isolated("imports::jsonl::content_that_was_changed_on_the_way_is_refused") {
        return;
    }
    let bench = filled(4);
    let text = exported(&bench, false);
    let last = text.lines().last().unwrap().to_owned();
    let record: serde_json::Value = serde_json::from_str(&last).unwrap();
    let says = |name: &str, change: &dyn Fn(&mut serde_json::Value), part: &str| {
        let mut changed = record.clone();
        change(&mut changed["payloads"][0]);
        let error = bring(&bench.path(name), &text.replace(&last, &changed.to_string()));
        let error = error.unwrap_err().to_string();
        assert!(error.contains(part), "{name}: {error}");
    };
    says("key", &|payload| payload["key"] = "11".repeat(32).into(), "or its key was changed");
    says("number", &|payload| payload["id"] = 1.into(), "where payload 1 is given");
    let taken_out = |payload: &mut serde_json::Value| {
        let length = payload["stored"].as_str().unwrap().len();
        payload["stored"] = "0".repeat(length).into();
        payload.as_object_mut().unwrap().remove("key");
    };
    says("taken out", &taken_out, "no erasure covers it");
}

#[test]
fn another_ledger_and_another_history_are_refused() {
    if !isolated("imports::jsonl::another_ledger_and_another_history_are_refused") {
        return;
    }
    let (bench, other) = (filled(3), filled(3));
    let copy = bench.path("copy");
    bring(&copy, &exported(&bench, false)).unwrap();
    assert!(bring(&copy, &exported(&other, false)).is_err(), "another ledger");
    let fork = Ledger::open(&copy, options()).unwrap();
    let write = || {
        let proposal = Proposal::new(Content::Text("later".to_owned()), scope());
        Submission::of(Command::Write(Box::new(proposal)), Terms::default())
    };
    let parted = bench.records();
    fork.submit(write()).unwrap();
    bench.ledger.submit(write()).unwrap();
    fork.close().unwrap();
    let error = bring(&copy, &exported(&bench, false)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict);
    assert!(error.to_string().contains(&format!("record {parted} ")), "{error}");
}

#[test]
fn a_sealed_export_holds_no_keys() {
    if !isolated("imports::jsonl::a_sealed_export_holds_no_keys") {
        return;
    }
    let bench = filled(2);
    assert!(exported(&bench, false).contains("\"key\":"));
    assert!(!exported(&bench, true).contains("\"key\":"));
}
