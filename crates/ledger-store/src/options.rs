//! Owns the sizes and intervals that a holder may choose. None of them changes what the bytes mean.

use ledger_format::limits;

/// How a holder writes. [`StoreOptions::default`] is meant for use; tests choose smaller sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// Longest segment file in bytes; never above the limit of the format.
    pub segment_bytes: u64,
    /// Longest payload file in bytes; never above the limit of the format.
    pub payload_file_bytes: u64,
    /// First step of zero bytes written ahead of need, in bytes. Steps double.
    pub fill_first: u64,
    /// Longest step of zero bytes written ahead, in bytes.
    pub fill_most: u64,
    /// The head anchor is due after so many bytes of log and payloads.
    pub anchor_bytes: u64,
    /// The head anchor is due after so many milliseconds with something to anchor.
    pub anchor_millis: u64,
    /// Whether payloads are written and flushed by a thread of their own while the log is. Without
    /// it the order of all operations is fixed, as simulations need it.
    pub concurrent: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            segment_bytes: limits::SEGMENT_BYTES,
            payload_file_bytes: limits::PAYLOAD_FILE_BYTES,
            fill_first: 64 * 1024,
            fill_most: 4 * 1024 * 1024,
            anchor_bytes: 4 * 1024 * 1024,
            anchor_millis: 1_000,
            concurrent: true,
        }
    }
}

impl StoreOptions {
    /// The defaults, one operation after another: the same calls give the same operations.
    #[must_use]
    pub fn sequential() -> Self {
        Self { concurrent: false, ..Self::default() }
    }
}
