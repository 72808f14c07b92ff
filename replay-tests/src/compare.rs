//! Owns the comparison of a replayed state with the oracle's answers.

use std::collections::BTreeSet;

use ledger_format::{AliasId, Digest16, Event, MemoryId, Micros, PayloadId, Seq};
use ledger_replay::{Instants, Memory, State};

use crate::oracle::{AliasTold, Moment, TaskTold, answers};
use crate::row::Row;

/// Where a state and the oracle part, in words.
pub type Verdict = Result<(), String>;

/// Everything about a memory that a state holds, apart from valid time.
#[must_use]
pub fn row_of(id: MemoryId, memory: &Memory) -> Row {
    let life = &memory.lifecycle;
    Row {
        id,
        born: memory.born,
        since: life.since,
        scope: memory.scope,
        body: memory.body,
        key: memory.key,
        layer: life.layer,
        trust: life.trust,
        closed: life.closed.as_ref().map(|closure| (closure.seq, closure.kind, closure.by)),
        pushed_down: life.pushed_down.iter().map(|push| (push.seq, push.reach)).collect(),
        contest: life.contest,
        forgotten: life.forgotten,
        erased: life.erased,
        pending: life.pending,
        rejected: life.rejected,
        expired: life.expired,
        restricted: life.restricted,
        pinned: life.pinned,
        stale: life.stale,
        last_used: life.last_used,
        last_confirmed: life.last_confirmed,
        ttl_until: life.ttl_until,
        review_by: life.review_by,
        live: memory.live,
    }
}

/// Compares a state with what was known at a moment, at some valid times.
///
/// # Errors
/// The first difference, in words.
pub fn agree(state: &State, moment: &Moment<'_>, valid: &[Micros]) -> Verdict {
    memories(state, moment, valid)?;
    scopes(state, moment)?;
    names(state, moment)?;
    payloads(state, moment)?;
    ledger(state, moment)
}

/// Which of the comparisons that go over all pairs of names or all payloads an event asks for.
fn agree_after(event: &Event, state: &State, moment: &Moment<'_>, valid: &[Micros]) -> Verdict {
    memories(state, moment, valid)?;
    match event {
        Event::AliasBound(_) => scopes(state, moment)?,
        Event::EraseIntent(_) => payloads(state, moment)?,
        _ => {}
    }
    names(state, moment)?;
    ledger(state, moment)
}

fn memories(state: &State, moment: &Moment<'_>, valid: &[Micros]) -> Verdict {
    let ids: Vec<MemoryId> = state.memories().map(|(id, _)| *id).collect();
    same("which memories exist", &ids, &moment.memories())?;
    let now = state.head().map_or(Micros(0), |head| head.recorded_at);
    for (id, memory) in state.memories() {
        let story = moment.story(*id);
        let told = answers::row(*id, &story).ok_or("a memory without a story")?;
        let row = row_of(*id, memory);
        if row != told {
            return Err(format!("memory {id} (replay / oracle): {}", row.differences(&told)));
        }
        let ends = told.ttl_until.map(|Micros(end)| [Micros(end.saturating_sub(1)), Micros(end)]);
        for at in valid {
            let question = format!("whether memory {id} holds at {}", at.0);
            let holds = memory.lifecycle.validity.contains(*at);
            same(&question, &holds, &answers::holds(&story, *at))?;
            for known in ends.into_iter().flatten().chain([now]) {
                let status = memory.lifecycle.status(Instants { known, valid: *at }).name();
                let word = answers::word(&told, &story, known, *at);
                same(&format!("status of {id} known {} valid {}", known.0, at.0), &status, &word)?;
            }
        }
    }
    Ok(())
}

/// Every scope against every other, and what lies in them.
fn scopes(state: &State, moment: &Moment<'_>) -> Verdict {
    let mut scopes = moment.aliases();
    scopes.push(AliasId::ZERO);
    for ancestor in &scopes {
        for scope in &scopes {
            let question = format!("whether scope {scope} lies within {ancestor}");
            let within = state.scope_within(*scope, *ancestor);
            same(&question, &within, &moment.scope_within(*scope, *ancestor))?;
        }
        let inside = |memory: &Memory| state.scope_within(memory.scope, *ancestor);
        let members = chosen(state, inside);
        same(&format!("members of scope {ancestor}"), &members, &moment.members(*ancestor))?;
        let keyed = chosen(state, |memory| memory.key == Some(*ancestor));
        same(&format!("memories of key {ancestor}"), &keyed, &moment.keyed(*ancestor))?;
    }
    Ok(())
}

fn chosen(state: &State, which: impl Fn(&Memory) -> bool) -> Vec<MemoryId> {
    state.memories().filter(|(_, memory)| which(memory)).map(|(id, _)| *id).collect()
}

