//! Owns what is asked of witnesses: that n of m named ones vouch for a checkpoint.
//!
//! Invariants: one witness counts once, whatever it is called and however often it signed; a policy
//! that nobody can fail, or nobody can meet, is none.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::str::FromStr;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::key::{KeyKind, VerifierKey};
use crate::text;

const WHAT: &str = "witness policy";
/// Most witnesses of a policy.
const MAX_WITNESSES: usize = 64;

/// How many of which witnesses have to vouch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessPolicy {
    needed: usize,
    witnesses: Vec<VerifierKey>,
}

/// The witnesses that vouch for a checkpoint, each with its time in seconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quorum {
    /// Who vouches, and since when.
    pub witnesses: Vec<(String, u64)>,
    /// How many are asked for.
    pub needed: usize,
    /// How many are named.
    pub named: usize,
}

impl WitnessPolicy {
    /// `needed` of these witnesses.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] where that cannot be met or asks for nothing, where a key does not
    /// cosign, and where one key stands twice.
    pub fn new(needed: usize, witnesses: Vec<VerifierKey>) -> Result<Self, ProofError> {
        if witnesses.len() > MAX_WITNESSES {
            let limit = MAX_WITNESSES as u64;
            return Err(ProofError::TooLarge { what: "the number of witnesses", limit });
        }
        if needed == 0 || needed > witnesses.len() {
            return Err(malformed(0, "it asks for none, or for more witnesses than it names"));
        }
        if witnesses.iter().any(|key| key.kind() != KeyKind::Cosignature) {
            return Err(malformed(0, "a key in it does not cosign (kind 4)"));
        }
        let mut keys: Vec<&[u8; 32]> = witnesses.iter().map(VerifierKey::bytes).collect();
        keys.sort_unstable();
        if keys.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(malformed(0, "one witness stands in it twice"));
        }
        Ok(Self { needed, witnesses })
    }

    /// The witnesses.
    #[must_use]
    pub fn witnesses(&self) -> &[VerifierKey] {
        &self.witnesses
    }

    /// Who vouches for a checkpoint. A cosignature counts when its time is not after `now` and, with
    /// `oldest`, not before that; both in seconds since 1970.
    ///
    /// # Errors
    /// [`ProofError::TooFewWitnesses`]; [`ProofError::BadSignature`] where a cosignature names one
    /// of the witnesses and is not by it.
    pub fn check(
        &self,
        checkpoint: &SignedCheckpoint,
        now: u64,
        oldest: Option<u64>,
    ) -> Result<Quorum, ProofError> {
        let mut witnesses = Vec::new();
        for key in &self.witnesses {
            if let Some(cosigned) = key.cosigned(checkpoint)?
                && cosigned.at <= now
                && oldest.is_none_or(|oldest| cosigned.at >= oldest)
            {
                witnesses.push((key.name().to_string(), cosigned.at));
            }
        }
        if witnesses.len() < self.needed {
            let (found, needed) = (witnesses.len(), self.needed);
            return Err(ProofError::TooFewWitnesses { found, needed });
        }
        Ok(Quorum { witnesses, needed: self.needed, named: self.witnesses.len() })
    }
}

impl FromStr for WitnessPolicy {
    type Err = ProofError;

    /// Lines: `quorum N` once, `witness VKEY` for each; empty lines and lines after `#` say nothing.
    fn from_str(text: &str) -> Result<Self, ProofError> {
        let mut needed = None;
        let mut witnesses = Vec::new();
        for (at, line) in text.lines().enumerate().map(|(at, line)| (at + 1, line.trim())) {
            match line.split_once(' ') {
                _ if line.is_empty() || line.starts_with('#') => {}
                Some(("quorum", number)) if needed.is_none() => {
                    let number = text::decimal(number).and_then(|n| usize::try_from(n).ok());
                    needed = Some(number.ok_or_else(|| malformed(at, "no number"))?);
                }
                Some(("witness", key)) => {
                    let key = key.trim().parse();
                    witnesses.push(key.map_err(|_| malformed(at, "no verifier key"))?);
                }
                _ => return Err(malformed(at, "neither `quorum N` once nor `witness KEY`")),
            }
        }
        Self::new(needed.ok_or_else(|| malformed(0, "no line `quorum N`"))?, witnesses)
    }
}

const fn malformed(line: usize, why: &'static str) -> ProofError {
    ProofError::Malformed { what: WHAT, line, why }
}
