//! Owns the brute-force answers and the comparison of views with them.

use std::collections::BTreeSet;

use ledger_format::names::Job;
use ledger_format::{AliasId, AliasKind, JobId, MemoryId, Micros, Seq};
use ledger_replay::{Birth, Lifecycle};
use proptest::prelude::*;

use super::world::{World, alias, memory_id, scope, steps};
use crate::{Group, OpenOptions, Rebuild, ViewError, Views};

/// Views of a whole history, in their own directory.
pub(super) fn built(dir: &std::path::Path, world: &World) -> Views {
    let options = OpenOptions::new(super::world::LEDGER);
    let mut rebuild = Rebuild::begin(dir, options).expect("begins");
    world.changes.iter().for_each(|changes| rebuild.push(changes).expect("continues"));
    rebuild.finish().expect("finishes")
}

/// Compares every answer at every record. A doubt is passed on; a wrong answer fails.
pub(super) fn compare(views: &Views, world: &World) -> Result<(), ViewError> {
    let last = world.last();
    assert_eq!(views.applied().map(|applied| applied.seq), Some(last));
    for seq in (0..=last.0).map(Seq) {
        compare_at(views, world, seq)?;
    }
    compare_names(views, world, last)?;
    compare_times(views, world)?;
    for birth in &world.births {
        assert_eq!(views.birth(birth.id)?, Some(birth.seq));
        assert_eq!(views.birth_at(birth.seq)?.as_ref(), Some(birth));
        assert_eq!(views.versions(birth.seq)?, versions(world, birth));
    }
    let counts = views.counts()?;
    assert_eq!(counts.memories, world.births.len() as u64);
    let versions: usize = world.births.iter().map(|birth| versions(world, birth).len()).sum();
    assert_eq!(counts.versions, versions as u64);
    assert_eq!(views.birth(MemoryId([0xee; 16]))?, None);
    Ok(())
}

fn compare_at(views: &Views, world: &World, seq: Seq) -> Result<(), ViewError> {
    let state = &world.states[seq.0 as usize];
    for birth in &world.births {
        let known = state.memory(&birth.id).map(|memory| memory.lifecycle.clone());
        assert_eq!(views.version_at(birth.seq, seq)?, known, "{birth:?} at {seq}");
    }
    for group in groups() {
        let born_by = |birth: &&Birth| birth.seq <= seq && Group::of(birth).contains(&group);
        let all: Vec<Seq> = world.births.iter().filter(born_by).map(|birth| birth.seq).collect();
        let from = Seq(seq.0 / 3);
        let found: Result<Vec<Seq>, ViewError> = views.all_until(group, Seq(0), seq)?.collect();
        assert_eq!(found?, all, "{group:?} at {seq}");
        let found: Result<Vec<Seq>, ViewError> = views.all_until(group, from, seq)?.collect();
        let rest: Vec<Seq> = all.iter().copied().filter(|born| *born >= from).collect();
        assert_eq!(found?, rest, "{group:?} from {from} at {seq}");
        if group.has_live_set() {
            let live = all.iter().filter(|born| {
                let birth = world.births.iter().find(|birth| birth.seq == **born);
                birth.and_then(|birth| state.memory(&birth.id)).is_some_and(|memory| memory.live)
            });
            let live: Vec<Seq> = live.copied().collect();
            assert_eq!(views.live_at(group, seq)?, live, "{group:?} live at {seq}");
        }
    }
    for number in 0..40 {
        let id = memory_id(number);
        let derived = |birth: &&Birth| birth.seq <= seq && birth.derived_from.contains(&id);
        let derived: Vec<Seq> =
            world.births.iter().filter(derived).map(|birth| birth.seq).collect();
        assert_eq!(views.derived_from_this(id, seq)?, derived, "made from {id:?} at {seq}");
        assert_eq!(views.superseded_by(id, seq)?, superseded_by(world, id, seq), "{id:?} at {seq}");
    }
    Ok(())
}

