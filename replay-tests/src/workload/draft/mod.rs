//! Owns the choice from a step to an event of its kind, and how steps choose their targets.

mod duty;
mod ledger;
mod lifecycle;
mod routine;
mod write;

use ledger_format::{AliasId, AliasKind, Event, JobId, Kind, MemoryId, Seq};

use super::op::{Op, Verb};
use super::world::{Draft, World};

/// The step names something that does not exist.
pub(super) const UNKNOWN_TARGET: u8 = 1;
/// The step repeats or contradicts something that exists.
pub(super) const CONFLICT: u8 = 2;

/// The event of a step; none when there is nothing it could be about.
pub(super) fn draft(world: &mut World, op: Op) -> Option<Draft> {
    let Verb::Known(kind) = op.verb else {
        return Some(unknown(op));
    };
    let draft = match kind {
        Kind::Write => Some(write::write(world, op)),
        Kind::Close
        | Kind::Reopen
        | Kind::Confirm
        | Kind::Use
        | Kind::PushDown
        | Kind::Lift
        | Kind::Contest
        | Kind::Resolve
        | Kind::Pin
        | Kind::Unpin
        | Kind::Forget
        | Kind::Promote
        | Kind::Demote
        | Kind::Expire
        | Kind::Restrict
        | Kind::Unrestrict
        | Kind::Stale
        | Kind::Undo
        | Kind::SkillState
        | Kind::SummaryState => lifecycle::event(world, op, kind).map(Draft::new),
        Kind::Genesis
        | Kind::Epoch
        | Kind::AliasBound
        | Kind::PolicySet
        | Kind::ClockCorrected
        | Kind::KeyRotated
        | Kind::MasterRotated
        | Kind::PepperRotated
        | Kind::CheckpointSigned
        | Kind::ConfigSet
        | Kind::BackupTaken
        | Kind::Restored
        | Kind::Repaired => ledger::draft(world, op, kind),
        _ => duty::event(world, op, kind).map(Draft::new),
    };
    draft.map(|mut draft| {
        let scopes = world.scopes();
        if draft.scope.is_zero() && op.z & 1 == 1 {
            draft.scope = choose(&scopes, op.pick).unwrap_or_default();
        }
        draft.job = (op.z & 64 != 0).then_some(JobId([op.y % 4; 16]));
        draft
    })
}

/// A kind of the future, or a known kind in a version of the future.
fn unknown(op: Op) -> Draft {
    let critical = op.verb == Verb::UnknownCritical;
    let (kind, version) =
        if op.x & 1 == 0 { (200 + u16::from(op.y % 4), 1) } else { (Kind::Close.number(), 2) };
    let body = [op.x, op.y, op.z].repeat(usize::from(op.more % 8));
    Draft::new(Event::Unknown { kind, version, critical, body })
}

pub(super) fn choose<T: Copy>(list: &[T], number: u8) -> Option<T> {
    list.get(usize::from(number).checked_rem(list.len())?).copied()
}

impl World {
    /// The memory a step is about.
    pub(super) fn target(&self, op: Op) -> Option<MemoryId> {
        if op.odd & UNKNOWN_TARGET != 0 {
            return Some(MemoryId([op.pick | 1; 16]));
        }
        choose(&self.memories, op.pick).map(|made| made.id)
    }

    /// `1 + more` different memories in the order of their ids.
    pub(super) fn targets(&self, op: Op) -> Option<Vec<MemoryId>> {
        let mut list = vec![self.target(op)?];
        for step in 1..=op.more % 4 {
            let next = op.pick.wrapping_add(step.wrapping_mul(op.more | 1));
            list.extend(choose(&self.memories, next).map(|made| made.id));
        }
        list.sort_unstable();
        list.dedup();
        Some(list)
    }

    /// One of some records; a record that is none of them when the step is odd.
    pub(super) fn a_record(&self, from: &[Seq], op: Op) -> Option<Seq> {
        if op.odd & UNKNOWN_TARGET != 0 {
            Some(Seq(u64::from(op.pick)))
        } else {
            choose(from, op.pick)
        }
    }

    /// An alias of a kind for one of the optional fields: none for 0.
    pub(super) fn named(&self, kind: AliasKind, number: u8) -> Option<AliasId> {
        choose(&self.of_kind(kind), number.checked_sub(1)?)
    }
}
