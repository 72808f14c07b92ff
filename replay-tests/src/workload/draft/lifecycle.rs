//! Owns the events that change memories.

use ledger_format::event::memory as body;
use ledger_format::names::{ExpireCause, SkillPhase, SummaryPhase};
use ledger_format::{
    AliasKind, CloseKind, Event, JobId, Kind, Layer, MemoryId, Micros, Reach, Seq, Trust,
};

use super::{UNKNOWN_TARGET, choose};
use crate::workload::op::Op;
use crate::workload::time;
use crate::workload::world::World;

pub(super) fn event(world: &mut World, op: Op, kind: Kind) -> Option<Event> {
    let memory = world.target(op)?;
    Some(match kind {
        Kind::Close => close(world, op, memory),
        Kind::Reopen => {
            let (from, until) = time::interval(op.from, op.until);
            Event::Reopen(body::Reopen { memory, from, until })
        }
        Kind::PushDown => {
            world.pushes.push((memory, world.next_seq()));
            Event::PushDown(body::PushDown {
                memory,
                reach: choose(Reach::ALL, op.x)?.0,
                receipt: None,
                tag: world.named(AliasKind::Tag, op.y % 3),
            })
        }
        Kind::Lift => lift(world, op)?,
        Kind::Contest => contest(world, op)?,
        Kind::Resolve => {
            let contest = world.a_record(&world.contests, op)?;
            world.contests.retain(|open| *open != contest);
            Event::Resolve(body::Resolve { contest, kept: vec![memory], rule: u32::from(op.x) })
        }
        _ => return marked(world, op, kind, memory),
    })
}

/// The events that say one small thing about a memory.
fn marked(world: &World, op: Op, kind: Kind, memory: MemoryId) -> Option<Event> {
    Some(match kind {
        Kind::Pin => Event::Pin(body::Pin { memory }),
        Kind::Unpin => Event::Unpin(body::Unpin { memory }),
        Kind::Promote => {
            let (trust, layer) = rank(op);
            Event::Promote(body::Promote { memory, trust, layer, approval: None })
        }
        Kind::Demote => {
            let (trust, layer) = rank(op);
            Event::Demote(body::Demote { memory, trust, layer })
        }
        Kind::SkillState => {
            let phase = choose(SkillPhase::ALL, op.x)?.0;
            Event::SkillState(body::SkillState { memory, phase, predecessor: None })
        }
        Kind::SummaryState => {
            let phase = choose(SummaryPhase::ALL, op.x)?.0;
            Event::SummaryState(body::SummaryState { memory, phase, in_force: None })
        }
        Kind::Undo => {
            let first = Seq(u64::from(op.pick) % world.next_seq().0);
            Event::Undo(body::Undo { job: JobId([op.x; 16]), first, last: world.next_seq() })
        }
        _ => return listed(world, op, kind),
    })
}

/// The events that name a list.
fn listed(world: &World, op: Op, kind: Kind) -> Option<Event> {
    let memories = world.targets(op)?;
    Some(match kind {
        Kind::Confirm => Event::Confirm(body::Confirm {
            memories,
            ttl_until: time::instant(op.until),
            review_by: time::instant(op.from),
        }),
        Kind::Use => Event::Use(body::Use { memories, receipt: None }),
        Kind::Forget => Event::Forget(body::Forget {
            memories,
            subject: world.named(AliasKind::Person, op.x % 3),
        }),
        Kind::Expire => Event::Expire(body::Expire {
            memories,
            basis: time::instant(op.from).unwrap_or(Micros(time::BASE)),
            cause: choose(ExpireCause::ALL, op.x)?.0,
        }),
        Kind::Restrict => Event::Restrict(body::Restrict { memories, hold: hold(op) }),
        Kind::Unrestrict => Event::Unrestrict(body::Unrestrict { memories, hold: hold(op) }),
        Kind::Stale => Event::Stale(body::Stale { memories, source: None }),
        _ => return None,
    })
}

fn close(world: &World, op: Op, memory: MemoryId) -> Event {
    let wrong = op.x % 4 == 3;
    let (from, until) = if wrong { (None, None) } else { time::interval(op.from, op.until) };
    Event::Close(body::Close {
        memory,
        kind: if wrong { CloseKind::Wrong } else { CloseKind::Changed },
        from,
        until,
        replaced_by: choose(&world.memories, op.y).map(|made| made.id).filter(|_| op.z & 2 != 0),
    })
}

fn lift(world: &mut World, op: Op) -> Option<Event> {
    if op.odd & UNKNOWN_TARGET != 0 {
        let memory = world.target(op)?;
        return Some(Event::Lift(body::Lift { memory, push_down: Some(Seq(u64::from(op.x))) }));
    }
    let (memory, seq) = choose(&world.pushes, op.pick)?;
    Some(Event::Lift(body::Lift { memory, push_down: (!op.x.is_multiple_of(3)).then_some(seq) }))
}

fn contest(world: &mut World, op: Op) -> Option<Event> {
    let memories = world.targets(Op { more: op.more | 1, ..op })?;
    if memories.len() < 2 {
        return None;
    }
    world.contests.push(world.next_seq());
    Some(Event::Contest(body::Contest { memories, rule: u32::from(op.x) }))
}

fn rank(op: Op) -> (Option<Trust>, Option<Layer>) {
    let trust = choose(Trust::ALL, op.x).map(|(trust, _, _)| trust);
    let layer = choose(Layer::ALL, op.y).map(|(layer, _, _)| layer);
    (trust.filter(|_| op.z & 2 == 0), layer.filter(|_| op.z & 4 != 0))
}

/// One of two holds, or none.
fn hold(op: Op) -> Option<JobId> {
    (!op.x.is_multiple_of(3)).then_some(JobId([op.x % 3; 16]))
}
