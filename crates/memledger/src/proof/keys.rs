//! Owns the signing key of a ledger: making it, finding the one in force, replacing it.
//!
//! Invariants: the log names the key before anything else is signed with it; a rotation is signed by
//! both keys and by the record's own number; a crash at any step leaves the key in force at hand.

use std::path::PathBuf;

use ledger_format::event::ledger::{KeyRotated, PublicKey};
use ledger_format::{Event, LedgerId, Seq};
use ledger_proof::{KeyKind, LedgerKey, VerifierKey};
use ledger_store::MasterEnv;
use ledger_store::signing::{Seed, SigningFiles};
use zeroize::Zeroizing;

use super::history::{ED25519, History};
use crate::clock::Chance;
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;

/// A signing key that the log names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyInForce {
    /// The key, under the ledger's public name.
    pub key: VerifierKey,
    /// The record that put it in force.
    pub since: Seq,
    /// Whether its private half is at hand.
    pub at_hand: bool,
}

/// A key that was just put in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RotatedKey {
    /// The key.
    pub key: VerifierKey,
    /// The record that says so.
    pub seq: Seq,
    /// The key before it.
    pub before: Option<VerifierKey>,
    /// Where its private half lies.
    pub file: PathBuf,
}

/// The private keys at hand: the one in force, and the one that a rotation left off at.
pub(super) struct AtHand {
    files: SigningFiles,
    current: Option<LedgerKey>,
    next: Option<LedgerKey>,
}

impl AtHand {
    pub(super) fn load(ledger: &Ledger) -> Result<Self> {
        let files = SigningFiles::locate(&ledger.key_places, &ledger.id())?;
        let key = |seed: Option<Seed>| seed.map(|seed| LedgerKey::from_seed(&seed));
        Ok(Self { current: key(files.load()?), next: key(files.load_next()?), files })
    }

    /// The private half of a public key.
    pub(super) fn private(&self, public: &[u8]) -> Option<&LedgerKey> {
        [&self.current, &self.next]
            .into_iter()
            .flatten()
            .find(|key| key.public().as_slice() == public)
    }

    /// Finishes a rotation that stopped after the log had named the next key.
    fn settle(self, in_force: &PublicKey) -> Result<Self> {
        let is = |key: &Option<LedgerKey>| {
            key.as_ref().is_some_and(|key| key.public().as_slice() == in_force.bytes)
        };
        if is(&self.next) && !is(&self.current) {
            self.files.promote_next()?;
            return Ok(Self { current: self.next, next: None, files: self.files });
        }
        Ok(self)
    }
}

impl Ledger {
    /// The signing keys that the log names, oldest first; the last one is in force.
    ///
    /// # Errors
    /// When the log or a key file cannot be read.
    pub fn signing_keys(&self) -> Result<Vec<KeyInForce>> {
        let history = History::read(self.vault.reader())?;
        let at_hand = AtHand::load(self)?;
        let origin = history.origin_at(u64::MAX);
        let keys = history.rotations.iter().filter(|(_, rotated)| rotated.new.algorithm == ED25519);
        keys.map(|(since, rotated)| {
            let key = verifier(origin, &rotated.new.bytes)?;
            let at_hand = at_hand.private(&rotated.new.bytes).is_some();
            Ok(KeyInForce { key, since: *since, at_hand })
        })
        .collect()
    }

    /// Makes a new signing key and puts it in force: the first one of a ledger that has none, or
    /// the next one, signed by the one before it.
    ///
    /// # Errors
    /// [`ErrorKind::Unproven`] when the key in force is not at hand, [`ErrorKind::Invalid`] when the
    /// ledger's public name cannot name a key; otherwise as [`Ledger::submit`].
    pub fn rotate_signing_key(&self) -> Result<RotatedKey> {
        let history = History::read(self.vault.reader())?;
        let origin = history.origin_at(u64::MAX).to_owned();
        check_origin(&origin)?;
        let in_force = history.rotations.last().map(|(_, rotated)| rotated.new.clone());
        let at_hand = AtHand::load(self)?;
        let Some(old) = in_force else { return self.first_key(at_hand, &origin) };
        let at_hand = at_hand.settle(&old)?;
        if at_hand.private(&old.bytes).is_none() {
            return Err(not_at_hand(&at_hand.files));
        }
        let seed = seed(&*self.chance)?;
        at_hand.files.create_next(&seed)?;
        let new = LedgerKey::from_seed(&seed);
        let AtHand { files, current, .. } = at_hand;
        let (ledger, public, old_bytes) = (self.id(), new.public(), old.bytes.clone());
        let done = self.own(Box::new(move |seq, state| {
            let named = state.signing_key().map(|key| &key.bytes);
            let current = current.filter(|_| named == Some(&old.bytes));
            let current = current.ok_or_else(|| {
                Error::new(ErrorKind::Conflict, "another rotation came first; look at `key show`")
            })?;
            let new_key = public_key(&new);
            let message = KeyRotated::message(&new_key, &ledger, seq);
            Ok(Event::KeyRotated(KeyRotated {
                new_signature: new.sign(&message).to_vec(),
                old_signature: Some(current.sign(&message).to_vec()),
                new: new_key,
                old: Some(old),
            }))
        }))?;
        files.promote_next()?;
        let file = files.path().to_path_buf();
        let before = Some(verifier(&origin, &old_bytes)?);
        Ok(RotatedKey { key: verifier(&origin, &public)?, seq: done.seq, before, file })
    }

