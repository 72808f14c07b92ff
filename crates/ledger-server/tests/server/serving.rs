//! The sockets of a witness: what it answers over HTTP, and whom it cuts off.

#![allow(clippy::disallowed_methods, reason = "how long something takes is what is tested")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::{Duration, Instant};

use ledger_format::TreeRoot;
use ledger_proof::{ConsistencyFile, SignatureLine, SignedCheckpoint};
use ledger_server::Limits;

use crate::support::{NOW, fresh, opened, request, served, tight};

/// What a witness answers, with its head; empty when it closes the connection.
fn read(mut stream: &TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8(answer).unwrap()
}

fn post(address: SocketAddr, head: &str, body: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(stream, "{head} HTTP/1.1\r\nhost: w\r\ncontent-length: {length}\r\n\r\n").unwrap();
    // A body that is refused half way is refused all the same.
    let _ = stream.write_all(body);
    read(&stream)
}

fn add(address: SocketAddr, body: &str) -> String {
    post(address, "POST /add-checkpoint", body.as_bytes())
}

#[test]
fn it_answers_over_http() {
    let root = tempfile::tempdir().unwrap();
    let witness = opened(&fresh(root.path()));
    let public = witness.public().clone();
    let address = served(witness, Limits::default());
    let body = request(0, 9, "a");
    let answer = add(address, &body);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let lines = answer.split_once("\r\n\r\n").unwrap().1;
    let lines = SignatureLine::parse_all(lines.as_bytes()).unwrap();
    let sent = ConsistencyFile::parse(body.as_bytes()).unwrap().checkpoint;
    let cosigned: SignedCheckpoint = sent.with(&lines).unwrap();
    assert_eq!(public.cosigned(&cosigned).unwrap().unwrap().at, NOW);
    assert_ne!(cosigned.checkpoint().root, TreeRoot([0; 32]));
    let stale = add(address, &request(0, 12, "a"));
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
}

#[test]
fn a_body_above_the_limit_is_refused_announced_or_not() {
    let root = tempfile::tempdir().unwrap();
    let address = served(opened(&fresh(root.path())), Limits::default());
    let long = vec![b'x'; 80_000];
    let refused = |answer: &str| answer.is_empty() || answer.starts_with("HTTP/1.1 413");
    let answer = post(address, "POST /add-checkpoint", &long);
    assert!(refused(&answer), "{answer}");
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ntransfer-encoding: chunked\r\n\r\n"
    )
    .unwrap();
    for part in long.chunks(10_000) {
        let _ = write!(stream, "{:x}\r\n{}\r\n", part.len(), str::from_utf8(part).unwrap());
    }
    let answer = read(&stream);
    assert!(refused(&answer), "{answer}");
    // Nothing of it is left: the next request is answered.
    assert!(add(address, &request(0, 9, "a")).starts_with("HTTP/1.1 200"));
}

/// Sends a request byte by byte until it is cut off, and says how long that took.
fn drip(address: SocketAddr, request: &str) -> Duration {
    let mut stream = TcpStream::connect(address).unwrap();
    let begun = Instant::now();
    for byte in request.bytes().cycle() {
        if stream.write_all(&[byte]).is_err() || begun.elapsed() > Duration::from_secs(20) {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    begun.elapsed()
}

#[test]
fn who_sends_byte_by_byte_is_cut_off_in_the_head_and_in_the_body() {
    let root = tempfile::tempdir().unwrap();
    let address = served(opened(&fresh(root.path())), tight());
    let head = "POST /add-checkpoint HTTP/1.1\r\nx: ";
    let in_head = thread::spawn(move || drip(address, head));
    let body = "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: 60000\r\n\r\n";
    let in_body = thread::spawn(move || drip(address, body));
    // Meanwhile others are served.
    assert!(add(address, &request(0, 9, "a")).starts_with("HTTP/1.1 200"));
    for slow in [in_head, in_body] {
        let lasted = slow.join().unwrap();
        assert!(lasted < Duration::from_secs(15), "{lasted:?}");
    }
}

#[test]
fn connections_are_bounded_and_a_place_that_is_left_is_taken_again() {
    let root = tempfile::tempdir().unwrap();
    let patience = Duration::from_secs(3);
    let limits = Limits { patience, ..tight() };
    let address = served(opened(&fresh(root.path())), limits);
    let idle: Vec<_> = (0..limits.connections).map(|_| TcpStream::connect(address)).collect();
    // They are taken in order: once this one is closed unanswered, all others are waiting.
    let begun = Instant::now();
    assert_eq!(add_quietly(address), "");
    assert!(begun.elapsed() < patience, "closed at once, and not when its time was up");
    drop(idle);
    let mut answer = String::new();
    while answer.is_empty() && begun.elapsed() < Duration::from_secs(20) {
        answer = add_quietly(address);
    }
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// As [`add`], where the connection may be closed before the request is sent.
fn add_quietly(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let body = request(0, 9, "a");
    let head = "POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length";
    let _ = write!(stream, "{head}: {}\r\n\r\n{body}", body.len());
    read(&stream)
}

#[test]
fn of_requests_at_once_for_one_log_the_first_wins_and_the_others_are_told_its_size() {
    let root = tempfile::tempdir().unwrap();
    let address = served(opened(&fresh(root.path())), Limits::default());
    let start = Arc::new(Barrier::new(6));
    let threads: Vec<_> = (0..6)
        .map(|n| {
            let start = Arc::clone(&start);
            thread::spawn(move || {
                let body = request(0, 9 + n, "a");
                start.wait();
                (9 + n, add(address, &body))
            })
        })
        .collect();
    let answers: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let won: Vec<_> = answers.iter().filter(|(_, text)| text.starts_with("HTTP/1.1 200")).collect();
    assert_eq!(won.len(), 1, "{answers:?}");
    let size = won[0].0;
    for (other, text) in answers.iter().filter(|(other, _)| *other != size) {
        assert!(text.starts_with("HTTP/1.1 409"), "{other}: {text}");
        assert!(text.ends_with(&format!("\r\n\r\n{size}\n")), "{other}: {text}");
    }
}
