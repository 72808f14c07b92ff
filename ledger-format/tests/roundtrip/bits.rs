//! One flipped bit, one missing byte, one byte too many: always refused where there is a check.

use ledger_format::payload;

use crate::decoders;
use crate::support::fixed;

#[test]
fn every_flipped_bit_of_a_checked_structure_is_refused() {
    for decoder in decoders::all().iter().filter(|decoder| decoder.check().is_some()) {
        assert!(decoder.total(&decoder.sample), "the sample of {} decodes", decoder.name);
        let mut bytes = decoder.sample.clone();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                bytes[at] ^= 1 << bit;
                let found = (decoder.again)(&bytes);
                assert!(
                    found.is_err() || only_a_chain_can_tell(decoder.name, at),
                    "{} byte {at} bit {bit}",
                    decoder.name
                );
                bytes[at] ^= 1 << bit;
            }
        }
    }
}

/// A batch hash covers record bytes through the last record alone: a change in an earlier one shows
/// in the chain and the root, which a batch by itself cannot compare.
fn only_a_chain_can_tell(name: &str, at: usize) -> bool {
    let (made, _) = fixed::first_batch();
    let earlier = 160 + made.records[..2].iter().map(|record| record.len() + 2).sum::<usize>();
    name == "batch" && (160..earlier).contains(&at)
}

#[test]
fn every_flipped_bit_of_a_sealed_payload_is_refused() {
    let sealed = fixed::tea();
    let open = |stored: &[u8], reference: &ledger_format::PayloadRef| {
        payload::open(&fixed::LEDGER, reference, stored, &fixed::KEY)
    };
    assert!(open(&sealed.stored, &sealed.reference).is_ok());
    for at in 0..sealed.stored.len() {
        for bit in 0..8 {
            let mut stored = sealed.stored.clone();
            stored[at] ^= 1 << bit;
            assert!(open(&stored, &sealed.reference).is_err(), "byte {at} bit {bit}");
            // Not even when the digest of the record was made to fit.
            let mut reference = sealed.reference.clone();
            reference.digest = ledger_format::hash::ciphertext(&stored);
            assert!(open(&stored, &reference).is_err(), "byte {at} bit {bit} with its digest");
        }
    }
}

#[test]
fn every_shorter_structure_is_refused() {
    for decoder in decoders::all() {
        // An extension list ends where its bytes end, so some cuts leave a whole list.
        let lists = decoder.name == "extension list";
        for length in 0..decoder.sample.len() {
            let cut = &decoder.sample[..length];
            assert!(!decoder.total(cut) || lists, "{} cut to {length} bytes", decoder.name);
        }
    }
}

#[test]
fn every_longer_structure_is_refused_or_read_as_a_prefix() {
    for decoder in decoders::all() {
        for more in [[0].as_slice(), &[1], &[0; 16], &[0xff; 4096]] {
            let longer = [&decoder.sample, more].concat();
            assert_eq!(decoder.total(&longer), decoder.prefix, "{}", decoder.name);
        }
    }
}
