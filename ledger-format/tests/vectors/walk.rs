//! A verifier as section 20 describes it, small and for these vectors only.

use std::collections::{BTreeMap, BTreeSet};

use ledger_format::anchor::Anchor;
use ledger_format::batch::{BatchHeader, BatchView, MAGIC};
use ledger_format::event::duty::PayloadRange;
use ledger_format::key_page::{KeyFileHeader, KeyPage};
use ledger_format::segment::SegmentHeader;
use ledger_format::tree::Frontier;
use ledger_format::{
    BatchHash, Event, FormatError, PayloadId, PayloadRef, RecordHash, RecordView, Seq, hash,
};
use serde_json::Value;

use crate::ledger::Files;
use crate::support::{fixed, hex};

/// A verdict and its place.
type Finding = (&'static str, String);

#[derive(Clone, Default)]
struct Walk {
    batches: u64,
    batch_hash: BatchHash,
    next: u64,
    last: RecordHash,
    tree: Frontier,
    zone: String,
    payloads: Vec<(PayloadRef, u64)>,
    /// Payload ids that complete erasures cover.
    erased: BTreeSet<u64>,
    /// Payload ids in the parts seen so far of each erasure.
    parts: BTreeMap<[u8; 16], Vec<Vec<u64>>>,
    /// Hash and root after each batch.
    heads: Vec<(BatchHash, RecordHash, ledger_format::TreeRoot)>,
}

fn damaged(at: impl Into<String>) -> Finding {
    ("damaged", at.into())
}

pub(crate) fn verify(files: &Files) -> Finding {
    walk(files).err().unwrap_or(("verified", String::new()))
}

fn walk(files: &Files) -> Result<(), Finding> {
    let anchor = anchor(files)?;
    let mut walk = Walk::default();
    let mut previous_end = 0;
    let numbers = segment_numbers(files)?;
    for (expected, number) in (0..).zip(&numbers) {
        if *number != expected {
            return Err(damaged(format!("segment {expected}")));
        }
        let bytes = of(files, *number);
        let last = numbers.last() == Some(number);
        let above = anchor.as_ref().is_some_and(|anchor| walk.batches > anchor.batch.0);
        match SegmentHeader::decode(bytes) {
            Ok(header) if follows(&header, &walk, *number, previous_end) => {}
            // Its holder stopped before the header was durable, so nothing in it was acknowledged.
            Err(_) if last && above && !holds_batch(bytes, walk.batches) => {
                if bytes.iter().all(|byte| *byte == 0) {
                    break;
                }
                return Err(("unacknowledged_tail", format!("segment {number}")));
            }
            _ => return Err(damaged(format!("segment {number}"))),
        }
        previous_end = segment(&mut walk, files, bytes, anchor.as_ref(), last)?;
        if !last && previous_end != bytes.len() as u64 {
            return Err(damaged(format!("segment {number}")));
        }
    }
    let Some(anchor) = anchor else { return Err(("cannot_be_checked", "anchor".into())) };
    let Some((batch, record, root)) = walk.heads.get(usize::try_from(anchor.batch.0).unwrap())
    else {
        return Err(damaged("end"));
    };
    if (*batch, *record, *root) != (anchor.batch_hash, anchor.record_hash, anchor.root) {
        return Err(damaged("anchor"));
    }
    content(files, &walk)
}

/// The valid anchor of the higher counter.
fn anchor(files: &Files) -> Result<Option<Anchor>, Finding> {
    let copies = ["anchor.a", "anchor.b"].iter().filter_map(|name| files.get(*name));
    let newest =
        copies.filter_map(|bytes| Anchor::decode(bytes).ok()).max_by_key(|one| one.counter);
    match newest {
        Some(anchor) if anchor.ledger != fixed::LEDGER => Err(damaged("anchor")),
        other => Ok(other),
    }
}

fn segment_numbers(files: &Files) -> Result<Vec<u64>, Finding> {
    let mut numbers = Vec::new();
    for path in files.keys().filter(|path| path.starts_with("log/")) {
        let number = path[4..].strip_suffix(".seg").and_then(|digits| digits.parse().ok());
        let number = number.filter(|number| *path == format!("log/{number:010}.seg"));
        numbers.push(number.ok_or_else(|| damaged(path))?);
    }
    Ok(numbers)
}

fn follows(header: &SegmentHeader, walk: &Walk, number: u64, previous_end: u64) -> bool {
    header.ledger == fixed::LEDGER
        && header.segment.0 == number
        && header.first_batch.0 == walk.batches
        && header.first_seq == Seq(walk.next)
        && header.previous_record == walk.last
        && header.previous_batch == walk.batch_hash
        && header.previous_length == previous_end
        && header.frontier == walk.tree
}

fn of(files: &Files, segment: u64) -> &[u8] {
    &files[&format!("log/{segment:010}.seg")]
}

/// Walks the batches of a segment; gives where the last one ends.
fn segment(
    walk: &mut Walk,
    files: &Files,
    bytes: &[u8],
    anchor: Option<&Anchor>,
    last: bool,
) -> Result<u64, Finding> {
    let mut offset = 4096;
    loop {
        let rest = &bytes[offset..];
        let evidence = !last || holds_batch(rest, walk.batches + 1);
        if rest.iter().all(|byte| *byte == 0) {
            return Ok(offset as u64);
        }
        let at = format!("batch {}", walk.batches);
        let last_of_holder = |anchor: &&Anchor| anchor.clean && walk.batches == anchor.batch.0 + 1;
        if offset > 4096 && anchor.as_ref().is_some_and(last_of_holder) {
            return Err(damaged(at));
        }
        let mut next = walk.clone();
        let above = anchor.is_some_and(|anchor| walk.batches > anchor.batch.0);
        let length = match batch(&mut next, rest) {
            Ok(length) => length,
            Err(_) if above && !evidence => return Err(("unacknowledged_tail", at)),
            Err(_) => return Err(damaged(at)),
        };
        let new = &next.payloads[walk.payloads.len()..];
        let missing = new.iter().any(|(reference, place)| {
            !next.erased.contains(&reference.id.0) && !stored_well(files, reference, *place)
        });
        if missing && above && !evidence {
            return Err(("unacknowledged_tail", at));
        }
        *walk = next;
        offset += length;
    }
}

/// Whether a valid batch header with this number or a higher one lies anywhere in `bytes`.
fn holds_batch(bytes: &[u8], from: u64) -> bool {
    let places = bytes.windows(8).enumerate().filter(|(_, window)| *window == MAGIC);
    let mut headers = places.filter_map(|(at, _)| BatchHeader::decode(&bytes[at..]).ok());
    headers.any(|header| header.batch.0 >= from)
}

fn batch(walk: &mut Walk, bytes: &[u8]) -> Result<usize, FormatError> {
    let wrong = |what| FormatError::CheckMismatch { what };
    let view = BatchView::decode(bytes)?;
    let header = &view.header;
    let expected = (walk.batches, walk.next, walk.batch_hash);
    if (header.batch.0, header.first.0, header.previous) != expected {
        return Err(wrong("batch link"));
    }
    let mut place = header.payload_offset;
    for stored in view.records() {
        let stored = stored?;
        let record = RecordView::decode(stored)?;
        if (record.header.seq, record.header.prev) != (Seq(walk.next), walk.last) {
            return Err(wrong("record link"));
        }
        event(walk, &record.event()?);
        for reference in &record.payloads {
            walk.payloads.push((reference.clone(), place));
            place += u64::from(reference.length);
        }
        walk.last = hash::record(&fixed::LEDGER, stored);
        walk.tree.push(stored);
        walk.next += 1;
    }
    view.check_hash(&walk.last)?;
    if walk.tree.root() != view.root || place - header.payload_offset != header.payload_length {
        return Err(wrong("root"));
    }
    walk.batches += 1;
    walk.batch_hash = view.hash;
    walk.heads.push((view.hash, walk.last, view.root));
    Ok(view.length())
}

fn event(walk: &mut Walk, event: &Event) {
    match event {
        Event::Genesis(genesis) => walk.zone.clone_from(&genesis.zone),
        Event::EraseIntent(intent) => {
            let parts = walk.parts.entry(intent.erasure.0).or_default();
            // A flipped bit can make a range endless before the batch hash finds it.
            let ids = |range: &PayloadRange| (range.first.0..=range.last.0).take(1000);
            parts.push(intent.payloads.iter().flat_map(ids).collect());
            if parts.len() as u64 == u64::from(intent.parts) {
                walk.erased.extend(parts.iter().flatten());
            }
        }
        _ => {}
    }
}

fn bytes_at<'a>(files: &'a Files, reference: &PayloadRef, place: u64) -> Option<&'a [u8]> {
    let place = usize::try_from(place).ok()?;
    files
        .get("payloads/0000000000.pay")?
        .get(place..place + usize::try_from(reference.length).ok()?)
}

