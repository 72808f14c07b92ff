//! Rules of the transition that were once broken, or that are easy to break, each by the smallest
//! history that shows it. Histories at large are compared with an oracle in `replay-tests`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "helpers of tests stop at the first surprise"
)]

use ledger_format::event::duty::{EraseIntent, PayloadRange};
use ledger_format::event::ledger::AliasBound;
use ledger_format::event::memory::{Contest, Reopen, Resolve, Restrict, Unrestrict, Write};
use ledger_format::{
    AliasId, AliasKind, BodyType, Event, JobId, Layer, MemoryId, Micros, PayloadId, RecordHash,
    RecordHeader, Seq, SourceKind, Trust, Verdict,
};
use ledger_replay::{Changes, Instants, Lifecycle, Sequenced, State, Status, apply};

/// Applies events one after the other, a microsecond apart.
#[derive(Default)]
struct Log {
    state: State,
    next: u64,
}

impl Log {
    fn add(&mut self, event: Event) -> Changes {
        let seq = Seq(self.next);
        self.next += 1;
        let at = Micros(i64::try_from(seq.0).unwrap());
        let kind = event.kind().unwrap();
        let header = RecordHeader::new(kind, seq, RecordHash([1; 32]), at);
        apply(&mut self.state, &Sequenced::new(header, RecordHash([2; 32]), event))
    }

    fn write(&mut self, id: u8) -> MemoryId {
        let memory = MemoryId([id; 16]);
        self.add(Event::Write(plain(memory)));
        memory
    }

    fn status(&self, id: MemoryId) -> Status {
        let at = Micros(1_000);
        self.state.memory(&id).unwrap().lifecycle.status(Instants { known: at, valid: at })
    }

    fn contest(&mut self, memories: &[MemoryId]) -> Seq {
        let contest = Contest { memories: memories.to_vec(), rule: 0 };
        self.add(Event::Contest(contest)).seq
    }

    fn resolve(&mut self, contest: Seq) {
        self.add(Event::Resolve(Resolve { contest, kept: Vec::new(), rule: 0 }));
    }
}

