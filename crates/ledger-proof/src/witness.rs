//! Owns what a witness decides: whether a checkpoint continues all that was seen of its log before
//! (c2sp.org/tlog-witness, `add-checkpoint`).
//!
//! Invariants: of one log, only heads that continue each other are ever accepted, so that no fork can
//! be cosigned; what is accepted is judged against the head that [`WitnessedLog::advance`] put there
//! last, and a caller who judges, keeps and advances one request after the other keeps that so.
//! May not: store anything or know the time. The caller keeps [`Vouched::kept`] durably before
//! [`Vouched::line`] leaves.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use ledger_format::TreeRoot;
use ledger_format::tree::Frontier;

use crate::checkpoint::SignedCheckpoint;
use crate::consistency::ConsistencyFile;
use crate::error::ProofError;
use crate::key::{KeyKind, VerifierKey};
use crate::note::SignatureLine;
use crate::secret::WitnessKey;

/// A log that a witness knows: its keys, and the last head of it that was cosigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessedLog {
    keys: Vec<VerifierKey>,
    size: u64,
    root: TreeRoot,
}

/// Why nothing is signed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request is no request, or begins behind its own checkpoint.
    Malformed(ProofError),
    /// No key of this log is known here.
    UnknownLog(String),
    /// No known key of the log signed the checkpoint.
    NotSigned(ProofError),
    /// The request does not begin where this witness stands.
    Elsewhere {
        /// The records it begins with.
        asked: u64,
        /// The records that were cosigned last.
        size: u64,
    },
    /// The checkpoint has the size that was cosigned last and another root: a fork.
    Fork {
        /// Records of both.
        size: u64,
    },
    /// The proof does not show that the checkpoint continues what was cosigned: a wrong proof, or a
    /// fork.
    NotShown(ProofError),
}

/// A checkpoint that may be cosigned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// With the log's signature, and no line of anybody else.
    signed: SignedCheckpoint,
}

/// A cosigned checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vouched {
    /// What to keep before the line leaves: the checkpoint with the log's signature and the cosignature.
    pub kept: SignedCheckpoint,
    /// The cosignature.
    pub line: SignatureLine,
}

impl WitnessedLog {
    /// A log of which nothing was cosigned yet.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] without a key, with a key that does not sign notes, and with keys of
    /// several names.
    pub fn unseen(keys: Vec<VerifierKey>) -> Result<Self, ProofError> {
        let malformed = |why| ProofError::Malformed { what: "list of a log's keys", line: 0, why };
        let first = keys.first().ok_or_else(|| malformed("it is empty"))?;
        if keys.iter().any(|key| key.kind() != KeyKind::Note) {
            return Err(malformed("a key in it does not sign as a log (kind 1)"));
        }
        if keys.iter().any(|key| key.name() != first.name()) {
            return Err(malformed("its keys are of several logs"));
        }
        Ok(Self { keys, size: 0, root: Frontier::new().root() })
    }

    /// The same log, as far as a note that this witness kept shows it. The witness's own cosignature
    /// on it has to verify: so a note that was damaged or swapped is not taken for a state.
    ///
    /// # Errors
    /// [`ProofError::WrongOrigin`], [`ProofError::BadSignature`], and [`ProofError::UnknownKey`] where
    /// the witness never cosigned it.
    pub fn resumed(
        self,
        kept: &SignedCheckpoint,
        witness: &VerifierKey,
    ) -> Result<Self, ProofError> {
        let head = kept.checkpoint();
        if head.origin != self.origin() {
            let (expected, found) = (self.origin().into(), head.origin.clone());
            return Err(ProofError::WrongOrigin { expected, found });
        }
        if witness.cosigned(kept)?.is_none() {
            return Err(ProofError::UnknownKey { wanted: alloc::format!("{witness}") });
        }
        Ok(Self { size: head.size, root: head.root, ..self })
    }

    /// The log's name.
    #[must_use]
    pub fn origin(&self) -> &str {
        self.keys.first().map_or("", VerifierKey::name)
    }

    /// Its keys.
    #[must_use]
    pub fn keys(&self) -> &[VerifierKey] {
        &self.keys
    }

    /// Records of the head that was cosigned last; 0 where none was.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Whether a request may be cosigned. The checks come in the order of the specification.
    ///
    /// # Errors
    /// Why not.
    pub fn judge(&self, request: &ConsistencyFile) -> Result<Accepted, Refusal> {
        let signed = &request.checkpoint;
        let head = signed.checkpoint();
        if head.origin != self.origin() {
            return Err(Refusal::UnknownLog(head.origin.clone()));
        }
        let key = signed.verify(&self.keys).map_err(Refusal::NotSigned)?;
        if request.old > head.size {
            let (found, size) = (request.old, head.size);
            let error = ProofError::OutOfRange { what: "old size", found, size };
            return Err(Refusal::Malformed(error));
        }
        if request.old != self.size {
            return Err(Refusal::Elsewhere { asked: request.old, size: self.size });
        }
        if head.size == self.size && head.root != self.root {
            return Err(Refusal::Fork { size: self.size });
        }
        request.check(&self.root).map_err(Refusal::NotShown)?;
        let line = signed.note().signatures().iter().find(|line| key.claims(line)).cloned();
        let signed = signed.only(line.into_iter().collect()).map_err(Refusal::Malformed)?;
        Ok(Accepted { signed })
    }

    /// Takes what was cosigned, and is kept durably, for the last head of this log.
    pub fn advance(&mut self, vouched: &Vouched) {
        let head = vouched.kept.checkpoint();
        (self.size, self.root) = (head.size, head.root);
    }
}

impl Accepted {
    /// Cosigns, at a time in seconds since 1970.
    ///
    /// # Errors
    /// [`ProofError::TooLarge`] for a checkpoint so long that no signature fits any more.
    pub fn cosign(self, key: &WitnessKey, at: u64) -> Result<Vouched, ProofError> {
        let line = key.cosign(&self.signed, at)?;
        let kept = self.signed.with(core::slice::from_ref(&line))?;
        Ok(Vouched { kept, line })
    }
}

impl Refusal {
    /// The status of HTTP that the specification gives it.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 400,
            Self::NotSigned(_) => 403,
            Self::UnknownLog(_) => 404,
            Self::Elsewhere { .. } | Self::Fork { .. } => 409,
            Self::NotShown(_) => 422,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(error) => write!(f, "the request cannot be read: {error}"),
            Self::UnknownLog(origin) => write!(f, "no key of the log {origin:?} is known here"),
            Self::NotSigned(error) => write!(f, "the checkpoint is not signed by its log: {error}"),
            Self::Elsewhere { asked, size } => {
                write!(f, "the request begins with {asked} records, and {size} were cosigned last")
            }
            Self::Fork { size } => {
                write!(f, "another tree of {size} records was cosigned: a fork")
            }
            Self::NotShown(error) => {
                write!(f, "it is not shown to continue what was cosigned: {error}")
            }
        }
    }
}

impl core::error::Error for Refusal {}
