//! Bends an arbitrary event until it keeps the rules of its kind (`SPEC.md` section 6.1).

use ledger_format::event::ledger::Limits;
use ledger_format::event::memory::Write;
use ledger_format::{CloseKind, Event, Kind, MemoryId, Micros, Seq, Verdict};

use super::arb::{Gen, raw_event};

/// An event of a kind that can be encoded.
pub(crate) fn event(kind: Kind, g: &mut Gen<'_>) -> Event {
    let mut event = raw_event(kind, g);
    keep_rules(&mut event);
    event
}

fn keep_rules(event: &mut Event) {
    match event {
        Event::Genesis(genesis) => {
            (genesis.hash_suite, genesis.payload_suite) = (1, 1);
            genesis.clock = 1 + genesis.clock % 2;
            genesis.limits = Limits::V1;
        }
        Event::KeyRotated(keys) if keys.old.is_none() => keys.old_signature = None,
        Event::KeyRotated(keys) => {
            keys.old_signature.get_or_insert_default();
        }
        Event::Write(write) => keep_write_rules(write),
        Event::Close(close) => {
            if close.kind == CloseKind::Wrong {
                (close.from, close.until) = (None, None);
            }
            interval(&mut close.from, &mut close.until);
        }
        Event::Reopen(reopen) => interval(&mut reopen.from, &mut reopen.until),
        Event::Contest(contest) => {
            contest.memories.extend([MemoryId([1; 16]), MemoryId([2; 16])]);
            sort(&mut contest.memories);
        }
        Event::Resolve(resolve) => sort(&mut resolve.kept),
        Event::Answer(answer) => sort(&mut answer.contradicts),
        Event::Feedback(feedback) => {
            sort(&mut feedback.helped);
            sort(&mut feedback.misled);
        }
        Event::HoldPlaced(hold) => sort(&mut hold.memories),
        Event::EraseRequested(request) => sort(&mut request.memories),
        Event::EraseIntent(intent) => {
            intent.parts = intent.parts.max(1);
            intent.part %= intent.parts;
            sort(&mut intent.memories);
            sort(&mut intent.aliases);
            for range in &mut intent.payloads {
                (range.first, range.last) =
                    (range.first.min(range.last), range.first.max(range.last));
            }
            intent.payloads.sort_by_key(|range| range.first);
            let mut end = None;
            intent.payloads.retain(|range| {
                let free = end.is_none_or(|end| range.first > end);
                end = if free { Some(range.last) } else { end };
                free
            });
        }
        Event::Undo(undo) => ordered(&mut undo.first, &mut undo.last),
        other => keep_targets(other),
    }
}

fn keep_targets(event: &mut Event) {
    let memories = match event {
        Event::Confirm(body) => &mut body.memories,
        Event::Use(body) => &mut body.memories,
        Event::Forget(body) => &mut body.memories,
        Event::Expire(body) => &mut body.memories,
        Event::Restrict(body) => &mut body.memories,
        Event::Unrestrict(body) => &mut body.memories,
        Event::Stale(body) => &mut body.memories,
        _ => return,
    };
    if memories.is_empty() {
        memories.push(MemoryId([1; 16]));
    }
    sort(memories);
}

fn keep_write_rules(write: &mut Write) {
    write.marks &= Write::MARKS;
    write.confidence = write.confidence.map(|parts| parts % 10_001);
    if matches!(write.verdict, Verdict::Duplicate | Verdict::Refused) {
        write.verdict = Verdict::Committed;
    }
    sort(&mut write.subjects);
    sort(&mut write.tags);
    sort(&mut write.derived_from);
    let mut seen = vec![write.memory];
    write.supersedes.retain(|memory| {
        let new = !seen.contains(memory);
        seen.push(*memory);
        new
    });
    write.derived_from.retain(|memory| *memory != write.memory);
    interval(&mut write.valid_from, &mut write.valid_until);
    interval(&mut write.supersede_from, &mut write.supersede_until);
}

fn sort<T: Ord>(list: &mut Vec<T>) {
    list.sort();
    list.dedup();
}

fn ordered(first: &mut Seq, last: &mut Seq) {
    (*first, *last) = ((*first).min(*last), (*first).max(*last));
}

fn interval(from: &mut Option<Micros>, until: &mut Option<Micros>) {
    for end in [&mut *from, &mut *until].into_iter().flatten() {
        end.0 = end.0.clamp(i64::MIN + 1, i64::MAX - 1);
    }
    if let (Some(from), Some(until)) = (from, until) {
        (*from, *until) = ((*from).min(*until), (*from).max(*until));
        if from == until {
            from.0 = from.0.saturating_sub(1).max(i64::MIN + 1);
            until.0 = from.0 + 1;
        }
    }
}
