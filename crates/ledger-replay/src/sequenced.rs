//! Owns an event together with its place in the log.

use alloc::vec::Vec;

use ledger_format::{
    AliasId, Digest16, Event, FormatError, JobId, Micros, PayloadRef, RecordHash, RecordHeader,
    RecordView, Seq, Tag,
};

/// An event at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequenced {
    /// Header of its record.
    pub header: RecordHeader,
    /// Hash of its record.
    pub hash: RecordHash,
    /// When a foreign system says it knew.
    pub claimed_at: Option<Micros>,
    /// Digests of idempotency key and proposal.
    pub idempotency: Option<(Digest16, Digest16)>,
    /// The job it is part of.
    pub job: Option<JobId>,
    /// The task in hand.
    pub task: Option<AliasId>,
    /// Payloads of its record.
    pub payloads: Vec<PayloadRef>,
    /// What it says.
    pub event: Event,
}

impl Sequenced {
    /// An event without extensions and payloads.
    #[must_use]
    pub const fn new(header: RecordHeader, hash: RecordHash, event: Event) -> Self {
        Self {
            header,
            hash,
            claimed_at: None,
            idempotency: None,
            job: None,
            task: None,
            payloads: Vec::new(),
            event,
        }
    }

    /// The event of a decoded record.
    ///
    /// # Errors
    /// [`FormatError`] when the body of a known kind does not decode.
    pub fn from_view(view: &RecordView<'_>, hash: RecordHash) -> Result<Self, FormatError> {
        Ok(Self {
            event: view.event()?,
            claimed_at: view.claimed_at(),
            idempotency: view.idempotency(),
            job: view.job(),
            task: view.alias(Tag::Task),
            payloads: view.payloads.clone(),
            header: view.header.clone(),
            hash,
        })
    }

    /// The event of stored record bytes.
    ///
    /// # Errors
    /// [`FormatError`] when they do not decode.
    pub fn from_bytes(bytes: &[u8], hash: RecordHash) -> Result<Self, FormatError> {
        Self::from_view(&RecordView::decode(bytes)?, hash)
    }

    /// Its position.
    #[must_use]
    pub const fn seq(&self) -> Seq {
        self.header.seq
    }

    /// When it was known on the claimed axis: as claimed, else as recorded.
    #[must_use]
    pub fn claimed_or_recorded(&self) -> Micros {
        self.claimed_at.unwrap_or(self.header.recorded_at)
    }
}
