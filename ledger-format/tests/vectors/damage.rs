//! Ways to damage the ledger of `ledger.rs`, each with the verdict it must get.

use ledger_format::anchor::Anchor;
use ledger_format::batch::BatchHeader;
use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{BatchNo, LedgerId, PayloadId, SegmentNo, Seq, hash};
use serde_json::{Value, json};

use crate::build::table;
use crate::ledger::{Built, build};
use crate::support::{fixed, hex};

const SEGMENTS: [&str; 2] = ["log/0000000000.seg", "log/0000000001.seg"];
const PAYLOADS: &str = "payloads/0000000000.pay";

fn write(path: &str, bytes: &[u8]) -> Value {
    json!({ "path": path, "hex": hex::short(bytes) })
}

fn patch(path: &str, offset: usize, bytes: &[u8]) -> Value {
    json!({ "path": path, "offset": offset, "hex": hex::short(bytes) })
}

fn remove(path: &str) -> Value {
    json!({ "path": path, "remove": true })
}

/// Where a batch begins, in its segment.
fn start(built: &Built, batch: usize) -> usize {
    let before = if batch < 2 { 0..batch } else { 2..batch };
    4096 + before.map(|at| built.batches[at].bytes.len()).sum::<usize>()
}

fn flip(built: &Built, path: &str, offset: usize) -> Value {
    patch(path, offset, &[built.files[path][offset] ^ 0x10])
}

/// Both anchors as they were after an earlier batch, and nothing erased before its intent was
/// anchored.
fn older(built: &Built, batch: usize) -> Vec<Value> {
    let anchors = both_anchors(built, batch);
    if batch < 3 { [anchors, not_erased(built)].concat() } else { anchors }
}

/// Both anchors with the head of an earlier batch, written one after the other.
fn both_anchors(built: &Built, batch: usize) -> Vec<Value> {
    let mut second = Anchor::decode(&built.anchors[batch]).unwrap();
    second.counter -= 1;
    vec![write("anchor.a", &built.anchors[batch]), write("anchor.b", &second.encode())]
}

/// The second segment cut after its last batch, as it is when there is a third one.
fn cut(built: &Built) -> Value {
    let second = &built.files[SEGMENTS[1]];
    write(SEGMENTS[1], &second[..second.len() - 256])
}

/// The header of a third segment.
fn third_header(built: &Built) -> Vec<u8> {
    let second = &built.files[SEGMENTS[1]];
    let (last, mut tree) = (&built.batches[4], Frontier::new());
    built.batches.iter().flat_map(|made| &made.records).for_each(|record| tree.push(record));
    let header = SegmentHeader {
        segment: SegmentNo(2),
        first_batch: BatchNo(5),
        first_seq: Seq(10),
        epoch: 3,
        previous_record: last.hashes[1],
        previous_batch: last.hash,
        previous_length: second.len() as u64 - 256,
        frontier: tree,
        ..SegmentHeader::decode(second).unwrap()
    };
    header.encode()
}

pub(crate) fn cases(built: &Built) -> Vec<Value> {
    let all = [
        batches(built),
        headers(built),
        ends(built),
        tails(built),
        segments(built),
        outside(built),
    ]
    .concat();
    let case = |(name, edits, verdict, at): &Case| {
        let mut case = json!({ "name": name, "edits": edits });
        (case["verdict"], case["at"]) = (json!(verdict), json!(at));
        case
    };
    all.iter().map(case).collect()
}

