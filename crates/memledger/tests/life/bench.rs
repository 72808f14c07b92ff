//! A ledger in memory with a clock that stands where it is put.

use std::path::PathBuf;
use std::sync::Arc;

use memledger::civil::When;
use memledger::clock::DeclaredClock;
use memledger::format::{Layer, MemoryId, Micros, Seq, SourceKind, Verdict};
use memledger::{
    Actor, Command, Content, Filter, InitOptions, Ledger, MasterEnv, OpenOptions, Outcome,
    Proposal, Question, Source, Status, Submission, Terms,
};

/// An hour.
pub(crate) const HOUR: i64 = 3_600_000_000;
/// Noon of a day.
pub(crate) const NOON: i64 = 1_780_315_200_000_000;
pub(crate) const SCOPE: &str = "org/acme/project/web";

pub(crate) struct Bench {
    pub(crate) ledger: Ledger,
    pub(crate) clock: Arc<DeclaredClock>,
    path: PathBuf,
    _dir: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger");
        let clock = Arc::new(DeclaredClock::new(Micros(NOON)));
        let master = MasterEnv { key_dir: Some(dir.path().join("keys")), ..MasterEnv::default() };
        let options = InitOptions { master, clock: clock.clone(), ..InitOptions::default() };
        let ledger = Ledger::init(&path, options).unwrap().ledger;
        Self { ledger, clock, path, _dir: dir }
    }

    /// The same ledger, opened again without its views and saved states.
    pub(crate) fn reopened(self) -> Self {
        let Self { ledger, clock, path, _dir } = self;
        ledger.close().unwrap();
        std::fs::remove_dir_all(path.join("views")).unwrap();
        let key_dir = path.parent().map(|dir| dir.join("keys"));
        let master = MasterEnv { key_dir, ..MasterEnv::default() };
        let options = OpenOptions { master, clock: clock.clone(), ..OpenOptions::default() };
        let ledger = Ledger::open(&path, options).unwrap();
        Self { ledger, clock, path, _dir }
    }

    pub(crate) fn at(&self, micros: i64) {
        self.clock.set(Micros(micros));
    }

    pub(crate) fn write(&self, proposal: Proposal) -> Outcome {
        let command = Command::Write(Box::new(proposal));
        let done = self.ledger.submit(Submission::of(command, Terms::default()));
        done.unwrap().pop().unwrap()
    }

    /// Writes a text by an agent and gives its id.
    pub(crate) fn says(&self, text: &str, set: impl FnOnce(&mut Proposal)) -> MemoryId {
        let mut proposal = proposal(text, "agent:coder");
        set(&mut proposal);
        let done = self.write(proposal);
        assert_eq!(done.verdict, Verdict::Committed, "{done:?}");
        done.id.unwrap()
    }

    pub(crate) fn submit(&self, commands: Vec<Command>, by: &str) -> Vec<Outcome> {
        self.ledger.submit(Submission { commands, terms: by_terms(by) }).unwrap()
    }

    pub(crate) fn question(&self, valid: Option<i64>) -> Question {
        let valid = valid.map(|at| When::Instant(Micros(at)));
        Question { valid, ..Question::now(self.ledger.zone()) }
    }

    pub(crate) fn status(&self, id: MemoryId) -> Status {
        let snapshot = self.ledger.snapshot(&self.question(None)).unwrap();
        snapshot.get(&id).unwrap().unwrap().status
    }

    /// How it stood after a record, by both ways to the past.
    pub(crate) fn status_at(&self, id: MemoryId, seq: Seq) -> Status {
        let ask = |from_archive| {
            let question =
                Question { known: When::Seq(seq.0), from_archive, ..self.question(None) };
            self.ledger.snapshot(&question).unwrap().get(&id).unwrap().unwrap().status
        };
        assert_eq!(ask(false), ask(true), "views and archive");
        ask(false)
    }

    /// What is in force now at a valid time.
    pub(crate) fn listed(&self, valid: Option<i64>) -> Vec<MemoryId> {
        let snapshot = self.ledger.snapshot(&self.question(valid)).unwrap();
        let listing = snapshot.list(&Filter { limit: 1_000, ..Filter::default() }).unwrap();
        listing.items.into_iter().map(|item| item.id).collect()
    }

    pub(crate) fn size(&self) -> u64 {
        self.ledger.status().unwrap().size
    }
}

pub(crate) fn by_terms(by: &str) -> Terms {
    Terms { by: Some(by.parse().unwrap()), ..Terms::default() }
}

pub(crate) fn proposal(text: &str, by: &str) -> Proposal {
    let mut proposal = Proposal::new(Content::Text(text.to_owned()), SCOPE.parse().unwrap());
    proposal.by = Some(by.parse::<Actor>().unwrap());
    proposal.source = Some(Source { kind: SourceKind::Chat, uri: "somewhere#1".to_owned() });
    proposal
}

/// A value of the slot `build`.
pub(crate) fn value(text: &str, by: &str, valid_from: Option<i64>) -> Proposal {
    let mut proposal = proposal(text, by);
    proposal.layer = Some(Layer::Day);
    proposal.key = Some("build".to_owned());
    proposal.valid_from = valid_from.map(Micros);
    proposal
}
