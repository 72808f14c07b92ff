//! A log in memory with two histories, and a witness of it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use ledger_format::tree::Frontier;
use ledger_proof::merkle::Gatherer;
use ledger_proof::{Checkpoint, ConsistencyFile, KeyKind, LedgerKey, VerifierKey};
use ledger_server::{Limits, Witness, WitnessDir, serve};

pub(crate) const ORIGIN: &str = "support.example/log";
pub(crate) const NOW: u64 = 1_780_000_000;

pub(crate) fn log_key() -> LedgerKey {
    LedgerKey::from_seed(&[1; 32])
}

pub(crate) fn known() -> Vec<VerifierKey> {
    vec![log_key().verifier(ORIGIN, KeyKind::Note).unwrap()]
}

/// `add-checkpoint` from one size to another, of one of two histories.
pub(crate) fn grown(old: u64, new: u64, history: &str) -> ConsistencyFile {
    let (mut tree, mut proof) = (Frontier::new(), Gatherer::consistency(old, new).unwrap());
    for at in 0..new {
        let record = format!("{history} {at}");
        tree.push(record.as_bytes());
        proof.push(at, record.as_bytes());
    }
    let checkpoint = Checkpoint { origin: ORIGIN.to_owned(), size: new, root: tree.root() };
    let checkpoint = checkpoint.sign(&log_key()).unwrap();
    ConsistencyFile { old, path: proof.finish().unwrap(), checkpoint }
}

pub(crate) fn request(old: u64, new: u64, history: &str) -> String {
    grown(old, new, history).to_string()
}

pub(crate) fn opened(dir: &Path) -> Witness {
    Witness::new(WitnessDir::open(dir).unwrap(), known()).unwrap()
}

pub(crate) fn fresh(root: &Path) -> PathBuf {
    named(root, "witness.example")
}

pub(crate) fn named(root: &Path, name: &str) -> PathBuf {
    let dir = root.join(name);
    WitnessDir::init(&dir, name).unwrap();
    dir
}

pub(crate) fn status(witness: &Witness, body: &str) -> u16 {
    witness.add_checkpoint(body.as_bytes(), NOW).0.status
}

/// Limits that a test can wait for.
pub(crate) fn tight() -> Limits {
    let soon = Duration::from_millis(400);
    Limits { connections: 4, patience: soon, grace: soon }
}

/// A witness behind a socket; it runs until the tests end.
pub(crate) fn served(witness: Witness, limits: Limits) -> SocketAddr {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let ready = |address| sender.send(address).unwrap();
        serve(witness, ([127, 0, 0, 1], 0).into(), limits, Arc::new(|| NOW), ready, |_| {})
            .unwrap();
    });
    receiver.recv().unwrap()
}
