//! Owns keys: the ledger's signing key, keys to verify with, their names, ids and texts.
//!
//! Invariants: a key name is not empty and holds neither space nor plus; a key id is the one that
//! c2sp.org/signed-note recommends; a seed is wiped when it is dropped and never printed.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::error::ProofError;
use crate::note::{Note, SignatureLine};
use crate::text;

const WHAT: &str = "verifier key";

/// What a key signs. The number is the signature type of c2sp.org/signed-note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum KeyKind {
    /// The text of a note.
    Note = 1,
    /// A checkpoint, with the time at which it was seen (c2sp.org/tlog-cosignature).
    Cosignature = 4,
}

/// A key to verify with, written `name+id+base64(kind ‖ key)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    kind: KeyKind,
    key: VerifyingKey,
}

impl VerifierKey {
    /// A key from its parts.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] for a name that is none, and for bytes that are no Ed25519 key or
    /// one of the few weak ones.
    pub fn new(name: &str, kind: KeyKind, key: &[u8]) -> Result<Self, ProofError> {
        check_key_name(name)?;
        let bytes: &[u8; 32] =
            key.try_into().map_err(|_| malformed("an Ed25519 key has 32 bytes"))?;
        let key = VerifyingKey::from_bytes(bytes)
            .ok()
            .filter(|key| !key.is_weak())
            .ok_or_else(|| malformed("the bytes are no Ed25519 key"))?;
        Ok(Self { name: name.to_string(), kind, key })
    }

    /// Its name. That of a ledger is its origin.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it signs.
    #[must_use]
    pub const fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The key's 32 bytes (RFC 8032).
    #[must_use]
    pub fn bytes(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// First four bytes of SHA-256(name ‖ LF ‖ kind ‖ key).
    #[must_use]
    pub fn id(&self) -> [u8; 4] {
        let mut hasher = Sha256::new();
        hasher.update(self.name.as_bytes());
        hasher.update([b'\n', self.kind as u8]);
        hasher.update(self.bytes());
        let [a, b, c, d, ..]: [u8; 32] = hasher.finalize().into();
        [a, b, c, d]
    }

    /// Whether a signature line says that it is by this key.
    #[must_use]
    pub fn claims(&self, line: &SignatureLine) -> bool {
        line.name() == self.name && line.key_id() == self.id()
    }

    /// Whether these 64 bytes are this key's signature of a message, by the strict rules: one
    /// message has one signature that passes.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8]) -> bool {
        Signature::from_slice(signature)
            .is_ok_and(|signature| self.key.verify_strict(message, &signature).is_ok())
    }

    /// Checks what a note says to be signed by this key: every line that names it.
    ///
    /// # Errors
    /// [`ProofError::BadSignature`] where a line names this key and is not by it.
    pub(crate) fn has_signed(&self, note: &Note) -> Result<bool, ProofError> {
        let mut signed = false;
        for line in note.signatures().iter().filter(|line| self.claims(line)) {
            if self.kind != KeyKind::Note || !self.verifies(note.text().as_bytes(), line.bytes()) {
                return Err(ProofError::BadSignature { name: self.name.clone() });
            }
            signed = true;
        }
        Ok(signed)
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = u32::from_be_bytes(self.id());
        let mut bytes = Vec::from([self.kind as u8]);
        bytes.extend(self.bytes());
        write!(f, "{}+{id:08x}+{}", self.name, text::encode(&bytes))
    }
}

impl FromStr for VerifierKey {
    type Err = ProofError;

    fn from_str(typed: &str) -> Result<Self, ProofError> {
        // The name holds no plus, and base64 may.
        let mut parts = typed.splitn(3, '+');
        let (Some(name), Some(id), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(malformed("it is written NAME+ID+KEY"));
        };
        let key = text::decode(key).ok_or_else(|| malformed("the key is not base64"))?;
        let (kind, bytes) = match key.split_first() {
            Some((1, bytes)) => (KeyKind::Note, bytes),
            Some((4, bytes)) => (KeyKind::Cosignature, bytes),
            _ => return Err(malformed("its algorithm is not Ed25519 (kind 1 or 4)")),
        };
        let key = Self::new(name, kind, bytes)?;
        if id != format!("{:08x}", u32::from_be_bytes(key.id())) {
            return Err(malformed(
                "its id is not the one of name and key: a character was changed",
            ));
        }
        Ok(key)
    }
}

/// A key to sign with: that of a ledger, or of a witness.
pub struct LedgerKey(SigningKey);

impl LedgerKey {
    /// The key of a seed of 32 random bytes.
    #[must_use]
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(SigningKey::from_bytes(seed))
    }

    /// The public half, 32 bytes.
    #[must_use]
    pub fn public(&self) -> [u8; 32] {
        self.0.verifying_key().to_bytes()
    }

    /// The bare signature of a message.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message).to_bytes()
    }

    /// The key that others verify with.
    ///
    /// # Errors
    /// [`ProofError::Malformed`] for a name that is no key name.
    pub fn verifier(&self, name: &str, kind: KeyKind) -> Result<VerifierKey, ProofError> {
        VerifierKey::new(name, kind, &self.public())
    }
}

impl fmt::Debug for LedgerKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LedgerKey(..)")
    }
}

/// Whether a text can name a key: not empty, no space, no plus, no control character.
///
/// # Errors
/// [`ProofError::Malformed`] when it cannot.
pub fn check_key_name(name: &str) -> Result<(), ProofError> {
    let refused = |c: char| c.is_whitespace() || c.is_control() || c == '+';
    if name.is_empty() || name.contains(refused) {
        let why = "it is empty, or holds a space, a control character or a plus";
        return Err(ProofError::Malformed { what: "key name", line: 0, why });
    }
    Ok(())
}

const fn malformed(why: &'static str) -> ProofError {
    ProofError::Malformed { what: WHAT, line: 0, why }
}
