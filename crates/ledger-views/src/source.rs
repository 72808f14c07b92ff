//! Owns how rows are looked at, wherever they are: in sled, or in memory before they get there.

use crate::error::{Broken, ViewError};

/// Whether a scan goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Go {
    On,
    Stop,
}

/// Rows in the order of their keys. All ranges include both ends.
pub(crate) trait Source {
    /// One row.
    fn get<T>(
        &self,
        key: &[u8],
        read: impl FnOnce(&[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError>;

    /// The last row of a range.
    fn last<T>(
        &self,
        from: &[u8],
        to: &[u8],
        read: impl FnOnce(&[u8], &[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError>;

    /// The rows of a range in order.
    fn each(
        &self,
        from: &[u8],
        to: &[u8],
        row: impl FnMut(&[u8], &[u8]) -> Result<Go, Broken>,
    ) -> Result<(), ViewError>;
}

/// No rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nothing;

impl Source for Nothing {
    fn get<T>(
        &self,
        _: &[u8],
        _: impl FnOnce(&[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        Ok(None)
    }

    fn last<T>(
        &self,
        _: &[u8],
        _: &[u8],
        _: impl FnOnce(&[u8], &[u8]) -> Result<T, Broken>,
    ) -> Result<Option<T>, ViewError> {
        Ok(None)
    }

    fn each(
        &self,
        _: &[u8],
        _: &[u8],
        _: impl FnMut(&[u8], &[u8]) -> Result<Go, Broken>,
    ) -> Result<(), ViewError> {
        Ok(())
    }
}
