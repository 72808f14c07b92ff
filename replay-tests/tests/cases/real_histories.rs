//! Real policies and agent instructions: 22 documents, every revision. What was in force, and what was
//! known when, as the ledger says it from its views and from its archive, against the tables alone.
//!
//! Views: at every boundary of every document and one second before and after, on both axes. As known
//! at a boundary, the text of every valid instant is compared; as known a second beside it, the text that
//! the row is about. The archive answers the same questions about now from one replay. As known then,
//! every answer of the archive replays the whole log, so it is asked a third of them, in turn before, at
//! and after the boundaries.

use ledger_format::Micros;
use ledger_import::history::{HistoryOptions, import};
use ledger_import::{ImportReport, Progress};
use memledger::answer::{Item, Text};
use memledger::civil::{When, Zone};
use memledger::{Filter, Ledger, Question, Scope};
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
    let mut compared = 0;
    let now = Question { from_archive: true, ..Question::now(Zone::UTC) };
    let mut archive = ledger.snapshot(&now).unwrap();
    for (scope, document) in &documents {
        for valid in document.around(|row| row.author) {
            let expected: Vec<&str> = document.in_force(Micros::MAX, valid).into_iter().collect();
            let filter = of(scope, document);
            let question =
                Question { valid: Some(When::Instant(valid)), ..Question::now(Zone::UTC) };
            archive = archive.valid_at(valid);
            for items in [list(&ledger, &question, &filter), archive.list(&filter).unwrap().items] {
                let found: Vec<&str> = items.iter().map(words).collect();
                assert_eq!(found, expected, "{} at {valid:?}", document.name);
            }
            compared += 1;
        }
    }
    println!("compared {compared} answers of the views, and as many of the archive");
}

/// Documents as they were known, compared in whole or at single instants.
struct Known<'a> {
    ledger: &'a Ledger,
    scope: &'a Scope,
    document: &'a Document,
    compared: [usize; 2],
}

impl Known<'_> {
    /// Everything that was known at `claim`, about every valid instant.
    fn whole(&mut self, claim: Micros, from_archive: bool) {
        let question = as_claimed(claim, None, from_archive);
        let filter = Filter { include_history: true, ..of(self.scope, self.document) };
        let items = list(self.ledger, &question, &filter);
        let in_force = items.iter().filter(|item| item.status.in_force()).map(words);
        self.compare(&in_force.collect::<Vec<_>>(), claim, claim, from_archive);
        for valid in self.document.around(|row| row.author) {
            let holds = |item: &&Item| item.validity.iter().any(|span| span.contains(valid));
            let found: Vec<&str> = items.iter().filter(holds).map(words).collect();
            self.compare(&found, claim, valid, from_archive);
        }
    }

    /// What was known at `claim` to be in force at one instant.
    fn at(&mut self, claim: Micros, valid: Micros, from_archive: bool) {
        let question = as_claimed(claim, Some(valid), from_archive);
        let items = list(self.ledger, &question, &of(self.scope, self.document));
        let found: Vec<&str> = items.iter().map(words).collect();
        self.compare(&found, claim, valid, from_archive);
    }

    fn compare(&mut self, found: &[&str], claim: Micros, valid: Micros, from_archive: bool) {
        let expected: Vec<&str> = self.document.in_force(claim, valid).into_iter().collect();
        assert_eq!(
            found, expected,
            "{} at {valid:?}, as claimed at {claim:?}, from archive: {from_archive}",
            self.document.name
        );
        self.compared[usize::from(from_archive)] += 1;
    }
}

fn as_claimed(claim: Micros, valid: Option<Micros>, from_archive: bool) -> Question {
    Question {
        known: When::Instant(claim),
        valid: valid.map(When::Instant),
        claimed: true,
        from_archive,
        ..Question::now(Zone::UTC)
    }
}

#[test]
fn what_was_known_is_what_the_table_says() {
    let Some(Imported { place: _place, ledger, documents }) = imported() else { return };
    let mut compared = [0, 0];
    for (scope, document) in &documents {
        let mut known = Known { ledger: &ledger, scope, document, compared };
        for (at, row) in document.rows.iter().enumerate() {
            for (turn, second) in [-1, 0, 1].into_iter().enumerate() {
                let claim = Micros(row.claim.0 + second * 1_000_000);
                for from_archive in [false, true] {
                    if from_archive && turn != at % 3 {
                        continue;
                    }
                    if second == 0 {
                        known.whole(claim, from_archive);
                    } else {
                        known.at(claim, row.author, from_archive);
                    }
                }
            }
        }
        compared = known.compared;
    }
    println!("compared {} answers of the views, {} of the archive", compared[0], compared[1]);
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
