//! Histories: folders with a table of revisions.

use std::fs;
use std::path::Path;

use ledger_import::history::{HistoryOptions, import};
use ledger_import::{ImportReport, Progress};
use memledger::format::Micros;

use super::bench::{Bench, importer, isolated, now, scope};
use super::data::{in_force, instant, real, rows};

pub(super) const HEADER: &str = "seq\tcommit\tauthor_date\tcommit_date\tbytes\tlines_added\tlines_removed\tsame_as_seq\tfile\tsubject";

fn run(bench: &Bench, dir: &Path, document: Option<&str>) -> memledger::Result<ImportReport> {
    let options = HistoryOptions {
        dir: dir.to_owned(),
        scope: scope(),
        document: document.map(str::to_owned),
        by: importer(),
        quarantine: bench.path("bad.ndjson"),
    };
    import(&bench.ledger, &options, &mut |_: Progress<'_>| {})
}

fn counts(report: &ImportReport) -> [u64; 4] {
    [report.appended, report.present, report.unchanged, report.refused]
}

/// Every text at and around every boundary, on both axes, against the table alone.
fn compare(bench: &Bench, document: &str, dir: &Path) {
    let rows = rows(dir);
    let around = |at: Micros| [-1, 0, 1].map(|second| Micros(at.0 + second * 1_000_000));
    for valid in rows.iter().flat_map(|row| around(row.author)) {
        let expected: Vec<&str> = in_force(&rows, now(), valid).into_iter().collect();
        assert_eq!(bench.texts(document, valid, None, false), expected, "{document} at {valid:?}");
    }
    for claim in rows.iter().flat_map(|row| around(row.claim)) {
        let held = bench.held(document, claim);
        for valid in rows.iter().flat_map(|row| around(row.author)) {
            let expected: Vec<&str> = in_force(&rows, claim, valid).into_iter().collect();
            let found = held
                .iter()
                .filter(|(_, validity)| validity.iter().any(|span| span.contains(valid)));
            let found: Vec<&str> = found.map(|(text, _)| text.as_str()).collect();
            assert_eq!(found, expected, "{document} at {valid:?}, as claimed at {claim:?}");
        }
    }
}

#[test]
fn a_late_correction_takes_its_place() {
    if !isolated("imports::histories::a_late_correction_takes_its_place") {
        return;
    }
    let Some(dir) = real("officeholders/executive") else { return };
    let bench = Bench::new();
    let report = run(&bench, &dir, None).unwrap();
    assert_eq!(counts(&report), [23, 0, 0, 0], "{report:?}");
    compare(&bench, "executive", &dir);
    let before = bench.records();
    assert_eq!(counts(&run(&bench, &dir, None).unwrap()), [0, 23, 0, 0]);
    assert_eq!(bench.records(), before, "the second run appends nothing");
}

#[test]
fn a_folder_of_histories_is_one_import() {
    if !isolated("imports::histories::a_folder_of_histories_is_one_import") {
        return;
    }
    let Some(dir) = real("policies/basecamp") else { return };
    let bench = Bench::new();
    let report = run(&bench, &dir, None).unwrap();
    assert_eq!((report.documents, report.rows()), (5, 96), "{report:?}");
    assert_eq!(report.refused, 0);
    let valid = instant("2020-01-01T00:00:00Z");
    let texts = bench.texts("refund", valid, None, false);
    let expected = rows(&dir.join("refund"));
    assert_eq!(texts, in_force(&expected, now(), valid).into_iter().collect::<Vec<_>>());
    let wrong = run(&bench, &dir, Some("refund")).unwrap_err().to_string();
    assert!(wrong.contains("5 histories"), "{wrong}");
}

/// A run over the first rows, then over all: only the new ones are recorded.
#[test]
fn new_revisions_continue_a_history() {
    if !isolated("imports::histories::new_revisions_continue_a_history") {
        return;
    }
    let Some(dir) = real("policies/basecamp/taxes") else { return };
    let bench = Bench::new();
    let part = bench.path("taxes");
    super::bench::copy_folder(&dir, &part);
    let table = fs::read_to_string(dir.join("index.tsv")).unwrap();
    for lines in [10, 20, 31] {
        let cut: Vec<&str> = table.lines().take(lines).collect();
        fs::write(part.join("index.tsv"), cut.join("\n")).unwrap();
        let report = run(&bench, &part, None).unwrap();
        assert_eq!(report.rows(), lines as u64 - 1);
        compare(&bench, "taxes", &part);
    }
}

#[test]
fn bad_rows_are_kept_apart_and_stop_nobody() {
    if !isolated("imports::histories::bad_rows_are_kept_apart_and_stop_nobody") {
        return;
    }
    let bench = Bench::new();
    let dir = bench.path("doc");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("a"), "A").unwrap();
    fs::write(dir.join("binary"), [0xff, 0, 1]).unwrap();
    fs::write(dir.join("long"), vec![b'x'; 1_048_577]).unwrap();
    fs::write(dir.join("c"), "C").unwrap();
    fs::write(dir.join("empty"), "").unwrap();
    let row = |seq: u64, bytes: usize, file: &str| {
        format!(
            "{seq}\tc{seq}\t2026-01-0{seq}T00:00:00Z\t2026-01-0{seq}T00:00:00Z\t{bytes}\t1\t1\t\t{file}\ts"
        )
    };
    let table = [
        HEADER.to_owned(),
        row(1, 1, "a"),
        row(2, 3, "binary"),
        row(3, 1_048_577, "long"),
        row(4, 1, "not-there"),
        row(5, 2, "c"),
        row(6, 1, "../doc/a"),
        row(7, 1, "c"),
        row(8, 0, "empty"),
        row(9, 1, "a"),
    ];
    fs::write(dir.join("index.tsv"), table.join("\n")).unwrap();
    let report = run(&bench, &dir, None).unwrap();
    assert_eq!(counts(&report), [4, 0, 0, 5], "{report:?}");
    let kept = fs::read_to_string(report.quarantine.unwrap()).unwrap();
    for part in [
        "doc/index.tsv:7",
        "\"raw\":\"/wAB\"",
        "not valid UTF-8",
        "over the limit",
        "not in the folder",
        "has 1 bytes, the table says 2",
    ] {
        assert!(kept.contains(part), "{part} in {kept:.900}");
    }
    let at =
        |day: u64| bench.texts("doc", instant(&format!("2026-01-0{day}T12:00:00Z")), None, false);
    assert_eq!(
        (at(1), at(6), at(7), at(8), at(9)),
        (vec!["A".into()], vec!["A".into()], vec!["C".into()], vec![], vec!["A".into()])
    );
    assert_eq!(counts(&run(&bench, &dir, None).unwrap()), [0, 4, 0, 5]);
}

