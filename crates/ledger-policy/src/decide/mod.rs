//! Owns the verdict over a proposal.
//!
//! The rules are asked in one order: what is never stored, then what is stored elsewhere or later, then
//! how far it is trusted and how long it counts. The first rule that turns a proposal away decides.

mod admit;
mod life;
mod trust;

use ledger_format::event::memory::Write;
use ledger_format::{Layer, Micros, Seq, Trust, Verdict};

use self::admit::{Away, admit};
use crate::document::{OnFinding, Policy};
use crate::signal::Seen;
use crate::{Case, Rule};

/// What the gate says to a proposal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// The rule that decided.
    pub rule: Rule,
    /// Trust given.
    pub trust: Trust,
    /// Layer it goes to.
    pub layer: Layer,
    /// When it stops counting.
    pub ttl_until: Option<Micros>,
    /// When a person should look at it.
    pub review_by: Option<Micros>,
    /// Bit set of [`Write::MARK_INSTRUCTION_LIKE`] and its siblings.
    pub marks: u16,
    /// The record that wrote the memory it repeats.
    pub duplicate_of: Option<Seq>,
    /// How many persons have to approve it; 0: none.
    pub persons: u8,
}

/// Judges a proposal, made at `now`, under a policy.
#[must_use]
pub fn decide(case: &Case, policy: &Policy, now: Micros) -> Decision {
    let trust = trust::given(case, policy);
    let mut decision = Decision {
        verdict: Verdict::Committed,
        rule: trust.rule,
        trust: trust.trust,
        layer: case.layer,
        ttl_until: None,
        review_by: None,
        marks: marks(case, policy),
        duplicate_of: None,
        persons: 0,
    };
    match admit(case, policy) {
        Ok(()) => {}
        Err(Away::Refused(rule)) => {
            return Decision { verdict: Verdict::Refused, rule, ..decision };
        }
        Err(Away::Duplicate(of)) => {
            let verdict = Verdict::Duplicate;
            return Decision { verdict, rule: Rule::Duplicate, duplicate_of: Some(of), ..decision };
        }
        Err(Away::Redirected(rule)) => {
            decision.verdict = Verdict::Redirected;
            decision.rule = rule;
            decision.layer = Layer::Session;
            decision.trust = Trust::Draft;
        }
        Err(Away::Pending(persons)) => {
            decision.verdict = Verdict::Pending;
            decision.rule = Rule::Approval;
            decision.persons = persons;
        }
    }
    let life = life::given(case, policy, &decision, now);
    decision.ttl_until = life.ttl_until;
    decision.review_by = life.review_by;
    decision
}

fn marks(case: &Case, policy: &Policy) -> u16 {
    let mut marks = 0;
    if case.signals.has(Seen::Personal) && policy.gate.personal == OnFinding::Mark {
        marks |= Write::MARK_PERSONAL;
    }
    if admit::is_foreign_order(case, policy) {
        marks |= Write::MARK_INSTRUCTION_LIKE;
    }
    marks
}
