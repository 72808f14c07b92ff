//! Owns a plan: the events that something comes to, before they are recorded.

use ledger_format::event::duty;
use ledger_format::{AliasId, AliasKind, Event, MemoryId, Seq};
use ledger_replay::State;

use crate::command::{Command, Reason, Submission, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::scope::{Scope, check_name};
use crate::writer::Binder;

/// What a plan is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanKind {
    /// A task begins.
    TaskStart,
    /// A task ends.
    TaskEnd,
    /// What ran out is recorded as such.
    Sweep,
    /// A person decides about what waits.
    Approval,
    /// What came from a source is withdrawn.
    Revoke,
    /// A submission is taken back.
    Undo,
}

/// What a plan does to one memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The memory.
    pub memory: MemoryId,
    /// What happens to it, in a few words.
    pub does: &'static str,
}

/// What would be recorded. It holds for the ledger as it stands at one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it is about.
    pub kind: PlanKind,
    /// The last record it was made from.
    pub head: Option<Seq>,
    /// What it does, memory by memory.
    pub steps: Vec<Step>,
    pub(crate) acts: Vec<Act>,
}

/// One event of a plan on its way to the log. Only plans make it.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    pub(crate) act: Act,
    pub(crate) reason: Reason,
}

/// An event, as far as it is known before names have aliases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    /// An event about the memories of a scope.
    Event(Box<Event>, AliasId),
    /// A task begins.
    StartTask { task: String, parent: Option<AliasId>, scope: Scope },
    /// A source is withdrawn.
    RevokeSource { source: String, memories: u64 },
}

impl Act {
    pub(crate) fn event(event: Event, scope: AliasId) -> Self {
        Self::Event(Box::new(event), scope)
    }
}

impl Plan {
    pub(crate) const fn new(kind: PlanKind, head: Option<Seq>) -> Self {
        Self { kind, head, steps: Vec::new(), acts: Vec::new() }
    }

    pub(crate) fn step(&mut self, memory: MemoryId, does: &'static str) {
        self.steps.push(Step { memory, does });
    }

    /// How many records it comes to.
    #[must_use]
    pub fn records(&self) -> usize {
        self.acts.len()
    }

    /// Whether there is nothing to do.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.acts.is_empty()
    }
}

impl Ledger {
    /// Records a plan, all of it or nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] when the ledger went on since the plan was made, or there is nothing to
    /// do; [`ErrorKind::Invalid`] for an idempotency key: a plan holds for one head, so it cannot be
    /// repeated later. Otherwise as [`Ledger::submit`].
    pub fn carry_out(&self, plan: &Plan, terms: Terms, reason: Reason) -> Result<Vec<Outcome>> {
        if terms.idempotency_key.is_some() {
            return Err(Error::invalid(
                "a plan holds for the ledger as it stands and takes no idempotency key; make it again instead",
            ));
        }
        if plan.is_empty() {
            return Err(Error::new(
                ErrorKind::Conflict,
                "the plan is empty; there is nothing to do",
            ));
        }
        let commands = plan.acts.iter().map(|act| {
            let planned = Planned { act: act.clone(), reason: reason.clone() };
            Command::Planned(Box::new(planned))
        });
        let expected_head = terms.expected_head.or(plan.head);
        if expected_head != plan.head {
            return Err(Error::new(
                ErrorKind::Conflict,
                "the plan was made at another record than the one expected; read again, then decide",
            ));
        }
        self.submit(Submission {
            commands: commands.collect(),
            terms: Terms { expected_head, ..terms },
        })
    }

    /// Makes a plan and carries it out, again where another submission came in between.
    pub(crate) fn plan_and_do(
        &self,
        terms: &Terms,
        reason: &Reason,
        make: impl Fn() -> Result<Plan>,
    ) -> Result<(Plan, Vec<Outcome>)> {
        const TRIES: usize = 16;
        let mut left = TRIES;
        loop {
            let plan = make()?;
            let done = self.carry_out(&plan, terms.clone(), reason.clone());
            left -= 1;
            match done {
                Ok(outcomes) => return Ok((plan, outcomes)),
                Err(error)
                    if error.kind() == ErrorKind::Conflict && left > 0 && self.moved(&plan) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn moved(&self, plan: &Plan) -> bool {
        let head = self.with_state(|state| state.head().map(|head| head.seq));
        head.is_ok_and(|head| head != plan.head)
    }
}

/// A plan is judged by the record it was made at: what it names stood then as it stands now.
pub(crate) fn judge_plan(planned: &Planned, terms: &Terms) -> Result<()> {
    if terms.expected_head.is_none() {
        return Err(Error::invalid("an event of a plan is recorded with the plan only"));
    }
    match &planned.act {
        Act::StartTask { task, .. } => check_name("name of a task", task),
        _ => Ok(()),
    }
}

/// The event of one act, with the scope it belongs to.
pub(crate) fn compose(
    planned: &Planned,
    state: &State,
    binder: &mut Binder<'_>,
) -> Result<(Event, AliasId)> {
    Ok(match &planned.act {
        Act::Event(event, scope) => ((**event).clone(), *scope),
        Act::StartTask { task, parent, scope } => {
            let task = binder.alias(AliasKind::Task, AliasId::ZERO, task)?;
            if state.task(&task).is_some_and(|task| task.ended.is_none()) {
                return Err(Error::new(ErrorKind::Conflict, "this task is under way already"));
            }
            let scope = binder.scope(scope)?;
            (Event::TaskStarted(duty::TaskStarted { task, parent: *parent }), scope)
        }
        Act::RevokeSource { source, memories } => {
            let source = binder.alias(AliasKind::Source, AliasId::ZERO, source)?;
            (
                Event::SourceRevoked(duty::SourceRevoked { source, memories: *memories }),
                AliasId::ZERO,
            )
        }
    })
}
