//! Owns the digest of what stands: everything that readers go by, and nothing that only tells of the
//! past.
//!
//! It covers each memory that can be in an answer without history (not forgotten, erased or rejected, and
//! valid at some time): its id, layer, trust, validity, lifetime, review date, whether it waits, has
//! been expired, is restricted, pinned or stale, how far it is pushed down, and who contests it. Left out are
//! the numbers of the records that brought it there, and when it was last confirmed and used. Two
//! moments with the same digest answer every ordinary question alike.

use ledger_format::{AliasId, AliasKind, Event, MemoryId, Seq, hash};
use ledger_replay::{Interval, Lifecycle};

use crate::error::Result;
use crate::names::AliasSource;
use crate::read::{Members, Snapshot};

impl Snapshot<'_> {
    /// Digest of what stands at this moment: a BLAKE3 hash. Reads every memory.
    ///
    /// # Errors
    /// When a record it needs cannot be read.
    pub fn standing(&self) -> Result<[u8; 32]> {
        let past = self.past();
        let mut born = Vec::new();
        for scope in all_scopes(past)? {
            born.extend(past.members(Members::Scope(scope), false)?);
        }
        born.sort_unstable();
        let mut bytes = b"what stands".to_vec();
        for seq in born {
            let Some(life) = past.version(seq)? else { continue };
            let gone = life.forgotten.is_some() || life.erased.is_some() || life.rejected;
            if gone || life.validity.is_never() {
                continue;
            }
            let Some(birth) = past.birth_at(seq)? else { continue };
            bytes.extend(birth.id.0);
            self.put(&life, &mut bytes)?;
        }
        Ok(hash::state(&bytes))
    }

    fn put(&self, life: &Lifecycle, out: &mut Vec<u8>) -> Result<()> {
        out.extend([life.layer.number(), life.trust.number()]);
        let marks =
            [life.pending, life.expired, life.restricted, life.pinned, life.stale].map(u8::from);
        out.extend(marks);
        for time in [life.ttl_until, life.review_by] {
            out.push(u8::from(time.is_some()));
            time.iter().for_each(|at| out.extend(at.0.to_le_bytes()));
        }
        count(out, life.validity.intervals().len());
        for Interval { from, until } in life.validity.intervals() {
            out.extend(from.0.to_le_bytes());
            out.extend(until.0.to_le_bytes());
        }
        let mut reaches: Vec<u8> =
            life.pushed_down.iter().map(|push| push.reach.number()).collect();
        reaches.sort_unstable();
        count(out, reaches.len());
        out.extend(reaches);
        let against = self.contest(life.contest)?;
        count(out, against.len());
        against.iter().for_each(|id| out.extend(id.0));
        Ok(())
    }

    fn contest(&self, contest: Option<Seq>) -> Result<Vec<MemoryId>> {
        let Some(seq) = contest else { return Ok(Vec::new()) };
        Ok(match self.vault.load(seq)?.event.event {
            Event::Contest(contest) => contest.memories,
            _ => Vec::new(),
        })
    }
}

fn count(out: &mut Vec<u8>, length: usize) {
    out.extend((length as u64).to_le_bytes());
}

/// The root and every scope below it.
pub(super) fn all_scopes(past: &dyn crate::read::Past) -> Result<Vec<AliasId>> {
    let mut all = vec![AliasId::ZERO];
    let mut at = 0;
    while let Some(parent) = all.get(at).copied() {
        let children = AliasSource::children(past, parent, AliasKind::Scope, Seq(0))?;
        all.extend(children.into_iter().map(|(id, _)| id));
        at += 1;
    }
    Ok(all)
}
