//! Owns cosignatures: that a witness saw a checkpoint to continue all it saw before, and when
//! (c2sp.org/tlog-cosignature, Ed25519).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::key::{KeyKind, LedgerKey, VerifierKey};
use crate::note::SignatureLine;

/// Bytes of the time before the signature.
const TIME_BYTES: usize = 8;

/// A cosignature that verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cosigned {
    /// When the witness signed, in seconds since 1970-01-01T00:00:00Z, by its own clock.
    pub at: u64,
}

impl LedgerKey {
    /// The line by which a witness of this name vouches for a checkpoint, at a time in seconds
    /// since 1970.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] for a name that is no key name.
    pub fn cosign(
        &self,
        name: &str,
        checkpoint: &SignedCheckpoint,
        at: u64,
    ) -> Result<SignatureLine, ProofError> {
        let key = self.verifier(name, KeyKind::Cosignature)?;
        let mut bytes = Vec::from(at.to_be_bytes());
        bytes.extend(self.sign(message(checkpoint, at).as_bytes()));
        SignatureLine::new(name, key.id(), bytes)
    }
}

impl SignedCheckpoint {
    /// Those of the lines that a witness answered by which one of `keys` vouches for this checkpoint.
    /// Lines by other keys are left out, as the format asks.
    ///
    /// # Errors
    /// [`ProofError::BadSignature`] where a line names one of the keys and is not by it,
    /// [`ProofError::UnknownKey`] where no line is by any of them.
    pub fn cosignatures(
        &self,
        lines: &[SignatureLine],
        keys: &[VerifierKey],
    ) -> Result<Vec<SignatureLine>, ProofError> {
        let mut by_known = Vec::new();
        for line in lines {
            let Some(key) = keys.iter().find(|key| key.claims(line)) else { continue };
            if key.cosignature(self, line).is_none() {
                return Err(ProofError::BadSignature { name: key.name().into() });
            }
            by_known.push(line.clone());
        }
        if by_known.is_empty() {
            let keys: Vec<String> = keys.iter().map(|key| format!("{key}")).collect();
            return Err(ProofError::UnknownKey { wanted: keys.join(", ") });
        }
        Ok(by_known)
    }
}

impl VerifierKey {
    /// The newest cosignature of this witness on a checkpoint; none where it has none.
    ///
    /// # Errors
    /// [`ProofError::BadSignature`] where a line names this witness and is not by it.
    pub fn cosigned(&self, checkpoint: &SignedCheckpoint) -> Result<Option<Cosigned>, ProofError> {
        let mut newest = None;
        for line in checkpoint.note().signatures().iter().filter(|line| self.claims(line)) {
            let at = self.cosignature(checkpoint, line);
            let at = at.ok_or_else(|| ProofError::BadSignature { name: self.name().into() })?;
            newest = newest.max(Some(at));
        }
        Ok(newest.map(|at| Cosigned { at }))
    }

    fn cosignature(&self, checkpoint: &SignedCheckpoint, line: &SignatureLine) -> Option<u64> {
        let (time, signature) = line.bytes().split_first_chunk::<TIME_BYTES>()?;
        let at = u64::from_be_bytes(*time);
        let kind = self.kind() == KeyKind::Cosignature && i64::try_from(at).is_ok();
        (kind && self.verifies(message(checkpoint, at).as_bytes(), signature)).then_some(at)
    }
}

/// What a cosignature covers: two lines, and the whole text of the checkpoint.
fn message(checkpoint: &SignedCheckpoint, at: u64) -> String {
    format!("cosignature/v1\ntime {at}\n{}", checkpoint.note().text())
}
