//! Owns the events about sources, jobs, imports and rights.

use ledger_format::event::duty as body;
use ledger_format::names::{ActorKind, Job, Outcome, SourceKind, Standing};
use ledger_format::{AliasId, AliasKind, Digest16, Event, JobId, Kind, Micros, Seq};

use super::choose;
use crate::workload::op::Op;
use crate::workload::time;
use crate::workload::world::World;

pub(super) fn event(world: &mut World, op: Op, kind: Kind) -> Option<Event> {
    let job = choose(Job::ALL, op.x)?.0;
    let source = AliasId([op.x % 4; 16]);
    Some(match kind {
        Kind::Denial => Event::Denial(body::Denial {
            action: u16::from(op.x),
            rule: 1,
            memory: world.target(op),
        }),
        Kind::Export => Event::Export(body::Export {
            format: job,
            first: Seq(0),
            last: Seq(world.next_seq().0 - 1),
            count: world.next_seq().0,
            content: op.y & 1 == 0,
        }),
        Kind::SourceRegistered => Event::SourceRegistered(body::SourceRegistered {
            source,
            kind: choose(SourceKind::ALL, op.y)?.0,
            owner: world.named(AliasKind::Person, op.z % 3),
            group: None,
        }),
        Kind::SourceSynced => Event::SourceSynced(body::SourceSynced {
            source,
            present: op.y & 1 == 0,
            written: 0,
            closed: 0,
            stale: 0,
        }),
        Kind::SourceRevoked => Event::SourceRevoked(body::SourceRevoked { source, memories: 0 }),
        Kind::ScheduleSet => {
            Event::ScheduleSet(body::ScheduleSet { job, every: 1, next: Micros(time::BASE) })
        }
        Kind::JobDone => Event::JobDone(body::JobDone {
            job,
            planned: Micros(time::BASE),
            outcome: choose(Outcome::ALL, op.y)?.0,
            count: 0,
        }),
        Kind::ImportStarted => {
            Event::ImportStarted(body::ImportStarted { import: JobId([op.y; 16]), format: job })
        }
        Kind::ImportDone => Event::ImportDone(body::ImportDone {
            import: JobId([op.y; 16]),
            format: job,
            appended: 0,
            present: 0,
            refused: 0,
        }),
        _ => return rights(world, op, kind),
    })
}

fn rights(world: &World, op: Op, kind: Kind) -> Option<Event> {
    let principal = world.named(AliasKind::Actor, 1 + op.pick % 2)?;
    let standing = choose(Standing::ALL, op.x)?.0;
    Some(match kind {
        Kind::PrincipalSet => Event::PrincipalSet(body::PrincipalSet {
            principal,
            kind: choose(ActorKind::ALL, op.y)?.0,
            standing,
        }),
        Kind::GrantSet => Event::GrantSet(body::GrantSet {
            principal,
            rights: u32::from(op.y),
            until: time::instant(op.until),
        }),
        Kind::TokenSet => Event::TokenSet(body::TokenSet {
            token: Digest16([op.y; 16]),
            principal,
            standing,
            until: time::instant(op.until),
        }),
        Kind::SuiteResult => Event::SuiteResult(body::SuiteResult {
            suite: u16::from(op.x),
            passed: u32::from(op.y),
            failed: u32::from(op.z),
            overridden: false,
        }),
        _ => return None,
    })
}