fn plain(memory: MemoryId) -> Write {
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

/// Resolving the newer of two contests used to take the mark of the older one with it.
#[test]
fn a_memory_stays_contested_while_one_contest_is_open() {
    let mut log = Log::default();
    let (a, b, c) = (log.write(1), log.write(2), log.write(3));
    let older = log.contest(&[a, b]);
    let newer = log.contest(&[a, c]);
    log.resolve(newer);
    assert_eq!(log.state.memory(&a).unwrap().lifecycle.contest, Some(older));
    assert_eq!(
        [a, b, c].map(|id| log.status(id)),
        [Status::Contested, Status::Contested, Status::Open]
    );
    log.resolve(older);
    assert_eq!([a, b, c].map(|id| log.status(id)), [Status::Open; 3]);
}

/// A contest that named a memory before it existed never marked it, so it is not fallen back to.
#[test]
fn a_contest_from_before_a_memory_does_not_mark_it() {
    let mut log = Log::default();
    let a = log.write(1);
    let (b, c) = (MemoryId([2; 16]), log.write(3));
    log.contest(&[a, b]);
    log.write(2);
    let later = log.contest(&[b, c]);
    log.resolve(later);
    assert_eq!(log.status(b), Status::Open);
}

/// Lifting one of two holds used to free what the other still holds.
#[test]
fn a_restriction_stands_until_its_own_hold_is_lifted() {
    let mut log = Log::default();
    let memories = vec![log.write(1)];
    let (one, two) = (Some(JobId([1; 16])), Some(JobId([2; 16])));
    for hold in [one, two, None, two] {
        log.add(Event::Restrict(Restrict { memories: memories.clone(), hold }));
    }
    for (hold, then) in [(one, Status::Restricted), (two, Status::Restricted), (None, Status::Open)]
    {
        log.add(Event::Unrestrict(Unrestrict { memories: memories.clone(), hold }));
        assert_eq!(memories.iter().map(|id| log.status(*id)).next(), Some(then));
        let saved = log.state.save();
        log.state = State::restore(&saved).unwrap();
    }
}

fn intent(part: u32, parts: u32) -> Event {
    Event::EraseIntent(EraseIntent {
        erasure: JobId([9; 16]),
        part,
        parts,
        subject: None,
        memories: vec![MemoryId([1; 16])],
        aliases: Vec::new(),
        payloads: vec![PayloadRange { first: PayloadId(0), last: PayloadId(u64::MAX) }],
    })
}

/// A part that does not fit used to leave an empty erasure behind that no change told of.
#[test]
fn a_part_that_does_not_fit_leaves_nothing_behind() {
    let mut log = Log::default();
    log.write(1);
    let changes = log.add(intent(1, 2));
    assert_eq!((changes.list.len(), changes.anomalies.len()), (0, 1));
    assert_eq!(log.state.erasures().len(), 0);
    assert!(log.add(intent(0, 2)).anomalies.is_empty());
    assert_eq!(log.add(intent(1, 3)).anomalies.len(), 1, "it counts the parts otherwise");
    assert_eq!(log.status(MemoryId([1; 16])), Status::Open);
    assert!(log.add(intent(1, 2)).anomalies.is_empty());
    assert_eq!(log.status(MemoryId([1; 16])), Status::Erased);
}

/// Counting the set of all payload ids used to overflow.
#[test]
fn an_erasure_of_every_payload_id_can_be_counted() {
    let mut log = Log::default();
    log.add(intent(0, 1));
    assert!(log.state.erased().contains(PayloadId(u64::MAX)));
    assert_eq!(log.state.erased().count(), u64::MAX);
}

fn scope(alias: AliasId, parent: Option<AliasId>) -> Event {
    Event::AliasBound(AliasBound { alias, kind: AliasKind::Scope, parent })
}

/// A path in a circle used to lie outside the ledger, and the ledger itself could be bound below a
/// scope.
#[test]
fn the_ledger_is_above_every_scope_and_below_none() {
    let mut log = Log::default();
    let [a, b, lost] = [1, 2, 3].map(|byte| AliasId([byte; 16]));
    log.add(scope(a, Some(b)));
    log.add(scope(b, Some(a)));
    log.add(scope(lost, Some(AliasId([4; 16]))));
    log.add(scope(AliasId::ZERO, Some(a)));
    for alias in [a, b, lost, AliasId([5; 16]), AliasId::ZERO] {
        assert!(log.state.scope_within(alias, AliasId::ZERO), "{alias}");
    }
    assert!(log.state.scope_within(a, b) && log.state.scope_within(b, a));
    assert!(!log.state.scope_within(a, lost));
    assert!(!log.state.scope_within(AliasId::ZERO, a));
}

/// A path of the longest kind is followed to its root.
#[test]
fn the_longest_path_lies_within_its_root() {
    let mut log = Log::default();
    let segments: Vec<AliasId> = (1..=16).map(|byte| AliasId([byte; 16])).collect();
    for (at, segment) in segments.iter().enumerate() {
        let parent = at.checked_sub(1).and_then(|before| segments.get(before)).copied();
        log.add(scope(*segment, parent));
    }
    let (root, leaf) = (*segments.first().unwrap(), *segments.last().unwrap());
    assert!(log.state.scope_within(leaf, root));
    assert!(!log.state.scope_within(root, leaf));
}

/// What holds at the very instant it is asked about counts as still ahead.
#[test]
fn an_open_memory_is_live_at_the_end_of_time() {
    let mut log = Log::default();
    let memory = log.write(1);
    let life = &log.state.memory(&memory).unwrap().lifecycle;
    assert!(life.live_beyond(Micros::MAX));
    let header =
        RecordHeader::new(ledger_format::Kind::Reopen, Seq(1), RecordHash([1; 32]), Micros(5));
    let reopen = Event::Reopen(Reopen { memory, from: None, until: Some(Micros(6)) });
    let mut closed = plain(MemoryId([7; 16]));
    closed.valid_until = Some(Micros(6));
    log.add(Event::Write(closed));
    let life = &log.state.memory(&MemoryId([7; 16])).unwrap().lifecycle;
    assert!(life.live_beyond(Micros(5)) && !life.live_beyond(Micros(6)));
    apply(&mut log.state, &Sequenced::new(header, RecordHash([2; 32]), reopen));
    assert!(log.state.memory(&memory).unwrap().live);
}

/// A row that spells out what is left out by rule would be a second encoding of the same version.
#[test]
fn a_part_that_says_nothing_is_refused() {
    const PUSHED: u8 = 1 << 6;
    const VALIDITY: u8 = 1 << 7;
    let mut log = Log::default();
    let memory = log.write(1);
    let bytes = log.state.memory(&memory).unwrap().lifecycle.encode();
    let with = |flag: u8, part: &[u8]| {
        let mut bytes = [bytes.as_slice(), part].concat();
        *bytes.get_mut(1).unwrap() |= flag;
        bytes
    };
    let always =
        [&1u32.to_le_bytes()[..], &i64::MIN.to_le_bytes(), &i64::MAX.to_le_bytes()].concat();
    let never = 0u32.to_le_bytes();
    assert!(Lifecycle::decode(&bytes).is_ok());
    assert!(Lifecycle::decode(&with(PUSHED, &never)).is_err());
    assert!(Lifecycle::decode(&with(VALIDITY, &always)).is_err());
    let closed = Lifecycle::decode(&with(VALIDITY, &never)).unwrap();
    assert!(closed.validity.is_never());
}
