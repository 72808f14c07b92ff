//! Credentials: what foreign rules accept is found, and ordinary text is left alone.

use ledger_signals::secrets;

use crate::chance::{Chance, speak};
use crate::data;
use crate::foreign::{self, Applied};

/// Strings that each rule has to accept before it counts as tried.
const EACH: usize = 60;
/// Tries for them: some expressions seldom make a string with enough entropy and no excuse.
const TRIES: usize = 60_000;

#[test]
fn every_string_that_a_foreign_rule_accepts_is_found() {
    let Some(path) = data::real("secrets/gitleaks.toml") else { return };
    let rules = foreign::read(&path);
    assert!(rules.rules.len() >= 200, "{} rules", rules.rules.len());
    let mut missed = Vec::new();
    for (seed, rule) in rules.rules.iter().enumerate() {
        if rule.expression.is_empty() {
            println!("{:40} has no expression: it looks at names of files", rule.id);
            continue;
        }
        let (tried, lost) = try_rule(rule, &rules.global, seed as u64);
        println!("{:40} {tried:3} accepted, {} missed", rule.id, lost.len());
        assert!(tried >= EACH, "{}: only {tried} strings were accepted", rule.id);
        missed.extend(lost.into_iter().map(|text| (rule.id.clone(), text)));
    }
    for (id, text) in missed.iter().take(40) {
        println!("missed by {id}: {text:?}");
    }
    assert!(missed.is_empty(), "{} strings were missed", missed.len());
}

/// The words of an excuse, as the source has them.
fn words(name: &str) -> Vec<&'static str> {
    let source = include_str!("../../src/secrets/excuses.rs");
    let list = source.split_once(&format!("const {name}: &str = \"")).unwrap().1;
    let list = list.split_once('"').unwrap().0;
    list.split_whitespace().filter(|word| *word != "\\").collect()
}

#[test]
fn what_excuses_here_excuses_there() {
    let Some(path) = data::real("secrets/gitleaks.toml") else { return };
    let rules = foreign::read(&path);
    let generic = rules.rules.iter().find(|rule| rule.id == "generic-api-key").unwrap();
    let stopwords: Vec<&String> = generic.allowed.iter().flat_map(|list| &list.stopwords).collect();
    let names: Vec<&String> = generic
        .allowed
        .iter()
        .filter(|list| list.target == "match")
        .flat_map(|list| &list.regexes)
        .collect();
    assert!(stopwords.len() > 1_000 && words("PROGRAM").len() > 100 && words("PUBLIC").len() > 30);
    for word in words("PROGRAM") {
        assert!(
            stopwords.iter().any(|other| word.contains(other.as_str())),
            "{word} excuses a value only here"
        );
    }
    for word in words("PUBLIC") {
        let name = format!("{word}_x = ");
        assert!(
            names.iter().any(|regex| foreign::compile(regex).is_match(name.as_bytes())),
            "{word} excuses a name only here"
        );
    }
}

/// How many strings the rule accepted, and those of them that were not found.
fn try_rule(rule: &foreign::Rule, global: &foreign::Allowed, seed: u64) -> (usize, Vec<String>) {
    let applied = Applied::new(rule, global);
    let hir = regex_syntax::ParserBuilder::new()
        .utf8(false)
        .unicode(false)
        .build()
        .parse(&foreign::translate(&rule.expression))
        .unwrap();
    let mut chance = Chance::new(seed + 1);
    let (mut tried, mut lost) = (0, Vec::new());
    for number in 0..TRIES {
        let mut bytes = Vec::new();
        speak(&hir, &mut chance, &mut bytes);
        let mut text = String::from_utf8(bytes).unwrap();
        // Some rules ask for a word anywhere in the text.
        let lower = text.to_lowercase();
        if !rule.keywords.iter().any(|word| lower.contains(word)) {
            text = format!("{} {text}", rule.keywords[number % rule.keywords.len()]);
        }
        if applied.accepts(text.as_bytes()) {
            tried += 1;
            // Alone, and inside a sentence.
            let inside = format!("We noted this: {text}");
            let both = [&text, &inside].into_iter().filter(|text| applied.accepts(text.as_bytes()));
            lost.extend(both.filter(|text| secrets(text).is_empty()).cloned());
        }
        if tried == EACH {
            break;
        }
    }
    (tried, lost)
}

/// Texts with at least one finding, of all; the first are printed.
fn refused(name: &str, texts: &[String]) -> (usize, usize) {
    let mut count = 0;
    for text in texts {
        let found = secrets(text);
        if let Some(first) = found.first() {
            count += 1;
            if count <= 25 {
                let from = (0..=first.range.start.saturating_sub(30))
                    .rev()
                    .find(|at| text.is_char_boundary(*at))
                    .unwrap();
                let to = (first.range.end.min(first.range.start + 100)..=text.len())
                    .find(|at| text.is_char_boundary(*at))
                    .unwrap();
                println!("  {name}: {}: {:?}", first.rule, &text[from..to]);
            }
        }
    }
    println!("{name}: {count} of {} texts would be refused", texts.len());
    (count, texts.len())
}

#[test]
fn ordinary_texts_are_not_refused() {
    let (Some(turns), Some(runs), Some(policies)) =
        (data::locomo(), data::transcripts(), data::policies())
    else {
        return;
    };
    for (name, texts) in [("LoCoMo turns", &turns), ("transcripts", &runs), ("policies", &policies)]
    {
        let (count, all) = refused(name, texts);
        assert!(all > 1_000 && count * 200 <= all, "{name}: {count} of {all} is more than 0.5%");
    }
}

#[test]
fn hostile_and_foreign_texts_hold_few_credentials() {
    let (Some(bipia), Some(xquad)) = (data::real("bipia"), data::real("xquad")) else { return };
    let mut hostile = Vec::new();
    data::files(&bipia, ".json")
        .iter()
        .for_each(|path| data::strings(&data::json(path), &mut hostile));
    for line in std::fs::read_to_string(bipia.join("email_train.jsonl")).unwrap().lines() {
        data::strings(&serde_json::from_str(line).unwrap(), &mut hostile);
    }
    let mut foreign = Vec::new();
    data::files(&xquad, ".json")
        .iter()
        .for_each(|path| data::strings(&data::json(path), &mut foreign));
    // Attacks may carry passwords of their own; articles in four scripts carry none.
    refused("BIPIA", &hostile);
    let (count, all) = refused("XQuAD", &foreign);
    assert!(all > 1_000 && count * 200 <= all, "XQuAD: {count} of {all} is more than 0.5%");
}
