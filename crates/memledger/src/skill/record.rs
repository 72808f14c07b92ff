//! Owns how a version of a skill did, counted from what was recorded about its use.

use ledger_format::{BodyType, MemoryId, Micros, Trust};
use ledger_replay::Status;
use serde_json::Value;

use super::named;
use crate::answer::Item;
use crate::body::SkillName;

/// What the episodes and failures of one version come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Episodes that went well.
    pub ok: u32,
    /// Episodes that went wrong.
    pub failed: u32,
    /// Episodes that went well in part.
    pub partial: u32,
    /// Verified successes in a row, the last ones on record, with no failure since.
    pub in_a_row: Vec<MemoryId>,
    /// Failures that name it, or were recorded as such.
    pub failures: Vec<MemoryId>,
    /// When it was used last: when the writer saw it, else when it was recorded.
    pub last_use: Option<Micros>,
}

impl Score {
    /// Share of episodes that went well, in parts of 10,000; none without episodes. What went well in
    /// part did not go well.
    #[must_use]
    pub fn success_rate(&self) -> Option<u16> {
        let all = u64::from(self.ok) + u64::from(self.failed) + u64::from(self.partial);
        let parts = (u64::from(self.ok) * 10_000).checked_div(all)?;
        u16::try_from(parts).ok()
    }

    /// Counts what is about a skill, in the order of its records.
    pub(super) fn of(skill: &SkillName, about: &[Item]) -> Self {
        let mut score = Self::default();
        for item in about.iter().filter(|item| counts(item) && named(item).as_ref() == Some(skill))
        {
            match item.body_type {
                BodyType::Episode => score.episode(item),
                BodyType::Failure => {
                    score.failures.push(item.id);
                    score.in_a_row.clear();
                }
                _ => {}
            }
        }
        score
    }

    fn episode(&mut self, item: &Item) {
        let used = item.observed_at.unwrap_or(item.recorded_at);
        self.last_use = self.last_use.max(Some(used));
        let outcome = item.body.as_ref().and_then(|body| body.get("outcome"));
        match outcome.and_then(Value::as_str) {
            Some("ok") => {
                self.ok += 1;
                // What nobody verified neither earns a promotion nor stands in its way.
                if item.trust >= Trust::Verified {
                    self.in_a_row.push(item.id);
                }
            }
            Some("failed") => {
                self.failed += 1;
                self.in_a_row.clear();
            }
            _ => {
                self.partial += 1;
                self.in_a_row.clear();
            }
        }
    }
}

/// What was withdrawn did not happen; what ran out did.
const fn counts(item: &Item) -> bool {
    item.status.in_force() || matches!(item.status, Status::Expired)
}
