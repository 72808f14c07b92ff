//! The timeline against the rule it has to keep, applied naively: of the rows known at C the one
//! with the greatest author date up to V, of equal ones the later row.

mod book;

use memledger::format::{JobId, Micros};
use memledger::{Result, Scope};
use proptest::prelude::*;

use self::book::{FakeBook, LAST};
use super::{Bodies, Body, Desk, Revision, Slot, import};
use crate::ImportReport;
use crate::quarantine::Quarantine;

/// A row of the source: author date, claim, and the number of its text (0: removed, 9: bad).
type Source = (i64, i64, u8);

struct Texts<'a>(&'a [Source]);

impl Bodies for Texts<'_> {
    fn body(&mut self, index: usize) -> Result<Body> {
        Ok(match self.0[index].2 {
            0 => Body::Removed,
            9 => Body::Bad { reason: "bad".to_owned(), raw: Some(vec![0xff]) },
            text => Body::Text(format!("text {text}")),
        })
    }
}

fn revisions(rows: &[Source]) -> Vec<Revision> {
    let revision = |(order, (author, claim, _)): (usize, &Source)| Revision {
        author: Micros(*author),
        claim: Micros(*claim),
        order: order as u64,
        name: format!("commit{order}"),
        label: format!("commit{order}"),
        origin: format!("doc@commit{order}"),
        subject: String::new(),
    };
    rows.iter().enumerate().map(revision).collect()
}

fn expected(rows: &[Source], claim: i64, valid: i64) -> Option<String> {
    let known = rows.iter().enumerate();
    let known =
        known.filter(|(_, (author, at, text))| *at <= claim && *author <= valid && *text != 9);
    let (_, (_, _, text)) = known.max_by_key(|(order, (author, ..))| (*author, *order))?;
    (*text != 0).then(|| format!("text {text}"))
}

/// One run over the rows whose place is in `present`.
fn run(book: &FakeBook, all: &[Source], present: &[bool]) -> Result<ImportReport> {
    let slot = Slot {
        scope: Scope::root(),
        document: "doc".to_owned(),
        by: "service:import".parse()?,
        job: JobId::ZERO,
    };
    let kept: Vec<usize> = (0..all.len()).filter(|at| present[*at]).collect();
    let revisions: Vec<Revision> = kept.iter().map(|at| revisions(all)[*at].clone()).collect();
    let rows: Vec<Source> = kept.iter().map(|at| all[*at]).collect();
    let folder = tempfile::tempdir().unwrap();
    let mut quarantine = Quarantine::new(&folder.path().join("bad"))?;
    let mut report = ImportReport::default();
    let mut desk = Desk { quarantine: &mut quarantine, report: &mut report, progress: &mut |_| {} };
    import(book, &slot, &revisions, &mut Texts(&rows), &mut desk)?;
    assert_eq!(report.rows(), rows.len() as u64, "every row is counted once");
    Ok(report)
}

fn compare(book: &FakeBook, rows: &[Source]) -> std::result::Result<(), TestCaseError> {
    for claim in -1..=LAST {
        for valid in -1..=LAST {
            let found = book.in_force(claim, valid);
            let expected: Vec<String> = expected(rows, claim, valid).into_iter().collect();
            prop_assert_eq!(
                &found,
                &expected,
                "at claim {} and valid {} of {:?}",
                claim,
                valid,
                rows
            );
        }
    }
    Ok(())
}

/// A text, repeated, closed by hand in between, and followed by another one.
#[test]
fn a_repetition_does_not_undo_a_closure_and_a_new_text_counts() {
    let book = FakeBook::default();
    let rows = [(0, 0, 1), (4, 4, 1), (6, 6, 2)];
    run(&book, &rows, &[true, true, false]).unwrap();
    book.close_everything(2);
    let report = run(&book, &rows, &[true, true, false]).unwrap();
    assert_eq!((report.appended, report.unchanged, report.present), (0, 1, 1));
    assert_eq!(book.in_force(LAST, 1), ["text 1"]);
    assert!((2..=LAST).all(|valid| book.in_force(LAST, valid).is_empty()));
    let report = run(&book, &rows, &[true, true, true]).unwrap();
    assert_eq!((report.appended, report.unchanged, report.present), (1, 1, 1));
    assert!(report.notes.iter().any(|note| note.contains("differs from the source")));
    assert!((2..6).all(|valid| book.in_force(LAST, valid).is_empty()));
    assert_eq!(book.in_force(LAST, 6), ["text 2"]);
    assert_eq!(run(&book, &rows, &[true, true, true]).unwrap().appended, 0);
}

