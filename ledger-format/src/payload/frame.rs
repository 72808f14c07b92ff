//! Owns what is inside a sealed payload: compression, true length, padding.
//!
//! Layout: method u8 (1 stored, 2 raw DEFLATE), plaintext length u32, content length u32, content,
//! zero padding. Padding hides the true length: 64-byte steps up to 1 KiB, then Padmé (Nikitin et
//! al., "Reducing Metadata Leakage from Encrypted Files", PoPETs 2019, section 4), whose overhead
//! is at most 12 %.

use alloc::vec::Vec;

use miniz_oxide::deflate;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
use zeroize::Zeroizing;

use crate::bytes::{Reader, Writer};
use crate::{FormatError, limits};

const STORED: u8 = 1;
const DEFLATE: u8 = 2;
const HEADER: usize = 9;
/// Below this, compression costs more time than the padding leaves of what it saves. A choice of
/// the writer: readers accept either method at any length.
const COMPRESS_FROM: usize = 1024;
const LEVEL: u8 = 6;

/// Length after padding of a frame of `length` bytes.
#[must_use]
pub const fn padded_length(length: usize) -> usize {
    if length <= 1024 {
        let steps = length.div_ceil(64);
        return if steps == 0 { 64 } else { steps * 64 };
    }
    let exponent = usize::BITS - 1 - length.leading_zeros();
    let mantissa = u32::BITS - exponent.leading_zeros();
    let mask = (1usize << (exponent - mantissa)) - 1;
    (length + mask) & !mask
}

pub(super) const fn longest() -> usize {
    padded_length(HEADER + limits::PAYLOAD_BYTES)
}

pub(super) fn wrap(plaintext: &[u8]) -> Result<Vec<u8>, FormatError> {
    let too_large = FormatError::TooLarge {
        what: "payload length",
        found: plaintext.len() as u64,
        limit: limits::PAYLOAD_BYTES as u64,
    };
    if plaintext.len() > limits::PAYLOAD_BYTES {
        return Err(too_large);
    }
    let compressed = Zeroizing::new(if plaintext.len() >= COMPRESS_FROM {
        deflate::compress_to_vec(plaintext, LEVEL)
    } else {
        Vec::new()
    });
    let smaller = !compressed.is_empty() && compressed.len() < plaintext.len();
    let (method, content) =
        if smaller { (DEFLATE, compressed.as_slice()) } else { (STORED, plaintext) };
    let plain_length = u32::try_from(plaintext.len()).map_err(|_| too_large.clone())?;
    let content_length = u32::try_from(content.len()).map_err(|_| too_large)?;
    let padded = padded_length(HEADER + content.len());
    let mut out = Writer::with_capacity(padded);
    out.u8(method).u32(plain_length).u32(content_length).put(content).pad_to(padded);
    Ok(out.into_vec())
}

pub(super) fn unwrap(frame: &[u8]) -> Result<Vec<u8>, FormatError> {
    let mut reader = Reader::new("a payload frame", frame);
    let method = reader.u8()?;
    if method != STORED && method != DEFLATE {
        return Err(FormatError::UnknownNumber {
            what: "compression method",
            found: u64::from(method),
        });
    }
    let plain_length = reader.u32()? as usize;
    let content_length = reader.u32()? as usize;
    if plain_length > limits::PAYLOAD_BYTES {
        return Err(FormatError::TooLarge {
            what: "payload length",
            found: plain_length as u64,
            limit: limits::PAYLOAD_BYTES as u64,
        });
    }
    let content = reader.take(content_length)?;
    let padding = reader.rest().len();
    reader.zeros(padding)?;
    if frame.len() != padded_length(HEADER + content_length) {
        return Err(FormatError::NotCanonical { what: "the padding of a payload" });
    }
    if method == STORED && content_length == plain_length {
        Ok(content.to_vec())
    } else if method == STORED {
        Err(FormatError::BadValue { what: "a payload of another length than it says" })
    } else if content_length < plain_length {
        decompressed(content, plain_length)
    } else {
        Err(FormatError::NotCanonical { what: "a payload that compression made longer" })
    }
}

/// One complete stream that fills the plaintext and uses up the content: bytes after the end of the
/// stream would be inside the seal but outside the commitment.
fn decompressed(content: &[u8], plain_length: usize) -> Result<Vec<u8>, FormatError> {
    let mut plaintext = alloc::vec![0; plain_length];
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let mut stream = alloc::boxed::Box::<DecompressorOxide>::default();
    let (status, used, made) = decompress(&mut stream, content, &mut plaintext, 0, flags);
    if status == TINFLStatus::Done && used == content.len() && made == plain_length {
        Ok(plaintext)
    } else {
        Err(FormatError::BadValue { what: "a payload that does not decompress" })
    }
}
