//! Every string that a foreign rule takes for a secret is refused end to end, alone and in a sentence, and
//! leaves no word behind.

#[path = "../../../crates/ledger-signals/tests/signals/chance.rs"]
mod chance;
#[path = "../../../crates/ledger-signals/tests/signals/foreign.rs"]
mod foreign;

use ledger_format::Verdict;

use self::chance::{Chance, speak};
use self::foreign::Applied;
use super::gate_data::{ledger, proposal, propose};
use super::real_data::real;

/// Strings that each rule has to accept before it counts as tried.
const EACH: usize = 6;
const TRIES: usize = 60_000;

#[test]
fn every_secret_of_a_foreign_rule_is_refused_end_to_end() {
    let Some(path) = real("secrets/gitleaks.toml") else { return };
    let rules = foreign::read(&path);
    let mut texts = Vec::new();
    for (seed, rule) in
        rules.rules.iter().enumerate().filter(|(_, rule)| !rule.expression.is_empty())
    {
        let before = texts.len();
        accepted(rule, &rules.global, seed as u64, &mut texts);
        assert!(texts.len() > before, "{} accepted nothing", rule.id);
    }
    let (dir, ledger) = ledger();
    let proposals = texts.iter().map(|text| proposal(text, "agent:helper", "tool:shell#1"));
    let outcomes = propose(&ledger, proposals);
    let through: Vec<&String> = texts
        .iter()
        .zip(&outcomes)
        .filter(|(_, done)| done.verdict != Verdict::Refused)
        .map(|(text, _)| text)
        .collect();
    assert!(through.is_empty(), "{} of {} came through: {through:?}", through.len(), texts.len());
    println!("{} rules, {} strings, all refused", rules.rules.len(), texts.len());
    ledger.close().unwrap();
    // A refusal keeps no word: the longest ones would be found in the raw files.
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    for file in replay_tests::place::files(&dir.path().join("ledger")) {
        let bytes = std::fs::read(&file).unwrap();
        for text in texts.iter().take(20) {
            assert!(!foreign::contains(&bytes, text.as_bytes()), "{}", file.display());
        }
    }
}

fn accepted(rule: &foreign::Rule, global: &foreign::Allowed, seed: u64, texts: &mut Vec<String>) {
    let applied = Applied::new(rule, global);
    let mut parser = regex_syntax::ParserBuilder::new().utf8(false).unicode(false).build();
    let hir = parser.parse(&foreign::translate(&rule.expression)).unwrap();
    // Other strings than those that the rules were written against.
    let mut chance = Chance::new(seed + 1_000_003);
    let mut found = 0;
    for number in 0..TRIES {
        let mut bytes = Vec::new();
        speak(&hir, &mut chance, &mut bytes);
        let mut text = String::from_utf8(bytes).unwrap();
        let lower = text.to_lowercase();
        if !rule.keywords.iter().any(|word| lower.contains(word)) {
            text = format!("{} {text}", rule.keywords[number % rule.keywords.len()]);
        }
        for text in [format!("We noted this: {text}"), text] {
            if applied.accepts(text.as_bytes()) {
                texts.push(text);
                found += 1;
            }
        }
        if found >= EACH {
            break;
        }
    }
}
