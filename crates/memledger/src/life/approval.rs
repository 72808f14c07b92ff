//! Owns what waits for persons: listing it, and deciding about it.
//!
//! Only persons decide. Whoever wrote a memory does not count, and nobody counts twice: where two have
//! to agree, they are two others. What a memory supersedes is closed when it is approved, and not before.

use ledger_format::event::{duty, memory as body};
use ledger_format::names::Decision;
use ledger_format::{ActorKind, AliasId, AliasKind, CloseKind, Event, Seq};
use ledger_replay::State;

use super::plan::{Act, Plan, PlanKind};
use super::slot::beside;
use super::standing::all_scopes;
use crate::answer::Item;
use crate::command::{Reason, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::gate::at_record;
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::read::{Members, Snapshot};
use crate::scope::Actor;

/// A memory that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct PendingItem {
    /// The memory.
    pub item: Item,
    /// How many persons have to agree, by the policy it was written under.
    pub persons: u8,
    /// Who has agreed.
    pub agreed: Vec<Actor>,
}

impl Snapshot<'_> {
    /// The memories that wait for persons, in the order of their records.
    ///
    /// # Errors
    /// When a record, payload or policy it needs cannot be read.
    pub fn pending(&self) -> Result<Vec<PendingItem>> {
        let (past, assembler) = (self.past(), self.assembler()?);
        let mut born = Vec::new();
        for scope in all_scopes(past)? {
            born.extend(past.members(Members::Scope(scope), true)?);
        }
        born.sort_unstable();
        let mut items = Vec::new();
        for seq in born {
            let Some(life) = past.version(seq)?.filter(|life| life.pending) else { continue };
            if life.forgotten.is_some() || life.erased.is_some() {
                continue;
            }
            let Some(birth) = past.birth_at(seq)? else { continue };
            let item = assembler.item(&birth, &life)?;
            let mut agreed = Vec::new();
            for version in past.versions(seq)? {
                let event = self.vault.load(version.since)?.event;
                if matches!(event.event, Event::Approval(_)) {
                    agreed.extend(assembler.actor(event.header.actor)?);
                }
            }
            let policy = at_record(self.vault, seq)?.policy;
            let persons = persons(&policy, birth.actor_kind, &item);
            items.push(PendingItem { item, persons, agreed });
        }
        Ok(items)
    }
}

fn persons(policy: &ledger_policy::Policy, actor: ActorKind, item: &Item) -> u8 {
    let asks = |one: &&ledger_policy::Approval| one.asks(actor, item.body_type, item.layer);
    policy.approvals.iter().filter(asks).map(|one| one.persons).max().unwrap_or(1)
}

impl Ledger {
    /// Decides about a memory that waits; `pending` is the record that wrote it.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when nothing waits there, [`ErrorKind::Refused`] when whoever asks may not
    /// decide: no person, the writer, or somebody who has agreed already. Otherwise as
    /// [`Ledger::submit`].
    pub fn decide_pending(
        &self,
        pending: Seq,
        approve: bool,
        terms: &Terms,
        reason: &Reason,
    ) -> Result<(Plan, Vec<Outcome>)> {
        let by = terms.by.as_ref().filter(|by| by.kind == ActorKind::Person).ok_or_else(|| {
            refused("only a person decides about what waits; say who with --by person:NAME")
        })?;
        self.plan_and_do(terms, reason, || {
            let snapshot = self.snapshot(&crate::Question::now(self.zone()))?;
            let waiting = snapshot.pending()?.into_iter().find(|one| one.item.seq == pending);
            let waiting = waiting.ok_or_else(|| {
                Error::new(
                    ErrorKind::NotFound,
                    format!("nothing of record {pending} waits; `memledger pending list` shows what does"),
                )
            })?;
            let name = by.to_string();
            let kind = AliasKind::Actor;
            let actor =
                self.names.alias(&self.vault, snapshot.past(), kind, AliasId::ZERO, &name)?;
            let needed = waiting.persons;
            self.with_state(move |state| decide(state, pending, approve, actor, needed))?
        })
    }
}

fn decide(
    state: &State,
    seq: Seq,
    approve: bool,
    actor: Option<AliasId>,
    needed: u8,
) -> Result<Plan> {
    let found = state.pending().find(|(pending, _)| **pending == seq);
    let (_, waiting) = found.ok_or_else(|| {
        Error::new(ErrorKind::NotFound, format!("nothing of record {seq} waits any more"))
    })?;
    if approve && actor == Some(waiting.writer) {
        return Err(refused("whoever wrote it cannot approve it; somebody else has to"));
    }
    if approve && actor.is_some_and(|actor| waiting.agreed.contains(&actor)) {
        return Err(refused("this person has agreed already; another one has to"));
    }
    let step = u8::try_from(waiting.agreed.len().saturating_add(1)).unwrap_or(u8::MAX);
    let complete = !approve || step >= needed;
    let decision = if approve { Decision::Approve } else { Decision::Reject };
    let memory = waiting.memory;
    let scope = state.memory(&memory).map_or(AliasId::ZERO, |memory| memory.scope);
    let mut plan = Plan::new(PlanKind::Approval, state.head().map(|head| head.seq));
    plan.step(
        memory,
        match (approve, complete) {
            (true, true) => "approved",
            (true, false) => "agreed to, another person has to",
            (false, _) => "rejected",
        },
    );
    let approval = duty::Approval { pending: seq, decision, step, complete };
    plan.acts.push(Act::event(Event::Approval(approval), scope));
    if approve && complete {
        for target in &waiting.supersedes {
            plan.step(*target, "closed by it");
        }
        // The slot went on while it waited: it takes its place among the values of now.
        for (closed, cut, by) in beside(state, memory) {
            if waiting.supersedes.contains(&closed) {
                continue;
            }
            plan.step(closed, "closed: one value for each slot");
            let from = Some(cut.from);
            let until = (cut.until != ledger_format::Micros::MAX).then_some(cut.until);
            let kind = CloseKind::Changed;
            let close = body::Close { memory: closed, kind, from, until, replaced_by: by };
            plan.acts.push(Act::event(Event::Close(close), scope));
        }
    }
    Ok(plan)
}

fn refused(message: &str) -> Error {
    Error::new(ErrorKind::Refused, message)
}
