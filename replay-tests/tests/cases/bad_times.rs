//! Times that look wrong: intervals that end before they begin are refused, and the ends of the line of
//! time are times like others.

use ledger_format::{Micros, Seq};
use memledger::civil::When;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{
    Command, Content, Deadline, ErrorKind::Invalid, Filter, Ledger, Proposal, Question, Submission,
    Terms,
};
use replay_tests::desk::{Desk, closing, proposed};
use replay_tests::place::Place;
use replay_tests::witness::at;
use replay_tests::workload::time;
use replay_tests::{small, tamper};

#[test]
fn intervals_that_end_before_they_begin_are_refused() {
    let mut desk = Desk::open();
    let known = desk.takes("a text", |_| ());
    let now = time::BASE;
    let ends = [(now, now), (now + 1, now), (i64::MAX, i64::MIN), (i64::MIN, i64::MIN)];
    for (from, until) in ends.map(|(from, until)| (Some(Micros(from)), Some(Micros(until)))) {
        desk.refuses_write("valid", Invalid, |p| (p.valid_from, p.valid_until) = (from, until));
        desk.refuses_write("superseded", Invalid, |p| {
            p.supersedes = vec![known];
            (p.supersede_from, p.supersede_until) = (from, until);
        });
        desk.refuses_command("closed", Invalid, closing(known, from, until));
        desk.refuses_command(
            "reopened",
            Invalid,
            Command::Reopen { memory: known, from, until, reason: None },
        );
    }
    // The end alone, before the time of the record from which it would run.
    desk.refuses_command("closed before now", Invalid, closing(known, None, Some(Micros(now))));
    desk.done(17);
}

/// No instant is too early or too late to be asked about or printed, and only the ends of the line,
/// which mean "since ever" and "open", cannot be written down.
#[test]
fn times_at_the_ends_of_the_line_are_times() {
    let ends = [i64::MIN, i64::MIN + 1, -1, 0, i64::MAX - 1, i64::MAX].map(Micros);
    let mut desk = Desk::open();
    let mut written = Vec::new();
    for end in ends {
        let all = |p: &mut Proposal| {
            p.content = Content::Text(format!("from {}", end.0));
            p.observed_at = Some(end);
            (p.ttl_until, p.review_by) = (Some(Deadline::At(end)), Some(Deadline::At(end)));
            p.valid_from = Some(end);
        };
        let terms = Terms { claimed_at: Some(end), ..Terms::default() };
        desk.ledger.submit(Submission::of(proposed(|_| ()), terms)).unwrap();
        if end == Micros::MIN || end == Micros::MAX {
            desk.refuses_write("from an end", Invalid, all);
            desk.refuses_write("until an end", Invalid, |p| p.valid_until = Some(end));
            continue;
        }
        written.push((desk.takes("from", all), end));
        desk.takes("until", |p| {
            p.content = Content::Text(format!("until {}", end.0));
            p.valid_until = Some(end);
        });
    }
    let desk = desk.opened_again();
    let snapshot = desk.ledger.snapshot(&at(When::Head, None)).unwrap();
    for (id, end) in &written {
        let item = snapshot.get(id).unwrap().unwrap();
        assert_eq!([item.observed_at, item.ttl_until, item.review_by], [Some(*end); 3]);
        assert_eq!(item.validity[0].from, *end);
    }
    drop(snapshot);
    for (known, valid) in ends.into_iter().flat_map(|one| ends.map(|other| (one, other))) {
        for claimed in [false, true] {
            let question =
                Question { claimed, ..at(When::Instant(known), Some(When::Instant(valid))) };
            assert_same(&desk.ledger, &question);
        }
    }
    desk.done(4);
}

fn assert_same(ledger: &Ledger, question: &Question) {
    let truth = Question { from_archive: true, ..question.clone() };
    let filter = Filter { include_history: true, ..Filter::default() };
    let (views, archive) = (ledger.snapshot(question).unwrap(), ledger.snapshot(&truth).unwrap());
    assert_eq!(views.list(&filter).unwrap(), archive.list(&filter).unwrap());
    assert!(!views.basis().line().is_empty());
}

/// A clock at the end of the line stays there; the ledger goes on all the same.
#[test]
fn a_clock_at_the_ends_of_the_line_writes_whole_ledgers() {
    for (first, second) in [(i64::MIN, i64::MAX), (0, i64::MAX), (i64::MIN, i64::MIN + 1)] {
        let (place, ledger) = Place::new(Micros(first));
        small::write(&ledger, "early", None);
        place.clock.set(Micros(second));
        small::write(&ledger, "late", None);
        place.clock.set(Micros(first));
        small::write(&ledger, "held back", None);
        ledger.close().unwrap();
        let ledger = place.open();
        let views = small::answers(&ledger, false).unwrap();
        assert_eq!(views, small::answers(&ledger, true).unwrap());
        let times = ledger.log(Seq(0), 100).unwrap();
        assert!(times.is_sorted_by_key(|entry| entry.recorded_at));
        ledger.close().unwrap();
        let report = tamper::verify(&place.path(), VerifyLevel::Views);
        assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
    }
}
