//! The fixed inputs of worked bytes and vectors.

use ledger_format::batch::{BatchHeader, FrameWriter};
use ledger_format::event::ledger::{Epoch, Genesis, Limits};
use ledger_format::event::memory::{Pin, Write};
use ledger_format::names::EpochReason;
use ledger_format::payload::{Sealed, seal};
use ledger_format::tree::Frontier;
use ledger_format::{
    ActorKind, AliasId, BatchHash, BatchNo, BodyType, Event, Extension, JobId, Kind, Layer,
    LedgerId, MemoryId, Micros, PayloadId, Record, RecordHash, RecordHeader, Role, Seq, SourceKind,
    TreeRoot, Trust, Verdict, hash,
};

pub(crate) const LEDGER: LedgerId = LedgerId([7; 16]);
/// 2026-03-03T12:00:00Z.
pub(crate) const NOON: Micros = Micros(1_772_539_200_000_000);
pub(crate) const KEY: [u8; 32] = [0x11; 32];
pub(crate) const NONCE: [u8; 24] = [0x22; 24];
pub(crate) const MASTER: [u8; 32] = [0x33; 32];

/// The header of a record of a kind at a place in the log.
pub(crate) fn header(kind: Kind, seq: u64) -> RecordHeader {
    let prev = if seq == 0 { RecordHash::ZERO } else { RecordHash([1; 32]) };
    RecordHeader::new(kind, Seq(seq), prev, NOON)
}

/// The record of `SPEC.md` section 23.1.
pub(crate) fn pin() -> Vec<u8> {
    let body = Event::Pin(Pin { memory: MemoryId([9; 16]) }).encode().unwrap();
    let mut record = Record::new(header(Kind::Pin, 1), body);
    record.extensions = vec![Extension::job(JobId([3; 16]))];
    record.encode().unwrap()
}

/// The payload of section 23.3.
pub(crate) fn tea() -> Sealed {
    seal(&LEDGER, PayloadId(1), Role::Text, b"Tea at four.", &KEY, &NONCE).unwrap()
}

pub(crate) fn genesis() -> Event {
    Event::Genesis(Genesis {
        ledger: LEDGER,
        created_at: NOON,
        origin: "ledger.example/home".into(),
        zone: "Europe/Berlin".into(),
        hash_suite: 1,
        payload_suite: 1,
        clock: 1,
        pepper: PayloadId(0),
        limits: Limits::V1,
    })
}

pub(crate) fn epoch() -> Event {
    Event::Epoch(Epoch {
        epoch: 1,
        holder: JobId([4; 16]),
        reason: EpochReason::Created,
        program: "memledger 0.1.0".into(),
        dropped_bytes: 0,
    })
}

/// A write of memory `memory` that says little.
pub(crate) fn write(memory: u8) -> Write {
    Write {
        memory: MemoryId([memory; 16]),
        layer: Layer::Episodic,
        body: BodyType::Note,
        trust: Trust::Unverified,
        verdict: Verdict::Committed,
        source: SourceKind::User,
        marks: 0,
        generation: 0,
        confidence: None,
        observed_at: None,
        valid_from: Some(NOON),
        valid_until: None,
        ttl_until: None,
        review_by: None,
        supersede_from: None,
        supersede_until: None,
        key: None,
        fact: None,
        domain: None,
        subjects: Vec::new(),
        tags: Vec::new(),
        supersedes: Vec::new(),
        derived_from: Vec::new(),
    }
}

/// A log that is being written: what one batch hands on to the next.
#[derive(Clone, Default)]
pub(crate) struct Chain {
    pub(crate) next: u64,
    pub(crate) last: RecordHash,
    pub(crate) tree: Frontier,
    pub(crate) batches: u64,
    pub(crate) batch_hash: BatchHash,
    pub(crate) next_payload: u64,
    pub(crate) payload_end: u64,
    pub(crate) last_erasure: Option<Seq>,
}

/// What [`Chain::batch`] made.
pub(crate) struct Made {
    pub(crate) bytes: Vec<u8>,
    pub(crate) header: BatchHeader,
    pub(crate) records: Vec<Vec<u8>>,
    pub(crate) hashes: Vec<RecordHash>,
    pub(crate) root: TreeRoot,
    pub(crate) hash: BatchHash,
}

impl Chain {
    /// Appends one batch of events with their payloads.
    pub(crate) fn batch(&mut self, epoch: u64, events: &[(Event, Vec<Sealed>)]) -> Made {
        let (mut frames, mut records, mut hashes) = (FrameWriter::default(), vec![], vec![]);
        let (first, mut payload_length) = (Seq(self.next), 0);
        for (event, payloads) in events {
            let record = self.record(event, payloads);
            payload_length += payloads.iter().map(|sealed| sealed.stored.len() as u64).sum::<u64>();
            if matches!(event, Event::EraseIntent(_)) {
                self.last_erasure = Some(Seq(self.next));
            }
            frames.push(&record).unwrap();
            self.tree.push(&record);
            self.last = hash::record(&LEDGER, &record);
            self.next += 1;
            hashes.push(self.last);
            records.push(record);
        }
        let header = BatchHeader {
            batch: BatchNo(self.batches),
            first,
            count: frames.count(),
            frames_length: u32::try_from(frames.len()).unwrap(),
            epoch,
            previous: self.batch_hash,
            next_payload: PayloadId(self.next_payload),
            payload_file: 0,
            payload_offset: self.payload_end.max(64),
            payload_length,
            last_erasure: self.last_erasure,
        };
        let root = self.tree.root();
        let (bytes, hash) = frames.finish(&header, &self.last, &root).unwrap();
        self.batches += 1;
        self.batch_hash = hash;
        self.payload_end = header.payload_offset + payload_length;
        Made { bytes, header, records, hashes, root, hash }
    }

    fn record(&self, event: &Event, payloads: &[Sealed]) -> Vec<u8> {
        let kind = event.kind().unwrap();
        let mut header = RecordHeader::new(kind, Seq(self.next), self.last, NOON);
        header.recorded_at.0 += i64::try_from(self.next).unwrap() * 1_000_000;
        header.wall_time = header.recorded_at;
        if kind == Kind::Write {
            (header.actor_kind, header.actor) = (ActorKind::Person, AliasId([5; 16]));
            header.scope = AliasId([6; 16]);
        }
        let mut record = Record::new(header, event.encode().unwrap());
        record.payloads = payloads.iter().map(|sealed| sealed.reference.clone()).collect();
        record.encode().unwrap()
    }
}

/// The batch of section 23.2, and the chain after it.
pub(crate) fn first_batch() -> (Made, Chain) {
    let mut chain = Chain { next_payload: 2, ..Chain::default() };
    let made = chain
        .batch(1, &[(genesis(), vec![]), (epoch(), vec![]), (Event::Write(write(9)), vec![tea()])]);
    (made, chain)
}