fn row() -> impl Strategy<Value = Source> {
    let text = prop_oneof![5 => 1..4u8, 1 => Just(0u8), 1 => Just(9u8)];
    (0..LAST, 0..LAST, text)
}

/// Rows as they usually come: both dates in order, with an exception now and then.
fn usual_rows() -> impl Strategy<Value = Vec<Source>> {
    prop::collection::vec((0..3i64, 0..3i64, 0..12i64, row()), 1..9).prop_map(|steps| {
        let (mut author, mut claim) = (0, 0);
        let mut rows = Vec::new();
        for (by, lag, odd, (any, _, text)) in steps {
            author = (author + by).min(LAST - 1);
            claim = claim.max(author + lag).min(LAST - 1);
            let late = if odd == 0 { any.min(claim) } else { author };
            rows.push((late, claim, text));
        }
        rows
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn one_run_gives_the_rule_on_both_axes(rows in prop_oneof![usual_rows(), prop::collection::vec(row(), 1..9)]) {
        let book = FakeBook::default();
        run(&book, &rows, &vec![true; rows.len()]).unwrap();
        compare(&book, &rows)?;
        let before = book.records();
        let again = run(&book, &rows, &vec![true; rows.len()]).unwrap();
        prop_assert_eq!(again.appended, 0);
        prop_assert_eq!(book.records(), before, "a second run appends nothing");
    }

    /// Later runs bring rows that belong between those recorded, on both axes.
    #[test]
    fn any_order_of_arrival_gives_the_rule(
        rows in prop::collection::vec((row(), 0..3u8), 1..8),
    ) {
        let (rows, arrivals): (Vec<Source>, Vec<u8>) = rows.into_iter().unzip();
        let book = FakeBook::default();
        for round in 0..3 {
            let present: Vec<bool> = arrivals.iter().map(|arrival| *arrival <= round).collect();
            run(&book, &rows, &present).unwrap();
            let so_far: Vec<Source> = rows.iter().zip(&present).map(|(row, present)| {
                if *present { *row } else { (row.0, row.1, 9) }
            }).collect();
            compare(&book, &so_far)?;
            let before = book.records();
            run(&book, &rows, &present).unwrap();
            prop_assert_eq!(book.records(), before, "a second run appends nothing");
        }
    }

    /// Only what the source says anew is recorded where the ledger was changed by hand.
    #[test]
    fn what_was_closed_by_hand_stays_closed(
        rows in usual_rows(),
        closed in 0..LAST,
        late in any::<bool>(),
    ) {
        let book = FakeBook::default();
        let before = if late { rows.len() / 2 } else { rows.len() };
        let present: Vec<bool> = (0..rows.len()).map(|at| at < before).collect();
        run(&book, &rows, &present).unwrap();
        book.close_everything(closed);
        let left = book.records();
        run(&book, &rows, &present).unwrap();
        prop_assert_eq!(book.records(), left, "the same source has nothing to add");
        for valid in closed..=LAST {
            prop_assert_eq!(book.in_force(LAST, valid), Vec::<String>::new(), "closed from {}", closed);
        }
        // New rows over a history that was changed by hand may take one more run to settle.
        run(&book, &rows, &vec![true; rows.len()]).unwrap();
        run(&book, &rows, &vec![true; rows.len()]).unwrap();
        let left = book.records();
        run(&book, &rows, &vec![true; rows.len()]).unwrap();
        prop_assert_eq!(book.records(), left, "a third run appends nothing");
    }

    /// The ledger stops taking records in the middle; the next run completes it.
    #[test]
    fn an_interrupted_run_is_taken_up(
        rows in prop::collection::vec((row(), any::<bool>()), 1..7),
        stop in 0..9u64,
    ) {
        let (rows, early): (Vec<Source>, Vec<bool>) = rows.into_iter().unzip();
        let book = FakeBook::default();
        run(&book, &rows, &early).unwrap();
        book.stop_after(stop);
        let all = vec![true; rows.len()];
        let _ = run(&book, &rows, &all);
        book.stop_after(u64::MAX);
        run(&book, &rows, &all).unwrap();
        compare(&book, &rows)?;
    }
}
