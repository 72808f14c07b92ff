//! Owns what needs a person.

use ledger_format::Micros;
use ledger_replay::Status;

use super::standing::all_scopes;
use crate::answer::Item;
use crate::error::Result;
use crate::read::{Members, Snapshot};
use crate::scope::Scope;

/// A quarter: what nobody used for so long is worth a look.
const OLD: i64 = 90 * 86_400 * 1_000_000;

/// Why a memory needs a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Concern {
    /// It waits for approval.
    Pending,
    /// It is contradicted.
    Contested,
    /// What it was made from has changed.
    Stale,
    /// Its review date has passed.
    ReviewDue,
    /// It was never used or confirmed, and is older than 90 days.
    Unused,
}

impl Concern {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Contested => "contested",
            Self::Stale => "stale",
            Self::ReviewDue => "review_due",
            Self::Unused => "unused",
        }
    }
}

/// A memory that needs a person, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewItem {
    /// The memory.
    pub item: Item,
    /// Why, the gravest first.
    pub concerns: Vec<Concern>,
}

impl Snapshot<'_> {
    /// The memories of a scope and below that need a person, those with the gravest concern first, and
    /// otherwise in the order of their records. Looks at everything that is in force.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn review(&self, scope: &Scope) -> Result<Vec<ReviewItem>> {
        let (past, assembler) = (self.past(), self.assembler()?);
        let mut born = Vec::new();
        for scope in all_scopes(past)? {
            born.extend(past.members(Members::Scope(scope), true)?);
        }
        born.sort_unstable();
        let mut items = Vec::new();
        for seq in born {
            let Some(life) = past.version(seq)? else { continue };
            let status = life.status(assembler.at);
            if !status.in_force() && status != Status::Pending {
                continue;
            }
            let Some(birth) = past.birth_at(seq)? else { continue };
            let item = assembler.item(&birth, &life)?;
            let concerns = concerns(&item, assembler.at.known);
            if !concerns.is_empty() && item.scope.within(scope) {
                items.push(ReviewItem { item, concerns });
            }
        }
        items.sort_by_key(|one| one.concerns.first().map(|concern| *concern as u8));
        Ok(items)
    }
}

fn concerns(item: &Item, now: Micros) -> Vec<Concern> {
    let unused = item.last_used.is_none() && item.last_confirmed.is_none();
    let old = now.0.saturating_sub(item.recorded_at.0) >= OLD;
    let all = [
        (item.status == Status::Pending, Concern::Pending),
        (item.conflict_group.is_some(), Concern::Contested),
        (item.stale, Concern::Stale),
        (item.review_by.is_some_and(|due| due <= now), Concern::ReviewDue),
        (unused && old && !item.pinned, Concern::Unused),
    ];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, concern)| concern).collect()
}
