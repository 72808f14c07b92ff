//! Owns the ledger in memory that a case plays in, and the ways to say what has to hold there.

use std::path::Path;
use std::sync::Arc;

use ledger_format::event::memory::Write;
use ledger_format::{BodyType, Event, Layer, MemoryId, Micros, Seq, Trust, Verdict};
use ledger_policy::Rule;
use ledger_replay::Status;
use ledger_store::storage::MemStorage;
use ledger_store::{MasterEnv, OsEntropy, StoreOptions};
use zeroize::Zeroizing;

use super::Check;
use crate::answer::Item;
use crate::basis::Question;
use crate::clock::DeclaredClock;
use crate::command::{Command, Content, Proposal, Submission, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::ledger::{InitOptions, Ledger};
use crate::machine::Machine;
use crate::outcome::Outcome;

/// When every case plays: a fixed Monday morning, so that no result depends on the day.
const MORNING: Micros = Micros(1_767_600_000_000_000);
/// The files of such a ledger are small.
const FILE: u64 = 1 << 20;

/// Who speaks, from where, and to where.
#[derive(Clone, Copy, Debug)]
pub(super) struct Voice {
    pub(super) by: &'static str,
    pub(super) source: &'static str,
    pub(super) scope: &'static str,
}

/// The people and programs of the cases.
pub(super) const USER: Voice =
    Voice { by: "person:mara", source: "user:desk#1", scope: "org/acme/user/u1" };
pub(super) const TOOL: Voice =
    Voice { by: "agent:helper", source: "tool:fetch#1", scope: "org/acme/user/u1" };
pub(super) const WEB: Voice =
    Voice { by: "agent:helper", source: "web:pages.example/one", scope: "org/acme/user/u1" };

impl Voice {
    pub(super) const fn from(self, source: &'static str) -> Self {
        Self { source, ..self }
    }

    pub(super) const fn within(self, scope: &'static str) -> Self {
        Self { scope, ..self }
    }

    /// A proposal of these words.
    pub(super) fn says(self, text: &str) -> Result<Proposal> {
        let content = Content::Text(text.to_owned());
        let mut proposal = Proposal::new(content, self.scope.parse()?);
        proposal.by = Some(self.by.parse()?);
        if !self.source.is_empty() {
            proposal.source = Some(self.source.parse()?);
        }
        Ok(proposal)
    }
}

/// The ledger of a case.
pub(super) struct Stage {
    ledger: Ledger,
    checks: Vec<Check>,
}

impl Stage {
    pub(super) fn new(policy: &str) -> Result<Self> {
        let mut key = Zeroizing::new([0; 32]);
        getrandom::fill(&mut *key)
            .map_err(|error| Error::new(ErrorKind::Unavailable, error.to_string()))?;
        let hex: String = key.iter().map(|byte| format!("{byte:02x}")).collect();
        let options = InitOptions {
            origin: Some("suite.example".to_owned()),
            clock: Arc::new(DeclaredClock::new(MORNING)),
            store: StoreOptions {
                segment_bytes: FILE,
                payload_file_bytes: FILE,
                fill_first: 4096,
                fill_most: 65_536,
                ..StoreOptions::sequential()
            },
            master: MasterEnv { key: Some(hex.into_bytes().into()), ..MasterEnv::default() },
            machine: Machine::simulated(Arc::new(MemStorage::new()), Arc::new(OsEntropy)),
            ..InitOptions::default()
        };
        let ledger = Ledger::init(Path::new("in memory"), options)?.ledger;
        if policy != ledger_policy::Policy::built_in_text() {
            ledger.put_policy(policy, None, None)?;
        }
        Ok(Self { ledger, checks: Vec::new() })
    }

    /// What had to hold. The ledger is gone afterwards.
    pub(super) fn checks(self) -> Result<Vec<Check>> {
        self.ledger.close()?;
        Ok(self.checks)
    }

    /// The case could not be played to its end: nobody can say that anything held.
    pub(super) fn stopped(&mut self, error: &Error) {
        let what = "the case can be played to its end";
        self.check("plain", what, false, &[], format!("stopped: {error}"));
    }

    pub(super) fn submit(&self, command: Command, terms: Terms) -> Result<Outcome> {
        let done = self.ledger.submit(Submission::of(command, terms))?.pop();
        done.ok_or_else(|| Error::new(ErrorKind::Unavailable, "nothing was answered"))
    }

    pub(super) fn write(&self, proposal: Proposal) -> Result<Outcome> {
        self.submit(Command::Write(Box::new(proposal)), Terms::default())
    }

    /// A memory that the case begins with. Without it there is nothing to attack.
    pub(super) fn given(&self, proposal: Proposal) -> Result<MemoryId> {
        let done = self.write(proposal)?;
        match done.id {
            Some(id) if done.verdict == Verdict::Pending => {
                self.approve(&id, done.seq).map(|()| id)
            }
            Some(id) if done.verdict != Verdict::Duplicate => Ok(id),
            _ => Err(Error::invalid(format!(
                "what the case begins with was not taken: {}",
                done.reason.unwrap_or_else(|| done.verdict.to_string())
            ))),
        }
    }

    /// A policy that asks for persons gets them where a case begins: only then is there anything to
    /// attack.
    fn approve(&self, id: &MemoryId, pending: Seq) -> Result<()> {
        for by in ["person:first", "person:second"] {
            let terms = Terms { by: Some(by.parse()?), ..Terms::default() };
            let reason = Some("a case begins with it".to_owned());
            self.ledger.decide_pending(pending, true, &terms, &reason)?;
            if self.item(id)?.is_some_and(|item| item.status != Status::Pending) {
                return Ok(());
            }
        }
        Err(Error::invalid("two persons did not suffice"))
    }

    /// What is in force in a scope and below.
    pub(super) fn listed(&self, scope: &str) -> Result<Vec<Item>> {
        let filter = Filter { scope: scope.parse()?, ..Filter::default() };
        let snapshot = self.ledger.snapshot(&Question::now(self.ledger.zone()))?;
        Ok(snapshot.list(&filter)?.items)
    }

    pub(super) fn item(&self, id: &MemoryId) -> Result<Option<Item>> {
        self.ledger.snapshot(&Question::now(self.ledger.zone()))?.get(id)
    }

    pub(super) fn check(
        &mut self,
        rule: &'static str,
        what: impl Into<String>,
        held: bool,
        items: &[&Item],
        found: impl Into<String>,
    ) {
        let memories = items.iter().map(|item| (item.id, item.seq)).collect();
        let (what, found) = (what.into(), found.into());
        self.checks.push(Check { what, rule, held, memories, found });
    }

    /// Proposes, and looks at what became of it.
    pub(super) fn tried(&self, proposal: Proposal) -> Result<Tried> {
        let done = match self.write(proposal) {
            Ok(done) => done,
            // What the ledger does not take at all has no record either.
            Err(error) if matches!(error.kind(), ErrorKind::Conflict | ErrorKind::Refused) => {
                return Ok(Tried { item: None, words: format!("not taken: {error}"), marks: 0 });
            }
            Err(error) => return Err(error),
        };
        let loaded = self.ledger.vault.load(done.seq)?;
        let (words, marks) = match &loaded.event.event {
            Event::Verdict(verdict) => {
                let rule = Rule::from_number(verdict.reason).map_or("unknown", Rule::name);
                (format!("{} by {rule}", verdict.verdict), 0)
            }
            Event::Write(write) => (stored(done.seq, write), write.marks),
            _ => (done.verdict.to_string(), 0),
        };
        let stands = done.verdict != Verdict::Duplicate && done.verdict != Verdict::Refused;
        let item = match done.id {
            Some(id) if stands => self.item(&id)?,
            _ => None,
        };
        Ok(Tried { item, words, marks })
    }

    /// Proposes what must not be in force afterwards.
    pub(super) fn keeps_out(
        &mut self,
        rule: Rule,
        what: impl Into<String>,
        proposal: Proposal,
    ) -> Result<()> {
        let tried = self.tried(proposal)?;
        let held = !tried.in_force();
        self.say(rule, what, held, &tried);
        Ok(())
    }

    /// Proposes what may be stored, but is trusted no more than this.
    pub(super) fn keeps_below(
        &mut self,
        rule: Rule,
        what: impl Into<String>,
        most: Trust,
        proposal: Proposal,
    ) -> Result<Option<Item>> {
        let tried = self.tried(proposal)?;
        let held = tried.item.as_ref().is_none_or(|item| item.trust <= most);
        self.say(rule, what, held, &tried);
        Ok(tried.item)
    }

    /// Proposes what may be stored, but neither as an instruction nor as canonical.
    pub(super) fn keeps_from_ruling(
        &mut self,
        rule: Rule,
        what: impl Into<String>,
        proposal: Proposal,
    ) -> Result<()> {
        let tried = self.tried(proposal)?;
        let rules = |item: &Item| {
            matches!(item.layer, Layer::Instruction | Layer::Canonical)
                || item.body_type == BodyType::Canonical
        };
        let held = !tried.in_force() || !tried.item.as_ref().is_some_and(rules);
        self.say(rule, what, held, &tried);
        Ok(())
    }

    /// Proposes what must be marked where it is stored.
    pub(super) fn marks(
        &mut self,
        rule: Rule,
        what: impl Into<String>,
        mark: u16,
        proposal: Proposal,
    ) -> Result<()> {
        let tried = self.tried(proposal)?;
        let held = tried.item.is_none() || tried.marks & mark == mark;
        self.say(rule, what, held, &tried);
        Ok(())
    }

    /// A memory that must stand as before.
    pub(super) fn still_stands(
        &mut self,
        rule: &'static str,
        what: &str,
        id: &MemoryId,
    ) -> Result<()> {
        let item = self.item(id)?;
        let held = item.as_ref().is_some_and(|item| item.status.in_force());
        let found = item.as_ref().map_or_else(
            || "it is gone".to_owned(),
            |item| format!("m{} is {}", item.seq, item.status),
        );
        let items: Vec<&Item> = item.iter().collect();
        self.check(rule, what, held, &items, found);
        Ok(())
    }

    fn say(&mut self, rule: Rule, what: impl Into<String>, held: bool, tried: &Tried) {
        let items: Vec<&Item> = tried.item.iter().collect();
        self.check(rule.name(), what, held, &items, tried.words.clone());
    }
}

/// What became of a proposal.
pub(super) struct Tried {
    pub(super) item: Option<Item>,
    pub(super) words: String,
    marks: u16,
}

impl Tried {
    pub(super) fn in_force(&self) -> bool {
        self.item.as_ref().is_some_and(|item| item.status.in_force())
    }
}

fn stored(seq: Seq, write: &Write) -> String {
    let mark = if write.marks == 0 { "not marked" } else { "marked" };
    format!("m{seq} {}, {}, layer {}, {mark}", write.verdict, write.trust, write.layer)
}
