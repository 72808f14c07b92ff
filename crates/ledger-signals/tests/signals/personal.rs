//! Data about persons, measured against sentences with marked spans.

use std::collections::BTreeMap;

use ledger_signals::personal;

use crate::data;

/// The rule that looks for a kind of span.
const KINDS: [(&str, &str); 7] = [
    ("EMAIL_ADDRESS", "email"),
    ("PHONE_NUMBER", "phone"),
    ("IBAN_CODE", "iban"),
    ("CREDIT_CARD", "card"),
    ("US_SSN", "ssn"),
    ("IP_ADDRESS", "ip"),
    ("STREET_ADDRESS", "address"),
];

#[derive(Default)]
struct Count {
    spans: usize,
    found: usize,
    said: usize,
    right: usize,
}

#[test]
fn marked_spans_are_found() {
    let Some(path) = data::real("pii/synth_dataset_v2.json") else { return };
    let mut counts: BTreeMap<&str, Count> = BTreeMap::new();
    let show = std::env::var_os("SHOW").is_some();
    for item in data::json(&path).as_array().unwrap() {
        let text = item["full_text"].as_str().unwrap();
        let bytes: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let spans: Vec<(&str, usize, usize)> = item["spans"]
            .as_array()
            .unwrap()
            .iter()
            .map(|span| {
                let at = |key: &str| bytes[span[key].as_u64().unwrap() as usize];
                (span["entity_type"].as_str().unwrap(), at("start_position"), at("end_position"))
            })
            .collect();
        let seen = personal(text);
        for (kind, rule) in KINDS {
            let count = counts.entry(rule).or_default();
            for (_, start, end) in spans.iter().filter(|span| span.0 == kind) {
                count.spans += 1;
                let hit = seen.iter().any(|found| {
                    found.rule == rule && found.range.start < *end && *start < found.range.end
                });
                count.found += usize::from(hit);
                if show && !hit {
                    println!("missed {rule}: {:?} in {text:?}", &text[*start..*end]);
                }
            }
            for found in seen.iter().filter(|found| found.rule == rule) {
                count.said += 1;
                let hit = spans.iter().any(|(other, start, end)| {
                    *other == kind && found.range.start < *end && *start < found.range.end
                });
                count.right += usize::from(hit);
                if show && !hit {
                    println!("wrong {rule}: {:?} in {text:?}", &text[found.range.clone()]);
                }
            }
        }
    }
    for (rule, count) in &counts {
        println!(
            "{rule:8} found {:3} of {:3} spans; {:3} of {:3} findings are such spans",
            count.found, count.spans, count.right, count.said
        );
    }
    // What has a checksum or a form of its own is found whole.
    for rule in ["email", "iban", "ssn", "ip"] {
        assert_eq!(counts[rule].found, counts[rule].spans, "{rule}");
    }
}

#[test]
fn ordinary_texts_with_personal_data_are_counted() {
    let (Some(turns), Some(runs), Some(policies)) =
        (data::locomo(), data::transcripts(), data::policies())
    else {
        return;
    };
    for (name, texts) in [("LoCoMo turns", turns), ("transcripts", runs), ("policies", policies)] {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for text in &texts {
            for found in personal(text) {
                *counts.entry(found.rule).or_default() += 1;
                if std::env::var_os("SHOW").is_some() && counts[found.rule] < 30 {
                    println!("{name} {}: {:?}", found.rule, &text[found.range.clone()]);
                }
            }
        }
        println!("{name} ({} texts): {counts:?}", texts.len());
    }
}
