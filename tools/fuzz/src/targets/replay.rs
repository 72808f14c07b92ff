//! Owns the targets of replay: any events that decode are taken, and a state that is restored is
//! the state that was saved.

use ledger_format::{AliasId, Event, Kind, MemoryId, Micros, RecordHash, RecordHeader, Seq};
use ledger_replay::{Sequenced, State, apply};

/// Frames of kind (two bytes), length (two bytes) and body, applied one after another.
pub(super) fn events(bytes: &[u8]) {
    let (mut state, mut rest, mut seq) = (State::default(), bytes, 0_u64);
    let mut half = None;
    while let Some((kind, length, after)) = frame(rest) {
        let body = &after[..length.min(after.len())];
        rest = &after[body.len()..];
        let Some(kind) = Kind::from_number(kind) else { continue };
        let Ok(event) = Event::decode(kind.number(), kind.version(), kind.critical(), body) else {
            continue;
        };
        let at = Micros(i64::try_from(seq / 2).unwrap_or_default());
        let mut header = RecordHeader::new(kind, Seq(seq), RecordHash::ZERO, at);
        header.scope = AliasId([u8::try_from(seq % 3).unwrap_or_default(); 16]);
        let sequenced = Sequenced::new(header, RecordHash([1; 32]), event);
        apply(&mut state, &sequenced);
        if let Some(half) = &mut half {
            apply(half, &sequenced);
        } else if rest.len() < bytes.len() / 2 {
            half = Some(State::restore(&state.save()).expect("what was saved is restored"));
        }
        seq += 1;
    }
    let digest = state.digest();
    if let Some(half) = half {
        assert_eq!(half.digest(), digest, "a state restored in the middle goes on as the whole");
    }
    // Every question has an answer, about memories that are there and that are not.
    assert!(state.memory(&MemoryId([0xee; 16])).is_none() || seq > 0);
}

fn frame(bytes: &[u8]) -> Option<(u16, usize, &[u8])> {
    let (kind, rest) = bytes.split_first_chunk::<2>()?;
    let (length, rest) = rest.split_first_chunk::<2>()?;
    Some((u16::from_le_bytes(*kind), usize::from(u16::from_le_bytes(*length)), rest))
}

/// As it came, and with a digest that fits.
pub(super) fn saved_state(bytes: &[u8]) {
    let mut fitting = bytes.to_vec();
    fitting.extend_from_slice(&ledger_format::hash::state(bytes));
    for saved in [bytes, &fitting] {
        if let Ok(state) = State::restore(saved) {
            assert!(state.save() == saved, "a state is saved as it was restored");
        }
    }
}
