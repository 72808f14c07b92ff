//! Less to read, nothing lost: memories that say the same become one, noise is closed, and what proved
//! itself is proposed for more trust.
//!
//! Owns the plan and carrying it out. Invariants: everything is an ordinary event of one job, so it can be
//! taken back; nothing is deleted or forgotten; pinned and contested memories, instructions, canonical clauses,
//! skills, messages and failures are left alone; nobody but a person raises trust. May not: merge what only
//! looks alike.

use std::collections::{BTreeMap, HashSet};

use ledger_format::{ActorKind, BodyType, CloseKind, JobId, Layer, MemoryId, Micros, Trust};
use ledger_replay::Status;
use ledger_signals::normal_form;

use crate::answer::{Item, Text};
use crate::basis::{Basis, Question};
use crate::command::{Command, Submission, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::scope::{Actor, Scope};

/// Most changes of one run: it is one submission.
const MOST: usize = 4_000;
const DAY: i64 = 86_400_000_000;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compaction {
    /// Only in this scope and below.
    pub scope: Scope,
    /// After so many days without use or confirmation an unverified memory is noise.
    pub untouched_days: u32,
    /// So many confirmations and uses make an unverified memory worth a person's look.
    pub touches: usize,
}

impl Default for Compaction {
    fn default() -> Self {
        Self { scope: Scope::root(), untouched_days: 90, touches: 3 }
    }
}

/// What would be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// What it rests on.
    pub basis: Basis,
    /// Memories that say the same: the one that stays, and those that are closed in its favour.
    pub merges: Vec<(Item, Vec<Item>)>,
    /// Memories that proved themselves, with the number of their confirmations and uses: a person decides.
    pub promotions: Vec<(Item, usize)>,
    /// Memories that nobody used, and on which nothing depends.
    pub noise: Vec<Item>,
}

/// What was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Compacted {
    /// The job that all of it is part of.
    pub job: JobId,
    /// Its records.
    pub outcomes: Vec<Outcome>,
    /// Changes that are left for the next run.
    pub left: usize,
}

impl Ledger {
    /// What a compaction would do now.
    ///
    /// # Errors
    /// When a record or payload cannot be read.
    pub fn compaction(&self, asked: &Compaction) -> Result<Plan> {
        let snapshot = self.snapshot(&Question::now(self.zone()))?;
        let filter = Filter { scope: asked.scope.clone(), ..Filter::default() };
        let items = snapshot.list(&filter)?.items;
        let merges = merges(&items);
        let closed: HashSet<MemoryId> =
            merges.iter().flat_map(|(_, others)| others.iter().map(|item| item.id)).collect();
        let needed: HashSet<MemoryId> =
            items.iter().flat_map(|item| item.derived_from.iter().copied()).collect();
        let basis = snapshot.basis().clone();
        let before = basis.known_at.0.saturating_sub(i64::from(asked.untouched_days) * DAY);
        let rest = || items.iter().filter(|item| !closed.contains(&item.id));
        let noise = rest().filter(|item| is_noise(item, Micros(before), &needed)).cloned();
        let noise = noise.collect();
        let mut promotions = Vec::new();
        for item in rest().filter(|item| may_rise(item)) {
            let life = snapshot.history(&item.id)?;
            let touches = life.iter().filter(|one| ["confirm", "use"].contains(&&*one.event));
            let count = touches.count();
            if count >= asked.touches {
                promotions.push((item.clone(), count));
            }
        }
        Ok(Plan { basis, merges, promotions, noise })
    }

