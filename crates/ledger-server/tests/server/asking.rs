//! Asking witnesses: real ones, and listeners that answer what no witness should.

#![allow(clippy::disallowed_methods, reason = "how long something takes is what is tested")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::thread;
use std::time::{Duration, Instant};

use ledger_proof::{ConsistencyFile, ProofError, SignatureLine, VerifierKey};
use ledger_server::{Asked, Limits, Unwitnessed, Witness, WitnessDir, gather};

use crate::support::{fresh, grown, known, named, opened, request, served, status};

const PATIENCE: Duration = Duration::from_secs(10);

type Said = Result<Vec<SignatureLine>, Unwitnessed>;

fn asked(address: SocketAddr, key: &VerifierKey, known: u64) -> Asked {
    Asked { url: format!("http://{address}/"), keys: vec![key.clone()], known }
}

/// Asks one witness about the log of `size` records of a history.
fn ask(asked: Asked, size: u64, history: &str) -> Said {
    let prover = |old| Ok(grown(old, size, history));
    let checkpoint = grown(0, size, history).checkpoint;
    gather(&checkpoint, &[asked], PATIENCE, &prover).remove(0)
}

/// A listener that gives each request the same answer.
fn answering(answer: &'static str) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 65_536]).unwrap();
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

#[test]
fn a_witness_cosigns_from_wherever_it_stands() {
    let root = tempfile::tempdir().unwrap();
    let witness = opened(&fresh(root.path()));
    let key = witness.public().clone();
    let address = served(witness, Limits::default());
    // Unseen; known to be at 9; thought to be unseen; thought to be further than the log.
    for (known, size) in [(0, 9), (9, 12), (0, 20), (99, 20)] {
        let lines = ask(asked(address, &key, known), size, "a").unwrap();
        let cosigned = grown(0, size, "a").checkpoint.renewed(&lines).unwrap();
        assert!(key.cosigned(&cosigned).unwrap().is_some(), "{size} records");
    }
}

#[test]
fn another_history_is_told_apart_at_its_size_and_beyond() {
    let root = tempfile::tempdir().unwrap();
    let witness = opened(&fresh(root.path()));
    let key = witness.public().clone();
    assert_eq!(status(&witness, &request(0, 9, "a")), 200);
    let address = served(witness, Limits::default());
    let said = |size, history, known| ask(asked(address, &key, known), size, history).unwrap_err();
    for known in [0, 9] {
        assert_eq!(said(9, "b", known), Unwitnessed::Fork { size: 9 });
        assert_eq!(said(12, "b", known), Unwitnessed::Fork { size: 9 });
        assert_eq!(said(8, "a", known), Unwitnessed::Ahead { size: 9, here: 8 });
    }
    assert!(said(8, "a", 0).to_string().contains("older copy"));
    assert!(said(9, "b", 0).to_string().contains("two histories"));
    ask(asked(address, &key, 0), 12, "a").unwrap();
}

#[test]
fn a_witness_that_knows_no_key_of_the_log_says_what_to_do() {
    let root = tempfile::tempdir().unwrap();
    let none = Witness::new(WitnessDir::open(&named(root.path(), "a")).unwrap(), Vec::new());
    let key = none.as_ref().unwrap().public().clone();
    let said = ask(asked(served(none.unwrap(), Limits::default()), &key, 0), 9, "a").unwrap_err();
    assert_eq!(said, Unwitnessed::UnknownLog);
    let other = ledger_proof::LedgerKey::from_seed(&[7; 32]);
    let other = other.verifier(crate::support::ORIGIN, ledger_proof::KeyKind::Note).unwrap();
    let other = Witness::new(WitnessDir::open(&named(root.path(), "b")).unwrap(), vec![other]);
    let said = ask(asked(served(other.unwrap(), Limits::default()), &key, 0), 9, "a").unwrap_err();
    assert_eq!(said, Unwitnessed::UnknownKey);
    assert!(said.to_string().contains("key show"));
}

#[test]
fn a_cosignature_by_a_key_that_was_not_named_does_not_count() {
    let root = tempfile::tempdir().unwrap();
    let address = served(opened(&named(root.path(), "a")), Limits::default());
    let trusted = WitnessDir::init(&root.path().join("b"), "b").unwrap().key().public().clone();
    let said = ask(asked(address, &trusted, 0), 9, "a").unwrap_err();
    assert!(matches!(said, Unwitnessed::NotCounted(ProofError::UnknownKey { .. })), "{said}");
}

#[test]
fn answers_that_are_none_are_refused_in_bounded_time_and_space() {
    let key = &known()[0];
    let said = |answer| ask(asked(answering(answer), key, 0), 9, "a").unwrap_err();
    let nonsense = said("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nhm?\n");
    assert!(matches!(nonsense, Unwitnessed::NotCounted(_)), "{nonsense}");
    let broken = said("HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\n\x1b[31mred\n");
    assert_eq!(broken, Unwitnessed::Answered { status: 500, text: "[31mred".to_owned() });
    let moved = said("HTTP/1.1 302 Found\r\nlocation: http://x/\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(moved, Unwitnessed::Answered { status: 302, text: String::new() });
    let vague = said("HTTP/1.1 409 Conflict\r\ncontent-length: 3\r\n\r\n+5\n");
    assert!(matches!(vague, Unwitnessed::Answered { status: 409, .. }), "{vague}");
    assert!(matches!(said("hm\r\n\r\n"), Unwitnessed::Unreachable(_)));
}

#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        let _ = stream.read(&mut [0; 65_536]).unwrap();
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n";
        stream.write_all(head.as_bytes()).unwrap();
        while stream.write_all(&[b'x'; 4_096]).is_ok() {}
    });
    let said = ask(asked(address, &known()[0], 0), 9, "a").unwrap_err();
    assert!(matches!(said, Unwitnessed::Unreachable(_)), "{said}");
}

