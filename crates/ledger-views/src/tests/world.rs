//! Owns histories for tests: random valid events run through replay, with the state after each.

use ledger_format::event::memory::{self, FactKey};
use ledger_format::event::{duty, ledger};
use ledger_format::names::{Decision, EraseLevel, ExpireCause, Job};
use ledger_format::{
    AliasId, AliasKind, BodyType, CloseKind, Event, JobId, Kind, Layer, LedgerId, MemoryId, Micros,
    Outcome, PayloadId, Reach, RecordHash, RecordHeader, Seq, SourceKind, Trust, Verdict,
};
use ledger_replay::{Birth, Change, Changes, Sequenced, State, apply};
use proptest::prelude::*;

pub(super) const LEDGER: LedgerId = LedgerId([7; 16]);

/// One random step: what to do, and numbers that choose with what.
pub(super) type Step = (u8, u16, u16, u16, u16);

/// A history with everything a brute-force answer needs.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) changes: Vec<Changes>,
    /// The state after each record.
    pub(super) states: Vec<State>,
    pub(super) births: Vec<Birth>,
    state: State,
    keep_states: bool,
    time: i64,
    written: u16,
}

pub(super) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 1..most)
}

/// A fixed sequence that looks random.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

/// A long history, always the same, without states.
pub(super) fn long(steps: usize) -> World {
    let mut chance = Chance(0x1234_5678_9abc_def1);
    let mut world = World::without_states();
    for _ in 0..steps {
        let mut number = || chance.below(65_536) as u16;
        world.step((number() as u8, number(), number(), number(), number()));
    }
    world
}

pub(super) fn alias(kind: u8, number: u16) -> AliasId {
    let mut bytes = [kind; 16];
    bytes[14..].copy_from_slice(&number.to_be_bytes());
    AliasId(bytes)
}

pub(super) fn memory_id(number: u16) -> MemoryId {
    let mut bytes = [0x5a; 16];
    bytes[..2].copy_from_slice(&number.to_be_bytes());
    MemoryId(bytes)
}

/// Few scopes, one of them the ledger itself.
pub(super) fn scope(number: u16) -> AliasId {
    if number.is_multiple_of(3) { AliasId::ZERO } else { alias(1, number % 3) }
}

impl World {
    pub(super) fn empty() -> Self {
        Self { keep_states: true, time: 1_000, ..Self::default() }
    }

    /// For long histories that are not compared with states.
    pub(super) fn without_states() -> Self {
        Self { time: 1_000, ..Self::default() }
    }

    pub(super) fn of(steps: &[Step]) -> Self {
        let mut world = Self::empty();
        steps.iter().for_each(|step| world.step(*step));
        world
    }

    pub(super) fn last(&self) -> Seq {
        self.changes.last().expect("a history").seq
    }

    fn step(&mut self, (what, a, b, c, wait): Step) {
        // Many records share an instant, some wait for long, one in a while goes backwards.
        self.time += match wait % 8 {
            0..=2 => 0,
            3 => -i64::from(wait % 50),
            4 => i64::from(wait) * 1_000_000,
            _ => i64::from(wait % 700),
        };
        let event = self.event(what, a, b, c);
        let event = if event.encode().is_ok() { event } else { pin(memory_id(a)) };
        self.record(scope(c), event);
    }

    /// Adds a record.
    pub(super) fn record(&mut self, scope: AliasId, event: Event) {
        let seq = Seq(self.changes.len() as u64);
        let kind = event.kind().unwrap_or(Kind::Pin);
        let mut header = RecordHeader::new(kind, seq, RecordHash([1; 32]), Micros(self.time));
        header.scope = scope;
        let mut hash = [0; 32];
        hash[..8].copy_from_slice(&seq.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes());
        let changes = apply(&mut self.state, &Sequenced::new(header, RecordHash(hash), event));
        self.births.extend(changes.list.iter().filter_map(|change| match change {
            Change::Born(birth) => Some(birth.clone()),
            _ => None,
        }));
        self.changes.push(changes);
        if self.keep_states {
            self.states.push(self.state.clone());
        }
    }

    /// Some memory that exists, or now and then one that does not.
    fn pick(&self, number: u16) -> MemoryId {
        memory_id(number % (self.written + 1))
    }

    fn event(&mut self, what: u8, a: u16, b: u16, c: u16) -> Event {
        let (one, two) = (self.pick(a), self.pick(b));
        let mut both = vec![one, two];
        both.sort_unstable();
        both.dedup();
        let seq = Seq(u64::from(a) % (self.changes.len() as u64 + 1));
        let from = Some(Micros(self.time - i64::from(b % 900)));
        match what % 34 {
            0..=9 => self.write(a, b, c),
            10 => close(one, CloseKind::Changed, from, Some(two)),
            11 => close(one, CloseKind::Wrong, None, None),
            12 => Event::Reopen(memory::Reopen { memory: one, from, until: None }),
            13 => {
                Event::Confirm(memory::Confirm { memories: both, ttl_until: from, review_by: None })
            }
            14 => Event::Use(memory::Use { memories: both, receipt: None }),
            15 => Event::PushDown(memory::PushDown {
                memory: one,
                reach: Reach::Everything,
                receipt: None,
                tag: None,
            }),
            16 => Event::Lift(memory::Lift { memory: one, push_down: None }),
            17 => Event::Contest(memory::Contest { memories: both, rule: 0 }),
            18 => Event::Resolve(memory::Resolve { contest: seq, kept: vec![one], rule: 0 }),
            19 => pin(one),
            20 if b.is_multiple_of(3) => {
                Event::Forget(memory::Forget { memories: both, subject: None })
            }
            21 => Event::Promote(memory::Promote {
                memory: one,
                trust: Some(Trust::Verified),
                layer: None,
                approval: None,
            }),
            22 => Event::Expire(memory::Expire {
                memories: both,
                basis: Micros(self.time),
                cause: ExpireCause::Ttl,
            }),
            23 => Event::Restrict(memory::Restrict { memories: both, hold: None }),
            24 => Event::Stale(memory::Stale { memories: both, source: None }),
            _ => self.duty(what, a, b, one, seq),
        }
    }

