//! Real policies and agent instructions: 22 documents, every revision. What was in force, and what was
//! known when, as the ledger says it from its views and from its archive, against the tables alone.
//!
//! Nothing is sampled on the way through the views: every boundary of every document on both axes, and
//! one second before and after. The archive is asked for a third of the valid instants (in turn before,
//! at and after the boundaries), because each of its answers replays the whole log.

use ledger_format::Micros;
use ledger_import::history::{HistoryOptions, import};
use ledger_import::{ImportReport, Progress};
use memledger::civil::{When, Zone};
use memledger::{Filter, Item, Ledger, Question, Scope, Text};
use replay_tests::place::Place;

use super::real_data::{Document, documents, instant, real};

const SETS: [&str; 2] = ["policies", "agent_instructions"];
/// Later than every row.
const PRESENT: &str = "2026-12-31T00:00:00Z";

struct Imported {
    place: Place,
    ledger: Ledger,
    documents: Vec<(Scope, Document)>,
}

fn scope(set: &str) -> Scope {
    format!("set/{set}").parse().unwrap()
}

fn run(place: &Place, ledger: &Ledger, set: &str) -> Option<ImportReport> {
    let options = HistoryOptions {
        dir: real(set)?,
        scope: scope(set),
        document: None,
        by: "service:importer".parse().unwrap(),
        quarantine: place.beside("quarantine.ndjson"),
    };
    Some(import(ledger, &options, &mut |_: Progress<'_>| {}).unwrap())
}

fn imported() -> Option<Imported> {
    let (place, ledger) = Place::new(instant(PRESENT));
    let mut all = Vec::new();
    for set in SETS {
        let report = run(&place, &ledger, set)?;
        let documents = documents(&real(set)?);
        let rows: usize = documents.iter().map(|document| document.rows.len()).sum();
        assert_eq!(report.documents, documents.len() as u64);
        assert_eq!(
            (report.appended + report.unchanged, report.refused),
            (rows as u64, 0),
            "{report:?}"
        );
        all.extend(documents.into_iter().map(|document| (scope(set), document)));
    }
    assert_eq!(all.len(), 22, "16 policies and 6 instruction files");
    Some(Imported { place, ledger, documents: all })
}

fn list(ledger: &Ledger, question: &Question, filter: &Filter) -> Vec<Item> {
    ledger.snapshot(question).unwrap().list(filter).unwrap().items
}

fn words(item: &Item) -> &str {
    match &item.text {
        Text::Words(words) => words,
        other => panic!("a text that cannot be read: {other:?}"),
    }
}

fn of(scope: &Scope, document: &Document) -> Filter {
    Filter { scope: scope.clone(), key: Some(document.name.clone()), ..Filter::default() }
}

#[test]
fn the_text_in_force_is_the_one_of_the_table() {
    let Some(Imported { place: _place, ledger, documents }) = imported() else { return };
    let mut compared = [0, 0];
    for (scope, document) in &documents {
        for (at, valid) in document.around(|row| row.author).into_iter().enumerate() {
            let expected = document.in_force(Micros::MAX, valid);
            for from_archive in [false, true] {
                if from_archive && at % 3 != (at / 3) % 3 {
                    continue;
                }
                let question = Question {
                    valid: Some(When::Instant(valid)),
                    from_archive,
                    ..Question::now(Zone::UTC)
                };
                let items = list(&ledger, &question, &of(scope, document));
                let found: Vec<&str> = items.iter().map(words).collect();
                assert_eq!(
                    found,
                    expected.into_iter().collect::<Vec<_>>(),
                    "{} at {valid:?}",
                    document.name
                );
                compared[usize::from(from_archive)] += 1;
            }
        }
    }
    println!("compared {} answers of the views, {} of the archive", compared[0], compared[1]);
}

#[test]
fn what_was_known_is_what_the_table_says() {
    let Some(Imported { place: _place, ledger, documents }) = imported() else { return };
    let mut compared = [0, 0];
    for (scope, document) in &documents {
        let valids = document.around(|row| row.author);
        let history = Filter { include_history: true, ..of(scope, document) };
        for (at, claim) in document.around(|row| row.claim).into_iter().enumerate() {
            for from_archive in [false, true] {
                if from_archive && at % 3 != (at / 3) % 3 {
                    continue;
                }
                let question = Question {
                    known: When::Instant(claim),
                    claimed: true,
                    from_archive,
                    ..Question::now(Zone::UTC)
                };
                // What was known then to be in force then.
                let snapshot = ledger.snapshot(&question).unwrap();
                let items = snapshot.list(&of(scope, document)).unwrap().items;
                let found: Vec<&str> = items.iter().map(words).collect();
                let expected = document.in_force(claim, claim);
                assert_eq!(
                    found,
                    expected.into_iter().collect::<Vec<_>>(),
                    "{} at {claim:?}",
                    document.name
                );
                // What was known then to be in force at any time.
                let items = snapshot.list(&history).unwrap().items;
                for valid in &valids {
                    let holds =
                        |item: &&Item| item.validity.iter().any(|span| span.contains(*valid));
                    let found: Vec<&str> = items.iter().filter(holds).map(words).collect();
                    let expected = document.in_force(claim, *valid);
                    assert_eq!(
                        found,
                        expected.into_iter().collect::<Vec<_>>(),
                        "{} at {valid:?} as claimed at {claim:?}",
                        document.name
                    );
                    compared[usize::from(from_archive)] += 1;
                }
            }
        }
    }
    println!("compared {} pairs of the views, {} of the archive", compared[0], compared[1]);
}

#[test]
fn a_second_import_appends_nothing() {
    let Some(Imported { place, ledger, .. }) = imported() else { return };
    let before = ledger.status().unwrap().size;
    for set in SETS {
        let Some(report) = run(&place, &ledger, set) else { return };
        assert_eq!((report.appended, report.refused), (0, 0), "{report:?}");
    }
    assert_eq!(ledger.status().unwrap().size, before);
}