#[test]
fn a_folder_without_a_history_says_so() {
    if !isolated("imports::histories::a_folder_without_a_history_says_so") {
        return;
    }
    let bench = Bench::new();
    let dir = bench.path("none");
    assert!(run(&bench, &dir, None).unwrap_err().to_string().contains("cannot be read"));
    fs::create_dir(&dir).unwrap();
    assert!(run(&bench, &dir, None).unwrap_err().to_string().contains("no history in"));
    fs::write(dir.join("index.tsv"), "seq\tcommit\n").unwrap();
    let wrong = run(&bench, &dir, None).unwrap_err().to_string();
    assert!(wrong.contains("index.tsv:1: the column \"author_date\" is missing"), "{wrong}");
}

/// What a person decided about an imported text stands: the next run does not undo it.
#[test]
fn a_text_closed_by_hand_stays_closed() {
    if !isolated("imports::histories::a_text_closed_by_hand_stays_closed") {
        return;
    }
    use memledger::{Command, Filter, Question, Submission, Terms};
    let bench = Bench::new();
    let dir = bench.path("doc");
    fs::create_dir(&dir).unwrap();
    for (name, text) in [("a", "A"), ("b", "B"), ("c", "C")] {
        fs::write(dir.join(name), text).unwrap();
    }
    let row = |day: u64, file: &str| {
        format!(
            "{day}\tc{day}\t2026-01-{day:02}T00:00:00Z\t2026-01-{day:02}T00:00:00Z\t1\t1\t1\t\t{file}\ts"
        )
    };
    let table = |rows: &[String]| {
        fs::write(dir.join("index.tsv"), format!("{HEADER}\n{}", rows.join("\n"))).unwrap();
    };
    table(&[row(1, "a"), row(3, "b")]);
    assert_eq!(run(&bench, &dir, None).unwrap().appended, 2);
    let snapshot = bench.ledger.snapshot(&Question::now(bench.ledger.zone())).unwrap();
    let all = Filter { scope: scope(), key: Some("doc".into()), ..Filter::default() };
    let listed = snapshot.list(&all).unwrap();
    let close = Command::Close {
        memory: listed.items[0].id,
        kind: memledger::format::CloseKind::Changed,
        from: Some(instant("2026-01-10T00:00:00Z")),
        until: None,
        replaced_by: None,
        reason: Some("no longer ours".into()),
    };
    bench.ledger.submit(Submission::of(close, Terms::default())).unwrap();
    let before = bench.records();
    let report = run(&bench, &dir, None).unwrap();
    assert_eq!((report.appended, bench.records()), (0, before));
    assert!(report.notes[0].contains("differs from the source in 1 places"), "{:?}", report.notes);
    table(&[row(1, "a"), row(2, "c"), row(3, "b"), row(20, "a")]);
    assert_eq!(run(&bench, &dir, None).unwrap().appended, 2);
    let at =
        |day: u64| bench.texts("doc", instant(&format!("2026-01-{day:02}T12:00:00Z")), None, false);
    assert_eq!((at(1), at(2), at(5)), (vec!["A".into()], vec!["C".into()], vec!["B".into()]));
    assert_eq!((at(12), at(21)), (vec![], vec!["A".into()]));
}

