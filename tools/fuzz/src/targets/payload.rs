//! Owns the target of sealed payloads: what is inside is reached by sealing the bytes as they come.

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use ledger_format::{FormatError, LedgerId, PayloadId, PayloadRef, Role, hash, limits, payload};

const LEDGER: LedgerId = LedgerId([7; 16]);
const ID: PayloadId = PayloadId(9);
const KEY: [u8; 32] = [3; 32];
const NONCE: [u8; 24] = [5; 24];

/// Bytes as content come back; bytes as a frame, or as what is stored, give an error or a content
/// within the limit.
pub(super) fn open(bytes: &[u8]) {
    as_content(bytes);
    as_stored(bytes.to_vec());
    as_stored([&NONCE[..], &encrypted(bytes)].concat());
}

fn as_content(bytes: &[u8]) {
    match payload::seal(&LEDGER, ID, Role::Text, bytes, &KEY, &NONCE) {
        Ok(sealed) => {
            let opened = payload::open(&LEDGER, &sealed.reference, &sealed.stored, &KEY);
            assert_eq!(opened.as_deref(), Ok(bytes));
        }
        Err(error) => assert!(bytes.len() > limits::PAYLOAD_BYTES, "{error}"),
    }
}

fn as_stored(stored: Vec<u8>) {
    let Ok(length) = u32::try_from(stored.len()) else { return };
    let reference = PayloadRef {
        id: ID,
        role: Role::Text,
        suite: 1,
        commitment: [1; 32],
        digest: hash::ciphertext(&stored),
        length,
    };
    // Nobody knows a content with this commitment.
    let error = payload::open(&LEDGER, &reference, &stored, &KEY).unwrap_err();
    assert!(!matches!(error, FormatError::CheckMismatch { what: "ciphertext digest" }));
}

fn encrypted(frame: &[u8]) -> Vec<u8> {
    let mut place = [0; 25];
    place[..16].copy_from_slice(&LEDGER.0);
    place[16..24].copy_from_slice(&ID.0.to_le_bytes());
    place[24] = Role::Text.number();
    let cipher = XChaCha20Poly1305::new(&KEY.into());
    cipher.encrypt(XNonce::from_slice(&NONCE), Payload { msg: frame, aad: &place }).unwrap()
}