    /// Carries a plan out, as far as nothing changed since: in one submission, all or none. Promotions
    /// are part of it only where a person acts and `promote` says so.
    ///
    /// # Errors
    /// As [`Ledger::submit`]; [`ErrorKind::Invalid`] when somebody else than a person promotes;
    /// [`ErrorKind::NotFound`] when there is nothing to do.
    pub fn compact(&self, plan: &Plan, by: Option<Actor>, promote: bool) -> Result<Compacted> {
        let person = by.as_ref().is_some_and(|by| by.kind == ActorKind::Person);
        if promote && !person {
            return Err(Error::invalid("only a person promotes: give --by person:NAME"));
        }
        let mut commands = changes(plan, promote);
        if commands.is_empty() {
            return Err(Error::new(ErrorKind::NotFound, "there is nothing to compact"));
        }
        let left = commands.len().saturating_sub(MOST);
        commands.truncate(MOST);
        let mut id = [0; 16];
        let filled = self.chance.fill(&mut id);
        filled.map_err(|why| Error::new(ErrorKind::Unavailable, why))?;
        let job = JobId(id);
        let terms = Terms { by, job: Some(job), ..Terms::default() };
        let outcomes = self.submit(Submission { commands, terms })?;
        Ok(Compacted { job, outcomes, left })
    }
}

fn changes(plan: &Plan, promote: bool) -> Vec<Command> {
    let close = |item: &Item, by: Option<MemoryId>, reason: &str| Command::Close {
        memory: item.id,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: by,
        reason: Some(reason.to_owned()),
    };
    let mut commands = Vec::new();
    for (kept, others) in &plan.merges {
        let says = "compaction: another memory of this scope says the same";
        commands.extend(others.iter().map(|item| close(item, Some(kept.id), says)));
    }
    let says = "compaction: nobody used or confirmed it, and nothing depends on it";
    commands.extend(plan.noise.iter().map(|item| close(item, None, says)));
    if promote {
        commands.extend(plan.promotions.iter().map(|(item, count)| Command::Rank {
            memory: item.id,
            trust: Some(Trust::Verified),
            layer: None,
            up: true,
            reason: Some(format!("compaction: confirmed or used {count} times")),
        }));
    }
    commands
}

/// Groups that say the same about the same, for the same time, in the same place.
fn merges(items: &[Item]) -> Vec<(Item, Vec<Item>)> {
    let mut groups: BTreeMap<_, Vec<&Item>> = BTreeMap::new();
    for item in items {
        let claims = matches!(item.body_type, BodyType::Note | BodyType::Fact | BodyType::Decision);
        let Text::Words(words) = &item.text else { continue };
        if !claims || is_left_alone(item) {
            continue;
        }
        let place = (item.scope.clone(), item.layer.number(), item.body_type.number());
        let about = (item.key.clone(), item.subjects.clone());
        let holds: Vec<_> = item.validity.iter().map(|one| (one.from, one.until)).collect();
        groups.entry((place, about, holds, normal_form(words))).or_default().push(item);
    }
    let mut merges = Vec::new();
    for mut group in groups.into_values() {
        group.sort_by_key(|item| (!item.pinned, std::cmp::Reverse(item.trust), item.seq));
        let mut group = group.into_iter();
        let Some(kept) = group.next() else { continue };
        let others: Vec<Item> = group.filter(|item| !item.pinned).cloned().collect();
        if !others.is_empty() {
            merges.push((kept.clone(), others));
        }
    }
    merges.sort_by_key(|(kept, _)| kept.seq);
    merges
}

/// What compaction never touches.
fn is_left_alone(item: &Item) -> bool {
    let binding = matches!(item.layer, Layer::Instruction | Layer::Canonical | Layer::Procedural);
    binding || item.status == Status::Contested
}

fn is_noise(item: &Item, before: Micros, needed: &HashSet<MemoryId>) -> bool {
    let kept = matches!(item.body_type, BodyType::Message | BodyType::Failure | BodyType::State);
    let touched = [item.last_used, item.last_confirmed].into_iter().flatten().max();
    let last = touched.unwrap_or(item.recorded_at).max(item.recorded_at);
    !kept
        && !item.pinned
        && !is_left_alone(item)
        && item.trust <= Trust::Unverified
        && last <= before
        && !needed.contains(&item.id)
}

/// Unverified, and touched after it was written.
fn may_rise(item: &Item) -> bool {
    let touched = [item.last_used, item.last_confirmed].into_iter().flatten().max();
    item.trust == Trust::Unverified
        && !is_left_alone(item)
        && touched.is_some_and(|at| at > item.recorded_at)
}