type Case = (&'static str, Vec<Value>, &'static str, &'static str);

fn batches(built: &Built) -> Vec<Case> {
    let [first, second] = SEGMENTS;
    let resigned = |at: usize| {
        let made = &built.batches[at];
        let (trailer, mut root) = (start(built, at) + made.bytes.len() - 64, made.root);
        root.0[0] ^= 1;
        let length = |record: &Vec<u8>| u16::try_from(record.len()).unwrap().to_le_bytes();
        let lengths: Vec<u8> = made.records.iter().flat_map(length).collect();
        let hash = hash::batch(&made.bytes[..160], &lengths, made.hashes.last().unwrap(), &root);
        vec![patch(second, trailer, &[root.0, hash.0].concat())]
    };
    table! {
        "a bit of a record in the first segment":
            vec![flip(built, first, start(built, 1) + 300)]
            => "damaged", "batch 1";
        "a bit of the first record": vec![flip(built, first, 4096 + 170)] => "damaged", "batch 0";
        "a bit of a frame length":
            vec![flip(built, second, start(built, 2) + 160)]
            => "damaged", "batch 2";
        "a bit of a batch header":
            vec![flip(built, second, start(built, 3) + 20)]
            => "damaged", "batch 3";
        "a bit of the last batch hash":
            vec![flip(built, second, start(built, 4) + built.batches[4].bytes.len() - 1)]
            => "damaged", "batch 4";
        "another root under a fitting batch hash": resigned(4) => "damaged", "batch 4";
    }
}

fn headers(built: &Built) -> Vec<Case> {
    let [first, second] = SEGMENTS;
    let header = |change: fn(&mut SegmentHeader)| {
        let mut header = SegmentHeader::decode(&built.files[second]).unwrap();
        change(&mut header);
        vec![patch(second, 0, &header.encode())]
    };
    let frontier = header(|header| {
        let mut nodes = header.frontier.nodes().to_vec();
        nodes[0][0] ^= 1;
        header.frontier = Frontier::from_parts(4, nodes).unwrap();
    });
    let swapped = vec![write(first, &built.files[second]), write(second, &built.files[first])];
    table! {
        "a bit of a segment header": vec![flip(built, second, 40)] => "damaged", "segment 1";
        "a segment of another ledger":
            header(|header| header.ledger = LedgerId([8; 16]))
            => "damaged", "segment 1";
        "a segment that follows another record":
            header(|header| header.previous_record.0[0] ^= 1)
            => "damaged", "segment 1";
        "a segment with another frontier": frontier => "damaged", "segment 1";
        "two segments that changed names": swapped => "damaged", "segment 0";
        "no first segment": vec![remove(first)] => "damaged", "segment 0";
        "the first segment twice":
            vec![write(second, &built.files[first])]
            => "damaged", "segment 1";
        "a segment after a gap":
            vec![cut(built), write("log/0000000003.seg", &built.files[second])]
            => "damaged", "segment 2";
        "a file that only looks like a segment":
            vec![write("log/2.seg", &[])]
            => "damaged", "log/2.seg";
    }
}

fn ends(built: &Built) -> Vec<Case> {
    let [_, second] = SEGMENTS;
    let last = start(built, 4);
    let zeros = vec![0; built.batches[4].bytes.len()];
    let whole = build(11);
    let behind = patch(second, built.files[second].len() - 1, &[1]);
    let mut anchor = Anchor::decode(&built.anchors[4]).unwrap();
    anchor.clean = false;
    let not_closed = write("anchor.a", &anchor.encode());
    anchor.ledger = LedgerId([8; 16]);
    let foreign = write("anchor.a", &anchor.encode());
    let fork = SEGMENTS.iter().map(|path| write(path, &whole.files[*path]));
    table! {
        "the last batch gone without a trace":
            vec![patch(second, last, &zeros)]
            => "damaged", "end";
        "no second segment": vec![remove(second)] => "damaged", "end";
        "the second segment cut after its header":
            vec![write(second, &built.files[second][..4096])]
            => "damaged", "end";
        "another history, whole and consistent":
            fork.chain([write(PAYLOADS, &whole.files[PAYLOADS])]).collect()
            => "damaged", "anchor";
        "bytes behind the last batch of a holder that closed":
            vec![behind.clone()]
            => "damaged", "batch 5";
        "bytes behind the last batch of a holder that did not close":
            vec![behind, not_closed]
            => "unacknowledged_tail", "batch 5";
        "no readable anchor":
            vec![write("anchor.a", &[0; 512]), remove("anchor.b")]
            => "cannot_be_checked", "anchor";
        "one unreadable anchor": vec![flip(built, "anchor.b", 100)] => "damaged", "anchor.b";
        "the newer anchor unreadable": vec![flip(built, "anchor.a", 100)] => "damaged", "anchor.a";
        "a blank anchor": vec![write("anchor.b", &[0; 512])] => "damaged", "anchor.b";
        "an anchor of another ledger": vec![foreign] => "damaged", "anchor";
    }
}

fn tails(built: &Built) -> Vec<Case> {
    let [_, second] = SEGMENTS;
    let bytes = |batch: usize| built.batches[batch].bytes.len();
    let half = bytes(4) / 2;
    let torn = patch(second, start(built, 4) + half, &vec![0; bytes(4) - half]);
    let nothing = patch(second, start(built, 3), &vec![0; bytes(3) + bytes(4)]);
    let no_payload = patch(PAYLOADS, built.files[PAYLOADS].len() - 104, &[0; 104]);
    let hole = patch(second, start(built, 3), &vec![0; bytes(3)]);
    let with = |anchored: usize, edits: Vec<Value>| [older(built, anchored), edits].concat();
    let body = vec![flip(built, second, start(built, 3) + 200)];
    let header = vec![flip(built, second, start(built, 2) + 20)];
    let torn_above = with(3, vec![torn.clone()]);
    table! {
        "an older anchor": older(built, 3) => "verified", "";
        "a torn batch above the anchor": torn_above => "unacknowledged_tail", "batch 4";
        "a torn batch at the anchor": vec![torn] => "damaged", "batch 4";
        "a damaged batch above the anchor, and one after it": with(1, body) => "damaged", "batch 3";
        "a damaged header above it, and a batch after it": with(1, header) => "damaged", "batch 2";
        "zeros instead of a batch above it, and one after":
            with(1, vec![hole])
            => "damaged", "batch 3";
        "the payload of the last batch above the anchor never written":
            with(1, vec![nothing, no_payload])
            => "unacknowledged_tail", "batch 2";
    }
}

fn segments(built: &Built) -> Vec<Case> {
    let [first, second] = SEGMENTS;
    let with = |bytes: &[u8]| vec![cut(built), write("log/0000000002.seg", bytes)];
    let torn_header = [&third_header(built)[..512], &[0; 4096]].concat();
    let later =
        BatchHeader { batch: BatchNo(5), first: Seq(10), ..built.batches[4].header.clone() };
    let headless = [&[0; 4096], &later.encode()[..]].concat();
    let zeros = [&built.files[first][..], &[0; 64]].concat();
    let not_cut = vec![write("log/0000000002.seg", &third_header(built))];
    let lost = [both_anchors(built, 1), vec![write(second, &[])]].concat();
    table! {
        "an empty file after the last segment": with(&[]) => "verified", "";
        "a file of zeros after the last segment": with(&[0; 8192]) => "verified", "";
        "a segment without a batch after the last": with(&third_header(built)) => "verified", "";
        "a torn segment header": with(&torn_header) => "unacknowledged_tail", "segment 2";
        "a segment without its header but with a batch": with(&headless) => "damaged", "segment 2";
        "a closed segment that was not cut": not_cut => "damaged", "segment 1";
        "zeros behind a closed segment": vec![write(first, &zeros)] => "damaged", "segment 0";
        "the segment of an erasure lost, its payloads gone": lost => "damaged", "payload 2";
    }
}

/// Payloads and keys as they were before the erasure was carried out.
fn not_erased(built: &Built) -> Vec<Value> {
    let stored: Vec<u8> =
        built.payloads[1..3].iter().flat_map(|(sealed, ..)| sealed.stored.clone()).collect();
    let keys = &built.files["keys/slots.a"];
    let mut header = KeyFileHeader::decode(&keys[..4096]).unwrap();
    (header.generation, header.erasures_through) = (1, None);
    let mut page = KeyPage::decode(&keys[4096..]).unwrap();
    page.generation = 2;
    for slot in [2, 3] {
        assert!(page.set_key(PayloadId(slot), &crate::keys::key_of(slot), &fixed::MASTER));
    }
    let keys = [header.encode(), page.encode()].concat();
    let at = usize::try_from(built.payloads[1].2).unwrap();
    vec![patch(PAYLOADS, at, &stored), write("keys/slots.a", &keys), write("keys/slots.b", &keys)]
}

fn outside(built: &Built) -> Vec<Case> {
    let payload = built.files[PAYLOADS].len() - 104;
    let page = KeyPage::decode(&built.files["keys/slots.a"][4096..]).unwrap();
    let erased = |slot: u64| {
        let mut page = page.clone();
        assert!(page.erase(PayloadId(slot)));
        page.generation += 1;
        page.encode()
    };
    let mut kept = page.clone();
    kept.generation += 1;
    assert!(kept.set_key(PayloadId(2), &crate::keys::key_of(2), &fixed::MASTER));
    let both =
        |page: &[u8]| vec![patch("keys/slots.a", 4096, page), patch("keys/slots.b", 4096, page)];
    let toml = String::from_utf8(built.files["ledger.toml"].clone()).unwrap();
    let moved = toml.replace("Europe/Berlin", "Asia/Tokyo");
    table! {
        "a bit of a payload": vec![flip(built, PAYLOADS, payload + 50)] => "damaged", "payload 4";
        "no payload file": vec![remove(PAYLOADS)] => "damaged", "payload 1";
        "an erased payload that came back":
            vec![patch(PAYLOADS, 64 + 104, &[9])]
            => "erasure_unfinished", "payload 2";
        "a key gone without an erasure": both(&erased(4)) => "damaged", "key 4";
        "a key gone in the newer copy only": both(&erased(4))[..1].to_vec() => "damaged", "key 4";
        "an erased key that came back": both(&kept.encode()) => "erasure_unfinished", "key 2";
        "one unreadable key page":
            vec![flip(built, "keys/slots.b", 5000)]
            => "damaged", "keys/slots.b";
        "both copies of a key page unreadable":
            vec![flip(built, "keys/slots.a", 5000), flip(built, "keys/slots.b", 5000)]
            => "damaged", "key page 0";
        "ledger.toml names another zone":
            vec![write("ledger.toml", moved.as_bytes())]
            => "damaged", "ledger.toml";
    }
}
