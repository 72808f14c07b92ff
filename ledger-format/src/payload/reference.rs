//! Owns the reference to a payload inside a record (80 bytes).

use crate::bytes::{Reader, Writer};
use crate::{FormatError, PayloadId};

numbered! {
    /// What a payload is to its record.
    Role: u8 {
        /// The words of a memory.
        Text = 1 => "text",
        /// A typed body as JSON.
        Body = 2 => "body",
        /// Where it came from: `kind:uri` or `kind:uri#span`.
        Source = 3 => "source",
        /// Why something was done.
        Reason = 4 => "reason",
        /// The name behind an alias.
        Name = 5 => "name",
        /// A query.
        Query = 6 => "query",
        /// Evidence for a push-down or a verdict.
        Evidence = 7 => "evidence",
        /// A policy document or a report.
        Document = 8 => "document",
        /// The text of an answer.
        Answer = 9 => "answer",
        /// Free additional data as JSON.
        Extra = 10 => "extra",
    }
}

/// Sealed with XChaCha20-Poly1305 under a key of its own; see [`super::seal`].
pub const SUITE_XCHACHA: u8 = 1;

/// One payload of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PayloadRef {
    /// Number of the payload and of its key slot.
    pub id: PayloadId,
    /// What it is to the record.
    pub role: Role,
    /// How it is sealed.
    pub suite: u8,
    /// Salted commitment to the plaintext.
    pub commitment: [u8; 32],
    /// Digest of the stored bytes.
    pub digest: [u8; 32],
    /// Number of stored bytes.
    pub length: u32,
}

impl PayloadRef {
    /// Length of a reference in bytes.
    pub const BYTES: usize = 80;

    /// Appends the reference.
    pub fn encode(&self, out: &mut Writer) {
        out.u64(self.id.0).u8(self.role.number()).u8(self.suite);
        // Kind 0 is a single payload; 1 (chunked) and 2 (external) are reserved.
        out.u8(0).zeros(1);
        out.put(&self.commitment).put(&self.digest).u32(self.length);
    }

    /// Takes one reference.
    ///
    /// # Errors
    /// [`FormatError`] for unknown roles, suites and kinds, and lengths over the limit.
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, FormatError> {
        let id = PayloadId(reader.u64()?);
        let role_number = reader.u8()?;
        let role = Role::from_number(role_number).ok_or(FormatError::UnknownNumber {
            what: "payload role",
            found: u64::from(role_number),
        })?;
        let suite = reader.u8()?;
        if suite != SUITE_XCHACHA {
            return Err(FormatError::UnknownNumber {
                what: "payload suite",
                found: u64::from(suite),
            });
        }
        let kind = reader.u8()?;
        if kind != 0 {
            return Err(FormatError::UnknownNumber {
                what: "payload kind",
                found: u64::from(kind),
            });
        }
        reader.zeros(1)?;
        let commitment = reader.array()?;
        let digest = reader.array()?;
        let length = reader.u32()?;
        let reference = Self { id, role, suite, commitment, digest, length };
        reference.check()?;
        Ok(reference)
    }

    pub(crate) fn check(&self) -> Result<(), FormatError> {
        let limit = super::seal::MAX_STORED;
        if self.length == 0 {
            Err(FormatError::BadValue { what: "a payload without stored bytes" })
        } else if u64::from(self.length) > limit {
            let found = u64::from(self.length);
            Err(FormatError::TooLarge { what: "stored payload length", found, limit })
        } else if self.suite != SUITE_XCHACHA {
            let found = u64::from(self.suite);
            Err(FormatError::UnknownNumber { what: "payload suite", found })
        } else {
            Ok(())
        }
    }
}
