//! Owns a small closed ledger that is easy to break, and the question whether something still gives
//! its answers.

use ledger_format::{CloseKind, MemoryId, Micros};
use memledger::answer::Item;
use memledger::civil::When;
use memledger::{Command, Content, Filter, Ledger, Proposal, Result, Scope, Submission, Terms};

use crate::place::Place;
use crate::witness::at;
use crate::workload::time;

const DAY: i64 = 86_400_000_000;

/// What a ledger answers about one record: every memory, with history.
pub type Answer = Vec<Item>;

/// Makes the ledger: a few writes, one of them superseding, a closure, a forgotten memory.
#[must_use]
pub fn ledger() -> Place {
    let (place, ledger) = Place::new(Micros(time::BASE));
    let npm = write(&ledger, "Install with npm", None);
    let fare = write(&ledger, "Refund within 90 days", None);
    place.clock.set(Micros(time::BASE + DAY));
    write(&ledger, "Install with pnpm", Some(npm));
    let secret = write(&ledger, "A secret of nobody", None);
    let close = Command::Close {
        memory: fare,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: None,
        reason: Some("the rule was changed".into()),
    };
    submit(&ledger, close);
    place.clock.set(Micros(time::BASE + 2 * DAY));
    let forget = Command::Forget { memories: vec![secret], subject: None, reason: None };
    submit(&ledger, forget);
    ledger.close().unwrap();
    place
}

/// What the archive of a whole ledger answers about each record.
#[must_use]
pub fn truth(place: &Place) -> Vec<Answer> {
    let archive = place.archive_at(&place.path()).unwrap();
    answers(&archive, true).unwrap()
}

/// Records one command.
pub fn submit(ledger: &Ledger, command: Command) -> Option<MemoryId> {
    let submission = Submission::of(command, Terms::default());
    ledger.submit(submission).unwrap()[0].id
}

/// Writes a memory with a source.
pub fn write(ledger: &Ledger, text: &str, supersedes: Option<MemoryId>) -> MemoryId {
    let scope: Scope = "org/acme".parse().unwrap();
    let mut proposal = Proposal::new(Content::Text(text.into()), scope);
    proposal.source = Some("chat:2026-01-12#4".parse().unwrap());
    proposal.supersedes.extend(supersedes);
    submit(ledger, Command::Write(Box::new(proposal))).unwrap()
}

/// The answers about each record from the first to the head.
///
/// # Errors
/// The first error of the ledger.
pub fn answers(ledger: &Ledger, from_archive: bool) -> Result<Vec<Answer>> {
    let filter = Filter { include_history: true, ..Filter::default() };
    let head = ledger.snapshot(&at(When::Head, None))?.basis().seq;
    let head = head.map_or(0, |seq| seq.0 + 1);
    let answer = |seq| {
        let mut question = at(When::Seq(seq), None);
        question.from_archive = from_archive;
        Ok(ledger.snapshot(&question)?.list(&filter)?.items)
    };
    (0..head).map(answer).collect()
}
