//! Facts, one a line.

use std::fmt::Write as _;
use std::fs;

use ledger_import::triples::{TriplesOptions, import};
use ledger_import::{ImportReport, Progress};
use memledger::civil::{When, parse_instant};
use memledger::{Filter, Question};

use super::bench::{Bench, importer, isolated, scope};
use super::data::real;

fn run(bench: &Bench, file: &std::path::Path) -> memledger::Result<ImportReport> {
    let options = TriplesOptions {
        file: file.to_owned(),
        scope: scope(),
        by: importer(),
        trust: None,
        quarantine: bench.path("bad.ndjson"),
    };
    import(&bench.ledger, &options, &mut |_: Progress<'_>| {})
}

fn counts(report: &ImportReport) -> [u64; 4] {
    [report.appended, report.present, report.unchanged, report.refused]
}

fn objects(bench: &Bench, predicate: &str, at: &str) -> Vec<String> {
    let question = Question {
        valid: Some(When::Instant(parse_instant(at).unwrap())),
        ..Question::now(bench.ledger.zone())
    };
    let filter =
        Filter { scope: scope(), predicate: Some(predicate.to_owned()), ..Filter::default() };
    let listing = bench.ledger.snapshot(&question).unwrap().list(&filter).unwrap();
    let object =
        |item: memledger::answer::Item| item.body.unwrap()["object"].as_str().unwrap().to_owned();
    listing.items.into_iter().map(object).collect()
}

#[test]
fn lines_become_facts_once() {
    if !isolated("imports::triples::lines_become_facts_once") {
        return;
    }
    let bench = Bench::new();
    let file = bench.path("facts.tsv");
    let table = "\u{feff}Ada\twrote\tNotes\t1843-##-##\t1843-##-##\n\
        Ada\twrote\tLetters\t1835-##-##\t####-##-##\r\n\
        Ada\twrote\tNotes\t1843-##-##\t1843-##-##\n\
        \n\
        Ada\twrote\tbackwards\t1843-##-##\t1842-##-##\n\
        Ada wrote nothing\n\
        Rome\truled by\tNero\t54-10-13\t68-06-09\n\
        Ada\tmet\tBabbage\t1833-06-05";
    fs::write(&file, table).unwrap();
    let report = run(&bench, &file).unwrap();
    assert_eq!(counts(&report), [4, 1, 0, 2], "{report:?}");
    assert!(report.notes[0].contains("byte order mark"));
    let kept = fs::read_to_string(report.quarantine.clone().unwrap()).unwrap();
    assert!(kept.contains("facts.tsv:5") && kept.contains("ends before it begins"), "{kept}");
    assert!(kept.contains("facts.tsv:6") && kept.contains("1 columns"), "{kept}");
    assert_eq!(objects(&bench, "wrote", "1843-12-31T23:59:59Z"), ["Notes", "Letters"]);
    assert_eq!(objects(&bench, "wrote", "1844-01-01T00:00:00Z"), ["Letters"]);
    assert_eq!(objects(&bench, "met", "1970-06-05T12:00:00Z"), Vec::<String>::new());

    let before = bench.records();
    assert_eq!(counts(&run(&bench, &file).unwrap()), [0, 5, 0, 2]);
    // The same facts from other lines are the same facts.
    let moved =
        format!("Ada\tmet\tSomerville\t1833-##-##\n{}", table.trim_start_matches('\u{feff}'));
    fs::write(&file, moved).unwrap();
    assert_eq!(counts(&run(&bench, &file).unwrap()), [1, 5, 0, 2]);
    assert!(bench.records() > before);
}

#[test]
fn a_name_the_ledger_refuses_is_one_bad_line() {
    if !isolated("imports::triples::a_name_the_ledger_refuses_is_one_bad_line") {
        return;
    }
    let bench = Bench::new();
    let file = bench.path("facts.tsv");
    let mut table = String::new();
    for line in 0..700 {
        writeln!(table, "s{line}\tp\to\t2000-##-##\t2001-##-##").unwrap();
    }
    writeln!(table, "{}\tp\to\t2000-##-##\t2001-##-##", "x".repeat(600)).unwrap();
    writeln!(table, "a\u{1b}[31m\tp\to\t2000-##-##\t2001-##-##").unwrap();
    writeln!(table, "{}\tp\to\t2000-##-##\t2001-##-##", "y".repeat(70_000)).unwrap();
    writeln!(table, "last\tp\to\t2000-##-##\t2001-##-##").unwrap();
    fs::write(&file, table).unwrap();
    let report = run(&bench, &file).unwrap();
    assert_eq!(counts(&report), [701, 0, 0, 3], "{report:?}");
    assert_eq!(counts(&run(&bench, &file).unwrap()), [0, 701, 0, 3]);
}

#[test]
fn real_events_are_in_force_on_their_day() {
    if !isolated("imports::triples::real_events_are_in_force_on_their_day") {
        return;
    }
    let Some(path) = real("tkg/icews14/valid.txt") else { return };
    let text = fs::read_to_string(path).unwrap();
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().take(600).collect();
    let bench = Bench::new();
    let file = bench.path("events.txt");
    fs::write(&file, lines.join("\n")).unwrap();
    let report = run(&bench, &file).unwrap();
    assert_eq!((report.appended, report.refused), (600, 0), "{report:?}");
    for day in ["2014-02-12", "2014-06-20", "2014-01-01"] {
        let mut expected: Vec<&str> = lines
            .iter()
            .map(|line| line.split('\t').collect::<Vec<_>>())
            .filter(|cells| cells[1] == "Make statement" && cells[3] == day)
            .map(|cells| cells[2])
            .collect();
        let mut found = objects(&bench, "Make statement", &format!("{day}T12:00:00Z"));
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected, "{day}");
    }
}
