//! The worked bytes of section 23, made anew and compared with the text.

use std::fmt::Write as _;

use ledger_format::key_page::KeyPage;
use ledger_format::{PayloadId, Role, hash, tree};

use crate::support::spec::Spec;
use crate::support::{compare_or_bless, fixed, hex};

fn line(out: &mut String, name: &str, bytes: &[u8]) {
    let _ = writeln!(out, "{name}: {}", hex::plain(bytes));
}

fn record_hashes() -> String {
    let (mut out, record) = (String::new(), fixed::pin());
    line(&mut out, "record hash", &hash::record(&fixed::LEDGER, &record).0);
    line(&mut out, "leaf hash", &tree::leaf(&record));
    out
}

fn batch_hashes() -> String {
    let (made, _) = fixed::first_batch();
    let mut out = String::new();
    for (at, hash) in made.hashes.iter().enumerate() {
        line(&mut out, &format!("record {at}"), &hash.0);
    }
    line(&mut out, "root", &made.root.0);
    line(&mut out, "batch hash", &made.hash.0);
    out
}

fn payload() -> String {
    let (mut out, sealed) = (String::new(), fixed::tea());
    let text = b"Tea at four.";
    let length = 12_u32.to_le_bytes();
    let frame = [[1].as_slice(), &length, &length, text, &[0; 64 - 9 - 12]].concat();
    let salt = hash::salt(&fixed::KEY);
    let aad = [fixed::LEDGER.0.as_slice(), &1_u64.to_le_bytes(), &[Role::Text.number()]].concat();
    line(&mut out, "frame", &frame);
    line(&mut out, "salt", &salt);
    line(&mut out, "commitment", &hash::commitment(&salt, Role::Text, text));
    line(&mut out, "associated data", &aad);
    line(&mut out, "stored", &sealed.stored);
    line(&mut out, "digest", &sealed.reference.digest);
    out
}

fn slot() -> String {
    let mut out = String::new();
    let check = hash::key_check(&fixed::MASTER, &fixed::LEDGER);
    let mut page = KeyPage::empty(fixed::LEDGER, 0, [0; 8]);
    assert!(page.set_key(PayloadId(1), &fixed::KEY, &fixed::MASTER));
    let mask = hash::slot_mask(&fixed::MASTER, &fixed::LEDGER, PayloadId(1));
    line(&mut out, "mask", &mask);
    line(&mut out, "slot", page.masked(PayloadId(1)).unwrap());
    line(&mut out, "key check", &check.0);
    out
}

#[test]
fn worked_bytes_are_what_the_code_makes() {
    let spec = Spec::load();
    let mut text = spec.text.clone();
    for (name, made) in [
        ("record", hex::lines(&fixed::pin())),
        ("record_hash", record_hashes()),
        ("batch", hex::lines(&fixed::first_batch().0.bytes)),
        ("batch_hashes", batch_hashes()),
        ("payload", payload()),
        ("slot", slot()),
    ] {
        let marker = format!("<!-- bytes:{name} -->\n```\n");
        let (before, after) = text.split_once(&marker).unwrap_or_else(|| panic!("no block {name}"));
        let (_, after) = after.split_once("```").expect("a block is closed");
        text = format!("{before}{marker}{made}```{after}");
    }
    compare_or_bless("SPEC.md", &text);
}

#[test]
fn the_frame_of_the_text_is_the_one_that_was_sealed() {
    let sealed = fixed::tea();
    let opened = ledger_format::payload::open(
        &fixed::LEDGER,
        &sealed.reference,
        &sealed.stored,
        &fixed::KEY,
    );
    assert_eq!(opened.unwrap(), b"Tea at four.");
    // Nonce, a frame of 64 bytes, tag.
    assert_eq!(sealed.stored.len(), 24 + 64 + 16);
}
