//! Arbitrary events of every kind.

use std::sync::LazyLock;

use ledger_format::{Event, Kind, Record, RecordView};
use proptest::prelude::*;

use crate::cases;
use crate::support::arb::Gen;
use crate::support::spec::Spec;
use crate::support::{fixed, fixup};

fn kind() -> impl Strategy<Value = Kind> {
    (0..Kind::ALL.len()).prop_map(|at| Kind::ALL[at].0)
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn events_come_back_as_they_were(kind in kind(), pool in prop::collection::vec(any::<u8>(), 0..600)) {
        let event = fixup::event(kind, &mut Gen::Pool(&pool));
        let body = event.encode().expect("an event that keeps its rules is encoded");
        let again = Event::decode(kind.number(), kind.version(), kind.critical(), &body);
        prop_assert_eq!(again.as_ref(), Ok(&event));
        prop_assert_eq!(event.kind(), Some(kind));
    }

    #[test]
    fn records_come_back_as_they_were(
        kind in kind(),
        pool in prop::collection::vec(any::<u8>(), 0..600),
        seq in 1..u64::MAX,
        times in any::<(i64, i64)>(),
        numbers in any::<(u16, u32, [u8; 16])>(),
    ) {
        let event = fixup::event(kind, &mut Gen::Pool(&pool));
        let mut record = Record::new(fixed::header(kind, seq), event.encode().unwrap());
        (record.header.recorded_at.0, record.header.wall_time.0) = times;
        (record.header.retention, record.header.policy, record.header.actor.0) = numbers;
        let bytes = record.encode().unwrap();
        let view = RecordView::decode(&bytes).unwrap();
        prop_assert_eq!(&view.header, &record.header);
        prop_assert_eq!(view.event(), Ok(event));
    }
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn the_tables_of_the_specification_read_every_event(
        kind in kind(),
        pool in prop::collection::vec(any::<u8>(), 0..600),
    ) {
        static SPEC: LazyLock<Spec> = LazyLock::new(Spec::load);
        let body = fixup::event(kind, &mut Gen::Pool(&pool)).encode().unwrap();
        let value = SPEC.decode_body(kind.name(), &body).unwrap();
        prop_assert_eq!(SPEC.encode_body(kind.name(), &value), body);
    }
}

#[test]
fn unknown_kinds_and_versions_are_kept_as_they_are() {
    for (kind, version, critical) in
        [(9999, 1, false), (9999, 1, true), (25, 2, true), (1, 0, false)]
    {
        let event = Event::decode(kind, version, critical, b"anything").unwrap();
        let kept = Event::Unknown { kind, version, critical, body: b"anything".to_vec() };
        assert_eq!(event, kept);
        assert_eq!(event.encode().unwrap(), b"anything");
        assert_eq!(event.kind(), None);
    }
}
