//! Owns the fingerprint of a run: equal fingerprints mean equal records and equal states, at every
//! position.

use ledger_format::RecordHash;
use ledger_format::hash::RecordHasher;
use ledger_replay::{Sequenced, State, apply};

use crate::workload::History;

/// What two runs of one seed must agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// Hash of the stored bytes of every record.
    pub records: Vec<RecordHash>,
    /// Digest of the state after every record.
    pub states: Vec<[u8; 32]>,
}

/// The fingerprint of a history.
#[must_use]
pub fn fingerprint(history: &History) -> Fingerprint {
    let hasher = RecordHasher::new(&history.ledger);
    let records = history.entries.iter().map(|entry| hasher.hash(&entry.bytes)).collect();
    Fingerprint { records, states: states(&history.events()) }
}

/// The digest of the state after every event.
#[must_use]
pub fn states(events: &[Sequenced]) -> Vec<[u8; 32]> {
    let mut state = State::default();
    events
        .iter()
        .map(|event| {
            apply(&mut state, event);
            state.digest()
        })
        .collect()
}