#[test]
fn a_witness_that_always_stands_elsewhere_is_left_alone() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let asked_times = thread::spawn(move || {
        let mut times = 0_u8;
        for stream in listener.incoming().take(3) {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 65_536]).unwrap();
            times += 1;
            write!(stream, "HTTP/1.1 409 No\r\ncontent-length: 2\r\n\r\n{times}\n").unwrap();
        }
        times
    });
    assert_eq!(ask(asked(address, &known()[0], 0), 9, "a"), Err(Unwitnessed::Moving));
    assert_eq!(asked_times.join().unwrap(), 3);
}

#[test]
fn a_silent_witness_delays_the_others_by_its_own_time_only() {
    let root = tempfile::tempdir().unwrap();
    let witness = opened(&fresh(root.path()));
    let key = witness.public().clone();
    let silent: Vec<_> = (0..5).map(|_| TcpListener::bind(("127.0.0.1", 0)).unwrap()).collect();
    let mut all: Vec<_> =
        silent.iter().map(|one| asked(one.local_addr().unwrap(), &key, 0)).collect();
    all.push(asked(served(witness, Limits::default()), &key, 0));
    let begun = Instant::now();
    let patience = Duration::from_secs(2);
    let prover = |old| Ok(grown(old, 9, "a"));
    let said = gather(&grown(0, 9, "a").checkpoint, &all, patience, &prover);
    assert!(begun.elapsed() < 4 * patience, "one after the other they would take ten seconds");
    assert_eq!(said[..5], vec![Err(Unwitnessed::Late(patience)); 5]);
    assert!(said[5].is_ok());
}

#[test]
fn nobody_there_no_place_to_ask_and_no_proof_are_told_apart() {
    let key = &known()[0];
    let gone = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap();
    let said = ask(asked(gone, key, 0), 9, "a").unwrap_err();
    assert!(matches!(&said, Unwitnessed::Unreachable(why) if why.contains("refused")), "{said}");
    let nowhere = Asked { url: "w.example".to_owned(), keys: vec![key.clone()], known: 0 };
    assert!(matches!(ask(nowhere, 9, "a"), Err(Unwitnessed::Url { .. })));
    let prover = |_| -> Result<ConsistencyFile, String> { Err("the log is damaged".to_owned()) };
    let checkpoint = grown(0, 9, "a").checkpoint;
    let said = gather(&checkpoint, &[asked(gone, key, 0)], PATIENCE, &prover).remove(0);
    assert_eq!(said, Err(Unwitnessed::Unproven("the log is damaged".to_owned())));
}
