//! Owns what is recorded about a summary: that it was checked, and that it was withdrawn.

use ledger_format::names::SummaryPhase;
use ledger_format::{BodyType, CloseKind, MemoryId};

use super::SummaryCheck;
use crate::answer::Item;
use crate::basis::Question;
use crate::command::{Command, Submission, Terms};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;
use crate::outcome::Outcome;
use crate::read::Snapshot;
use crate::skill::Act;

/// A withdrawal that was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryChange {
    /// The summary that was withdrawn.
    pub withdrawn: MemoryId,
    /// The generation in force afterwards.
    pub in_force: Option<MemoryId>,
    /// The records.
    pub outcomes: Vec<Outcome>,
}

impl Ledger {
    /// Checks a summary now and records what that came to.
    ///
    /// # Errors
    /// As [`Snapshot::check_summary`] and [`Ledger::submit`].
    pub fn verify_summary(&self, id: &MemoryId, act: &Act) -> Result<(SummaryCheck, Outcome)> {
        let now = self.snapshot(&Question::now(self.zone()))?;
        let mut check = now.check_summary(id)?;
        let sound = check.drift.is_empty();
        let phase = if sound { SummaryPhase::Verified } else { SummaryPhase::Drifted };
        let reason = act.reason.clone();
        let command = Command::Summary { memory: *id, phase, in_force: None, reason };
        let terms = Terms { by: act.by.clone(), ..Terms::default() };
        let mut outcomes = self.submit(Submission::of(command, terms))?;
        check.phase = Some(phase);
        let outcome = outcomes.pop();
        let outcome = outcome
            .ok_or_else(|| Error::new(ErrorKind::Unavailable, "the writer recorded nothing"))?;
        Ok((check, outcome))
    }

    /// Withdraws a summary; an earlier generation that it covers applies again. None: the highest
    /// generation that it covers.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when `to` is not covered by it, [`ErrorKind::Conflict`] when it is withdrawn
    /// already; otherwise as [`Ledger::submit`].
    pub fn rollback_summary(
        &self,
        id: &MemoryId,
        to: Option<MemoryId>,
        act: &Act,
    ) -> Result<SummaryChange> {
        let now = self.snapshot(&Question::now(self.zone()))?;
        let bad = now.summary(id)?;
        let earlier = match to {
            Some(to) => Some(covered(&now, &bad, &to)?),
            None => highest(&now, &bad)?,
        };
        let in_force = earlier.as_ref().map(|item| item.id);
        let reason = || act.reason.clone();
        let phase = SummaryPhase::RolledBack;
        let mut commands = vec![
            Command::Summary { memory: *id, phase, in_force, reason: reason() },
            Command::Close {
                memory: *id,
                kind: CloseKind::Changed,
                from: None,
                until: None,
                replaced_by: in_force,
                reason: reason(),
            },
        ];
        if let Some(item) = earlier.filter(|item| !item.status.in_force()) {
            commands.push(Command::Reopen {
                memory: item.id,
                from: None,
                until: None,
                reason: reason(),
            });
        }
        let terms =
            Terms { by: act.by.clone(), expected_head: now.basis().seq, ..Terms::default() };
        let outcomes = self.submit(Submission { commands, terms })?;
        Ok(SummaryChange { withdrawn: *id, in_force, outcomes })
    }
}

/// The earlier generation that was asked for, at any depth below the one that is withdrawn.
fn covered(now: &Snapshot<'_>, bad: &Item, to: &MemoryId) -> Result<Item> {
    let mut level = summaries(now, bad)?;
    // Each step goes to a lower generation, so this ends.
    while !level.is_empty() {
        if let Some(found) = level.iter().position(|item| item.id == *to) {
            return Ok(level.swap_remove(found));
        }
        let mut next = Vec::new();
        for item in &level {
            next.extend(summaries(now, item)?);
        }
        level = next;
    }
    Err(Error::invalid(format!(
        "memory {} is no earlier generation of summary {}",
        to.hyphenated(),
        bad.id.hyphenated()
    )))
}

fn highest(now: &Snapshot<'_>, bad: &Item) -> Result<Option<Item>> {
    Ok(summaries(now, bad)?.into_iter().max_by_key(|item| (item.generation, item.seq)))
}

/// The earlier generations that a summary covers itself.
fn summaries(now: &Snapshot<'_>, of: &Item) -> Result<Vec<Item>> {
    let mut found = Vec::new();
    for id in &of.derived_from {
        let item = now.get(id)?;
        let earlier =
            |item: &Item| item.body_type == BodyType::Summary && item.generation < of.generation;
        found.extend(item.filter(earlier));
    }
    Ok(found)
}
