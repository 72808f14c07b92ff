//! What erasing means to state: the past keeps that something was there, and nothing goes before the
//! whole intent is on record.

use ledger_format::event::duty::{EraseIntent, PayloadRange};
use ledger_format::{Event, JobId, MemoryId, PayloadId, Seq};
use ledger_replay::{State, apply};
use replay_tests::digest::states;
use replay_tests::script::Script;
use replay_tests::workload;

fn part(part: u32, parts: u32, memory: MemoryId) -> Event {
    Event::EraseIntent(EraseIntent {
        erasure: JobId([9; 16]),
        part,
        parts,
        subject: None,
        memories: vec![memory],
        aliases: Vec::new(),
        payloads: vec![PayloadRange {
            first: PayloadId(part.into()),
            last: PayloadId(part.into()),
        }],
    })
}

/// After an erasure the past answers that something was there, with the record that erased it.
#[test]
fn rival_03_the_past_says_erased_and_not_nothing() {
    let mut log = Script::default();
    let memory = log.write(1, |_| {});
    let written = log.head();
    let erased = log.add(part(0, 1, memory));
    assert_eq!(log.ask(memory, 0), "erased");
    assert_eq!(log.row(memory).erased, Some(erased));
    assert_eq!(log.word(written, memory, 0, 0), Some("open"), "state at that record is as it was");
    assert_eq!(log.row(memory).born, written);
}

#[test]
fn nothing_is_erased_before_the_last_part() {
    let mut log = Script::default();
    let (one, two) = (log.write(1, |_| {}), log.write(2, |_| {}));
    log.add(part(0, 2, one));
    assert_eq!([one, two].map(|id| log.ask(id, 0)), ["open"; 2]);
    assert!(!log.state(log.head()).erased().contains(PayloadId(0)));
    let last = log.add(part(1, 2, two));
    assert_eq!([one, two].map(|id| log.row(id).erased), [Some(last); 2]);
    assert_eq!(log.state(last).erased().count(), 2);
}

/// State rests on record bytes, so what an erasure destroys was never part of it: all digests before
/// the intent stay, and stay reproducible.
#[test]
fn an_erasure_leaves_earlier_digests_as_they_were() {
    let history = workload::history(11, 60).events();
    let before = states(&history);
    let mut state = State::default();
    history.iter().for_each(|event| {
        apply(&mut state, event);
    });
    let Some((id, _)) = state.memories().next() else { panic!("no memory") };
    let last = history.last().unwrap();
    let mut erasing = last.clone();
    erasing.header.seq = Seq(last.seq().0 + 1);
    erasing.event = part(0, 1, *id);
    let all: Vec<_> = history.iter().cloned().chain([erasing]).collect();
    let after = states(&all);
    assert_eq!(after[..before.len()], before[..]);
    assert_ne!(after.last(), before.last());
}
