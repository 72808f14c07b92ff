//! Owns what a careless but honest caller could submit: commands of every kind about what it wrote
//! before, batches, retries, wrong targets and wrong times.
//!
//! Invariant: a seed and the same answers give the same submissions in the same order.

use ledger_format::{BodyType, CloseKind, JobId, Layer, MemoryId, Micros, Seq, Trust};
use memledger::{Command, Content, Deadline, Outcome, Proposal, Scope, Submission, Terms};

use crate::rng::Rng;
use crate::workload::time;

/// Scopes that memories are written to: a chain, a sibling, a name that only begins alike, the ledger.
pub const SCOPES: [&str; 6] = [
    "/",
    "org/acme",
    "org/acme/project/web",
    "org/acme/project/webhooks",
    "org/acme/project/web/session/1",
    "user/ann",
];
/// Names of each other kind.
pub const KEYS: [&str; 2] = ["install", "deploy"];
pub const PEOPLE: [&str; 2] = ["Ann", "ann"];
pub const TAGS: [&str; 3] = ["rule", "Rule", "r\u{fc}le"];
pub const DOMAINS: [&str; 2] = ["travel", "code"];
pub const TERMS: [&str; 3] = ["fare", "refund", "days"];

/// One caller, and what it remembers of the answers.
#[derive(Debug)]
pub struct Caller {
    pub rng: Rng,
    contests: Vec<Seq>,
    pushed_down: Vec<MemoryId>,
    pinned: Vec<MemoryId>,
    /// Submissions with idempotency keys, to be sent again.
    keyed: Vec<Submission>,
    texts: u32,
    /// One in so many submissions says when a foreign system knew it.
    claims: u64,
    /// The memories, in the order of their records.
    pub memories: Vec<MemoryId>,
    /// Submissions that were recorded.
    pub accepted: usize,
    /// First results that were given again for an idempotency key.
    pub repeated: usize,
}

impl Caller {
    #[must_use]
    pub const fn new(rng: Rng, claims: u64) -> Self {
        Self {
            rng,
            contests: Vec::new(),
            pushed_down: Vec::new(),
            pinned: Vec::new(),
            keyed: Vec::new(),
            texts: 0,
            claims,
            memories: Vec::new(),
            accepted: 0,
            repeated: 0,
        }
    }

    /// Takes in what a submission led to.
    pub fn recorded(&mut self, submission: Submission, outcomes: &[Outcome]) {
        assert_eq!(submission.commands.len(), outcomes.len());
        for (command, outcome) in submission.commands.iter().zip(outcomes) {
            if outcome.repeated {
                self.repeated += 1;
                continue;
            }
            match command {
                Command::Write(_) => self.memories.extend(outcome.id),
                Command::Contest { .. } => self.contests.push(outcome.seq),
                Command::PushDown { memory, .. } => self.pushed_down.push(*memory),
                Command::Pin { memory, set: true } => self.pinned.push(*memory),
                _ => {}
            }
        }
        self.accepted += 1;
        if submission.terms.idempotency_key.is_some() {
            self.keyed.push(submission);
        }
    }

    /// What the caller submits next.
    pub fn submission(&mut self) -> Submission {
        if !self.keyed.is_empty() && self.rng.chance(1, 15) {
            let at = self.rng.index(self.keyed.len());
            return self.keyed[at].clone();
        }
        let many = if self.rng.chance(1, 8) { 2 + self.rng.index(2) } else { 1 };
        let commands = (0..many).map(|_| self.command()).collect();
        let terms = Terms {
            by: self.maybe(2, &["person:Ann", "agent:coder"]).map(|by| by.parse().unwrap()),
            idempotency_key: self.rng.chance(1, 6).then(|| format!("key {}", self.rng.index(30))),
            claimed_at: self.instant(self.claims),
            job: self.rng.chance(1, 6).then_some(JobId([7; 16])),
            ..Terms::default()
        };
        Submission { commands, terms }
    }

    fn command(&mut self) -> Command {
        let reason = self.maybe(2, &["the rule was changed", "it was wrong"]).map(str::to_owned);
        let ticket = self.rng.below(100);
        let Some(memory) = self.target().filter(|_| ticket >= 36) else {
            return Command::Write(Box::new(self.proposal()));
        };
        match ticket {
            36..50 => self.close(memory, reason),
            50..60 => {
                let (from, until) = self.interval();
                Command::Reopen { memory, from, until, reason }
            }
            60..67 => Command::Confirm {
                memories: self.targets(),
                ttl_until: self.instant(2).map(Deadline::At),
                reason,
            },
            67..72 => Command::Use { memories: self.targets(), reason },
            72..79 => Command::PushDown {
                memory,
                query: self.maybe(3, &["how?"]).map(str::to_owned),
                evidence: None,
                reason,
            },
            79..81 => {
                Command::Lift { memory: self.one_of(|player| &player.pushed_down, memory), reason }
            }
            81..86 => Command::Contest { memories: self.targets(), reason },
            86..90 => self.resolve(reason),
            90..92 => Command::Pin { memory, set: true },
            92..93 => {
                Command::Pin { memory: self.one_of(|player| &player.pinned, memory), set: false }
            }
            93..95 => Command::Forget {
                memories: vec![memory],
                subject: self.maybe(2, &PEOPLE).map(str::to_owned),
                reason,
            },
            _ => self.rank(memory, reason),
        }
    }

