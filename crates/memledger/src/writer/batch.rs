//! Owns a batch in the making: its records, who waits for it, and what it changes.
//!
//! Invariant: `changes` has one entry for each record of the builder, in order.

use ledger_format::Event;
use ledger_format::{AliasId, RecordHash, Seq, limits};
use ledger_replay::{Changes, Sequenced};
use ledger_store::{Appender, BatchBuilder, NewRecord};

use crate::error::{Error, Result};
use crate::scope::Scope;
use crate::writer::ticket::{Admitted, Answer};

/// A submission that is in the batch and waits for it.
pub(crate) struct Waiting {
    pub(crate) answer: Answer,
    pub(crate) admitted: Admitted,
}

/// The batch that the next commit writes.
pub(crate) struct Batch {
    pub(crate) builder: BatchBuilder,
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) changes: Vec<Changes>,
    /// Payloads, each with a key slot of its own.
    pub(crate) slots: u64,
    /// The scope of the last outcome, with its names.
    pub(crate) last_scope: Option<(AliasId, Scope)>,
}

impl Batch {
    pub(crate) fn begin(appender: &Appender) -> Self {
        Self {
            builder: appender.begin(),
            waiting: Vec::new(),
            changes: Vec::new(),
            slots: 0,
            last_scope: None,
        }
    }

    pub(crate) fn has_room(&self, appender: &Appender, more: Footprint, records: usize) -> bool {
        let Footprint { log, payload } = more;
        let bytes = self.builder.bytes().saturating_add(log).saturating_add(payload);
        self.builder.is_empty()
            || (bytes <= limits::BATCH_BYTES as u64
                && self.builder.count() + records <= limits::BATCH_RECORDS
                && appender.has_place(&self.builder, log, payload))
    }

    /// A record that is in this batch and not on disk yet.
    pub(crate) fn event(&self, seq: Seq) -> Option<Result<Sequenced>> {
        let first = self.changes.first()?.seq;
        let index = usize::try_from(seq.0.checked_sub(first.0)?).ok()?;
        let hash = self.changes.get(index)?.hash;
        let bytes = self.builder.record_bytes(index);
        Some(Sequenced::from_bytes(bytes, hash).map_err(Error::from))
    }
}

/// Bytes that records take in a batch, rounded up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Footprint {
    pub(crate) log: u64,
    pub(crate) payload: u64,
}

impl Footprint {
    pub(crate) fn of(records: &[(NewRecord, Event)]) -> Self {
        let mut all = Self::default();
        for (record, _) in records {
            let stored = record.payloads.iter().map(|sealed| sealed.stored.len() as u64);
            let extensions = record.extensions.iter().map(|one| one.bytes.len() as u64 + 6);
            all.log += 128 + record.body.len() as u64 + extensions.sum::<u64>();
            all.log += 80 * record.payloads.len() as u64;
            all.payload += stored.sum::<u64>();
        }
        all
    }
}

/// The event as it will stand, but for its place and hash.
pub(crate) fn sequence(record: &NewRecord, event: Event) -> Sequenced {
    let view = ledger_format::RecordView {
        header: record.header.clone(),
        body: &[],
        payloads: record.payloads.iter().map(|sealed| sealed.reference.clone()).collect(),
        extensions: record.extensions.clone(),
    };
    Sequenced {
        hash: RecordHash::ZERO,
        claimed_at: view.claimed_at(),
        idempotency: view.idempotency(),
        job: view.job(),
        task: view.alias(ledger_format::Tag::Task),
        payloads: view.payloads,
        header: view.header,
        event,
    }
}