fn stored_well(files: &Files, reference: &PayloadRef, place: u64) -> bool {
    bytes_at(files, reference, place)
        .is_some_and(|bytes| hash::ciphertext(bytes) == reference.digest)
}

/// Payloads, keys and `ledger.toml`.
fn content(files: &Files, walk: &Walk) -> Result<(), Finding> {
    let page = ["keys/slots.a", "keys/slots.b"]
        .iter()
        .filter_map(|name| KeyPage::decode(files.get(*name)?.get(4096..8192)?).ok())
        .max_by_key(|page| page.generation)
        .ok_or_else(|| damaged("key page 0"))?;
    for (reference, place) in &walk.payloads {
        let PayloadId(id) = reference.id;
        let key = page.key(reference.id, &fixed::MASTER);
        if walk.erased.contains(&id) {
            let stored = bytes_at(files, reference, *place).unwrap_or_default();
            let unfinished = |at: String| Err(("erasure_unfinished", at));
            if stored.iter().any(|byte| *byte != 0) {
                return unfinished(format!("payload {id}"));
            } else if key.is_some() {
                return unfinished(format!("key {id}"));
            }
            continue;
        }
        if !stored_well(files, reference, *place) {
            return Err(damaged(format!("payload {id}")));
        }
        let key = key.ok_or_else(|| damaged(format!("key {id}")))?;
        let stored = bytes_at(files, reference, *place).unwrap();
        if ledger_format::payload::open(&fixed::LEDGER, reference, stored, &key).is_err() {
            return Err(damaged(format!("payload {id}")));
        }
    }
    copies(files)?;
    let toml = String::from_utf8_lossy(&files["ledger.toml"]);
    let zone = format!("zone = \"{}\"", walk.zone);
    if toml.lines().any(|line| line == zone) { Ok(()) } else { Err(damaged("ledger.toml")) }
}

