//! Owns writes: plain, superseding, pending, derived, keyed, late.

use ledger_format::event::memory::{FactKey, Write};
use ledger_format::{
    AliasKind, BodyType, Digest16, Event, Layer, MemoryId, Role, SourceKind, Trust, Verdict,
};

use super::{CONFLICT, UNKNOWN_TARGET, choose};
use crate::workload::op::Op;
use crate::workload::time;
use crate::workload::world::{Draft, Made, World};

pub(super) fn write(world: &mut World, op: Op) -> Draft {
    let again = choose(&world.memories, op.pick).filter(|_| op.odd & CONFLICT != 0);
    let memory = again.map_or_else(|| world.fresh_memory(), |made| made.id);
    let scope = choose(&world.scopes(), op.pick).unwrap_or_default();
    let supersedes = superseded(world, op, memory, scope);
    let verdict = match op.y / 64 {
        1 => Verdict::Pending,
        2 => Verdict::Redirected,
        _ => Verdict::Committed,
    };
    let seq = world.next_seq();
    if again.is_none() {
        world.memories.push(Made { id: memory, scope });
        if verdict == Verdict::Pending {
            world.pending.push(seq);
        }
    }
    let idempotency =
        (op.y & 8 != 0).then_some((Digest16([op.x % 5; 16]), Digest16([op.x % 7; 16])));
    let (valid_from, valid_until) = time::interval(op.from, op.until);
    let (supersede_from, supersede_until) = time::interval(op.cut_from, op.cut_until);
    let body = choose(BodyType::ALL, op.y).unwrap().0;
    let event = Event::Write(Write {
        memory,
        layer: choose(Layer::ALL, op.x).unwrap().0,
        body,
        trust: choose(Trust::ALL, op.z).unwrap().0,
        verdict,
        source: choose(SourceKind::ALL, op.z).unwrap().0,
        marks: u16::from(op.x) & Write::MARKS,
        generation: u16::from(body == BodyType::Summary),
        confidence: (op.z & 16 != 0).then_some(u16::from(op.z) * 39),
        observed_at: time::instant(op.cut_until),
        valid_from,
        valid_until,
        ttl_until: Some(op.y).filter(|y| y & 16 != 0).and_then(time::instant),
        review_by: Some(op.x).filter(|x| x & 16 != 0).and_then(time::instant),
        supersede_from,
        supersede_until,
        key: world.named(AliasKind::Key, op.z / 32 % 3),
        fact: fact(world, body, op),
        domain: None,
        subjects: world.named(AliasKind::Person, op.x / 8 % 3).into_iter().collect(),
        tags: world.named(AliasKind::Tag, op.x / 32 % 3).into_iter().collect(),
        supersedes,
        derived_from: derived(world, op, memory),
    });
    let draft = Draft::new(event)
        .with(&[Role::Text, Role::Source, Role::Reason][..usize::from(op.z % 4).min(3)]);
    Draft { scope, idempotency, ..draft }
}

/// What the write closes: memories of its own scope, unless the step is odd.
fn superseded(
    world: &World,
    op: Op,
    memory: MemoryId,
    scope: ledger_format::AliasId,
) -> Vec<MemoryId> {
    let anywhere = op.odd & CONFLICT != 0;
    let fitting: Vec<MemoryId> = world
        .memories
        .iter()
        .filter(|made| (anywhere || made.scope == scope) && made.id != memory)
        .map(|made| made.id)
        .collect();
    let mut list: Vec<MemoryId> = Vec::new();
    for step in 0..op.more % 4 {
        let next = choose(&fitting, op.cut_from.wrapping_add(step));
        list.extend(next.filter(|id| !list.contains(id)));
    }
    if op.odd & UNKNOWN_TARGET != 0 {
        list.push(MemoryId([op.pick | 1; 16]));
    }
    list
}

fn derived(world: &World, op: Op, memory: MemoryId) -> Vec<MemoryId> {
    let wanted = usize::from(op.more / 4 % 3);
    let mut list: Vec<MemoryId> = world
        .memories
        .iter()
        .rev()
        .map(|made| made.id)
        .filter(|id| *id != memory)
        .take(wanted)
        .collect();
    list.sort_unstable();
    list
}

fn fact(world: &World, body: BodyType, op: Op) -> Option<FactKey> {
    let terms = world.of_kind(AliasKind::Term);
    let subject = choose(&terms, op.x)?;
    let predicate = choose(&terms, op.y)?;
    (body == BodyType::Fact).then_some(FactKey { subject, predicate })
}
