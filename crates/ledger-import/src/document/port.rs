//! Owns what the import of a document needs from both sides: revisions from the source, a book to
//! record them in. The real book is a ledger; tests have a small one of their own.

use memledger::format::{MemoryId, Micros, Seq};
use memledger::{Command, Error, Interval, Result};

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
    /// It cannot be taken: why, and the bytes as they are.
    Bad { reason: String, raw: Vec<u8> },
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
    /// The ledger stands differently than the submission presumes: nothing to close, nothing to
    /// reopen.
    Conflict(Error),
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

/// The body of a revision from its bytes: exactly these bytes, or the reason why they cannot be kept.
pub(crate) fn body_of(bytes: Vec<u8>) -> Body {
    let limit = memledger::format::limits::PAYLOAD_BYTES;
    if bytes.len() > limit {
        let reason =
            format!("{} bytes, over the limit of {limit} for one text; split the document", bytes.len());
        return Body::Bad { reason, raw: bytes };
    }
    match String::from_utf8(bytes) {
        Ok(text) => Body::Text(text),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            let reason = format!("not valid UTF-8 at byte {at}; memories hold text");
            Body::Bad { reason, raw: error.into_bytes() }
        }
    }
}