    fn duty(&self, what: u8, a: u16, b: u16, one: MemoryId, seq: Seq) -> Event {
        let job = JobId([(b % 3) as u8 + 1; 16]);
        match what % 34 {
            25 | 26 => {
                // The newest write that waits, so that approvals happen at all.
                let newest = (0..self.changes.len() as u64).rev().map(Seq);
                let waits = |seq: &Seq| {
                    self.births
                        .iter()
                        .any(|birth| birth.seq == *seq && birth.body == BodyType::State)
                };
                Event::Approval(duty::Approval {
                    pending: newest.into_iter().find(waits).unwrap_or(seq),
                    decision: if b.is_multiple_of(3) {
                        Decision::Reject
                    } else {
                        Decision::Approve
                    },
                    step: 1,
                    complete: true,
                })
            }
            27 => Event::AliasBound(ledger::AliasBound {
                alias: alias(2, a % 9),
                kind: if b.is_multiple_of(2) { AliasKind::Scope } else { AliasKind::Key },
                parent: (!a.is_multiple_of(4)).then(|| alias(2, a % 4)),
            }),
            28 => Event::TaskStarted(duty::TaskStarted { task: alias(8, a % 3), parent: None }),
            29 => Event::TaskEnded(duty::TaskEnded { task: alias(8, a % 3), outcome: Outcome::Ok }),
            30 => Event::EraseIntent(duty::EraseIntent {
                erasure: job,
                part: u32::from(a % 2),
                parts: u32::from(b % 2) + 1,
                subject: None,
                memories: vec![one],
                aliases: vec![alias(2, a % 9), alias(2, a % 9)],
                payloads: vec![duty::PayloadRange { first: PayloadId(1), last: PayloadId(3) }],
            }),
            31 => Event::ScheduleSet(duty::ScheduleSet {
                job: if a.is_multiple_of(2) { Job::ExpirySweep } else { Job::Backup },
                every: u64::from(b % 3) * 1_000,
                next: Micros(self.time + i64::from(b)),
            }),
            32 => Event::JobDone(duty::JobDone {
                job: if a.is_multiple_of(2) { Job::ExpirySweep } else { Job::Backup },
                planned: Micros(self.time),
                outcome: Outcome::Ok,
                count: u64::from(b),
            }),
            _ => Event::EraseDone(duty::EraseDone {
                erasure: job,
                level: EraseLevel::Files,
                keys: 1,
                payloads: 1,
                derived: 0,
            }),
        }
    }

    fn write(&mut self, a: u16, b: u16, c: u16) -> Event {
        let memory = if a.is_multiple_of(23) { self.pick(b) } else { memory_id(self.written + 1) };
        self.written = self.written.max(u16::from_be_bytes([memory.0[0], memory.0[1]]));
        let pending = b.is_multiple_of(7);
        let mut write = write(memory, (a.is_multiple_of(2)).then(|| alias(3, c % 4)));
        write.body = if pending { BodyType::State } else { BodyType::Fact };
        write.verdict = if pending { Verdict::Pending } else { Verdict::Committed };
        write.supersedes =
            [a, c].iter().map(|n| self.pick(*n)).filter(|id| *id != memory).collect();
        write.supersedes.dedup();
        write.derived_from = vec![memory_id(b % 40)];
        write.derived_from.retain(|id| *id != memory);
        write.subjects = vec![alias(4, c % 3), alias(4, c % 3 + 1)];
        write.tags = if c.is_multiple_of(2) { vec![alias(5, a % 3)] } else { Vec::new() };
        write.domain = (b.is_multiple_of(5)).then(|| alias(6, 0));
        write.fact =
            (!pending).then(|| FactKey { subject: alias(4, c % 3), predicate: alias(7, a % 2) });
        write.valid_until = (c.is_multiple_of(6)).then(|| Micros(self.time + i64::from(b % 900)));
        write.supersede_from = (b.is_multiple_of(4)).then(|| Micros(self.time + 300));
        Event::Write(write)
    }
}

fn pin(memory: MemoryId) -> Event {
    Event::Pin(memory::Pin { memory })
}

fn close(id: MemoryId, kind: CloseKind, from: Option<Micros>, by: Option<MemoryId>) -> Event {
    Event::Close(memory::Close { memory: id, kind, from, until: None, replaced_by: by })
}

/// A plain write.
pub(super) fn write(memory: MemoryId, key: Option<AliasId>) -> memory::Write {
    memory::Write {
        memory,
        layer: Layer::Semantic,
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
        key,
        fact: None,
        domain: None,
        subjects: Vec::new(),
        tags: Vec::new(),
        supersedes: Vec::new(),
        derived_from: Vec::new(),
    }
}
