//! Owns giving every recorded verdict again: from the record, the signals beside it and the policy that it
//! names. No word is needed, so it works after every erasure.

use std::collections::HashMap;

use ledger_format::event::{duty, memory};
use ledger_format::{Event, RecordView, Seq};
use ledger_policy::{Case, Decision, Policy, Rule, Signals, decide};
use ledger_replay::{Sequenced, State, apply};
use ledger_store::Check;

use super::in_force::read;
use crate::error::{Error, Result};
use crate::ledger::Ledger;
use crate::vault::decode;

/// What giving the verdicts again came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictsAgain {
    /// Verdicts given again.
    pub checked: u64,
    /// Records whose verdict differs, with what was recorded and what the policy says.
    pub differ: Vec<(Seq, String)>,
}

impl Ledger {
    /// Gives every verdict again that is on record.
    ///
    /// # Errors
    /// When a record or a policy document cannot be read.
    pub fn verdicts_again(&self) -> Result<VerdictsAgain> {
        let mut done = VerdictsAgain::default();
        let mut state = State::default();
        let mut policies = HashMap::from([(0, Policy::built_in())]);
        for stored in self.vault.reader().stream(Seq(0), Check::Chain) {
            let stored = stored?;
            let event = decode(&stored)?;
            if let Event::PolicySet(set) = &event.event {
                policies.insert(set.version, read(&self.vault, stored.seq)?.policy);
            }
            let version = event.header.policy;
            let policy = policies.get(&version).ok_or_else(|| {
                Error::invalid(format!(
                    "record {} names policy {version}, which no record set before",
                    stored.seq
                ))
            })?;
            let view = RecordView::decode(&stored.bytes);
            let beside = Signals::recorded(view.map(|view| view.gate()).unwrap_or_default());
            if let Some(again) = again(&state, &event, beside, policy) {
                done.checked += 1;
                done.differ.extend(again.err().map(|differs| (stored.seq, differs)));
            }
            apply(&mut state, &event);
        }
        Ok(done)
    }
}

/// None for what is no verdict.
fn again(
    before: &State,
    event: &Sequenced,
    beside: Signals,
    policy: &Policy,
) -> Option<std::result::Result<(), String>> {
    let (actor, now) = (event.header.actor_kind, event.header.recorded_at);
    match &event.event {
        Event::Write(write) => {
            let claimed = event.claimed_at.is_some();
            let case = Case::recorded(before, actor, claimed, write, beside);
            Some(same_write(write, &decide(&case, policy, now)))
        }
        Event::Verdict(verdict) if !verdict.signals.is_empty() => {
            let signals = Signals::recorded(verdict.signals.clone());
            let case = Case::turned_away(actor, signals);
            Some(match case {
                Some(case) => same_verdict(verdict, &decide(&case, policy, now)),
                None => Err("its signals are not whole".to_owned()),
            })
        }
        _ => None,
    }
}

fn same_write(write: &memory::Write, decision: &Decision) -> std::result::Result<(), String> {
    let recorded =
        (write.verdict, write.trust, write.layer, write.ttl_until, write.review_by, write.marks);
    let Decision { verdict, trust, layer, ttl_until, review_by, marks, .. } = *decision;
    let given = (verdict, trust, layer, ttl_until, review_by, marks);
    if recorded == given {
        return Ok(());
    }
    Err(format!("recorded {recorded:?}, given again {given:?}"))
}

fn same_verdict(verdict: &duty::Verdict, decision: &Decision) -> std::result::Result<(), String> {
    // What went with a refusal was not refused for itself.
    let alone = if verdict.reason == Rule::Together.number() {
        decision.verdict != ledger_format::Verdict::Refused
    } else {
        (verdict.verdict, verdict.reason) == (decision.verdict, decision.rule.number())
    };
    if alone {
        return Ok(());
    }
    Err(format!(
        "recorded {} by rule {}, given again {} by rule {}",
        verdict.verdict,
        verdict.reason,
        decision.verdict,
        decision.rule.number()
    ))
}
