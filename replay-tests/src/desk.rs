//! Owns a ledger that is asked for what it should refuse: each refusal is of the kind that fits, and
//! nothing is recorded.

use ledger_format::{CloseKind, MemoryId, Micros, RecordHash, Seq, Verdict};
use memledger::answer::Text;
use memledger::civil::When;
use memledger::verify::{CheckVerdict, VerifyLevel};
use memledger::{Command, Content, ErrorKind, Ledger, Proposal, Scope, Submission, Terms};

use crate::place::Place;
use crate::tamper;
use crate::witness::at;
use crate::workload::time;

/// A ledger that is asked for what it should refuse.
#[derive(Debug)]
pub struct Desk {
    pub place: Place,
    pub ledger: Ledger,
    refused: usize,
}

impl Desk {
    #[must_use]
    pub fn open() -> Self {
        let (place, ledger) = Place::new(Micros(time::BASE));
        let refused = 0;
        Self { place, ledger, refused }
    }

    fn head(&self) -> Option<(Seq, RecordHash)> {
        self.ledger.status().unwrap().head
    }

    /// Refused with this kind, and nothing was recorded.
    pub fn refuses(&mut self, what: &str, kind: ErrorKind, submission: Submission) {
        let before = self.head();
        let error = match self.ledger.submit(submission) {
            Err(error) => error,
            Ok(outcomes) => panic!("{what}: recorded as {outcomes:?}"),
        };
        assert_eq!(error.kind(), kind, "{what}: {error}");
        assert!(!error.to_string().is_empty());
        assert_eq!(self.head(), before, "{what}: {error}");
        self.refused += 1;
    }

    pub fn refuses_command(&mut self, what: &str, kind: ErrorKind, command: Command) {
        self.refuses(what, kind, Submission::of(command, Terms::default()));
    }

    pub fn refuses_write(
        &mut self,
        what: &str,
        kind: ErrorKind,
        change: impl FnOnce(&mut Proposal),
    ) {
        self.refuses_command(what, kind, proposed(change));
    }

    pub fn takes(&self, what: &str, change: impl FnOnce(&mut Proposal)) -> MemoryId {
        let submission = Submission::of(proposed(change), Terms::default());
        let outcomes = self.ledger.submit(submission);
        let outcome = outcomes.unwrap_or_else(|error| panic!("{what}: {error}")).remove(0);
        assert_eq!(outcome.verdict, Verdict::Committed, "{what}: {outcome:?}");
        outcome.id.unwrap()
    }

    pub fn text(&self, id: &MemoryId) -> Text {
        let snapshot = self.ledger.snapshot(&at(When::Head, None)).unwrap();
        snapshot.get(id).unwrap().unwrap().text
    }

    /// Closed in order, whole, and opened again.
    pub fn opened_again(self) -> Self {
        self.ledger.close().unwrap();
        let report = tamper::verify(&self.place.path(), VerifyLevel::Views);
        assert_eq!(report.verdict(), CheckVerdict::Ok, "{report:#?}");
        let ledger = self.place.open();
        assert_eq!(ledger.notices(), &[] as &[String]);
        Self { ledger, ..self }
    }

    pub fn done(self, refused: usize) {
        assert_eq!(self.refused, refused, "a refusal is missing");
        self.opened_again().ledger.close().unwrap();
    }
}

#[must_use]
pub fn proposed(change: impl FnOnce(&mut Proposal)) -> Command {
    let scope: Scope = "org/acme".parse().unwrap();
    let mut proposal = Proposal::new(Content::Text("some text".into()), scope);
    change(&mut proposal);
    Command::Write(Box::new(proposal))
}

#[must_use]
pub fn closing(memory: MemoryId, from: Option<Micros>, until: Option<Micros>) -> Command {
    Command::Close {
        memory,
        kind: CloseKind::Changed,
        from,
        until,
        replaced_by: None,
        reason: None,
    }
}