    fn proposal(&mut self) -> Proposal {
        self.texts += 1;
        let words = ["Install with npm", "Ask first", "Dein Zug f\u{e4}hrt um"];
        let text = format!("{} {}", words[self.rng.index(3)], self.texts);
        let scope: Scope = SCOPES[self.rng.index(SCOPES.len())].parse().unwrap();
        let mut proposal = Proposal::new(self.content(text), scope);
        if matches!(proposal.content, Content::Text(_)) {
            let bodies = [BodyType::Decision, BodyType::Instruction, BodyType::Message];
            proposal.body = self.maybe(2, &bodies);
        }
        proposal.source = self
            .maybe(4, &["chat:2026-01-12#4", "model:a", "file:docs/a.md"])
            .map(|source| source.parse().unwrap());
        if self.rng.chance(1, 4) {
            proposal.supersedes = self.targets();
            (proposal.supersede_from, proposal.supersede_until) = self.interval();
        }
        if self.rng.chance(1, 2) {
            (proposal.valid_from, proposal.valid_until) = self.interval();
        }
        proposal.ttl_until = self.instant(4).map(Deadline::At);
        proposal.review_by = self.instant(5).map(Deadline::At);
        proposal.observed_at = self.instant(5);
        self.label(&mut proposal);
        proposal
    }

    fn label(&mut self, proposal: &mut Proposal) {
        let owned = |name: Option<&str>| name.map(str::to_owned);
        proposal.key = owned(self.maybe(3, &KEYS));
        proposal.domain = owned(self.maybe(3, &DOMAINS));
        proposal.subjects = owned(self.maybe(2, &PEOPLE)).into_iter().collect();
        proposal.tags = owned(self.maybe(2, &TAGS)).into_iter().collect();
        proposal.tags.extend(owned(self.maybe(4, &TAGS)));
        proposal.confidence = self.maybe(4, &[0, 5_000, 10_000]);
        if self.rng.chance(1, 4) {
            proposal.derived_from = self.targets();
        }
    }

    fn content(&mut self, text: String) -> Content {
        match self.rng.index(8) {
            0 | 1 => Content::Fact {
                subject: TERMS[self.rng.index(3)].to_owned(),
                predicate: TERMS[self.rng.index(3)].to_owned(),
                object: text,
            },
            2 => Content::Bytes(vec![0xff, self.rng.byte(), 0]),
            3 => Content::Body(serde_json::json!({ "text": text, "data": [1, 2.5, null] })),
            _ => Content::Text(text),
        }
    }

    fn close(&mut self, memory: MemoryId, reason: Option<String>) -> Command {
        let (from, until) = self.interval();
        let kind = if self.rng.chance(1, 4) { CloseKind::Wrong } else { CloseKind::Changed };
        let replaced_by = if self.rng.chance(1, 4) { self.target() } else { None };
        Command::Close { memory, kind, from, until, replaced_by, reason }
    }

    fn resolve(&mut self, reason: Option<String>) -> Command {
        let contest = if self.contests.is_empty() || self.rng.chance(1, 10) {
            Seq(self.rng.below(40))
        } else {
            self.contests[self.rng.index(self.contests.len())]
        };
        Command::Resolve { contest, kept: Vec::new(), reason }
    }

    fn rank(&mut self, memory: MemoryId, reason: Option<String>) -> Command {
        let up = self.rng.chance(1, 2);
        let trust = self.maybe(2, &[Trust::Draft, Trust::Verified, Trust::Approved]);
        let layer = self.maybe(2, &[Layer::Canonical, Layer::Summary, Layer::Session]);
        Command::Rank { memory, trust, layer, up, reason }
    }

    /// One of the memories; now and then one that does not exist.
    fn target(&mut self) -> Option<MemoryId> {
        if self.memories.is_empty() {
            return None;
        }
        if self.rng.chance(1, 40) {
            return Some(MemoryId([9; 16]));
        }
        // The newest half twice as often: lives are about what was written lately.
        let count = self.memories.len();
        let first = if self.rng.chance(1, 2) { count / 2 } else { 0 };
        Some(self.memories[first + self.rng.index(count - first)])
    }

    /// Mostly one of some memories, else another one.
    fn one_of(&mut self, some: impl Fn(&Self) -> &Vec<MemoryId>, other: MemoryId) -> MemoryId {
        let number = self.rng.number();
        match some(self).len() as u64 {
            0 => other,
            count => some(self)[(number % count) as usize],
        }
    }

    fn targets(&mut self) -> Vec<MemoryId> {
        let count = 1 + self.rng.index(3);
        (0..count).filter_map(|_| self.target()).collect()
    }

    fn interval(&mut self) -> (Option<Micros>, Option<Micros>) {
        let (from, until) = (self.instant(2), self.instant(3));
        match (from, until) {
            // Mostly in order; the other way round is for the ledger to refuse.
            (Some(a), Some(b)) if a >= b && self.rng.chance(5, 6) => (Some(b), None),
            ends => ends,
        }
    }

    /// An instant in one of `of` cases.
    fn instant(&mut self, of: u64) -> Option<Micros> {
        let number = self.rng.byte();
        self.rng.chance(1, of).then(|| time::instant(number)).flatten()
    }

    /// One of some values in one of `of` cases.
    fn maybe<T: Copy>(&mut self, of: u64, values: &[T]) -> Option<T> {
        let at = self.rng.index(values.len());
        self.rng.chance(1, of).then(|| values[at])
    }
}
