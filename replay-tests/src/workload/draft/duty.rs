//! Owns the events about the gate, reading, holds and erasing; what remains is in `routine`.

use ledger_format::event::duty as body;
use ledger_format::names::{Decision, Outcome, ReceiptMode, ReceiptWhat, Verdict};
use ledger_format::{AliasId, AliasKind, Event, JobId, Kind, MemoryId, Micros, PayloadId, Seq};

use super::{CONFLICT, UNKNOWN_TARGET, choose, routine};
use crate::workload::op::Op;
use crate::workload::time;
use crate::workload::world::{Unfinished, World};

pub(super) fn event(world: &mut World, op: Op, kind: Kind) -> Option<Event> {
    Some(match kind {
        Kind::Approval => approval(world, op)?,
        Kind::EraseIntent => intent(world, op),
        Kind::EraseDone => done(world, op)?,
        Kind::TaskStarted => started(world, op),
        Kind::TaskEnded => ended(world, op)?,
        Kind::Receipt => receipt(world, op)?,
        Kind::Answer => Event::Answer(body::Answer {
            receipt: None,
            cited: world.targets(op)?,
            contradicts: Vec::new(),
        }),
        Kind::Feedback => Event::Feedback(body::Feedback {
            receipt: None,
            helped: world.targets(op)?,
            misled: world.target(op).into_iter().collect(),
        }),
        Kind::Verdict => Event::Verdict(body::Verdict {
            verdict: Verdict::Refused,
            reason: u16::from(op.x),
            rule: u32::from(op.y),
            memory: None,
            duplicate_of: world.target(op),
            trust: None,
            ttl_until: time::instant(op.until),
            signals: vec![body::Signal { signal: 1, value: i64::from(op.z) }],
        }),
        Kind::HoldPlaced => {
            let hold = JobId(world.fresh(0x80));
            world.holds.push(hold);
            let subject = world.named(AliasKind::Person, op.x % 3);
            let memories = world.targets(op).unwrap_or_default();
            Event::HoldPlaced(body::HoldPlaced {
                hold,
                subject,
                memories,
                until: time::instant(op.until),
            })
        }
        Kind::HoldLifted => {
            Event::HoldLifted(body::HoldLifted { hold: choose(&world.holds, op.pick)? })
        }
        Kind::EraseRequested => Event::EraseRequested(body::EraseRequested {
            erasure: JobId(world.fresh(0xe0)),
            subject: world.named(AliasKind::Person, op.x % 3),
            memories: world.targets(op).unwrap_or_default(),
            due: time::instant(op.until),
        }),
        _ => return routine::event(world, op, kind),
    })
}

fn approval(world: &mut World, op: Op) -> Option<Event> {
    let pending = world.a_record(&world.pending, op)?;
    let complete = op.y % 4 != 3;
    if complete {
        world.pending.retain(|waiting| *waiting != pending);
    }
    let decision = if op.x % 3 == 2 { Decision::Reject } else { Decision::Approve };
    Some(Event::Approval(body::Approval { pending, decision, step: u8::from(complete), complete }))
}

/// The next part of an unfinished erasure, or the first of a new one.
fn intent(world: &mut World, op: Op) -> Event {
    let going_on = choose(&world.unfinished, op.x).filter(|_| op.y & 3 != 0);
    let mut part = going_on.unwrap_or_else(|| Unfinished {
        erasure: JobId(world.fresh(0xe1)),
        next: 0,
        parts: 1 + u32::from(op.z % 3),
    });
    let payloads = payloads(world, op);
    let aliases: Vec<AliasId> = choose(&world.aliases, op.cut_from)
        .filter(|_| op.z & 8 != 0)
        .map(|(alias, _)| alias)
        .into_iter()
        .collect();
    let event = body::EraseIntent {
        erasure: part.erasure,
        part: part.next,
        parts: part.parts,
        subject: world.named(AliasKind::Person, op.x % 3),
        memories: world.targets(op).unwrap_or_default(),
        aliases,
        payloads,
    };
    if op.odd & (UNKNOWN_TARGET | CONFLICT) != 0 {
        return Event::EraseIntent(odd_part(event, op));
    }
    world.unfinished.retain(|other| other.erasure != part.erasure);
    part.next += 1;
    if part.next < part.parts {
        world.unfinished.push(part);
    } else {
        world.intended.push(part.erasure);
    }
    Event::EraseIntent(event)
}

/// A part that is not the next one, or that counts the parts otherwise.
fn odd_part(event: body::EraseIntent, op: Op) -> body::EraseIntent {
    let part = event.part + u32::from(op.odd & UNKNOWN_TARGET);
    let parts = event.parts + 1 + u32::from(op.odd & CONFLICT);
    body::EraseIntent { part, parts, ..event }
}

fn payloads(world: &World, op: Op) -> Vec<body::PayloadRange> {
    let first = u64::from(op.from) % world.payload_count();
    let range = |first| body::PayloadRange {
        first: PayloadId(first),
        last: PayloadId(first + u64::from(op.until % 3)),
    };
    (0..u64::from(op.more % 3)).map(|at| range(first + at * 3)).collect()
}

fn done(world: &World, op: Op) -> Option<Event> {
    let known = choose(&world.intended, op.pick);
    let erasure = if op.odd & UNKNOWN_TARGET != 0 { Some(JobId([op.pick; 16])) } else { known };
    let level = choose(ledger_format::names::EraseLevel::ALL, op.x)?.0;
    Some(Event::EraseDone(body::EraseDone {
        erasure: erasure?,
        level,
        keys: 1,
        payloads: 1,
        derived: 0,
    }))
}

fn started(world: &mut World, op: Op) -> Event {
    let parent = choose(&world.tasks, op.y).filter(|_| op.z & 2 != 0);
    let again = choose(&world.tasks, op.pick).filter(|_| op.odd & CONFLICT != 0);
    let task = again.unwrap_or_else(|| AliasId(world.fresh(0x7a)));
    if again.is_none() {
        world.tasks.push(task);
    }
    Event::TaskStarted(body::TaskStarted { task, parent })
}

fn ended(world: &World, op: Op) -> Option<Event> {
    let known = choose(&world.tasks, op.pick);
    let task = if op.odd & UNKNOWN_TARGET != 0 { Some(AliasId([op.pick; 16])) } else { known };
    Some(Event::TaskEnded(body::TaskEnded { task: task?, outcome: choose(Outcome::ALL, op.x)?.0 }))
}

fn receipt(world: &mut World, op: Op) -> Option<Event> {
    let items: Vec<MemoryId> = world.targets(op).unwrap_or_default();
    let counter = world.receipts;
    world.receipts += 1;
    Some(Event::Receipt(body::Receipt {
        counter,
        what: choose(ReceiptWhat::ALL, op.x)?.0,
        mode: choose(ReceiptMode::ALL, op.y)?.0,
        basis: Seq(world.next_seq().0 - 1),
        valid_at: time::instant(op.from).unwrap_or(Micros(time::BASE)),
        items: items.into_iter().map(|memory| body::ReceiptItem { memory, score: 1 }).collect(),
    }))
}