    fn first_key(&self, at_hand: AtHand, origin: &str) -> Result<RotatedKey> {
        // One that was made and never recorded is as good as a new one.
        let new = match at_hand.current {
            Some(key) => key,
            None => first_key(&at_hand.files, &*self.chance)?,
        };
        let (ledger, public) = (self.id(), new.public());
        let done = self.own(Box::new(move |seq, state| {
            if state.signing_key().is_some() {
                return Err(Error::new(
                    ErrorKind::Conflict,
                    "another process set a signing key first; look at `key show`",
                ));
            }
            Ok(Event::KeyRotated(set(&new, &ledger, seq)))
        }))?;
        let file = at_hand.files.path().to_path_buf();
        Ok(RotatedKey { key: verifier(origin, &public)?, seq: done.seq, before: None, file })
    }
}

/// Makes the first key of a ledger and keeps it.
fn first_key(files: &SigningFiles, chance: &dyn Chance) -> Result<LedgerKey> {
    let seed = seed(chance)?;
    files.create(&seed)?;
    Ok(LedgerKey::from_seed(&seed))
}

/// Whether a public name can sign.
pub(crate) fn check_origin(origin: &str) -> Result<()> {
    ledger_proof::check_key_name(origin).map_err(|error| unusable(origin, &error))
}

/// The first key of a ledger that is being made, and the event that names it.
pub(crate) fn key_at_init(
    places: &MasterEnv,
    ledger: &LedgerId,
    seq: Seq,
    chance: &dyn Chance,
) -> Result<(KeyRotated, PathBuf)> {
    let files = SigningFiles::locate(places, ledger)?;
    let key = first_key(&files, chance)?;
    Ok((set(&key, ledger, seq), files.path().to_path_buf()))
}

fn set(new: &LedgerKey, ledger: &LedgerId, seq: Seq) -> KeyRotated {
    let key = public_key(new);
    let message = KeyRotated::message(&key, ledger, seq);
    let new_signature = new.sign(&message).to_vec();
    KeyRotated { new: key, old: None, new_signature, old_signature: None }
}

fn public_key(key: &LedgerKey) -> PublicKey {
    PublicKey { algorithm: ED25519, bytes: key.public().to_vec() }
}

fn seed(chance: &dyn Chance) -> Result<Seed> {
    let mut seed = Zeroizing::new([0; 32]);
    chance.fill(&mut *seed).map_err(|reason| {
        Error::new(ErrorKind::Unavailable, format!("no random bytes: {reason}"))
    })?;
    Ok(seed)
}

pub(super) fn verifier(origin: &str, public: &[u8]) -> Result<VerifierKey> {
    VerifierKey::new(origin, KeyKind::Note, public).map_err(|error| unusable(origin, &error))
}

pub(super) fn unusable(origin: &str, error: &ledger_proof::ProofError) -> Error {
    Error::invalid(format!(
        "the ledger's public name {origin:?} cannot sign: {error}; a ledger that signs is made with an --origin such as support.example/log"
    ))
}

fn not_at_hand(files: &SigningFiles) -> Error {
    Error::new(
        ErrorKind::Unproven,
        format!(
            "the private half of the signing key in force is not in {}; put the file back, or name it with MEMLEDGER_SIGNING_KEY_FILE",
            files.path().display()
        ),
    )
}

/// As [`not_at_hand`], for whoever does not hold the files.
pub(super) fn none_at_hand(at_hand: &AtHand) -> Error {
    not_at_hand(&at_hand.files)
}
