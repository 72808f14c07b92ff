//! A witness with its directory and its sockets.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Barrier, mpsc};
use std::thread;

use ledger_format::TreeRoot;
use ledger_format::tree::{Frontier, leaf};
use ledger_proof::merkle::Gatherer;
use ledger_proof::{
    Checkpoint, ConsistencyFile, KeyKind, LedgerKey, SignatureLine, SignedCheckpoint, VerifierKey,
};
use ledger_server::{ServerErrorKind, Witness, WitnessDir, serve};

const ORIGIN: &str = "support.example/log";
const NOW: u64 = 1_780_000_000;

fn log_key() -> LedgerKey {
    LedgerKey::from_seed(&[1; 32])
}

fn known() -> Vec<VerifierKey> {
    vec![log_key().verifier(ORIGIN, KeyKind::Note).unwrap()]
}

/// `add-checkpoint` from one size to another, of one of two histories.
fn request(old: u64, new: u64, history: &str) -> String {
    let leaves: Vec<_> = (0..new).map(|n| leaf(format!("{history} {n}").as_bytes())).collect();
    let (mut tree, mut proof) = (Frontier::new(), Gatherer::consistency(old, new).unwrap());
    for (at, leaf) in (0..).zip(&leaves) {
        tree.push_leaf(*leaf);
        proof.push(at, *leaf);
    }
    let checkpoint = Checkpoint { origin: ORIGIN.to_owned(), size: new, root: tree.root() };
    let checkpoint = checkpoint.sign(&log_key()).unwrap();
    ConsistencyFile { old, path: proof.finish().unwrap(), checkpoint }.to_string()
}

fn opened(dir: &Path) -> Witness {
    Witness::new(WitnessDir::open(dir).unwrap(), known()).unwrap()
}

fn fresh(root: &Path) -> std::path::PathBuf {
    let dir = root.join("witness");
    WitnessDir::init(&dir, "witness.example").unwrap();
    dir
}

fn status(witness: &Witness, body: &str) -> u16 {
    witness.add_checkpoint(body.as_bytes(), NOW).0.status
}

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

fn post(address: SocketAddr, head: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(stream, "{head} HTTP/1.1\r\nhost: w\r\ncontent-length: {length}\r\n\r\n").unwrap();
    // A body that is refused half way is refused all the same.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

#[test]
fn it_answers_over_http() {
    let root = tempfile::tempdir().unwrap();
    let witness = opened(&fresh(root.path()));
    let public = witness.public().clone();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let ready = |address| sender.send(address).unwrap();
        serve(witness, ([127, 0, 0, 1], 0).into(), Arc::new(|| NOW), ready, |_| {}).unwrap();
    });
    let address = receiver.recv().unwrap();
    let body = request(0, 9, "a");
    let answer = post(address, "POST /add-checkpoint", body.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let lines = answer.split_once("\r\n\r\n").unwrap().1;
    let lines = SignatureLine::parse_all(lines.as_bytes()).unwrap();
    let sent = ConsistencyFile::parse(body.as_bytes()).unwrap().checkpoint;
    let cosigned: SignedCheckpoint = sent.with(&lines).unwrap();
    assert_eq!(public.cosigned(&cosigned).unwrap().unwrap().at, NOW);
    assert_ne!(cosigned.checkpoint().root, TreeRoot([0; 32]));
    let stale = post(address, "POST /add-checkpoint", request(0, 12, "a").as_bytes());
    assert!(stale.starts_with("HTTP/1.1 409") && stale.ends_with("\r\n\r\n9\n"), "{stale}");
    assert!(stale.contains("content-type: text/x.tlog.size\r\n"), "{stale}");
    for (head, body, status) in [
        ("GET /add-checkpoint", &b""[..], "405"),
        ("POST /elsewhere", b"x", "404"),
        ("POST /add-checkpoint", b"\xff\xfe", "400"),
    ] {
        let answer = post(address, head, body);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{answer}");
    }
    let long = post(address, "POST /add-checkpoint", &vec![b'x'; 80_000]);
    assert!(long.is_empty() || long.starts_with("HTTP/1.1 413"), "{long}");
}
