//! Owns the extension list of a record: what some records carry beside their body.
//!
//! Layout of one extension: tag u16, flags u8 (bit 0: critical), reserved u8, length u16, bytes.
//! Invariants: strictly increasing tags; unknown tags are kept byte for byte; an unknown critical
//! tag makes the record unknown to a reader.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use core::fmt;

use crate::event::duty::Signal;
use crate::{AliasId, Digest16, FormatError, JobId, Micros, limits};

numbered! {
    /// What an extension says.
    Tag: u16 {
        /// When a foreign system says it knew: `i64` microseconds.
        ClaimedAt = 1 => "claimed_at",
        /// Keyed digest of the idempotency key, then of the proposal: 32 bytes.
        Idempotency = 2 => "idempotency",
        /// The job (import, erasure, undo) this record is part of: 16 bytes.
        Job = 3 => "job",
        /// Who is said to have spoken: alias.
        Speaker = 4 => "speaker",
        /// On whose behalf the actor acted: alias.
        OnBehalfOf = 5 => "on_behalf_of",
        /// The agent: alias.
        Agent = 6 => "agent",
        /// The model or prompt version: alias.
        Model = 7 => "model",
        /// The stated purpose: alias.
        Purpose = 8 => "purpose",
        /// The task in hand: alias.
        Task = 9 => "task",
        /// What the gate looked at: signals of 10 bytes each, `u16` and `i64`.
        Gate = 10 => "gate",
    }
}

/// How long the bytes of a tag are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Always this long.
    Exactly(usize),
    /// One item of this length or more.
    Items(usize),
}

impl Length {
    const fn fits(self, found: usize) -> bool {
        match self {
            Self::Exactly(length) => found == length,
            Self::Items(length) => found > 0 && found.is_multiple_of(length),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(length) => write!(f, "{length}"),
            Self::Items(length) => write!(f, "n * {length}"),
        }
    }
}

impl Tag {
    /// Number of bytes that extensions with this tag have.
    #[must_use]
    pub const fn length(self) -> Length {
        match self {
            Self::ClaimedAt => Length::Exactly(8),
            Self::Idempotency => Length::Exactly(32),
            Self::Gate => Length::Items(Signal::BYTES),
            _ => Length::Exactly(16),
        }
    }

    /// Whether a reader that does not know the tag must treat the record as unknown.
    #[must_use]
    pub const fn critical(self) -> bool {
        false
    }
}

/// One extension as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extension {
    /// Number of the tag.
    pub tag: u16,
    /// Whether a reader that does not know the tag must treat the record as unknown.
    pub critical: bool,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Extension {
    /// A claimed time.
    #[must_use]
    pub fn claimed_at(at: Micros) -> Self {
        Self { tag: Tag::ClaimedAt.number(), critical: false, bytes: at.0.to_le_bytes().to_vec() }
    }

    /// The two digests of an idempotent proposal.
    #[must_use]
    pub fn idempotency(key: Digest16, proposal: Digest16) -> Self {
        let mut bytes = key.0.to_vec();
        bytes.extend_from_slice(&proposal.0);
        Self { tag: Tag::Idempotency.number(), critical: false, bytes }
    }

    /// The job a record is part of.
    #[must_use]
    pub fn job(job: JobId) -> Self {
        Self { tag: Tag::Job.number(), critical: false, bytes: job.0.to_vec() }
    }

    /// One of the tags that hold an alias.
    #[must_use]
    pub fn alias(tag: Tag, alias: AliasId) -> Self {
        Self { tag: tag.number(), critical: false, bytes: alias.0.to_vec() }
    }

    /// What the gate looked at. None when there is nothing to say: no list has no bytes.
    #[must_use]
    pub fn gate(signals: &[Signal]) -> Option<Self> {
        let bytes: Vec<u8> = signals.iter().flat_map(|signal| signal.to_bytes()).collect();
        let tag = Tag::Gate.number();
        (!bytes.is_empty()).then_some(Self { tag, critical: false, bytes })
    }

    /// Whether this version knows the tag.
    #[must_use]
    pub fn known(&self) -> Option<Tag> {
        Tag::from_number(self.tag)
    }

    fn check(&self) -> Result<(), FormatError> {
        if self.tag == 0 {
            return Err(FormatError::UnknownNumber { what: "extension tag", found: 0 });
        }
        let Some(known) = self.known() else { return Ok(()) };
        if !known.length().fits(self.bytes.len()) {
            Err(FormatError::BadValue { what: "an extension of another length than its tag has" })
        } else if self.critical != known.critical() {
            Err(FormatError::BadValue { what: "a critical bit other than the tag's" })
        } else {
            Ok(())
        }
    }
}

/// Encodes a list that is already sorted by tag.
///
/// # Errors
/// [`FormatError::NotCanonical`] when tags do not strictly increase, [`FormatError::TooLarge`] when
/// there are too many or one is too long, [`FormatError::BadValue`] for a known tag with a wrong
/// length or critical bit, [`FormatError::UnknownNumber`] for tag 0.
pub fn encode(list: &[Extension]) -> Result<Vec<u8>, FormatError> {
    if !list.is_sorted_by(|a, b| a.tag < b.tag) {
        return Err(FormatError::NotCanonical { what: "the extension list" });
    }
    too_many(list.len())?;
    let mut out = Writer::default();
    for extension in list {
        extension.check()?;
        let length = u16::try_from(extension.bytes.len()).map_err(|_| FormatError::TooLarge {
            what: "extension length",
            found: extension.bytes.len() as u64,
            limit: u64::from(u16::MAX),
        })?;
        out.u16(extension.tag).u8(u8::from(extension.critical)).u8(0).u16(length);
        out.put(&extension.bytes);
    }
    Ok(out.into_vec())
}

/// Decodes a whole list.
///
/// # Errors
/// [`FormatError`] as for [`encode`], and when bytes are missing or reserved bits are set.
pub fn decode(bytes: &[u8]) -> Result<Vec<Extension>, FormatError> {
    let mut reader = Reader::new("the extension list", bytes);
    let mut list: Vec<Extension> = Vec::new();
    while !reader.rest().is_empty() {
        let tag = reader.u16()?;
        let flags = reader.u8()?;
        if flags > 1 {
            return Err(FormatError::ReservedNotZero { what: "extension flags" });
        }
        reader.zeros(1)?;
        let length = usize::from(reader.u16()?);
        let extension =
            Extension { tag, critical: flags == 1, bytes: reader.take(length)?.to_vec() };
        if list.last().is_some_and(|last| last.tag >= tag) {
            return Err(FormatError::NotCanonical { what: "the extension list" });
        }
        extension.check()?;
        list.push(extension);
        too_many(list.len())?;
    }
    Ok(list)
}

fn too_many(found: usize) -> Result<(), FormatError> {
    if found > limits::EXTENSIONS {
        return Err(FormatError::TooLarge {
            what: "extensions",
            found: found as u64,
            limit: limits::EXTENSIONS as u64,
        });
    }
    Ok(())
}
