//! Owns the check of `ledger.toml` against record 0, byte by byte.

use super::findings::{Found, Topic};
use super::report::Severity;
use super::work::Work;
use crate::config::{self, CONFIG_FILE, LedgerConfig};
use crate::error::StoreError;

pub(super) fn check(work: &Work<'_>) {
    work.counts.expected(Topic::Config, 1);
    let bytes = match config::read_bytes(work.storage) {
        Ok(bytes) => bytes,
        Err(error) => return work.add(Found::obstacle(Topic::Config, &CONFIG_FILE, &error)),
    };
    let wrong = |expected: &str, found: String| {
        Found::damage(Topic::Config, &CONFIG_FILE, "the copy of record 0", expected, found)
    };
    let parsed = std::str::from_utf8(&bytes)
        .map_err(|error| StoreError::Config { line: None, what: error.to_string() })
        .and_then(LedgerConfig::parse);
    let config = match parsed {
        Ok(config) => config,
        Err(error @ StoreError::Unsupported { .. }) => {
            let found = wrong("a format that this program reads", error.to_string());
            return work.add(found.severity(Severity::CannotCheck));
        }
        Err(error) => return work.add(wrong("a copy of record 0", error.to_string())),
    };
    if config.ledger != work.ledger {
        let found = format!("that of ledger {}", config.ledger);
        return work.add(wrong("the copy of this ledger", found));
    }
    let Some(genesis) = work.genesis.get() else {
        let found = wrong("record 0 to compare with", "none that could be read".to_owned());
        return work.add(found.severity(Severity::CannotCheck));
    };
    let truth = config.check(genesis).and_then(|()| LedgerConfig::from_genesis(genesis));
    match truth {
        Err(error) => work.add(wrong("what record 0 says", error.to_string())),
        Ok(truth) => {
            let text = truth.render();
            let pairs = text.bytes().map(Some).chain(std::iter::repeat(None));
            let differs = pairs
                .zip(bytes.iter().copied().map(Some).chain(std::iter::once(None)))
                .position(|(expected, found)| expected != found);
            match differs {
                None if text.len() == bytes.len() => work.counts.checked(Topic::Config, 1),
                at => {
                    let at = at.unwrap_or(bytes.len()) as u64;
                    work.add(wrong("the text as it was written", "another text".to_owned()).at(at));
                }
            }
        }
    }
}
