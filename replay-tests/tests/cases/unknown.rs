//! Records of the future: kept byte for byte, and fatal to answers only where they say so.

use ledger_format::{Event, Seq};
use ledger_replay::{State, apply};
use replay_tests::rng::Rng;
use replay_tests::workload::{self, Swarm, Verb, op};
use replay_tests::{seed, test_path};

#[test]
fn field_a11_unknown_kinds_keep_their_bytes() {
    seed::each(&test_path!(field_a11_unknown_kinds_keep_their_bytes), 20, |seed| {
        let swarm = Swarm::everything().with(Verb::Unknown, 40).with(Verb::UnknownCritical, 40);
        let history = workload::build(&swarm.ops(&mut Rng::new(seed), 60));
        let mut met = 0;
        for entry in &history.entries {
            let header = &entry.sequenced.header;
            if let Event::Unknown { kind, version, critical, body } = &entry.sequenced.event {
                met += 1;
                assert_eq!((*kind, *version), (header.kind, header.kind_version));
                assert_eq!(*critical, header.critical);
                let view = ledger_format::RecordView::decode(&entry.bytes).unwrap();
                assert_eq!(view.body, body.as_slice());
                assert_eq!(entry.sequenced.event.encode().unwrap(), *body);
            }
        }
        assert!(met > 0);
    });
}

#[test]
fn an_unknown_critical_record_counts_from_its_place_on() {
    seed::each(&test_path!(an_unknown_critical_record_counts_from_its_place_on), 20, |seed| {
        let mut ops = Swarm::everything().ops(&mut Rng::new(seed), 40);
        ops.insert(10, op(Verb::Unknown, [1]));
        ops.insert(20, op(Verb::UnknownCritical, [1]));
        ops.insert(30, op(Verb::UnknownCritical, [1]));
        let mut state = State::default();
        let mut first = None;
        for event in workload::build(&ops).events() {
            apply(&mut state, &event);
            if first.is_none() && matches!(event.event, Event::Unknown { critical: true, .. }) {
                first = Some(event.seq());
            }
            assert_eq!(state.unknown_critical(), first, "after record {}", event.seq());
        }
        assert!(first > Some(Seq(0)));
    });
}
