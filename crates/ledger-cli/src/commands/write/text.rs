//! Owns reading the words of a memory: byte for byte, UTF-8, not empty, not over the limit.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use memledger::format::limits::PAYLOAD_BYTES;

use crate::exit::Failure;
use crate::output::human::grouped;

/// The words of an argument, or of stdin where it is `-`.
///
/// # Errors
/// A usage failure that says what is wrong, and where.
pub(super) fn argument(text: &OsStr) -> Result<String, Failure> {
    if text == "-" {
        return stdin();
    }
    checked("the text", text.as_bytes().to_vec())
}

/// The words on stdin.
///
/// # Errors
/// As [`argument`].
pub(super) fn stdin() -> Result<String, Failure> {
    limited("stdin", io::stdin().lock())
}

/// The words in a file; `-` is stdin.
///
/// # Errors
/// As [`argument`]; also when the file cannot be read.
pub(super) fn file(path: &Path) -> Result<String, Failure> {
    if path.as_os_str() == "-" {
        return stdin();
    }
    let name = path.display().to_string();
    let file = File::open(path)
        .map_err(|error| Failure::file(format!("{name} cannot be read: {error}")))?;
    limited(&name, file)
}

/// Text of an option.
///
/// # Errors
/// A usage failure with the offset of what is no UTF-8.
pub(super) fn option(flag: &str, text: &OsString) -> Result<String, Failure> {
    utf8(flag, text.as_bytes().to_vec())
}

/// Reads no more than the limit into memory, and counts the rest.
fn limited(name: &str, mut from: impl Read) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::file(format!("{name} cannot be read: {error}"));
    let mut bytes = Vec::new();
    let most = PAYLOAD_BYTES as u64;
    from.by_ref().take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() > PAYLOAD_BYTES {
        let rest = io::copy(&mut from, &mut io::sink()).map_err(failed)?;
        return Err(too_long(name, most + 1 + rest));
    }
    checked(name, bytes)
}

fn checked(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    if bytes.is_empty() {
        return Err(Failure::usage(format!("{name} is empty")).hint("a memory needs content"));
    }
    if bytes.len() > PAYLOAD_BYTES {
        return Err(too_long(name, bytes.len() as u64));
    }
    let text = utf8(name, bytes)?;
    if text.trim().is_empty() {
        let failure = Failure::usage(format!("{name} is nothing but white space"));
        return Err(failure.hint("a memory needs words"));
    }
    Ok(text)
}

fn utf8(name: &str, bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!("{name} is not valid UTF-8: byte {at} begins no character"))
            .hint("convert it to UTF-8 first")
    })
}

fn too_long(name: &str, found: u64) -> Failure {
    Failure::usage(format!(
        "{name} has {} bytes, the limit is {}",
        grouped(found),
        grouped(PAYLOAD_BYTES as u64)
    ))
    .hint("split it, or keep it elsewhere and write where it is")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_utf8_is_named_by_its_place() {
        let error = checked("x", b"ab\xff".to_vec()).expect_err("no UTF-8");
        assert!(error.message().contains("byte 2"), "{error:?}");
        let error = checked("x", b"\xed\xa0\x80".to_vec()).expect_err("a lone surrogate");
        assert!(error.message().contains("byte 0"), "{error:?}");
    }

    #[test]
    fn the_limit_is_inclusive_and_the_size_is_told() {
        let text = "a".repeat(PAYLOAD_BYTES);
        assert!(limited("x", text.as_bytes()).is_ok());
        let longer = format!("{text}{text}b");
        let error = limited("x", longer.as_bytes()).expect_err("too long");
        assert!(error.message().contains("2,097,153"), "{error:?}");
        assert!(error.message().contains("1,048,576"), "{error:?}");
    }
}
