//! What views are built from is enough: the changes alone give what the state holds.

use std::collections::BTreeMap;

use ledger_format::Event;
use ledger_replay::{Birth, Change, Sequenced, State, apply};
use replay_tests::{seed, test_path, workload};

#[test]
fn changes_alone_rebuild_the_state() {
    seed::each(&test_path!(changes_alone_rebuild_the_state), 60, |seed| {
        let mut state = State::default();
        let (mut births, mut versions) = (BTreeMap::new(), BTreeMap::new());
        let (mut aliases, mut tasks) = (BTreeMap::new(), BTreeMap::new());
        let (mut erasures, mut schedules) = (BTreeMap::new(), BTreeMap::new());
        for event in workload::history(seed, 60).events() {
            let changes = apply(&mut state, &event);
            assert_eq!((changes.seq, changes.hash), (event.seq(), event.hash));
            assert_eq!(changes.recorded_at, event.header.recorded_at);
            for change in changes.list {
                match change {
                    Change::Born(birth) => {
                        said_by_its_write(&birth, &event);
                        assert!(births.insert(birth.id, birth).is_none(), "born twice");
                    }
                    Change::Version { id, was_live, live, lifecycle, .. } => {
                        assert_eq!(lifecycle.since, event.seq());
                        let before = versions.insert(id, (live, lifecycle));
                        let (listed, since) =
                            before.map_or((false, None), |(live, life)| (live, Some(life.since)));
                        assert_eq!(was_live, listed, "memory {id}");
                        assert!(since < Some(event.seq()), "two versions from one record");
                    }
                    Change::Alias(id, alias) => drop(aliases.insert(id, alias)),
                    Change::Task(id, task) => drop(tasks.insert(id, task)),
                    Change::Erasure(id, erasure) => drop(erasures.insert(id, erasure)),
                    Change::Schedule(job, schedule) => {
                        schedules.insert(job.number(), (job, schedule));
                    }
                    other => panic!("a change this test does not know: {other:?}"),
                }
            }
            compare(&state, &versions, births.len());
            assert!(state.aliases().eq(aliases.iter()), "after record {}", event.seq());
            assert!(state.erasures().eq(erasures.iter()), "after record {}", event.seq());
            assert!(schedules.values().all(|(job, one)| state.schedule(*job) == Some(*one)));
            assert!(tasks.iter().all(|(id, task)| state.task(id) == Some(*task)));
        }
    });
}

/// A birth repeats what the write said, field by field.
fn said_by_its_write(birth: &Birth, event: &Sequenced) {
    let Event::Write(write) = &event.event else {
        panic!("born of {:?}", event.event);
    };
    let header = &event.header;
    assert_eq!((birth.id, birth.seq, birth.scope), (write.memory, header.seq, header.scope));
    assert_eq!((birth.recorded_at, birth.claimed_at), (header.recorded_at, event.claimed_at));
    assert_eq!((birth.body, birth.source), (write.body, write.source));
    assert_eq!(birth.actor_kind, header.actor_kind);
    assert_eq!((birth.key, birth.fact, birth.domain), (write.key, write.fact, write.domain));
    assert_eq!((&birth.subjects, &birth.tags), (&write.subjects, &write.tags));
    assert_eq!(birth.derived_from, write.derived_from);
    assert_eq!(birth.supersedes, write.supersedes);
}

type Versions = BTreeMap<ledger_format::MemoryId, (bool, ledger_replay::Lifecycle)>;

fn compare(state: &State, versions: &Versions, births: usize) {
    assert_eq!((state.memories().len(), births), (versions.len(), versions.len()));
    for ((id, memory), (versioned, (live, lifecycle))) in state.memories().zip(versions) {
        assert_eq!((id, memory.live, &memory.lifecycle), (versioned, *live, lifecycle));
    }
}
