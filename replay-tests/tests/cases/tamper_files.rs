//! Whole files cut, deleted, exchanged, and rows of the views changed: each is reported, with the
//! verdict that fits, and whoever asks gets an error or the truth.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use ledger_format::event::memory::Use;
use ledger_format::{CloseKind, Event, Micros, Seq};
use ledger_replay::{Sequenced, State, apply};
use ledger_views::Rebuild;
use memledger::civil::When;
use memledger::{CheckVerdict, Command, ErrorKind, Ledger, OpenOptions, Status, Text, VerifyLevel};
use replay_tests::oracle::Oracle;
use replay_tests::place::Place;
use replay_tests::small::{self, Answer};
use replay_tests::tamper::{archive_is_true, inside, opening_is_true, reported, verify};
use replay_tests::witness::{Witness, at, events};
use replay_tests::workload::time;

/// A ledger with several segments, and what it truly answers.
fn ledger() -> (Place, Vec<Answer>) {
    let place = small::ledger();
    for day in 3..5 {
        place.clock.set(Micros(time::BASE + day * 86_400_000_000));
        let ledger = place.open();
        small::write(&ledger, "Ask before you book", None);
        ledger.close().unwrap();
    }
    let archive = place.archive_at(&place.path()).unwrap();
    let truth = small::answers(&archive, true).unwrap();
    (place, truth)
}

/// What a change to a copy of a ledger leads to: a verdict that is not ok, what was found, and never
/// another answer. Gives whether the archive and an opening answered, and the findings.
fn changed(
    place: &Place,
    truth: &[Answer],
    what: &str,
    change: impl FnOnce(&Path),
) -> (CheckVerdict, bool, bool, String) {
    let copy = place.copy("copy");
    change(&copy);
    let findings = reported(&copy, VerifyLevel::Content, what);
    let verdict = verify(&copy, VerifyLevel::Content).verdict();
    let archive = archive_is_true(place, &copy, truth, what);
    let opened = opening_is_true(place, &copy, truth, what);
    fs::remove_dir_all(copy).unwrap();
    (verdict, archive, opened, findings)
}

#[test]
fn fault_12_a_log_cut_below_its_anchor_is_lost_and_said_to_be() {
    let (place, truth) = ledger();
    let last = inside(&place, "log").pop().unwrap();
    let name = last.strip_prefix(place.path()).unwrap().to_owned();
    let length = last.metadata().unwrap().len();
    let cuts = (0..length).step_by(331).chain([length - 1]);
    let mut count = 0;
    for cut in cuts {
        let what = format!("cut at {cut} of {length}");
        let cutting = |copy: &Path| {
            let file = fs::OpenOptions::new().write(true).open(copy.join(&name)).unwrap();
            file.set_len(cut).unwrap();
        };
        let (verdict, archive, opened, findings) = changed(&place, &truth, &what, cutting);
        assert_eq!(verdict, CheckVerdict::Damaged, "{what}");
        assert!(!archive && !opened, "{what}: an answer");
        assert!(findings.contains("the end of the log"), "{what}: {findings}");
        let copy = place.copy("copy");
        cutting(&copy);
        let error = place.open_at(&copy).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Damaged, "{what}: {error}");
        fs::remove_dir_all(copy).unwrap();
        count += 1;
    }
    assert!(count > 10, "{count}");
}

#[test]
fn fault_09_a_missing_segment_is_named() {
    let (place, truth) = ledger();
    let segments = inside(&place, "log");
    assert_eq!(segments.len(), 3);
    for segment in segments {
        let name = segment.strip_prefix(place.path()).unwrap();
        let told = changed(&place, &truth, &format!("{name:?} deleted"), |copy| {
            fs::remove_file(copy.join(name)).unwrap();
        });
        let (verdict, archive, opened, findings) = told;
        assert_eq!(verdict, CheckVerdict::Damaged, "{name:?}: {findings}");
        assert!(!archive && !opened, "{name:?}: an answer");
        // Where nothing comes after it, only the anchor knows that there was more.
        let named = findings.contains("log/00000") || findings.contains("the end of the log");
        assert!(named, "{name:?}: {findings}");
    }
}

/// One copy of the anchor is enough to read, but none may be missing when somebody writes.
#[test]
fn a_missing_anchor_is_no_fresh_ledger() {
    let (place, truth) = ledger();
    for names in [&["anchor.a"][..], &["anchor.b"], &["anchor.a", "anchor.b"]] {
        let told = changed(&place, &truth, &format!("{names:?} deleted"), |copy| {
            for name in names {
                fs::remove_file(copy.join(name)).unwrap();
            }
        });
        let (verdict, archive, opened, findings) = told;
        assert!(findings.contains(names[0]), "{names:?}: {findings}");
        assert!(!opened, "{names:?}: opened for writing");
        assert_eq!(archive, names.len() == 1, "{names:?}");
        assert_eq!(verdict, CheckVerdict::Damaged, "{names:?}: {findings}");
    }
}

#[test]
fn fault_19_a_missing_payload_file_is_damage_and_no_empty_text() {
    let (place, truth) = ledger();
    let told = changed(&place, &truth, "payloads deleted", |copy| {
        fs::remove_file(copy.join("payloads/0000000000.pay")).unwrap();
    });
    let (verdict, archive, opened, findings) = told;
    assert_eq!(verdict, CheckVerdict::Damaged);
    assert!(!archive && !opened, "an answer");
    assert!(findings.contains("payloads/0000000000.pay"), "{findings}");
}

