//! Views that say something else than the log and are whole in themselves: verification names them, and
//! the log stays the truth.

use ledger_format::event::memory::Use;
use ledger_format::{CloseKind, Event, Micros, Seq};
use ledger_replay::{Sequenced, State, apply};
use ledger_views::Rebuild;
use memledger::civil::When;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{Command, Filter, Ledger, OpenOptions, Status};
use replay_tests::oracle::Oracle;
use replay_tests::place::Place;
use replay_tests::rng::Rng;
use replay_tests::small;
use replay_tests::tamper::{archive_is_true, verify};
use replay_tests::witness::{Witness, at, events};
use replay_tests::workload::time;

/// A view says again what was closed, and is whole in itself: its position, its hashes, its digest.
#[test]
fn rival_01_a_view_row_set_back_is_named_and_the_truth_is_unchanged() {
    let place = small::ledger();
    let truth = small::truth(&place);
    let archive = place.archive_at(&place.path()).unwrap();
    let events = events(&archive);
    let closed = closures(&events);
    assert!(!closed.is_empty());
    forge(&place, &events, |event, _| leave_out_closures(event));
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::Damaged, "{report:#?}");
    for check in report.checks {
        let wanted = match check.name.as_str() {
            "views" => CheckVerdict::Damaged,
            _ => CheckVerdict::Ok,
        };
        assert_eq!(check.verdict, wanted, "{check:#?}");
        if wanted == CheckVerdict::Damaged {
            // Each memory whose closure was left out, with the record that closed it, and no other.
            let mut wanted: Vec<String> = closed.clone();
            wanted.sort();
            let named = |found: &&String| found.starts_with("memory ");
            let mut found: Vec<String> = check.findings.iter().filter(named).cloned().collect();
            found.sort();
            assert_eq!(found, wanted, "{check:#?}");
        }
    }
    assert!(archive_is_true(&place, &place.path(), &truth, "forged views"));
    let ledger = place.open();
    assert_ne!(small::answers(&ledger, false).unwrap(), truth, "the forgery is a good one");
    assert_eq!(small::answers(&ledger, true).unwrap(), truth, "the archive knows");
    let report = ledger.verify(VerifyLevel::Views, &|_, _, _| ()).unwrap();
    assert_eq!(report.verdict(), CheckVerdict::Damaged, "{report:#?}");
    ledger.close().unwrap();
    let rebuild = OpenOptions { rebuild: true, ..place.options() };
    let ledger = Ledger::open(&place.path(), rebuild).unwrap();
    assert_eq!(small::answers(&ledger, false).unwrap(), truth);
    ledger.close().unwrap();
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
}

/// Puts views in force that were made from altered events and altered changes.
fn forge(
    place: &Place,
    events: &[Sequenced],
    mut alter: impl FnMut(&mut Sequenced, &mut Option<Micros>),
) {
    let options = ledger_views::OpenOptions::new(place.id);
    let mut rebuild = Rebuild::begin(&place.path().join("views"), options).unwrap();
    let mut state = State::default();
    for event in events {
        let (mut event, mut time) = (event.clone(), None);
        alter(&mut event, &mut time);
        let mut changes = apply(&mut state, &event);
        changes.recorded_at = time.unwrap_or(changes.recorded_at);
        rebuild.push(&changes).unwrap();
    }
    rebuild.finish().unwrap().close().unwrap();
}

/// What verification has to say when all closures were left out of the views.
fn closures(events: &[Sequenced]) -> Vec<String> {
    let mut born = std::collections::BTreeMap::new();
    let mut rows = Vec::new();
    for event in events {
        match &event.event {
            Event::Write(write) => drop(born.insert(write.memory, event.seq().0)),
            Event::Close(close) => {
                let (memory, seq) = (born[&close.memory], event.seq().0);
                rows.push(format!(
                    "memory m{memory}: the row of what record {seq} made of it does not hold what the log says"
                ));
            }
            _ => {}
        }
    }
    rows
}

fn leave_out_closures(event: &mut Sequenced) {
    if let Event::Close(close) = &event.event {
        let memories = vec![close.memory];
        event.event = Event::Use(Use { memories, receipt: None });
    }
}

/// Views that are wrong about time do not lead the archive astray.
#[test]
fn the_archive_finds_the_record_of_an_instant_by_itself() {
    let place = small::ledger();
    let archive = place.archive_at(&place.path()).unwrap();
    let events = events(&archive);
    forge(&place, &events, |event, time| *time = Some(Micros(event.header.recorded_at.0 + 7)));
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::Damaged, "{report:#?}");
    let ledger = place.open();
    let oracle = Oracle::new(events.clone());
    let mut astray = 0;
    for instant in time::around(events.iter().map(|event| event.header.recorded_at)) {
        let last = oracle.known(instant).events().last().map(|event| event.seq());
        let mut question = at(When::Instant(instant), None);
        let views = ledger.snapshot(&question).unwrap().basis().seq;
        astray += usize::from(views != last);
        question.from_archive = true;
        assert_eq!(ledger.snapshot(&question).unwrap().basis().seq, last, "{instant:?}");
    }
    assert!(astray > 0, "the forgery is a good one");
    ledger.close().unwrap();
}

#[test]
fn rival_02_what_is_closed_is_absent_from_its_record_on_in_every_answer() {
    let (place, ledger) = Place::new(Micros(time::BASE));
    let fare = small::write(&ledger, "Refund within 90 days", None);
    for round in 0..3 {
        place.clock.set(Micros(time::BASE + round));
        small::write(&ledger, "something else", None);
    }
    place.clock.set(Micros(time::BASE + 10));
    let close = Command::Close {
        memory: fare,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: None,
        reason: Some("the rule was changed".into()),
    };
    small::submit(&ledger, close);
    let closed = ledger.status().unwrap().head.unwrap().0;
    small::write(&ledger, "later", None);
    ledger.close().unwrap();
    let (views, archive) = (place.open(), place.archive_at(&place.path()).unwrap());
    let mut witness = Witness::new(&views, &archive);
    for (seq, recorded) in witness.records() {
        for known in [When::Seq(seq.0), When::Instant(recorded)] {
            let question = at(known, None);
            witness.ask(&question, &mut Rng::new(seq.0));
            let snapshot = views.snapshot(&question).unwrap();
            let listed = snapshot.list(&Filter::default()).unwrap().items;
            let present = listed.iter().any(|item| item.id == fare);
            let last = snapshot.basis().seq.unwrap();
            assert_eq!(present, (Seq(3)..closed).contains(&last), "{known:?}");
            let found = snapshot.get(&fare).unwrap().map(|item| item.status);
            let word = match last {
                before if before < Seq(3) => None,
                before if before < closed => Some(Status::Open),
                _ => Some(Status::Closed),
            };
            assert_eq!(found, word, "{known:?}");
        }
    }
    views.close().unwrap();
}
