//! Owns histories written by hand, whose answers a reader can work out on paper. They hold the
//! oracle and the replay to the same word, and the test says which word that is.

use ledger_format::event::memory::{Close, Write};
use ledger_format::{
    AliasId, BodyType, CloseKind, Event, Kind, Layer, MemoryId, Micros, RecordHash, RecordHeader,
    Seq, SourceKind, Trust, Verdict,
};
use ledger_replay::{Instants, State, apply};

use crate::oracle::Oracle;
use crate::row::Row;

/// A history that is being written. Times are plain numbers; record and valid times share the line.
#[derive(Clone, Debug, Default)]
pub struct Script {
    events: Vec<ledger_replay::Sequenced>,
    /// When the next record is recorded.
    pub now: i64,
    /// Scope of the records that follow.
    pub scope: AliasId,
}

impl Script {
    /// A history that begins at an instant.
    #[must_use]
    pub fn at(now: i64) -> Self {
        Self { now, ..Self::default() }
    }

    /// Records an event now.
    pub fn add(&mut self, event: Event) -> Seq {
        let seq = Seq(self.events.len() as u64);
        let prev = RecordHash([u8::from(seq.0 > 0); 32]);
        let kind = event.kind().unwrap_or(Kind::Pin);
        let mut header = RecordHeader::new(kind, seq, prev, Micros(self.now));
        header.scope = self.scope;
        self.events.push(ledger_replay::Sequenced::new(header, RecordHash([2; 32]), event));
        seq
    }

    /// Writes a memory.
    pub fn write(&mut self, id: u8, change: impl FnOnce(&mut Write)) -> MemoryId {
        let mut write = plain(MemoryId([id; 16]));
        change(&mut write);
        let memory = write.memory;
        self.add(Event::Write(write));
        memory
    }

    /// Closes a memory for a part of valid time.
    pub fn close(&mut self, memory: MemoryId, from: Option<i64>, until: Option<i64>) -> Seq {
        let (from, until) = (from.map(Micros), until.map(Micros));
        let kind = CloseKind::Changed;
        self.add(Event::Close(Close { memory, kind, from, until, replaced_by: None }))
    }

    /// The last record.
    #[must_use]
    pub fn head(&self) -> Seq {
        Seq(self.events.len().saturating_sub(1) as u64)
    }

    /// The state once record `seq` is there.
    #[must_use]
    pub fn state(&self, seq: Seq) -> State {
        let mut state = State::default();
        self.events.iter().filter(|event| event.seq() <= seq).for_each(|event| {
            apply(&mut state, event);
        });
        state
    }

    /// The word for a memory as of a record, asked at `known` about `valid`; none if it does not
    /// exist. Panics when replay and oracle disagree.
    #[must_use]
    pub fn word(&self, seq: Seq, id: MemoryId, known: i64, valid: i64) -> Option<&'static str> {
        let (known, valid) = (Micros(known), Micros(valid));
        let told = Oracle::new(self.events.clone()).at(seq).status(id, known, valid);
        let state = self.state(seq);
        let found =
            state.memory(&id).map(|memory| memory.lifecycle.status(Instants { known, valid }));
        assert_eq!(found.map(|status| status.name()), told, "replay / oracle");
        told
    }

    /// The word now, about a valid time.
    #[must_use]
    pub fn ask(&self, id: MemoryId, valid: i64) -> &'static str {
        self.word(self.head(), id, self.now, valid).unwrap_or("absent")
    }

    /// Everything else about a memory now. Panics when replay and oracle disagree.
    #[must_use]
    pub fn row(&self, id: MemoryId) -> Row {
        let told = Oracle::new(self.events.clone()).head().row(id).unwrap();
        let state = self.state(self.head());
        assert_eq!(crate::compare::row_of(id, state.memory(&id).unwrap()), told, "replay / oracle");
        told
    }
}

/// A write with nothing special about it.
#[must_use]
pub const fn plain(memory: MemoryId) -> Write {
    Write {
        memory,
        layer: Layer::Project,
        body: BodyType::Note,
        trust: Trust::Unverified,
        verdict: Verdict::Committed,
        source: SourceKind::User,
        marks: 0,
        generation: 0,
        confidence: None,
        observed_at: None,
        valid_from: None,
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