#[test]
fn fault_19_swapped_payloads_are_found_on_every_read() {
    let (place, truth) = ledger();
    let archive = place.archive_at(&place.path()).unwrap();
    let records = archive.records(Seq(0), false).map(Result::unwrap);
    let stored: Vec<Vec<u8>> =
        records.flat_map(|record| record.payloads).map(|payload| payload.stored).collect();
    let file = "payloads/0000000000.pay";
    let bytes = fs::read(place.path().join(file)).unwrap();
    let place_of = |part: &[u8]| bytes.windows(part.len()).position(|window| window == part);
    let mut swaps = 0;
    for (at, one) in stored.iter().enumerate() {
        for other in stored[at + 1..].iter().filter(|other| other.len() == one.len()) {
            let (first, second) = (place_of(one).unwrap(), place_of(other).unwrap());
            let mut swapped = bytes.clone();
            swapped[first..first + one.len()].copy_from_slice(other);
            swapped[second..second + one.len()].copy_from_slice(one);
            let what = format!("{first} and {second} swapped");
            let told = changed(&place, &truth, &what, |copy| {
                fs::write(copy.join(file), &swapped).unwrap();
            });
            let (verdict, archive, opened, findings) = told;
            assert_eq!(verdict, CheckVerdict::Damaged, "{what}: {findings}");
            assert!(!archive && !opened, "{what}: an answer");
            swaps += 1;
        }
    }
    assert!(swaps > 10, "{swaps}");
}

#[test]
fn files_of_another_ledger_are_told_from_its_own() {
    let ((place, truth), (other, _)) = (ledger(), ledger());
    let sets: [&[&str]; 8] = [
        &["log/0000000000.seg"],
        &["log/0000000002.seg"],
        &["anchor.a"],
        &["anchor.a", "anchor.b"],
        &["payloads/0000000000.pay"],
        &["keys/slots.a"],
        &["keys/slots.a", "keys/slots.b"],
        &["ledger.toml"],
    ];
    for names in sets {
        let told = changed(&place, &truth, &format!("{names:?} exchanged"), |copy| {
            for name in names {
                fs::copy(other.path().join(name), copy.join(name)).unwrap();
            }
        });
        let (verdict, archive, opened, findings) = told;
        assert_eq!(verdict, CheckVerdict::Damaged, "{names:?}: {findings}");
        let foreign = other.id.to_string();
        let named =
            findings.lines().any(|line| line.starts_with(names[0]) && line.contains(&foreign));
        assert!(named, "{names:?}: {findings}");
        // The twin of a key page is as good as the page.
        assert_eq!((archive, opened), [(names == ["keys/slots.a"]); 2].into(), "{names:?}");
    }
}

/// Nothing hides behind the end of a file either.
#[test]
fn a_byte_more_at_the_end_of_a_file_is_reported() {
    let (place, truth) = ledger();
    let names = [
        "log/0000000001.seg",
        "log/0000000002.seg",
        "payloads/0000000000.pay",
        "anchor.a",
        "keys/slots.b",
        "ledger.toml",
    ];
    for name in names {
        let (_, archive, _, findings) =
            changed(&place, &truth, &format!("{name} longer"), |copy| {
                let mut file = fs::OpenOptions::new().append(true).open(copy.join(name)).unwrap();
                file.write_all(b"#").unwrap();
            });
        assert!(findings.contains(name), "{name}: {findings}");
        println!("{name} {archive}");
    }
}

/// A missing or wrong key says nothing about the ledger.
#[test]
fn without_the_master_key_nothing_is_called_damaged() {
    let (place, _) = ledger();
    let Some(master) = place.master() else {
        return;
    };
    let own = fs::read(master).unwrap();
    fs::remove_file(master).unwrap();
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::CannotCheck, "{report:#?}");
    let ledger = place.archive_at(&place.path()).unwrap();
    for item in small::answers(&ledger, true).unwrap().concat() {
        assert!(matches!(item.text, Text::Locked | Text::Forgotten), "{item:?}");
    }
    let mut wrong = own.clone();
    wrong[0] = if own[0] == b'0' { b'1' } else { b'0' };
    put_key(master, &wrong);
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::CannotCheck, "{report:#?}");
    let opened = place.open_at(&place.path());
    assert_eq!(opened.unwrap_err().kind(), ErrorKind::Unproven);
    put_key(master, &own);
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
}

/// A key file that others may read would be refused.
fn put_key(path: &Path, key: &[u8]) {
    let _ = fs::remove_file(path);
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create_new(true).mode(0o600).open(path);
    file.unwrap().write_all(key).unwrap();
}

/// A view says again what was closed, and is whole in itself: its position, its hashes, its digest.
#[test]
fn rival_01_a_view_row_set_back_is_named_and_the_truth_is_unchanged() {
    let (place, truth) = ledger();
    let archive = place.archive_at(&place.path()).unwrap();
    forge(&place, &events(&archive), |event, _| leave_out_closures(event));
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::Damaged, "{report:#?}");
    for check in report.checks {
        let wanted = match check.name.as_str() {
            "views" => CheckVerdict::Damaged,
            _ => CheckVerdict::Ok,
        };
        assert_eq!(check.verdict, wanted, "{check:#?}");
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

fn leave_out_closures(event: &mut Sequenced) {
    if let Event::Close(close) = &event.event {
        let memories = vec![close.memory];
        event.event = Event::Use(Use { memories, receipt: None });
    }
}

/// Views that are wrong about time do not lead the archive astray.
#[test]
fn the_archive_finds_the_record_of_an_instant_by_itself() {
    let (place, _) = ledger();
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
            witness.ask(&question, &mut replay_tests::rng::Rng::new(seq.0));
            let snapshot = views.snapshot(&question).unwrap();
            let listed = snapshot.list(&memledger::Filter::default()).unwrap().items;
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
