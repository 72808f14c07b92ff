//! Owns what a record says about the outcome it stands for.

use ledger_format::Event;
use ledger_policy::Rule;
use ledger_replay::Sequenced;
use ledger_store::Head;

use crate::error::Error;
use crate::outcome::Outcome;
use crate::scope::Scope;
use crate::writer::ticket::Admitted;

/// What a record says about the outcome it stands for.
pub(crate) fn outcome_of(done: &Sequenced) -> Outcome {
    let mut outcome = Outcome {
        seq: done.seq(),
        hash: done.hash,
        recorded_at: done.header.recorded_at,
        head: done.seq(),
        head_hash: done.hash,
        id: named(&done.event),
        verdict: ledger_format::Verdict::Committed,
        reason: None,
        trust: None,
        ttl_until: None,
        scope: Scope::root(),
        job: done.job,
        superseded: Vec::new(),
        policy_version: done.header.policy,
        repeated: false,
    };
    match &done.event {
        Event::Write(write) => {
            outcome.verdict = write.verdict;
            outcome.trust = Some(write.trust);
            outcome.ttl_until = write.ttl_until;
            outcome.superseded.clone_from(&write.supersedes);
        }
        Event::Verdict(verdict) => {
            outcome.verdict = verdict.verdict;
            outcome.id = verdict.duplicate_of;
            outcome.reason = Rule::from_number(verdict.reason).map(|rule| rule.says().to_owned());
        }
        _ => {}
    }
    outcome
}

fn named(event: &Event) -> Option<ledger_format::MemoryId> {
    crate::read::named(event).first().copied()
}

pub(crate) fn at_head(mut admitted: Admitted, head: &Head) -> Admitted {
    for outcome in &mut admitted.outcomes {
        (outcome.head, outcome.head_hash) = (head.seq, head.hash);
    }
    admitted
}

pub(crate) fn nothing_recorded(error: &Error) -> Error {
    Error::new(error.kind(), format!("{error}; nothing was recorded"))
}

pub(crate) fn unknown_outcome(error: &Error) -> Error {
    Error::new(
        error.kind(),
        format!("{error}; whether this was recorded is unknown until the ledger is opened again"),
    )
}
