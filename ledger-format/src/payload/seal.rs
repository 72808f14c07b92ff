//! Owns sealing and opening: XChaCha20-Poly1305 under the payload's own key, with ledger id,
//! payload id and role as associated data, so that a payload cannot be moved to another place.
//!
//! Stored bytes: nonce (24), ciphertext of the padded frame, tag (16).

use alloc::vec::Vec;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use zeroize::Zeroizing;

use super::frame;
use super::reference::{PayloadRef, Role, SUITE_XCHACHA};
use crate::{FormatError, LedgerId, PayloadId, hash};

const NONCE: usize = 24;
const TAG: usize = 16;

/// Most stored bytes of one payload.
pub(super) const MAX_STORED: u64 = (NONCE + frame::longest() + TAG) as u64;

/// A sealed payload: its reference for the record and its bytes for the payload file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sealed {
    /// Goes into the record.
    pub reference: PayloadRef,
    /// Goes into the payload file.
    pub stored: Vec<u8>,
}

/// Seals `plaintext`. `key` and `nonce` must be random and used for nothing else.
///
/// # Errors
/// [`FormatError::TooLarge`] when the plaintext is longer than a payload may be.
pub fn seal(
    ledger: &LedgerId,
    id: PayloadId,
    role: Role,
    plaintext: &[u8],
    key: &[u8; 32],
    nonce: &[u8; 24],
) -> Result<Sealed, FormatError> {
    let framed = Zeroizing::new(frame::wrap(plaintext)?);
    let cipher = XChaCha20Poly1305::new(key.into());
    let aad = associated(ledger, id, role);
    let ciphertext = cipher
        .encrypt(XNonce::from_slice(nonce), Payload { msg: &framed, aad: &aad })
        .map_err(|_| FormatError::BadValue { what: "a payload that cannot be sealed" })?;
    let mut stored = Vec::with_capacity(NONCE + ciphertext.len());
    stored.extend_from_slice(nonce);
    stored.extend_from_slice(&ciphertext);
    let length = u32::try_from(stored.len()).map_err(|_| FormatError::TooLarge {
        what: "stored payload length",
        found: stored.len() as u64,
        limit: MAX_STORED,
    })?;
    let reference = PayloadRef {
        id,
        role,
        suite: SUITE_XCHACHA,
        commitment: hash::commitment(&hash::salt(key), role, plaintext),
        digest: hash::ciphertext(&stored),
        length,
    };
    Ok(Sealed { reference, stored })
}

/// Opens stored bytes and checks them against every promise of their reference: length, digest,
/// key, place, and commitment.
///
/// # Errors
/// [`FormatError::CheckMismatch`] when length, digest or commitment differ, [`FormatError::NotOpened`] when
/// the key is another one, or any error of the frame inside.
pub fn open(
    ledger: &LedgerId,
    reference: &PayloadRef,
    stored: &[u8],
    key: &[u8; 32],
) -> Result<Vec<u8>, FormatError> {
    if stored.len() as u64 != u64::from(reference.length) {
        return Err(FormatError::CheckMismatch { what: "stored payload length" });
    }
    if hash::ciphertext(stored) != reference.digest {
        return Err(FormatError::CheckMismatch { what: "ciphertext digest" });
    }
    let Some((nonce, ciphertext)) = stored.split_at_checked(NONCE) else {
        return Err(FormatError::Truncated {
            what: "a sealed payload",
            needed: NONCE,
            found: stored.len(),
        });
    };
    let cipher = XChaCha20Poly1305::new(key.into());
    let aad = associated(ledger, reference.id, reference.role);
    let framed = cipher
        .decrypt(XNonce::from_slice(nonce), Payload { msg: ciphertext, aad: &aad })
        .map(Zeroizing::new)
        .map_err(|_| FormatError::NotOpened)?;
    let plaintext = frame::unwrap(&framed)?;
    verify_commitment(reference, &plaintext, &hash::salt(key))?;
    Ok(plaintext)
}

/// Checks a disclosed plaintext and salt against a record, without any key.
///
/// # Errors
/// [`FormatError::CheckMismatch`] when they do not belong together.
pub fn verify_commitment(
    reference: &PayloadRef,
    plaintext: &[u8],
    salt: &[u8; 32],
) -> Result<(), FormatError> {
    if hash::commitment(salt, reference.role, plaintext) == reference.commitment {
        Ok(())
    } else {
        Err(FormatError::CheckMismatch { what: "commitment" })
    }
}

fn associated(ledger: &LedgerId, id: PayloadId, role: Role) -> [u8; 25] {
    let mut aad = [0; 25];
    let (place, rest) = aad.split_at_mut(16);
    place.copy_from_slice(&ledger.0);
    let (number, role_byte) = rest.split_at_mut(8);
    number.copy_from_slice(&id.0.to_le_bytes());
    role_byte.copy_from_slice(&[role.number()]);
    aad
}
