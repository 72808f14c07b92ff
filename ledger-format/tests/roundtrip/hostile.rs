//! Lengths that lie. With 2^60 in a length field, allocating what it says would end the process, so
//! each of these tests passes by giving an error.

use ledger_format::Kind;

use crate::decoders;
use crate::support::arb::Gen;
use crate::support::spec::Spec;
use crate::support::{fixed, fixup};

const LENGTHS: [u64; 9] =
    [1 << 16, 1 << 20, 1 << 31, 1 << 32, 1 << 40, 1 << 60, 1 << 63, u64::MAX - 1, u64::MAX];

#[test]
fn a_hostile_length_anywhere_in_a_body_is_refused_or_read_as_a_number() {
    for (kind, ..) in Kind::ALL {
        let body = fixup::event(*kind, &mut Gen::Full(9)).encode().unwrap();
        for at in 0..body.len().saturating_sub(7) {
            for length in LENGTHS {
                let mut hostile = body.clone();
                hostile[at..at + 8].copy_from_slice(&length.to_le_bytes());
                if let Ok(again) = decoders::body(*kind, &hostile) {
                    assert_eq!(again, hostile, "{kind} at {at}");
                }
            }
        }
    }
}

#[test]
fn a_hostile_number_of_items_is_refused_in_every_list() {
    let spec = Spec::load();
    let mut lists = 0;
    for (kind, _, name) in Kind::ALL {
        let body = fixup::event(*kind, &mut Gen::Full(9)).encode().unwrap();
        let value = spec.decode_body(name, &body).unwrap();
        let mut prefix = 0;
        for (field, ty) in spec.table(&format!("body:{name}")).pairs("field", "type") {
            let size = |ty: &str| ty == "string" || ty == "bytes" || ty.starts_with("list<");
            if size(&ty) {
                lists += 1;
                for length in LENGTHS {
                    let mut hostile = body.clone();
                    hostile[prefix..prefix + 8].copy_from_slice(&length.to_le_bytes());
                    let found = decoders::body(*kind, &hostile).map_err(|error| error.name());
                    assert_eq!(found, Err("bad_body"), "{kind}.{field} of {length} items");
                }
            }
            prefix += spec.encoded_length(&ty, &value[&field]);
        }
    }
    assert!(lists >= 30, "{lists} lists were tried");
}

#[test]
fn a_hostile_length_anywhere_in_a_structure_is_refused_or_read_as_a_number() {
    let spec = Spec::load();
    for decoder in decoders::all() {
        for at in 0..decoder.sample.len().min(300).saturating_sub(8) {
            for length in LENGTHS {
                let mut hostile = decoder.sample.clone();
                hostile[at..at + 8].copy_from_slice(&length.to_le_bytes());
                decoder.recheck(&spec, &mut hostile);
                decoder.total(&hostile);
            }
        }
    }
}

#[test]
fn a_record_of_the_greatest_length_decodes_and_one_more_does_not() {
    let mut header = fixed::header(Kind::Pin, 1);
    header.kind = 9999;
    header.critical = false;
    let record = |length| ledger_format::Record::new(header.clone(), vec![1; length]).encode();
    let longest = record(65_535 - 112).unwrap();
    assert!(ledger_format::RecordView::decode(&longest).is_ok());
    assert_eq!(record(65_536 - 112).unwrap_err().name(), "too_large");
}

#[test]
fn the_widest_bodies_are_within_what_a_decode_may_claim() {
    use ledger_format::event::duty;
    let signal = duty::Signal { signal: 7, value: -1 };
    let mut verdict = fixup::event(Kind::Verdict, &mut Gen::Empty(0));
    if let ledger_format::Event::Verdict(verdict) = &mut verdict {
        verdict.signals = vec![signal; 6_500];
    }
    let range = |at: u64| duty::PayloadRange {
        first: ledger_format::PayloadId(2 * at),
        last: ledger_format::PayloadId(2 * at),
    };
    let mut intent = fixup::event(Kind::EraseIntent, &mut Gen::Empty(0));
    if let ledger_format::Event::EraseIntent(intent) = &mut intent {
        intent.payloads = (0..4_000).map(range).collect();
    }
    let mut write = fixup::event(Kind::Write, &mut Gen::Empty(0));
    if let ledger_format::Event::Write(write) = &mut write {
        let id = |at: u16| {
            let mut id = [0; 16];
            id[..2].copy_from_slice(&at.to_be_bytes());
            ledger_format::MemoryId(id)
        };
        write.derived_from = (1000..5000).map(id).collect();
    }
    for event in [verdict, intent, write] {
        let kind = event.kind().unwrap();
        let body = event.encode().unwrap();
        assert!(body.len() > 60_000, "{kind} is wide");
        assert_eq!(decoders::body(kind, &body).as_ref(), Ok(&body), "{kind}");
    }
}
