//! Owns the targets of what outsiders hand in: what parses prints as the same bytes, and nothing that
//! was made of random bytes is signed by a key that signed nothing.

use ledger_proof::{
    ConsistencyFile, Note, SignedCheckpoint, TlogProof, VerifierKey, WitnessPolicy,
};

/// A public key whose private half nobody uses here: that of the tests of Go's sumdb notes.
const KEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

pub(super) fn note(bytes: &[u8]) {
    if let Ok(note) = Note::parse(bytes) {
        same(bytes, &note.to_string());
    }
}

pub(super) fn checkpoint(bytes: &[u8]) {
    let key: VerifierKey = KEY.parse().unwrap();
    if let Ok(signed) = SignedCheckpoint::parse(bytes) {
        same(bytes, &signed.to_string());
        assert!(signed.verify(&[key]).is_err(), "nobody signed {bytes:02x?}");
    }
}

pub(super) fn tlog_proof(bytes: &[u8]) {
    if let Ok(proof) = TlogProof::parse(bytes) {
        same(bytes, &proof.to_string());
    }
}

pub(super) fn consistency(bytes: &[u8]) {
    if let Ok(file) = ConsistencyFile::parse(bytes) {
        same(bytes, &file.to_string());
    }
}

pub(super) fn keys(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(key) = text.parse::<VerifierKey>() {
        same(bytes, &key.to_string());
    }
    if let Err(error) = text.parse::<WitnessPolicy>() {
        assert!(!error.to_string().is_empty());
    }
}

fn same(bytes: &[u8], printed: &str) {
    assert!(bytes == printed.as_bytes(), "parses {bytes:02x?} and prints {printed:?}");
}
