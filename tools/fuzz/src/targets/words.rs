//! Owns the targets of everything that a person may type: instants, dates, zones, names, and the
//! small file that says what a directory is.

use ledger_format::{MemoryId, Micros};
use ledger_store::LedgerConfig;
use memledger::civil::{When, Zone, parse_instant, parse_point};
use memledger::{Actor, Scope, Source};

/// An instant somewhere in 2026, for words that depend on the present.
const NOW: Micros = Micros(1_796_000_000_000_000);

pub(super) fn civil(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (zone, words) = text.split_once('\n').unwrap_or(("Europe/Berlin", text));
    let zone = Zone::parse(zone).unwrap_or(Zone::UTC);
    if let Err(error) = When::parse(words, &zone, NOW) {
        assert!(!error.to_string().is_empty());
    }
    if let (Ok(instant), Ok(point)) = (parse_instant(words), parse_point(words, &zone)) {
        assert_eq!(instant, point, "an instant needs no zone");
    }
}

pub(super) fn names(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    again::<Scope>(text);
    again::<Actor>(text);
    again::<Source>(text);
    if let Some(id) = MemoryId::parse(text) {
        assert_eq!(MemoryId::parse(&id.to_string()), Some(id));
    }
}

/// What is understood is said in the same way, and understood again.
fn again<T>(text: &str)
where
    T: std::str::FromStr<Err: std::fmt::Display> + std::fmt::Display + PartialEq + std::fmt::Debug,
{
    match text.parse::<T>() {
        Ok(value) => {
            let said = value.to_string();
            let second = said.parse::<T>().unwrap_or_else(|error| panic!("{said:?}: {error}"));
            assert_eq!(second, value, "{text:?} {said:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

pub(super) fn ledger_toml(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(config) = LedgerConfig::parse(text) {
        assert_eq!(LedgerConfig::parse(&config.render()).unwrap(), config);
    }
}