fn names(state: &State, moment: &Moment<'_>) -> Verdict {
    let ids: Vec<AliasId> = state.aliases().map(|(id, _)| *id).collect();
    same("which aliases exist", &ids, &moment.aliases())?;
    for (id, alias) in state.aliases() {
        let found = AliasTold {
            kind: alias.kind,
            parent: alias.parent,
            bound: alias.bound,
            name: alias.name,
            erased: alias.erased,
        };
        same(&format!("alias {id}"), &Some(found), &moment.alias(*id))?;
    }
    for id in moment.tasks() {
        let found = state.task(&id).map(|task| TaskTold {
            started: task.started,
            parent: task.parent,
            ended: task.ended,
        });
        same(&format!("task {id}"), &found, &moment.task(id))?;
    }
    Ok(())
}

fn ledger(state: &State, moment: &Moment<'_>) -> Verdict {
    same("the ledger's id", &state.ledger(), &moment.ledger().unwrap_or_default())?;
    same("the epoch", &state.epoch(), &moment.epoch())?;
    same("the policy", &state.policy(), &moment.policy())?;
    same("the receipts", &state.receipts(), &moment.receipts())?;
    same("the unknown record", &state.unknown_critical(), &moment.unknown_critical())?;
    for key in (0..5).map(|byte| Digest16([byte; 16])) {
        let found = state.idempotent(&key).map(|first| (first.proposal, first.seq));
        same(&format!("idempotency key {key}"), &found, &moment.idempotent(key))?;
    }
    for seq in moment.events().iter().map(|event| event.seq()) {
        let question = format!("contest {seq}");
        same(&question, &state.contest(seq), &moment.open_contest(seq))?;
    }
    erasures(state, moment)
}

fn erasures(state: &State, moment: &Moment<'_>) -> Verdict {
    let ids: Vec<_> = state.erasures().map(|(id, _)| *id).collect();
    same("which erasures are told", &ids, &moment.erasures())?;
    for (id, erasure) in state.erasures() {
        let told = moment.erasure(*id);
        let found = (erasure.seen as usize, erasure.intended, erasure.done);
        same(&format!("erasure {id}"), &found, &(told.parts.len(), told.intended, told.done))?;
    }
    Ok(())
}

fn payloads(state: &State, moment: &Moment<'_>) -> Verdict {
    let mut erased = BTreeSet::new();
    for id in (0..400).map(PayloadId) {
        let found = state.erased().contains(id);
        same(&format!("whether payload {id} is erased"), &found, &moment.payload_erased(id))?;
        erased.extend(found.then_some(id));
    }
    same("how many payloads are erased", &state.erased().count(), &(erased.len() as u64))
}

fn same<T: PartialEq + std::fmt::Debug>(question: &str, replay: &T, oracle: &T) -> Verdict {
    if replay == oracle {
        return Ok(());
    }
    Err(format!("{question}: replay says {replay:?}, the oracle {oracle:?}"))
}

/// Replays a history beside the oracle and compares after every record: at the instants that record
/// and its neighbours name always, at `full` ones when it is the last.
///
/// # Errors
/// The first difference with its position.
pub fn whole(
    events: &[ledger_replay::Sequenced],
    full: &[Micros],
    apply: impl Fn(&mut State, &ledger_replay::Sequenced),
) -> Verdict {
    let oracle = crate::oracle::Oracle::new(events.to_vec());
    let mut state = State::default();
    for (at, event) in events.iter().enumerate() {
        apply(&mut state, event);
        let nearby = events[at.saturating_sub(2)..=at].iter();
        let named = nearby.flat_map(|event| crate::workload::boundaries_of(&event.event));
        let close = crate::workload::time::around(named.chain([event.header.recorded_at]));
        let moment = oracle.at(event.seq());
        let verdict = if at + 1 == events.len() {
            agree(&state, &moment, full)
        } else {
            agree_after(&event.event, &state, &moment, &close)
        };
        verdict.map_err(|why| format!("{}: {why}", place(event.seq(), event)))?;
    }
    Ok(())
}

fn place(seq: Seq, event: &ledger_replay::Sequenced) -> String {
    let kind = event.event.kind().map_or("an unknown kind", ledger_format::Kind::name);
    format!("after record {seq} ({kind})")
}

/// Replays a history as it is and compares it with the oracle after every record.
///
/// # Errors
/// The first difference with its position.
pub fn history(history: &crate::workload::History) -> Verdict {
    let full = crate::workload::time::around(history.boundaries());
    whole(&history.events(), &full, |state, event| {
        ledger_replay::apply(state, event);
    })
}
