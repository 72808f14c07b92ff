//! What a witness answers, keeps and refuses, without its sockets.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::sync::{Arc, Barrier};
use std::thread;

use ledger_server::{ServerErrorKind, Witness, WitnessDir};

use crate::support::{NOW, ORIGIN, fresh, known, opened, request, status};

#[test]
fn a_witness_is_made_once_and_its_key_is_its_own() {
    let root = tempfile::tempdir().unwrap();
    let dir = fresh(root.path());
    let mode = fs::metadata(dir.join("key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let again = WitnessDir::init(&dir, "witness.example").unwrap_err();
    assert_eq!(again.kind(), ServerErrorKind::Invalid);
    assert!(WitnessDir::init(&root.path().join("other"), "two words").is_err());
    let nothing = WitnessDir::open(root.path()).unwrap_err();
    assert_eq!(nothing.kind(), ServerErrorKind::Invalid);
}

#[test]
fn one_process_has_the_directory() {
    let root = tempfile::tempdir().unwrap();
    let dir = fresh(root.path());
    let held = WitnessDir::open(&dir).unwrap();
    assert_eq!(WitnessDir::open(&dir).unwrap_err().kind(), ServerErrorKind::Unavailable);
    drop(held);
    WitnessDir::open(&dir).unwrap();
}

#[test]
fn a_restart_goes_on_and_refuses_rollback_and_fork() {
    let root = tempfile::tempdir().unwrap();
    let dir = fresh(root.path());
    assert_eq!(status(&opened(&dir), &request(0, 9, "a")), 200);
    let witness = opened(&dir);
    assert_eq!(witness.logs(), [(ORIGIN.to_owned(), 9)]);
    let (reply, decision) = witness.add_checkpoint(request(0, 8, "a").as_bytes(), NOW);
    assert_eq!((reply.status, reply.content_type), (409, "text/x.tlog.size"));
    assert_eq!((reply.body.as_str(), decision.size), ("9\n", 8));
    assert_eq!(status(&witness, &request(9, 9, "b")), 409);
    assert_eq!(status(&witness, &request(9, 12, "b")), 422);
    assert_eq!(status(&witness, "old 0\n\nnonsense"), 400);
    assert_eq!(status(&witness, &request(9, 12, "a")), 200);
}

#[test]
fn a_changed_note_stops_the_witness() {
    let root = tempfile::tempdir().unwrap();
    let dir = fresh(root.path());
    assert_eq!(status(&opened(&dir), &request(0, 9, "a")), 200);
    let note = dir.join("heads/support.example%2Flog.note");
    let text = fs::read_to_string(&note).unwrap();
    for changed in [text.replace("\n9\n", "\n8\n"), String::new()] {
        fs::write(&note, changed).unwrap();
        let refused = Witness::new(WitnessDir::open(&dir).unwrap(), known()).unwrap_err();
        assert_eq!(refused.kind(), ServerErrorKind::Damaged);
    }
}

#[test]
fn what_cannot_be_kept_is_not_signed_then_or_later() {
    let root = tempfile::tempdir().unwrap();
    let dir = fresh(root.path());
    let witness = opened(&dir);
    fs::write(dir.join("heads"), "in the way").unwrap();
    let (reply, decision) = witness.add_checkpoint(request(0, 9, "a").as_bytes(), NOW);
    assert_eq!(reply.status, 503);
    assert!(!reply.body.contains('\u{2014}') && decision.why.is_some());
    fs::remove_file(dir.join("heads")).unwrap();
    assert_eq!(status(&witness, &request(0, 9, "b")), 503);
    assert_eq!(
        status(
            &{
                drop(witness);
                opened(&dir)
            },
            &request(0, 9, "b")
        ),
        200
    );
}

#[test]
fn of_two_histories_at_once_one_is_cosigned() {
    let root = tempfile::tempdir().unwrap();
    let witness = Arc::new(opened(&fresh(root.path())));
    let start = Arc::new(Barrier::new(8));
    let threads = (0..8).map(|n| {
        let (witness, start) = (Arc::clone(&witness), Arc::clone(&start));
        thread::spawn(move || {
            let body = request(0, 9, &format!("history {n}"));
            start.wait();
            status(&witness, &body)
        })
    });
    let threads: Vec<_> = threads.collect();
    let mut got: Vec<u16> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    got.sort_unstable();
    assert_eq!(got, [200, 409, 409, 409, 409, 409, 409, 409]);
}
