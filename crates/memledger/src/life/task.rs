//! Owns tasks: beginning one, ending one with everything that steps aside, and listing them.
//!
//! What steps aside at the end of a task is on record, memory by memory, as `expire` with the cause
//! `task_end` in the same submission as the end itself. It is not left to readers to find out: the record
//! says which rule held then, every earlier moment replays without knowing tasks, and it can be
//! confirmed or taken back like anything else.

use ledger_format::event::{duty, memory};
use ledger_format::names::{ExpireCause, Outcome as TaskOutcome};
use ledger_format::{AliasId, AliasKind, Event, Layer, MemoryId, Micros, Seq, limits};
use ledger_replay::{State, Task};

use super::plan::{Act, Plan, PlanKind};
use crate::command::{Reason, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::read::Snapshot;
use crate::scope::Scope;

/// A task, as an answer shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskItem {
    /// Its name.
    pub name: String,
    /// The task it is part of.
    pub parent: Option<String>,
    /// Where it was begun.
    pub scope: Scope,
    /// The record that began it, and when.
    pub started: (Seq, Micros),
    /// The record that ended it, when, and how it went; none: under way.
    pub ended: Option<(Seq, Micros, TaskOutcome)>,
    /// What the ending was given as a reason.
    pub reason: Option<String>,
}

impl Ledger {
    /// Begins a task. One that has ended can be begun again.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] for a parent that is no task, [`ErrorKind::Conflict`] when the parent has
    /// ended or the task is under way; otherwise as [`Ledger::submit`].
    pub fn start_task(
        &self,
        name: &str,
        parent: Option<&str>,
        scope: &Scope,
        terms: &Terms,
    ) -> Result<Outcome> {
        let parent = parent.map(|parent| self.task_alias(parent)).transpose()?;
        let (_, done) = self.plan_and_do(terms, &None, || {
            let (name, scope) = (name.to_owned(), scope.clone());
            self.with_state(move |state| {
                if let Some(parent) = parent {
                    under_way(state, parent)?;
                }
                let mut plan = Plan::new(PlanKind::TaskStart, state.head().map(|head| head.seq));
                plan.acts.push(Act::StartTask { task: name, parent, scope });
                Ok(plan)
            })?
        })?;
        last(done)
    }

    /// Ends a task and the tasks under it: their session memories and instructions step aside.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] when there is no such task, [`ErrorKind::Conflict`] when it has ended;
    /// otherwise as [`Ledger::submit`].
    pub fn end_task(
        &self,
        name: &str,
        outcome: TaskOutcome,
        terms: &Terms,
        reason: &Reason,
    ) -> Result<(Plan, Vec<Outcome>)> {
        let task = self.task_alias(name)?;
        let scope = self.task_scope(task)?;
        self.plan_and_do(terms, reason, || {
            let now = self.clock.now().wall;
            self.with_state(move |state| end(state, task, outcome, scope, now))?
        })
    }

    /// The alias of a task.
    pub(crate) fn task_alias(&self, name: &str) -> Result<AliasId> {
        let snapshot = self.snapshot(&crate::Question::now(self.zone()))?;
        let kind = AliasKind::Task;
        let found = self.names.alias(&self.vault, snapshot.past(), kind, AliasId::ZERO, name)?;
        found.ok_or_else(|| no_task(name))
    }

    fn task_scope(&self, task: AliasId) -> Result<AliasId> {
        let started = self.with_state(move |state| state.task(&task))?;
        match started {
            Some(task) => Ok(self.vault.load(task.started)?.event.header.scope),
            None => Ok(AliasId::ZERO),
        }
    }
}

