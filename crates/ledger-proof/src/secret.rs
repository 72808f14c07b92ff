//! Owns the private key of a witness as a text: `PRIVATE+KEY+name+id+base64(kind ‖ seed)`, the form
//! of golang.org/x/mod/sumdb/note, so that a key can move between witness programs.
//!
//! Invariants: the id is the one of the public key, so a text with a changed character is refused; a
//! key is never printed unless its text is asked for.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::key::{KeyKind, LedgerKey, VerifierKey};
use crate::note::SignatureLine;
use crate::text;

const PREFIX: &str = "PRIVATE+KEY+";

/// A key that cosigns, and its name.
#[derive(Debug)]
pub struct WitnessKey {
    key: LedgerKey,
    public: VerifierKey,
}

impl WitnessKey {
    /// The key of this name and of a seed of 32 random bytes.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] for a name that is no key name.
    pub fn from_seed(name: &str, seed: &[u8; 32]) -> Result<Self, ProofError> {
        let key = LedgerKey::from_seed(seed);
        let public = key.verifier(name, KeyKind::Cosignature)?;
        Ok(Self { key, public })
    }

    /// Reads the text of a private key.
    ///
    /// # Errors
    /// [`ProofError::Malformed`], which says nothing of what the text holds.
    pub fn parse(typed: &str) -> Result<Self, ProofError> {
        let mut parts = typed.strip_prefix(PREFIX).unwrap_or_default().splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(malformed("it is written PRIVATE+KEY+NAME+ID+KEY"));
        };
        let bytes = text::decode(key).ok_or_else(|| malformed("the key is not base64"))?;
        let seed = match bytes.split_first() {
            Some((4, seed)) => seed.try_into().ok(),
            _ => None,
        };
        let seed: &[u8; 32] = seed.ok_or_else(|| malformed("it does not cosign (kind 4)"))?;
        let key = Self::from_seed(name, seed)?;
        if id != key.id_text() {
            return Err(malformed("its id is not that of name and key: a character was changed"));
        }
        Ok(key)
    }

    /// The text that [`WitnessKey::parse`] reads, from the seed that the key was made of.
    #[must_use]
    pub fn text(&self, seed: &[u8; 32]) -> String {
        let mut bytes = Vec::from([KeyKind::Cosignature as u8]);
        bytes.extend(seed);
        format!("{PREFIX}{}+{}+{}", self.public.name(), self.id_text(), text::encode(&bytes))
    }

    /// The key that others verify with.
    #[must_use]
    pub const fn public(&self) -> &VerifierKey {
        &self.public
    }

    /// Vouches for a checkpoint at a time in seconds since 1970.
    ///
    /// # Errors
    /// As [`LedgerKey::cosign`].
    pub fn cosign(
        &self,
        checkpoint: &SignedCheckpoint,
        at: u64,
    ) -> Result<SignatureLine, ProofError> {
        self.key.cosign(self.public.name(), checkpoint, at)
    }

    fn id_text(&self) -> String {
        format!("{:08x}", u32::from_be_bytes(self.public.id()))
    }
}

const fn malformed(why: &'static str) -> ProofError {
    ProofError::Malformed { what: "private key of a witness", line: 0, why }
}
