//! Whatever decodes is applied: bytes nobody meant to write never stop a replay.

use ledger_format::{Event, RecordHash, Seq};
use ledger_replay::{Lifecycle, Sequenced, State, apply};
use replay_tests::rng::Rng;
use replay_tests::workload::{self, Swarm};
use replay_tests::{seed, test_path};

#[test]
fn mutated_bodies_never_stop_a_replay() {
    seed::each(&test_path!(mutated_bodies_never_stop_a_replay), 20, |seed| {
        let mut rng = Rng::part(seed, 9);
        let mut state = State::default();
        let (mut tried, mut applied) = (0, 0);
        for entry in workload::build(&Swarm::everything().ops(&mut Rng::new(seed), 120)).entries {
            let mut event = entry.sequenced;
            apply(&mut state, &event);
            for _ in 0..12 {
                tried += 1;
                let header = event.header.clone();
                let mut body = event.event.encode().unwrap();
                mutate(&mut rng, &mut body);
                let decoded =
                    Event::decode(header.kind, header.kind_version, header.critical, &body);
                if let Ok(decoded) = decoded {
                    assert_eq!(decoded.encode().unwrap(), body, "one event has one encoding");
                    event.event = decoded;
                    scramble(&mut rng, &mut event);
                    apply(&mut state, &event);
                    ask(&state);
                    applied += 1;
                }
            }
        }
        assert!(applied * 10 > tried, "{applied} of {tried}: the mutations are too wild");
        assert_eq!(State::restore(&state.save()).unwrap(), state);
    });
}

#[test]
fn mutated_records_never_stop_a_replay() {
    seed::each(&test_path!(mutated_records_never_stop_a_replay), 20, |seed| {
        let mut rng = Rng::part(seed, 10);
        let mut state = State::default();
        let mut applied = 0;
        for entry in workload::build(&Swarm::everything().ops(&mut Rng::new(seed), 120)).entries {
            for _ in 0..12 {
                let mut bytes = entry.bytes.clone();
                mutate(&mut rng, &mut bytes);
                if let Ok(event) = Sequenced::from_bytes(&bytes, RecordHash(rng.bytes())) {
                    apply(&mut state, &event);
                    ask(&state);
                    applied += 1;
                }
            }
        }
        assert!(applied > 100, "{applied} records decoded");
    });
}

/// A view row either is refused or is the one encoding of what it says.
#[test]
fn mutated_rows_are_refused_or_canonical() {
    let mut state = State::default();
    let history = workload::build(&Swarm::everything().ops(&mut Rng::new(2), 300));
    history.events().iter().for_each(|event| {
        apply(&mut state, event);
    });
    let mut rng = Rng::new(4);
    let mut decoded = 0;
    for (_, memory) in state.memories() {
        for _ in 0..200 {
            let mut bytes = memory.lifecycle.encode();
            mutate(&mut rng, &mut bytes);
            if let Ok(row) = Lifecycle::decode(&bytes) {
                assert_eq!(row.encode(), bytes);
                decoded += 1;
            }
        }
    }
    assert!(decoded > 100, "{decoded} rows decoded");
}

/// One to three small changes: a bit, a byte that matters, a byte more or less.
fn mutate(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(3) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.index(bytes.len());
        match rng.below(8) {
            0 => bytes.insert(at, rng.byte()),
            1 => {
                bytes.remove(at);
            }
            2 => bytes[at] = [0, 1, 2, 0x7f, 0x80, 0xff][rng.index(6)],
            3 => bytes[at..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
            _ => bytes[at] ^= 1 << rng.below(8),
        }
    }
}

/// Header fields that a hostile log could hold.
fn scramble(rng: &mut Rng, event: &mut Sequenced) {
    match rng.below(6) {
        0 => event.header.seq = Seq(rng.number()),
        1 => event.header.recorded_at.0 = [i64::MIN, -1, 0, i64::MAX][rng.index(4)],
        2 => event.header.scope.0 = [rng.byte(); 16],
        _ => {}
    }
}

/// Every question a caller can ask is answered.
fn ask(state: &State) {
    use ledger_format::{AliasId, Micros};
    use ledger_replay::Instants;
    let _ = state.erased().count();
    for (_, memory) in state.memories().take(3) {
        for at in [Micros::MIN, Micros(0), Micros::MAX] {
            let _ = memory.lifecycle.status(Instants { known: at, valid: at });
            let _ = memory.lifecycle.validity.ended_by(at);
        }
        let _ = state.scope_within(memory.scope, AliasId::ZERO);
    }
}
