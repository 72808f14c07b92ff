//! Owns what the import of a document needs from both sides: revisions from the source, a book to
//! record them in. The real book is a ledger; tests have a small one of their own.

use std::io::Read;

use memledger::format::{MemoryId, Micros, Seq};
use memledger::{Command, Interval, Result};

use crate::quarantine::KEPT_BYTES;

/// One revision of a document, without its text.
#[derive(Clone, Debug)]
pub(crate) struct Revision {
    /// Since when its text is in force.
    pub(crate) author: Micros,
    /// When its source claims to have known it.
    pub(crate) claim: Micros,
    /// Its place among the rows of the source.
    pub(crate) order: u64,
    /// Names it in the source, whatever other rows there are: the second run finds it by this.
    pub(crate) name: String,
    /// Names it for people.
    pub(crate) label: String,
    /// Where its text is: the span of the source reference.
    pub(crate) origin: String,
    /// What its author wrote about it.
    pub(crate) subject: String,
}

/// What a revision holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// The whole text.
    Text(String),
    /// The document was removed.
    Removed,
    /// It cannot be taken: why, and the bytes as they are, where they are at hand.
    Bad { reason: String, raw: Option<Vec<u8>> },
}

/// Where revisions come from.
pub(crate) trait Bodies {
    /// What the revision with this index holds.
    fn body(&mut self, index: usize) -> Result<Body>;
}

/// A memory of the document as the book has it.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) id: MemoryId,
    pub(crate) seq: Seq,
    pub(crate) claim: Micros,
    /// Digest of its text, where it can be read.
    pub(crate) text: Option<[u8; 32]>,
    /// Whether it was forgotten or erased.
    pub(crate) gone: bool,
    pub(crate) validity: Vec<Interval>,
}

/// What became of a submission.
#[derive(Clone, Debug)]
pub(crate) enum Recorded {
    /// Recorded; the memory of the first command.
    Taken(Option<MemoryId>),
    /// The policy said no.
    Refused(String),
}

/// Where revisions are recorded.
pub(crate) trait Book {
    /// Where the submission with this idempotency key was recorded.
    fn known(&self, key: &str) -> Result<Option<Seq>>;
    /// All memories of the document, in the order of their records.
    fn memories(&self) -> Result<Vec<Held>>;
    /// When each of these memories holds, as known at `claim` on the claimed axis.
    fn validity(&self, claim: Micros, memories: &[MemoryId]) -> Result<Vec<Vec<Interval>>>;
    /// Records commands together.
    fn record(&self, commands: Vec<Command>, claim: Micros, key: Option<&str>) -> Result<Recorded>;
}

/// The body of a revision that `from` holds in `size` bytes: exactly these bytes, or the reason why
/// they cannot be kept. Reads all of them either way.
pub(crate) fn read_body(from: &mut dyn Read, size: u64) -> std::io::Result<Body> {
    let limit = memledger::format::limits::PAYLOAD_BYTES as u64;
    if size > KEPT_BYTES {
        std::io::copy(&mut from.take(size), &mut std::io::sink())?;
        return Ok(Body::Bad { reason: too_long(size, limit), raw: None });
    }
    let mut bytes = Vec::new();
    from.take(size).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != size {
        return Err(std::io::ErrorKind::UnexpectedEof.into());
    }
    if size > limit {
        return Ok(Body::Bad { reason: too_long(size, limit), raw: Some(bytes) });
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Body::Text(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let reason = format!("not valid UTF-8 at byte {at}; memories hold text");
            Body::Bad { reason, raw: Some(error.into_bytes()) }
        }
    })
}

fn too_long(size: u64, limit: u64) -> String {
    format!("{size} bytes, over the limit of {limit} for one text; split the document")
}

/// A source reference of one line, whatever the names in it hold.
pub(crate) fn one_line(text: &str) -> String {
    let plain = |c: char| {
        if c.is_control() { format!("%{:02X}", u32::from(c)) } else { c.to_string() }
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_exactly_its_bytes_or_bad() {
        let read = |bytes: &[u8]| read_body(&mut &*bytes, bytes.len() as u64).unwrap();
        let text = "\u{feff}a\r\n\0\u{2028}é";
        assert_eq!(read(text.as_bytes()), Body::Text(text.to_owned()));
        let limit = memledger::format::limits::PAYLOAD_BYTES;
        assert!(matches!(read(&vec![b'x'; limit]), Body::Text(_)));
        assert!(matches!(read(&vec![b'x'; limit + 1]), Body::Bad { raw: Some(_), .. }));
        assert!(matches!(read(b"ab\xff"), Body::Bad { reason, .. } if reason.contains("byte 2")));
        let huge = KEPT_BYTES + 1;
        let mut rest = std::io::repeat(b'x').take(huge + 3);
        assert!(matches!(read_body(&mut rest, huge).unwrap(), Body::Bad { raw: None, .. }));
        assert_eq!(rest.limit(), 3, "what follows is still there");
        assert!(read_body(&mut &b"short"[..], 6).is_err(), "a file that ends early");
    }

    #[test]
    fn hostile_names_stay_on_one_line() {
        assert_eq!(one_line("a\nb\u{7f}é\u{85}"), "a%0Ab%7Fé%85");
    }
}
