//! Owns the book of a document in a real ledger.

use memledger::answer::{Item, Text};
use memledger::civil::When;
use memledger::format::{MemoryId, Micros, Seq, Verdict};
use memledger::{
    Command, Filter, Interval, Ledger, Outcome, Question, Result, Status, Submission, Terms,
};

use super::Slot;
use super::port::{Book, Held, Recorded};
use crate::encoding::digest;

/// Memories of a document read at a time: their texts are in memory together.
const PAGE: usize = 64;

/// One slot of a ledger.
pub(crate) struct LedgerBook<'a> {
    pub(crate) ledger: &'a Ledger,
    pub(crate) slot: &'a Slot,
}

impl Book for LedgerBook<'_> {
    fn known(&self, key: &str) -> Result<Option<Seq>> {
        self.ledger.known_idempotency(key)
    }

    fn memories(&self) -> Result<Vec<Held>> {
        let snapshot = self.ledger.snapshot(&Question::now(self.ledger.zone()))?;
        let mut held = Vec::new();
        let mut filter = Filter {
            scope: self.slot.scope.clone(),
            key: Some(self.slot.document.clone()),
            include_history: true,
            limit: PAGE,
            ..Filter::default()
        };
        loop {
            let page = snapshot.list(&filter)?;
            let own = page.items.iter().filter(|item| item.scope == self.slot.scope);
            held.extend(own.map(held_item));
            match page.next {
                None => return Ok(held),
                next => filter.after = next,
            }
        }
    }

    fn validity(&self, claim: Micros, memories: &[MemoryId]) -> Result<Vec<Vec<Interval>>> {
        let question = Question {
            known: When::Instant(claim),
            claimed: true,
            ..Question::now(self.ledger.zone())
        };
        let snapshot = self.ledger.snapshot(&question)?;
        let validity = |id| Ok(snapshot.get(id)?.map_or_else(Vec::new, |item| item.validity));
        memories.iter().map(validity).collect()
    }

    fn record(&self, commands: Vec<Command>, claim: Micros, key: Option<&str>) -> Result<Recorded> {
        let terms = Terms {
            by: Some(self.slot.by.clone()),
            idempotency_key: key.map(str::to_owned),
            claimed_at: Some(claim),
            job: Some(self.slot.job),
            ..Terms::default()
        };
        let outcomes = self.ledger.submit(Submission { commands, terms })?;
        Ok(match outcomes.iter().find_map(refusal) {
            Some(reason) => Recorded::Refused(reason),
            None => Recorded::Taken(outcomes.first().and_then(|outcome| outcome.id)),
        })
    }
}

/// Why an outcome is none; a text that waits for approval is not in force either.
pub(crate) fn refusal(outcome: &Outcome) -> Option<String> {
    match outcome.verdict {
        Verdict::Committed | Verdict::Redirected => None,
        verdict => {
            let reason = outcome.reason.as_deref().unwrap_or("no reason given");
            Some(format!("{verdict} by the ledger's policy, record {}: {reason}", outcome.seq))
        }
    }
}

fn held_item(item: &Item) -> Held {
    let text = match &item.text {
        Text::Words(words) => Some(digest(words.as_bytes())),
        Text::Bytes(_) | Text::Erased(_) | Text::Locked | Text::Forgotten(_) => None,
    };
    Held {
        id: item.id,
        seq: item.seq,
        claim: item.claimed_at.unwrap_or(item.recorded_at),
        text,
        gone: matches!(item.status, Status::Forgotten | Status::Erased),
        validity: item.validity.clone(),
    }
}
