//! Owns carrying out, in a copy that was just restored, the erasures that its log holds: a backup can
//! have been taken between an intent and the end of its destruction.
//!
//! Invariant: runs before anything is decrypted; safe to repeat.

use ledger_format::{PayloadId, Seq};
use ledger_replay::State;
use ledger_store::{Appender, Check, KeyStore};

use crate::error::Result;
use crate::ledger::replay;
use crate::vault::decode;

/// Destroys what complete erasures in the log cover. Returns how many keys were still there.
pub(super) fn carry_out(appender: &mut Appender, keys: &KeyStore) -> Result<u64> {
    let reader = appender.reader();
    if reader.head().and_then(|head| head.last_erasure).is_none() {
        return Ok(0);
    }
    let state = replay(&reader, State::default(), |_| Ok(()))?;
    let erased = state.erased();
    let Some(through) = state.erasures().filter_map(|(_, erasure)| erasure.intended).max() else {
        return Ok(0);
    };
    appender.mark_in_use()?;
    let mut slots = Vec::new();
    for range in erased.ranges() {
        let last = range.last.0.min(keys.slots().saturating_sub(1));
        slots.extend((range.first.0..=last).map(PayloadId));
    }
    let destroyed = keys.erase(&slots)?;
    for stored in reader.stream(Seq(0), Check::None) {
        let stored = stored?;
        let mut offset = stored.payload_offset;
        for reference in decode(&stored)?.payloads {
            if erased.contains(reference.id) {
                appender.erase_payload(stored.payload_file, offset, reference.length)?;
            }
            offset = offset.saturating_add(u64::from(reference.length));
        }
    }
    keys.set_erasures_through(through)?;
    Ok(destroyed)
}