/// Both copies of what is kept twice.
fn copies(files: &Files) -> Result<(), Finding> {
    for name in ["anchor.a", "anchor.b"] {
        Anchor::decode(&files[name]).map_err(|_| damaged(name))?;
    }
    for name in ["keys/slots.a", "keys/slots.b"] {
        let (header, page) = files[name].split_at(4096);
        KeyFileHeader::decode(header).map_err(|_| damaged(name))?;
        KeyPage::decode(page).map_err(|_| damaged(name))?;
    }
    Ok(())
}

/// The files of `ledger.json` after some edits.
fn edited(vector: &Value, edits: &[Value]) -> Files {
    let files = vector["files"].as_object().unwrap();
    let mut files: Files =
        files.iter().map(|(path, hex)| (path.clone(), hex::parse(hex.as_str().unwrap()))).collect();
    for edit in edits {
        let path = edit["path"].as_str().unwrap().to_owned();
        if edit["remove"] == true {
            files.remove(&path).expect("a file to remove");
            continue;
        }
        let bytes = hex::parse(edit["hex"].as_str().unwrap());
        match edit["offset"].as_u64() {
            None => {
                files.insert(path, bytes);
            }
            Some(offset) => {
                let offset = usize::try_from(offset).unwrap();
                files.get_mut(&path).unwrap()[offset..offset + bytes.len()].copy_from_slice(&bytes);
            }
        }
    }
    files
}

fn vector() -> Value {
    serde_json::from_str(&crate::support::read("vectors/ledger.json")).unwrap()
}

#[test]
fn the_ledger_verifies() {
    assert_eq!(verify(&edited(&vector(), &[])), ("verified", String::new()));
}

#[test]
fn every_damage_gets_its_verdict_and_place() {
    let vector = vector();
    let mut wrong = Vec::new();
    for case in vector["damaged"].as_array().unwrap() {
        let (verdict, at) = verify(&edited(&vector, case["edits"].as_array().unwrap()));
        if case["verdict"] != verdict || case["at"] != at {
            wrong.push(format!("{}: {verdict} at {at:?}, not {}", case["name"], case["verdict"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_flipped_byte_of_the_log_is_found() {
    let vector = vector();
    let files = edited(&vector, &[]);
    for path in ["log/0000000000.seg", "log/0000000001.seg"] {
        let len = files[path].len();
        // Every byte of headers and batches; the zeros of a header are covered by its check.
        for offset in (0..200).chain(4000..len) {
            let mut changed = files.clone();
            changed.get_mut(path).unwrap()[offset] ^= 0x40;
            assert_ne!(verify(&changed).0, "verified", "{path} at {offset}");
        }
    }
}
