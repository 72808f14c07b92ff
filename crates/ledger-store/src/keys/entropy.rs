//! Owns the seam for random bytes, so that a seeded simulation gives the same key files twice.

use std::fmt;

use crate::StoreError;

/// Where new keys come from.
pub trait Entropy: fmt::Debug + Send + Sync {
    /// Fills `bytes` with random bytes.
    ///
    /// # Errors
    /// [`StoreError::Random`] when there are none; `bytes` must not be used then.
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError>;
}

/// The random source of the operating system: the only one for real ledgers.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsEntropy;

impl Entropy for OsEntropy {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), StoreError> {
        getrandom::fill(bytes).map_err(|error| StoreError::Random { what: error.to_string() })
    }
}