fn compare_names(views: &Views, world: &World, last: Seq) -> Result<(), ViewError> {
    let state = world.states.last().expect("a history");
    for job in [Job::ExpirySweep, Job::Backup] {
        assert_eq!(views.schedule(job)?, state.schedule(job));
    }
    for number in 0..10 {
        let id = alias(2, number);
        assert_eq!(views.alias(id)?.as_ref(), state.alias(&id));
        for (at, then) in (0..).map(Seq).zip(&world.states) {
            let task = alias(8, number);
            assert_eq!(views.task_at(task, at)?, then.task(&task), "task {number} at {at}");
        }
        let job = JobId([number as u8; 16]);
        let erasure = state.erasures().find(|(id, _)| **id == job).map(|(_, erasure)| erasure);
        assert_eq!(views.erasure(job)?.as_ref(), erasure);
        let parent = if number == 9 { AliasId::ZERO } else { id };
        for (kind, until) in [(AliasKind::Scope, last), (AliasKind::Key, Seq(last.0 / 2))] {
            let mut children: Vec<(Seq, AliasId)> = state
                .aliases()
                .filter(|(_, alias)| alias.kind == kind && alias.bound <= until)
                .filter(|(_, alias)| alias.parent.unwrap_or(AliasId::ZERO) == parent)
                .map(|(id, alias)| (alias.bound, *id))
                .collect();
            children.sort_unstable();
            let children: Vec<AliasId> = children.into_iter().map(|(_, id)| id).collect();
            assert_eq!(views.children(parent, kind, Seq(0), until)?, children);
            let later = children.get(1..).unwrap_or_default();
            let from =
                later.first().and_then(|id| state.alias(id)).map_or(until.next(), |a| a.bound);
            assert_eq!(views.children(parent, kind, from, until)?, later);
        }
    }
    Ok(())
}

fn compare_times(views: &Views, world: &World) -> Result<(), ViewError> {
    let mut latest = Micros::MIN;
    let times: Vec<Micros> = world
        .changes
        .iter()
        .map(|changes| {
            latest = latest.max(changes.recorded_at);
            latest
        })
        .collect();
    for time in times.iter().flat_map(|time| [time.0 - 1, time.0, time.0 + 1]) {
        let until = times.iter().filter(|at| at.0 <= time).count() as u64;
        assert_eq!(views.time_to_seq(Micros(time))?, until.checked_sub(1).map(Seq), "at {time}");
    }
    assert_eq!(views.time_to_seq(Micros::MAX)?, Some(world.last()));
    assert_eq!(views.time_to_seq(Micros::MIN)?, None);
    Ok(())
}

fn groups() -> Vec<Group> {
    let mut groups = Vec::new();
    for number in 0..5 {
        groups.extend([Group::Scope(scope(number)), Group::Key(alias(3, number))]);
        groups.extend([Group::Person(alias(4, number)), Group::Subject(alias(4, number))]);
        groups.extend([Group::Predicate(alias(7, number)), Group::Tag(alias(5, number))]);
        groups.push(Group::Domain(alias(6, number)));
    }
    groups
}

fn versions(world: &World, birth: &Birth) -> Vec<Lifecycle> {
    let mut versions: Vec<Lifecycle> = Vec::new();
    for state in &world.states {
        let now = state.memory(&birth.id).map(|memory| &memory.lifecycle);
        if let Some(now) = now.filter(|now| versions.last() != Some(*now)) {
            versions.push(now.clone());
        }
    }
    versions
}

fn superseded_by(world: &World, id: MemoryId, until: Seq) -> Vec<Seq> {
    let mut found = BTreeSet::new();
    for (at, state) in world.states.iter().enumerate().take(until.0 as usize + 1) {
        let closed = state.memory(&id).and_then(|memory| memory.lifecycle.closed.as_ref());
        let here = closed.filter(|closure| closure.seq == Seq(at as u64));
        let by = here.and_then(|closure| closure.by);
        let birth = world.births.iter().find(|birth| Some(birth.id) == by);
        found.extend(birth.map(|birth| birth.seq).filter(|born| *born <= until));
    }
    found.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn answers_equal_brute_force(steps in steps(110)) {
        let world = World::of(&steps);
        let dir = tempfile::tempdir().expect("a directory");
        let views = built(dir.path(), &world);
        compare(&views, &world).expect("no doubt");
        views.check_rows().expect("all rows read");
    }
}

#[test]
fn questions_beyond_the_views_are_errors() {
    let world = World::of(&[(0, 1, 1, 1, 1)]);
    let dir = tempfile::tempdir().expect("a directory");
    let views = built(dir.path(), &world);
    let beyond = Seq(1);
    let error = ViewError::NotReached { asked: beyond, applied: Some(Seq(0)) };
    let zero = Group::Scope(AliasId::ZERO);
    assert_eq!(views.version_at(Seq(0), beyond), Err(error.clone()));
    assert_eq!(views.live_at(zero, beyond), Err(error.clone()));
    assert_eq!(views.all_until(zero, Seq(0), beyond).err(), Some(error));
    let tag = Group::Tag(AliasId::ZERO);
    assert_eq!(views.live_at(tag, Seq(0)), Err(ViewError::NoLiveSet { group: tag }));
}
