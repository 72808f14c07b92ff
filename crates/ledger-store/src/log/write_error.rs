//! Owns the difference between a write that left nothing behind and one whose outcome is unknown.

use crate::error::StoreError;
use crate::storage::StorageError;

/// Why a write step failed, and whether the appender may go on.
#[derive(Debug)]
pub(crate) struct WriteError {
    pub(crate) error: StoreError,
    /// Nothing was written that could be taken for a part of the log.
    pub(crate) clean: bool,
}

impl WriteError {
    pub(crate) fn poison(error: impl Into<StoreError>) -> Self {
        Self { error: error.into(), clean: false }
    }

    /// A full disk before anything of a batch reached its place is clean, all else is not.
    pub(crate) fn before_write(error: StorageError) -> Self {
        Self { clean: error.is_no_space(), error: error.into() }
    }
}
