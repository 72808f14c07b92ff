//! Whole files cut, deleted, doubled, exchanged, made longer: each is reported, with the verdict that
//! fits, and whoever asks gets an error or the truth.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use ledger_format::{Micros, Seq};
use memledger::ErrorKind;
use memledger::answer::Text;
use memledger::verify::{CheckVerdict, VerifyLevel};
use replay_tests::place::Place;
use replay_tests::small::{self, Answer};
use replay_tests::tamper::{archive_is_true, inside, opening_is_true, reported, verify};
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
    let truth = small::truth(&place);
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
fn fault_11_a_log_that_ends_below_its_anchor_is_lost_and_said_to_be() {
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

/// What is done to a copy, and its name.
type Change<'a> = (&'a str, &'a dyn Fn(&Path));

#[test]
fn fault_09_a_doubled_or_renamed_segment_is_named() {
    let (place, truth) = ledger();
    let name = |number| format!("log/{number:010}.seg");
    let changes: [Change<'_>; 4] = [
        ("the first again at the end", &|copy| {
            fs::copy(copy.join(name(0)), copy.join(name(3))).unwrap();
        }),
        ("the last again at the end", &|copy| {
            fs::copy(copy.join(name(2)), copy.join(name(3))).unwrap();
        }),
        ("the last under another number", &|copy| {
            fs::rename(copy.join(name(2)), copy.join(name(7))).unwrap();
        }),
        ("two exchanged", &|copy| {
            fs::rename(copy.join(name(1)), copy.join("log/away")).unwrap();
            fs::rename(copy.join(name(2)), copy.join(name(1))).unwrap();
            fs::rename(copy.join("log/away"), copy.join(name(2))).unwrap();
        }),
    ];
    for (what, change) in changes {
        let (verdict, archive, opened, findings) = changed(&place, &truth, what, change);
        assert_eq!(verdict, CheckVerdict::Damaged, "{what}: {findings}");
        assert!(!opened, "{what}: opened for writing");
        assert!(findings.contains("log/00000"), "{what}: {findings}");
        // What lies behind the anchor is not looked at by a reader.
        assert_eq!(archive, what.ends_with("again at the end"), "{what}");
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
        // One copy can be made again from the other; without both nobody can tell where the log ended.
        let expected =
            if names.len() == 1 { CheckVerdict::Damaged } else { CheckVerdict::CannotCheck };
        assert_eq!(verdict, expected, "{names:?}: {findings}");
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
        let behind_what_is_read = name != "log/0000000001.seg";
        assert_eq!(archive, behind_what_is_read, "{name}");
    }
}

/// A missing or wrong key says nothing about the ledger.
#[test]
fn without_the_master_key_nothing_is_called_damaged() {
    let (place, _) = ledger();
    let master = place.master();
    let own = fs::read(&master).unwrap();
    fs::remove_file(&master).unwrap();
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::CannotCheck, "{report:#?}");
    let ledger = place.archive_at(&place.path()).unwrap();
    for item in small::answers(&ledger, true).unwrap().concat() {
        assert!(matches!(item.text, Text::Locked | Text::Forgotten(_)), "{item:?}");
    }
    let mut wrong = own.clone();
    wrong[0] = if own[0] == b'0' { b'1' } else { b'0' };
    put_key(&master, &wrong);
    let report = verify(&place.path(), VerifyLevel::Views);
    assert_eq!(report.verdict(), CheckVerdict::CannotCheck, "{report:#?}");
    let opened = place.open_at(&place.path());
    assert_eq!(opened.unwrap_err().kind(), ErrorKind::Unproven);
    put_key(&master, &own);
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
