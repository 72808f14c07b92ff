//! Owns the only calls of `bincode` in the project.
//!
//! Invariants: fixed-width little-endian integers; a decode is capped by the length of its input
//! and by [`MEMORY_LIMIT`]; all bytes are consumed; re-encoding gives the same bytes. The crate
//! accepts trailing bytes and aborts on hostile lengths when it is used without these rules.

use alloc::vec::Vec;

use bincode::config::{Configuration, Fixint, Limit, LittleEndian};

use crate::{FormatError, limits};

/// Most memory a decode may claim. The crate counts what values take in memory, not on the wire:
/// no list item takes more than twice its wire bytes, so four times the record limit is enough.
const MEMORY_LIMIT: usize = 262_144;

type Config = Configuration<LittleEndian, Fixint, Limit<MEMORY_LIMIT>>;

const fn config() -> Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit()
}

/// Encodes a wire struct.
///
/// # Errors
/// [`FormatError::TooLarge`] when the result cannot fit into a record.
pub(crate) fn encode<T: bincode::Encode>(value: &T) -> Result<Vec<u8>, FormatError> {
    let bytes = bincode::encode_to_vec(value, config())
        .map_err(|_| FormatError::BadValue { what: "a body that cannot be encoded" })?;
    if bytes.len() > limits::RECORD_BYTES {
        return Err(FormatError::TooLarge {
            what: "body length",
            found: bytes.len() as u64,
            limit: limits::RECORD_BYTES as u64,
        });
    }
    Ok(bytes)
}

/// Decodes a wire struct from exactly `bytes`.
///
/// # Errors
/// [`FormatError::BadBody`] when it does not decode, [`FormatError::Trailing`] when bytes are left,
/// [`FormatError::NotCanonical`] when re-encoding gives other bytes.
pub(crate) fn decode<T: bincode::Encode + bincode::Decode<()>>(
    kind: u16,
    bytes: &[u8],
) -> Result<T, FormatError> {
    let (value, used) = bincode::decode_from_slice::<T, Config>(bytes, config())
        .map_err(|_| FormatError::BadBody { kind })?;
    if used != bytes.len() {
        return Err(FormatError::Trailing { what: "an event body", extra: bytes.len() - used });
    }
    if encode(&value)? != bytes {
        return Err(FormatError::NotCanonical { what: "an event body" });
    }
    Ok(value)
}
