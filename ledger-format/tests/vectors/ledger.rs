//! A small ledger directory, and the same one damaged in ways that a verifier must tell apart.

use std::collections::BTreeMap;

use ledger_format::anchor::Anchor;
use ledger_format::event::duty::{EraseDone, EraseIntent, EraseRequested, PayloadRange};
use ledger_format::event::ledger::{AliasBound, Epoch};
use ledger_format::event::memory::Pin;
use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::names::{EpochReason, EraseLevel};
use ledger_format::payload::{Sealed, seal};
use ledger_format::payload_file::PayloadFileHeader;
use ledger_format::segment::SegmentHeader;
use ledger_format::{
    AliasId, AliasKind, BatchNo, Event, JobId, MemoryId, Micros, PayloadId, RecordHash, RecordView,
    Role, SegmentNo, Seq, hash,
};
use serde_json::{Value, json};

use crate::keys::key_of;
use crate::support::fixed::{self, Chain, Made};
use crate::support::hex;

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

/// A directory and what is known about it.
pub(crate) struct Built {
    pub(crate) files: Files,
    pub(crate) batches: Vec<Made>,
    /// An anchor after each batch.
    pub(crate) anchors: Vec<Vec<u8>>,
    /// Sealed, plaintext, and where it lies in the payload file.
    pub(crate) payloads: Vec<(Sealed, Vec<u8>, u64)>,
}

const ERASURE: JobId = JobId([0xee; 16]);

fn sealed(id: u64, role: Role, text: &[u8]) -> Sealed {
    let mut nonce = fixed::NONCE;
    nonce[0] = id.to_le_bytes()[0];
    seal(&fixed::LEDGER, PayloadId(id), role, text, &key_of(id), &nonce).unwrap()
}

type Batch = (u64, Vec<(Event, Vec<Sealed>)>);

/// The batches of the two segments; `memory` is the one that the second epoch writes.
fn batches(memory: u8) -> Vec<Batch> {
    let name = Event::AliasBound(AliasBound {
        alias: AliasId([6; 16]),
        kind: AliasKind::Scope,
        parent: None,
    });
    let opened = Event::Epoch(Epoch {
        epoch: 2,
        holder: JobId([0x42; 16]),
        reason: EpochReason::Opened,
        program: "memledger 0.1.0".into(),
        dropped_bytes: 0,
    });
    let requested = Event::EraseRequested(EraseRequested {
        erasure: ERASURE,
        subject: None,
        memories: vec![MemoryId([9; 16])],
        due: None,
    });
    let intent = Event::EraseIntent(EraseIntent {
        erasure: ERASURE,
        part: 0,
        parts: 1,
        subject: None,
        memories: vec![MemoryId([9; 16])],
        aliases: vec![],
        payloads: vec![PayloadRange { first: PayloadId(2), last: PayloadId(3) }],
    });
    let done = Event::EraseDone(EraseDone {
        erasure: ERASURE,
        level: EraseLevel::Files,
        keys: 2,
        payloads: 2,
        derived: 0,
    });
    let texts = vec![sealed(2, Role::Text, b"Tea at four."), sealed(3, Role::Source, b"user:ann")];
    let later = vec![sealed(4, Role::Text, b"Coffee at nine.")];
    let pin = Event::Pin(Pin { memory: MemoryId([memory; 16]) });
    vec![
        (1, vec![(fixed::genesis(), vec![]), (fixed::epoch(), vec![])]),
        (
            1,
            vec![
                (name, vec![sealed(1, Role::Name, b"home")]),
                (Event::Write(fixed::write(9)), texts),
            ],
        ),
        (2, vec![(opened, vec![]), (Event::Write(fixed::write(memory)), later)]),
        (2, vec![(requested, vec![]), (intent, vec![])]),
        (2, vec![(done, vec![]), (pin, vec![])]),
    ]
}

/// Batches 0 and 1 are in segment 0, the others in segment 1.
const SECOND: usize = 2;

pub(crate) fn build(memory: u8) -> Built {
    let mut built =
        Built { files: Files::new(), batches: vec![], anchors: vec![], payloads: vec![] };
    let mut chain = Chain::default();
    let mut segments = [segment_header(0, 1, 0, &chain), Vec::new()];
    let mut payload_file = PayloadFileHeader { ledger: fixed::LEDGER, file: 0 }.encode();
    for (at, (epoch, events)) in batches(memory).into_iter().enumerate() {
        let segment = usize::from(at >= SECOND);
        if at == SECOND {
            segments[1] = segment_header(1, epoch, segments[0].len() as u64, &chain);
        }
        for sealed in events.iter().flat_map(|(_, sealed)| sealed) {
            let text = text_of(sealed);
            built.payloads.push((sealed.clone(), text, payload_file.len() as u64));
            payload_file.extend(&sealed.stored);
        }
        chain.next_payload = [1, 4, 5, 5, 5][at];
        let made = chain.batch(epoch, &events);
        segments[segment].extend(&made.bytes);
        built.anchors.push(anchor(at, epoch, &made, &chain, segments[segment].len() as u64));
        built.batches.push(made);
    }
    segments[1].resize(segments[1].len() + 256, 0);
    for (number, bytes) in segments.into_iter().enumerate() {
        built.files.insert(format!("log/{number:010}.seg"), bytes);
    }
    finish(&mut built, payload_file);
    built
}

