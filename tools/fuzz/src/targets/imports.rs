//! Owns the targets of the importers: any file is imported, refused or reported, every row is
//! counted once, a second run records nothing, and the ledger verifies afterwards.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use ledger_format::Micros;
use ledger_import::history::HistoryOptions;
use ledger_import::triples::TriplesOptions;
use ledger_import::{ImportReport, history, jsonl, triples};
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{Ledger, Result};
use replay_tests::place::Place;
use replay_tests::tamper;

const BASE: Micros = Micros(1_760_000_000_000_000);

/// The bytes are a table of facts.
pub(super) fn triples(bytes: &[u8]) {
    twice(|place, ledger| {
        let file = place.beside("facts.tsv");
        fs::write(&file, bytes).unwrap();
        let options = TriplesOptions {
            file,
            scope: "org/acme".parse().unwrap(),
            by: "service:import".parse().unwrap(),
            trust: None,
            quarantine: place.beside("quarantine.tsv"),
        };
        triples::import(ledger, &options, &mut |_| ())
    });
}

/// The bytes are the table of a history; texts of three revisions lie beside it.
pub(super) fn history(bytes: &[u8]) {
    twice(|place, ledger| {
        let dir = place.beside("rules");
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join("index.tsv"), bytes).unwrap();
        for number in 1..=3 {
            fs::write(dir.join(format!("{number}.txt")), format!("Rule {number}\n")).unwrap();
        }
        let options = HistoryOptions {
            dir,
            scope: "org/acme".parse().unwrap(),
            document: None,
            by: "service:import".parse().unwrap(),
            quarantine: place.beside("quarantine.tsv"),
        };
        history::import(ledger, &options, &mut |_| ())
    });
}

/// The bytes are an export, carried into a new directory.
pub(super) fn jsonl(bytes: &[u8]) {
    let (place, ledger) = Place::new(BASE);
    ledger.close().unwrap();
    let dir = place.beside("carried");
    let import = || {
        let mut from = Cursor::new(bytes);
        jsonl::import(&dir, place.options(), &mut from, "input", &mut |_| ())
    };
    match import() {
        Ok(first) => {
            let second = import().expect("what was imported is imported again");
            assert_eq!((second.appended, second.present), (0, first.rows()));
            whole(&dir);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Runs an import two times over a new ledger.
fn twice(import: impl Fn(&Place, &Ledger) -> Result<ImportReport>) {
    let (place, ledger) = Place::new(BASE);
    let first = import(&place, &ledger);
    match &first {
        Ok(report) => {
            let second = import(&place, &ledger).expect("a second run is as good as the first");
            assert_eq!(second.appended, 0, "a second run records nothing: {report:?} {second:?}");
            assert_eq!(second.rows(), report.rows(), "{report:?} {second:?}");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    ledger.close().unwrap();
    whole(&place.path());
}

fn whole(dir: &Path) {
    let report = tamper::verify(dir, VerifyLevel::Content);
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:?}");
}
