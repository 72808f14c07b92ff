//! Owns the digest of a state and its saved form. Both rest on record bytes only, so an erasure of
//! content changes neither.

use alloc::vec::Vec;

use ledger_format::bytes::{Reader, Writer};
use ledger_format::hash;

use crate::codec::{Coded, DecodeError, SCHEMA, coded_fields};
use crate::erasure::{EraseTargets, Erasure, PayloadSet};
use crate::state::{Idempotent, PendingWrite, SigningKey, State, StateHead};

coded_fields!(StateHead { seq, hash, recorded_at });
coded_fields!(Idempotent { proposal, seq });
coded_fields!(SigningKey { algorithm, bytes, since });
coded_fields!(PendingWrite { memory, supersedes, cut, writer, agreed });
coded_fields!(EraseTargets { memories, aliases, payloads });
coded_fields!(Erasure { parts, seen, waiting, intended, done });
coded_fields!(State {
    ledger,
    head,
    epoch,
    policy,
    policy_since,
    origin,
    signing_key,
    receipts,
    anomalies,
    unknown_critical,
    memories,
    aliases,
    idempotency,
    pending,
    contests,
    restrictions,
    tasks,
    of_tasks,
    slots,
    jobs,
    schedules,
    erasures,
    erased,
});

impl Coded for PayloadSet {
    fn put(&self, out: &mut Writer) {
        self.ranges().collect::<Vec<_>>().put(out);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let ranges = Vec::take(reader)?;
        let mut set = Self::default();
        ranges.iter().for_each(|range| set.insert(*range));
        // Ranges that overlap, touch or are out of order would be saved in another way.
        if set.ranges().eq(ranges) { Ok(set) } else { Err(DecodeError("payload ranges")) }
    }
}

impl Erasure {
    /// The one encoding of this value.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        self.put(&mut out);
        out.into_vec()
    }

    /// Decodes from exactly these bytes.
    ///
    /// # Errors
    /// [`DecodeError`] when they are not what [`Self::encode`] gives.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("an erasure", bytes);
        let value = Self::take(&mut reader)?;
        reader.end()?;
        Ok(value)
    }
}

impl State {
    /// The saved form: its schema, the state, and its digest.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::default();
        out.u16(SCHEMA);
        self.put(&mut out);
        let digest = hash::state(out.as_slice());
        out.put(&digest);
        out.into_vec()
    }

    /// Restores a saved state. The caller compares its head with the log before relying on it.
    ///
    /// # Errors
    /// [`DecodeError`] when it is of another schema or damaged; then the log is replayed instead.
    pub fn restore(saved: &[u8]) -> Result<Self, DecodeError> {
        let split = saved.len().checked_sub(32).ok_or(DecodeError("length"))?;
        let (body, digest) = saved.split_at(split);
        if hash::state(body).as_slice() != digest {
            return Err(DecodeError("digest"));
        }
        let mut reader = Reader::new("a saved state", body);
        if reader.u16()? != SCHEMA {
            return Err(DecodeError("schema"));
        }
        let state = Self::take(&mut reader)?;
        reader.end()?;
        Ok(state)
    }

    /// Digest of everything in the state. Any replay of the same records gives the same.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut out = Writer::default();
        out.u16(SCHEMA);
        self.put(&mut out);
        hash::state(out.as_slice())
    }
}
