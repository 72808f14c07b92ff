//! The vectors: made by the code, compared with their files, and read again as a stranger would.
//!
//! `MEMLEDGER_BLESS=1 cargo test -p ledger-format` writes the files anew.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

mod batch;
mod body;
mod build;
mod damage;
mod files;
mod hashes;
mod keys;
mod ledger;
mod merkle;
mod payload;
mod read;
mod record;
#[path = "../support/mod.rs"]
mod support;
mod walk;

use serde_json::Value;
use support::spec::Spec;

/// Every file of vectors.
fn all(spec: &Spec) -> Vec<(&'static str, Value)> {
    vec![
        ("record", record::vectors(spec)),
        ("body", body::vectors(spec)),
        ("extension_list", record::extension_lists()),
        ("payload_reference", record::references(spec)),
        ("batch", batch::vectors(spec)),
        ("segment_header", files::segment_headers(spec)),
        ("payload_file_header", files::payload_file_headers(spec)),
        ("anchor", files::anchors(spec)),
        ("key_file_header", keys::file_headers(spec)),
        ("key_page", keys::pages(spec)),
        ("payload", payload::vectors()),
        ("hash", hashes::vectors()),
        ("merkle", merkle::vectors()),
        ("padding", merkle::padding()),
        ("ledger", ledger::vectors()),
    ]
}

#[test]
fn files_are_what_the_code_makes() {
    let spec = Spec::load();
    let mut names = Vec::new();
    for (name, vectors) in all(&spec) {
        let text = serde_json::to_string_pretty(&vectors).unwrap() + "\n";
        support::compare_or_bless(&format!("vectors/{name}.json"), &text);
        names.push(format!("{name}.json"));
    }
    let there = std::fs::read_dir(support::path("vectors")).unwrap();
    let there = there.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    for file in there.filter(|file| file.ends_with(".json")) {
        assert!(names.contains(&file), "vectors/{file} is made by nothing");
    }
}
