//! Owns the record bytes of a history: encoding, hashing, chaining.

use ledger_format::{Extension, Kind, LedgerId, Micros, Record, RecordHash, hash};
use ledger_replay::Sequenced;

/// One record of a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub sequenced: Sequenced,
    /// The record as stored.
    pub bytes: Vec<u8>,
}

/// A history: what a log would hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    pub ledger: LedgerId,
    pub entries: Vec<Entry>,
}

impl History {
    /// The events in order.
    #[must_use]
    pub fn events(&self) -> Vec<Sequenced> {
        self.entries.iter().map(|entry| entry.sequenced.clone()).collect()
    }

    /// Every instant that could be a boundary of an answer.
    #[must_use]
    pub fn boundaries(&self) -> Vec<Micros> {
        let mut all = Vec::new();
        for entry in &self.entries {
            all.push(entry.sequenced.header.recorded_at);
            all.extend(entry.sequenced.claimed_at);
            all.extend(boundaries_of(&entry.sequenced.event));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// How many records are of a kind.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.entries.iter().filter(|entry| entry.sequenced.event.kind() == Some(kind)).count()
    }
}

/// Every instant an event names.
#[must_use]
pub fn boundaries_of(event: &ledger_format::Event) -> Vec<Micros> {
    use ledger_format::Event;
    let named = match event {
        Event::Write(write) => vec![
            write.valid_from,
            write.valid_until,
            write.supersede_from,
            write.supersede_until,
            write.ttl_until,
        ],
        Event::Close(close) => vec![close.from, close.until],
        Event::Reopen(reopen) => vec![reopen.from, reopen.until],
        Event::Confirm(confirm) => vec![confirm.ttl_until],
        _ => Vec::new(),
    };
    named.into_iter().flatten().collect()
}

/// The record of an event: its extensions are those the event carries, then `more`.
pub(super) fn entry(ledger: &LedgerId, mut event: Sequenced, more: &[Extension]) -> Entry {
    let mut record = Record::new(event.header.clone(), event.event.encode().unwrap());
    record.payloads.clone_from(&event.payloads);
    record.extensions.extend(event.claimed_at.map(Extension::claimed_at));
    record
        .extensions
        .extend(event.idempotency.map(|(key, body)| Extension::idempotency(key, body)));
    record.extensions.extend(event.job.map(Extension::job));
    record.extensions.extend_from_slice(more);
    record.extensions.sort_by_key(|extension| extension.tag);
    let bytes = record.encode().unwrap();
    event.hash = hash::record(ledger, &bytes);
    debug_assert!(event.hash != RecordHash::ZERO);
    Entry { sequenced: event, bytes }
}