/// Words that were forgotten do not come back with the next run.
#[test]
fn a_forgotten_text_does_not_come_back() {
    if !isolated("imports::histories::a_forgotten_text_does_not_come_back") {
        return;
    }
    use memledger::{Command, Filter, Question, Submission, Terms};
    let bench = Bench::new();
    let dir = bench.path("doc");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("a"), "A").unwrap();
    fs::write(dir.join("b"), "B").unwrap();
    let row = |day: u64, file: &str| {
        format!(
            "{day}\tc{day}\t2026-01-0{day}T00:00:00Z\t2026-01-0{day}T00:00:00Z\t1\t1\t1\t\t{file}\ts"
        )
    };
    let table = |rows: &[String]| {
        fs::write(dir.join("index.tsv"), format!("{HEADER}\n{}", rows.join("\n"))).unwrap();
    };
    table(&[row(1, "a"), row(2, "b")]);
    run(&bench, &dir, None).unwrap();
    let snapshot = bench.ledger.snapshot(&Question::now(bench.ledger.zone())).unwrap();
    let all = Filter {
        scope: scope(),
        key: Some("doc".into()),
        include_history: true,
        ..Filter::default()
    };
    let first = snapshot.list(&all).unwrap().items[0].id;
    let forget =
        Command::Forget { memories: vec![first], subject: None, reason: Some("asked".into()) };
    bench.ledger.submit(Submission::of(forget, Terms::default())).unwrap();
    table(&[row(1, "a"), row(2, "b"), row(3, "a"), row(4, "b")]);
    let report = run(&bench, &dir, None).unwrap();
    assert_eq!(counts(&report), [1, 2, 0, 1], "{report:?}");
    assert!(
        report.notes.iter().any(|note| note.contains("do not come back")),
        "{:?}",
        report.notes
    );
    let at =
        |day: u64| bench.texts("doc", instant(&format!("2026-01-0{day}T12:00:00Z")), None, false);
    assert_eq!((at(1), at(2), at(3), at(4)), (vec![], vec!["B".into()], vec![], vec!["B".into()]));
    assert!(report.quarantine.is_none(), "forgotten words are not written anywhere");
}
