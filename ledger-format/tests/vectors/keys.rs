//! Key pages and the header of a key file.

use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::{LedgerId, PayloadId, Seq, hash};
use serde_json::{Value, json};

use crate::build::{Vectors, longer};
use crate::files::{common, forged};
use crate::support::spec::Spec;
use crate::support::{fixed, hex};

pub(crate) fn file_headers(spec: &Spec) -> Value {
    let table = "key_file_header";
    let mut out = Vectors::new(table, "The first page of a key file, 4,096 bytes.");
    out.shared("master", json!(hex::plain(&fixed::MASTER)));
    let header = KeyFileHeader {
        ledger: fixed::LEDGER,
        generation: 1,
        key_check: hash::key_check(&fixed::MASTER, &fixed::LEDGER),
        erasures_through: None,
    };
    for (name, header) in [
        ("no erasure", header.clone()),
        (
            "an erasure",
            KeyFileHeader { erasures_through: Some(Seq(7)), generation: 2, ..header.clone() },
        ),
    ] {
        let bytes = header.encode();
        out.valid(name, &bytes, json!({ "fields": spec.fields(table, &bytes) }));
    }
    let good = header.encode();
    common(&mut out, spec, table, &good);
    out.invalid("a byte long", &longer(&good, &[0]), "trailing");
    for offset in [56, 1000, 4079] {
        let bytes = forged(spec, table, &good, offset, &[1]);
        out.invalid(format!("reserved byte {offset}"), &bytes, "reserved_not_zero");
    }
    out.finish()
}

pub(crate) fn pages(spec: &Spec) -> Value {
    let table = "key_page";
    let mut out = Vectors::new(
        table,
        "Key pages of 4,096 bytes. `keys` are the keys that `master` unmasks; every other slot is empty.",
    );
    out.shared("master", json!(hex::plain(&fixed::MASTER)));
    let empty = page(0, &[]);
    let last = KeyPage::page_of(PayloadId(u64::MAX));
    let pages = [
        ("empty", 0, vec![]),
        ("one key", 0, vec![1]),
        ("first and last slot", 3, vec![378, 503]),
        ("the last page", last, vec![u64::MAX]),
    ];
    for (name, number, slots) in pages {
        let bytes = page(number, &slots);
        let key =
            |slot: &u64| json!({ "slot": slot.to_string(), "key": hex::plain(&key_of(*slot)) });
        let keys: Vec<_> = slots.iter().map(key).collect();
        out.valid(name, &bytes, json!({ "fields": spec.fields(table, &bytes), "keys": keys }));
    }
    common(&mut out, spec, table, &page(3, &[378]));
    out.invalid("a byte long", &longer(&empty, &[0]), "trailing");
    let beyond = forged(spec, table, &empty, 24, &(last + 1).to_le_bytes());
    out.invalid("a page beyond the last slot", &beyond, "bad_value");
    let beyond = forged(spec, table, &empty, 24, &[0xff; 8]);
    out.invalid("page 2^64 - 1", &beyond, "bad_value");
    out.finish()
}

/// A key that is another one for every slot.
pub(crate) fn key_of(slot: u64) -> [u8; 32] {
    let mut key = [0x44; 32];
    key[..8].copy_from_slice(&slot.to_le_bytes());
    key
}

fn page(number: u64, slots: &[u64]) -> Vec<u8> {
    let check = hash::key_check(&fixed::MASTER, &fixed::LEDGER);
    let mut page = KeyPage::empty(fixed::LEDGER, number, check.0[..8].try_into().unwrap());
    page.generation = 1 + slots.len() as u64;
    for slot in slots {
        assert!(page.set_key(PayloadId(*slot), &key_of(*slot), &fixed::MASTER));
    }
    page.encode()
}

#[test]
fn a_key_is_only_read_with_its_own_master_ledger_and_slot() {
    let page = KeyPage::decode(&page(0, &[1, 2])).unwrap();
    let key = |slot, master: [u8; 32]| *page.key(PayloadId(slot), &master).unwrap();
    assert_eq!(key(1, fixed::MASTER), key_of(1));
    assert_ne!(key(1, [0; 32]), key_of(1));
    assert!(page.key(PayloadId(3), &fixed::MASTER).is_none());
    assert!(page.masked(PayloadId(126)).is_none(), "a slot of the next page");
    let mut moved = page.clone();
    moved.ledger = LedgerId([8; 16]);
    assert_ne!(*moved.key(PayloadId(1), &fixed::MASTER).unwrap(), key_of(1));
}

#[test]
fn an_erased_slot_leaves_nothing_behind() {
    let mut changed = KeyPage::decode(&page(0, &[1])).unwrap();
    assert!(changed.erase(PayloadId(1)));
    changed.generation = 1;
    assert_eq!(changed.encode(), page(0, &[]));
}
