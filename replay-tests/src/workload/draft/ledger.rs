//! Owns the events about the ledger itself.

use ledger_format::event::ledger as body;
use ledger_format::names::{EpochReason, RepairKind};
use ledger_format::{
    AliasId, AliasKind, Digest16, Event, JobId, Kind, Micros, PayloadId, RecordHash, Role, Seq,
    TreeRoot,
};

use super::{CONFLICT, UNKNOWN_TARGET, choose};
use crate::workload::op::Op;
use crate::workload::time;
use crate::workload::world::{Draft, World};

pub(super) fn draft(world: &mut World, op: Op, kind: Kind) -> Option<Draft> {
    Some(match kind {
        Kind::AliasBound => return Some(alias(world, op)),
        Kind::PolicySet => {
            let previous = world.policy;
            world.policy += 1;
            let set = body::PolicySet { version: world.policy, previous };
            Draft::new(Event::PolicySet(set)).with(&[Role::Document])
        }
        Kind::Genesis => return (op.odd != 0).then(|| Draft::new(world.genesis_again())),
        _ => Draft::new(plain(world, op, kind)?),
    })
}

fn alias(world: &mut World, op: Op) -> Draft {
    let again = choose(&world.aliases, op.pick).filter(|_| op.odd & CONFLICT != 0);
    let (alias, kind) = again.unwrap_or_else(|| {
        let kind = choose(AliasKind::ALL, op.x).unwrap().0;
        (AliasId(world.fresh(0xa2)), kind)
    });
    let scopes = world.scopes();
    let parent = match kind {
        AliasKind::Scope | AliasKind::Key => choose(&scopes, op.y).filter(|_| op.z & 2 != 0),
        _ => None,
    };
    // An odd parent: a name that is bound later or never, or the alias itself.
    let parent = match op.odd & (UNKNOWN_TARGET | CONFLICT) {
        UNKNOWN_TARGET => Some(AliasId([op.y; 16])),
        3 => Some(alias),
        _ => parent,
    };
    if again.is_none() {
        world.aliases.push((alias, kind));
    }
    let bound = body::AliasBound { alias, kind, parent };
    Draft::new(Event::AliasBound(bound)).with(if op.z & 4 == 0 { &[Role::Name] } else { &[] })
}

fn plain(world: &mut World, op: Op, kind: Kind) -> Option<Event> {
    let at = time::instant(op.from).unwrap_or(Micros(time::BASE));
    let last = Seq(world.next_seq().0 - 1);
    Some(match kind {
        Kind::Epoch => {
            world.epoch += 1;
            Event::Epoch(body::Epoch {
                epoch: world.epoch,
                holder: JobId([op.x; 16]),
                reason: choose(EpochReason::ALL, op.x)?.0,
                program: "0.1.0".to_owned(),
                dropped_bytes: u64::from(op.y),
            })
        }
        Kind::ClockCorrected => {
            Event::ClockCorrected(body::ClockCorrected { before: at, confirmed: at })
        }
        Kind::KeyRotated => Event::KeyRotated(body::KeyRotated {
            new: body::PublicKey { algorithm: 1, bytes: vec![op.x; 32] },
            old: None,
            new_signature: vec![op.y; 64],
            old_signature: None,
        }),
        Kind::MasterRotated => Event::MasterRotated(body::MasterRotated {
            old: Digest16([op.x; 16]),
            new: Digest16([op.y; 16]),
            pages: 1,
        }),
        Kind::PepperRotated => {
            Event::PepperRotated(body::PepperRotated { old: PayloadId(0), new: PayloadId(0) })
        }
        Kind::CheckpointSigned => Event::CheckpointSigned(body::CheckpointSigned {
            size: world.next_seq().0,
            root: TreeRoot([op.x; 32]),
            views: None,
            algorithm: 1,
            signature: vec![op.y; 64],
        }),
        Kind::ConfigSet => {
            Event::ConfigSet(body::ConfigSet { setting: 1, value: "UTC".to_owned() })
        }
        Kind::BackupTaken => Event::BackupTaken(body::BackupTaken {
            backup: JobId([op.x; 16]),
            last,
            keys: op.y & 1 == 0,
        }),
        Kind::Restored => Event::Restored(body::Restored {
            last,
            hash: RecordHash([op.x; 32]),
            erasures_through: (op.y & 1 == 0).then_some(last),
        }),
        Kind::Repaired => Event::Repaired(body::Repaired {
            kind: choose(RepairKind::ALL, op.x)?.0,
            from: last,
            bytes: u64::from(op.y),
        }),
        _ => return None,
    })
}