impl Snapshot<'_> {
    /// The tasks begun by the moment of this snapshot, in the order in which they were begun.
    ///
    /// # Errors
    /// When a record or name it needs cannot be read.
    pub fn tasks(&self) -> Result<Vec<TaskItem>> {
        let past = self.past();
        let mut items = Vec::new();
        for (alias, _) in past.children(AliasId::ZERO, AliasKind::Task, Seq(0))? {
            if let Some(task) = past.task(alias)? {
                items.push(self.task_item(alias, task)?);
            }
        }
        items.sort_by_key(|item: &TaskItem| item.started.0);
        Ok(items)
    }

    fn task_item(&self, alias: AliasId, task: Task) -> Result<TaskItem> {
        let (past, names, vault) = (self.past(), self.names, self.vault);
        let name = |alias: AliasId| -> Result<String> {
            let name = names.name(vault, past, alias)?;
            Ok(name.unwrap_or_else(|| format!("alias:{alias}")))
        };
        let started = vault.load(task.started)?.event.header;
        let mut item = TaskItem {
            name: name(alias)?,
            parent: task.parent.map(name).transpose()?,
            scope: names.scope(vault, past, started.scope)?,
            started: (task.started, started.recorded_at),
            ended: None,
            reason: None,
        };
        if let Some(seq) = task.ended {
            let loaded = vault.load(seq)?;
            if let Event::TaskEnded(ended) = &loaded.event.event {
                item.ended = Some((seq, loaded.event.header.recorded_at, ended.outcome));
            }
            item.reason = self.assembler()?.plain(&loaded, ledger_format::Role::Reason)?;
        }
        Ok(item)
    }
}

/// What to say about a task that nobody began.
pub(crate) fn no_task(name: &str) -> Error {
    Error::new(
        ErrorKind::NotFound,
        format!(
            "there is no task {name:?}; `memledger task start` begins one, `memledger task list` shows them"
        ),
    )
}

/// A task that has not ended.
pub(crate) fn under_way(state: &State, task: AliasId) -> Result<Task> {
    match state.task(&task) {
        Some(found) => match found.ended {
            None => Ok(found),
            Some(seq) => Err(Error::new(
                ErrorKind::Conflict,
                format!(
                    "the task was ended by record {seq}; begin it again with `memledger task start`"
                ),
            )),
        },
        None => Err(Error::new(
            ErrorKind::NotFound,
            "there is no such task; begin it with `memledger task start`",
        )),
    }
}

/// The plan of an ending: the innermost tasks first.
fn end(
    state: &State,
    task: AliasId,
    outcome: TaskOutcome,
    scope: AliasId,
    now: Micros,
) -> Result<Plan> {
    under_way(state, task)?;
    let mut plan = Plan::new(PlanKind::TaskEnd, state.head().map(|head| head.seq));
    let mut tasks = vec![task];
    let mut at = 0;
    while let Some(parent) = tasks.get(at).copied() {
        let children = state.tasks().filter(|(child, of)| {
            of.parent == Some(parent) && of.ended.is_none() && !tasks.contains(child)
        });
        let children: Vec<AliasId> = children.map(|(child, _)| *child).collect();
        tasks.extend(children);
        at += 1;
    }
    let mut aside: Vec<MemoryId> = Vec::new();
    for ending in tasks.iter().rev() {
        let ended = Event::TaskEnded(duty::TaskEnded { task: *ending, outcome });
        plan.acts.push(Act::event(ended, scope));
        aside.extend(state.of_task(ending).iter().filter(|id| steps_aside(state, id)));
    }
    aside.sort_unstable();
    aside.iter().for_each(|id| plan.step(*id, "steps aside"));
    for part in aside.chunks(limits::TARGETS) {
        let at = part.first().and_then(|id| state.memory(id)).map_or(scope, |memory| memory.scope);
        let (memories, cause) = (part.to_vec(), ExpireCause::TaskEnd);
        let expire = memory::Expire { memories, basis: now, cause };
        plan.acts.push(Act::event(Event::Expire(expire), at));
    }
    Ok(plan)
}

/// Context of the task and orders for it; what was learned on the way stays.
fn steps_aside(state: &State, id: &MemoryId) -> bool {
    state.memory(id).is_some_and(|memory| {
        let life = &memory.lifecycle;
        matches!(life.layer, Layer::Session | Layer::Instruction)
            && !(life.expired || life.rejected || life.forgotten.is_some() || life.erased.is_some())
    })
}

fn last(mut outcomes: Vec<Outcome>) -> Result<Outcome> {
    let last = outcomes.pop();
    last.ok_or_else(|| Error::new(ErrorKind::Unavailable, "the writer recorded nothing"))
}
