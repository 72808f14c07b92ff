//! Owns who signs what a verification came to.
//!
//! Invariants: the key is one that lies outside the ledger's directory, so whoever can only write
//! there cannot sign; a ledger that is damaged can still be said to be, as long as its name can be
//! read. May not: look at what is signed.

use std::path::Path;
use std::sync::Arc;

use ledger_format::Event;
use ledger_proof::{KeyKind, LedgerKey, Statement, VerifierKey};
use ledger_store::signing::SigningFiles;
use ledger_store::{LedgerConfig, MasterEnv, Reader};

use super::keys::unusable;
use crate::error::{Error, ErrorKind, Result};
use crate::vault::decode;
use crate::verify::{identity, open_to_look};

/// First line of what a verification came to, as a statement.
pub const VERIFICATION: &str = "memledger verification v1";

/// The ledger's name and signing key.
#[derive(Debug)]
pub struct ResultSigner {
    origin: String,
    key: LedgerKey,
}

impl ResultSigner {
    /// Finds the signing key of the ledger in a directory.
    ///
    /// # Errors
    /// [`ErrorKind::Unproven`] without a signing key at hand, or when nothing says under which name
    /// the ledger signs; [`ErrorKind::Invalid`] where no ledger is.
    pub fn load(dir: &Path, places: &MasterEnv) -> Result<Self> {
        let storage = open_to_look(dir)?;
        let ledger = identity(&*storage, dir)?;
        let files = SigningFiles::locate(places, &ledger)?;
        let seed = files.load()?.ok_or_else(|| {
            Error::new(
                ErrorKind::Unproven,
                format!(
                    "there is no signing key at {}, and a result is signed; put the key back, or make one with `memledger key rotate`",
                    files.path().display()
                ),
            )
        })?;
        let recorded = || {
            let reader = Reader::open_unanchored(Arc::clone(&storage), ledger).ok()?.reader;
            match decode(&reader.record(ledger_format::Seq(0)).ok()?).ok()?.event {
                Event::Genesis(genesis) => Some(genesis.origin),
                _ => None,
            }
        };
        let copied = LedgerConfig::read(&*storage).ok().map(|config| config.origin);
        let origin = copied.or_else(recorded).ok_or_else(|| {
            Error::new(
                ErrorKind::Unproven,
                "neither ledger.toml nor record 0 says under which name this ledger signs; put ledger.toml back from a backup",
            )
        })?;
        Ok(Self { origin, key: LedgerKey::from_seed(&seed) })
    }

    /// The public half of the key, under the ledger's name.
    ///
    /// # Errors
    /// As [`ResultSigner::sign`].
    pub fn key(&self) -> Result<VerifierKey> {
        self.key
            .verifier(&self.origin, KeyKind::Note)
            .map_err(|error| unusable(&self.origin, &error))
    }

    /// Signs what a verification came to, in one line.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the ledger's public name cannot name a key, or the line is none.
    pub fn sign(&self, line: &str) -> Result<Statement> {
        Statement::sign(VERIFICATION, line, &self.origin, &self.key)
            .map_err(|error| unusable(&self.origin, &error))
    }
}