/// Everything beside the log, with the erasure carried out.
fn finish(built: &mut Built, mut payload_file: Vec<u8>) {
    for (sealed, _, offset) in built.payloads.iter().filter(|one| erased(one.0.reference.id)) {
        let offset = usize::try_from(*offset).unwrap();
        payload_file[offset..offset + sealed.stored.len()].fill(0);
    }
    built.files.insert("payloads/0000000000.pay".into(), payload_file);
    built.files.insert("anchor.a".into(), built.anchors[4].clone());
    let mut second = Anchor::decode(&built.anchors[3]).unwrap();
    second.counter += 1;
    built.files.insert("anchor.b".into(), second.encode());
    for name in ["keys/slots.a", "keys/slots.b"] {
        built.files.insert(name.into(), key_file());
    }
    built.files.insert("ledger.toml".into(), toml().into_bytes());
}

fn erased(id: PayloadId) -> bool {
    (2..=3).contains(&id.0)
}

fn text_of(sealed: &Sealed) -> Vec<u8> {
    let key = key_of(sealed.reference.id.0);
    ledger_format::payload::open(&fixed::LEDGER, &sealed.reference, &sealed.stored, &key).unwrap()
}

fn segment_header(number: u64, epoch: u64, previous_length: u64, chain: &Chain) -> Vec<u8> {
    let header = SegmentHeader {
        ledger: fixed::LEDGER,
        segment: SegmentNo(number),
        first_batch: BatchNo(chain.batches),
        first_seq: Seq(chain.next),
        epoch,
        previous_record: chain.last,
        previous_batch: chain.batch_hash,
        previous_length,
        frontier: chain.tree.clone(),
    };
    header.encode()
}

fn anchor(at: usize, epoch: u64, made: &Made, chain: &Chain, segment_end: u64) -> Vec<u8> {
    let last = made.records.last().unwrap();
    let anchor = Anchor {
        ledger: fixed::LEDGER,
        // The erasure waited until both copies covered its intent.
        counter: 2 * at as u64 + 2,
        clean: at == 4,
        epoch,
        batch: made.header.batch,
        batch_hash: made.hash,
        seq: Seq(chain.next - 1),
        record_hash: RecordHash(chain.last.0),
        recorded_at: Micros(RecordView::decode(last).unwrap().header.recorded_at.0),
        root: made.root,
        segment: SegmentNo(u64::from(at >= SECOND)),
        segment_end,
        payload_file: 0,
        payload_end: chain.payload_end,
        next_payload: made.header.next_payload,
        last_erasure: made.header.last_erasure,
    };
    anchor.encode()
}

fn key_file() -> Vec<u8> {
    let check = hash::key_check(&fixed::MASTER, &fixed::LEDGER);
    let header = KeyFileHeader {
        ledger: fixed::LEDGER,
        generation: 2,
        key_check: check,
        erasures_through: Some(Seq(7)),
    };
    let mut page = KeyPage::empty(fixed::LEDGER, 0, check.0[..8].try_into().unwrap());
    page.generation = 3;
    // Slot 0 is the pepper's.
    for slot in [0, 1, 4] {
        assert!(page.set_key(PayloadId(slot), &key_of(slot), &fixed::MASTER));
    }
    [header.encode(), page.encode()].concat()
}

fn toml() -> String {
    format!(
        "# A copy of record 0 (Genesis) of this memory ledger. It is compared with the record \
         whenever the\n# ledger is opened and must not be edited: settings are changed by events, \
         with `memledger`.\nformat = 1\nledger = \"{}\"\norigin = \"ledger.example/home\"\nzone = \"Europe/Berlin\"\n\
         # Microseconds since 1970-01-01T00:00:00Z.\ncreated_at_micros = {}\nclock = \"wall\"\n",
        fixed::LEDGER,
        fixed::NOON.0
    )
}

pub(crate) fn vectors() -> Value {
    let built = build(10);
    let records = built.batches.iter().flat_map(|made| made.records.iter().zip(&made.hashes));
    let record = |(bytes, hash): (&Vec<u8>, &RecordHash)| {
        let view = RecordView::decode(bytes).unwrap();
        let kind = view.event().unwrap().kind().unwrap();
        json!({ "seq": view.header.seq.0, "kind": kind.name(), "hash": hash.to_string() })
    };
    let payload = |(sealed, text, offset): &(Sealed, Vec<u8>, u64)| {
        let gone = erased(sealed.reference.id);
        json!({
            "id": sealed.reference.id.0,
            "offset": offset,
            "length": sealed.stored.len(),
            "status": if gone { "erased" } else { "there" },
            "erased_at": gone.then_some(7),
            "plaintext": (!gone).then(|| String::from_utf8(text.clone()).unwrap()),
        })
    };
    let files = built.files.iter().map(|(path, bytes)| (path.clone(), json!(hex::short(bytes))));
    let root = built.batches[4].root;
    json!({
        "format": 1,
        "structure": "ledger",
        "about": "A whole ledger as files in hex: two epochs in two segments, one erasure carried out. \
                  `damaged` changes it: `edits` are applied in order (a file written, bytes at an \
                  offset, or a file removed), `verdict` and `at` are what a verifier must find. The \
                  verdicts are those of sections 18 and 20: verified, damaged, cannot_be_checked (the \
                  log is whole as far as it goes, but no anchor says how far that should be), unacknowledged_tail (a writer may drop it), erasure_unfinished.",
        "master": hex::plain(&fixed::MASTER),
        "files": files.collect::<serde_json::Map<_, _>>(),
        "verdict": "verified",
        "head": { "seq": 9, "hash": built.batches[4].hashes[1].to_string(), "root": root.to_string() },
        "records": records.map(record).collect::<Vec<_>>(),
        "payloads": built.payloads.iter().map(payload).collect::<Vec<_>>(),
        "damaged": crate::damage::cases(&built),
    })
}
