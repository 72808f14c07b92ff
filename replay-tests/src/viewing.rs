//! Owns the comparison of stored views with the replayed state and with the oracle, at one record.

use std::collections::BTreeSet;

use ledger_format::event::memory::Write;
use ledger_format::{MemoryId, Micros, Seq};
use ledger_replay::{Birth, Instants, Lifecycle, Memory, State};
use ledger_views::{Group, Views};

use crate::compare::row_of;
use crate::oracle::{Moment, answers};

/// The groups that some births are part of, and one of each kind that nothing is in.
#[must_use]
pub fn groups(births: &[Birth]) -> BTreeSet<Group> {
    let nobody = ledger_format::AliasId([0xee; 16]);
    let empty = [
        Group::Scope,
        Group::Key,
        Group::Person,
        Group::Subject,
        Group::Predicate,
        Group::Tag,
        Group::Domain,
    ];
    let mut all: BTreeSet<Group> = empty.iter().map(|of| of(nobody)).collect();
    for birth in births {
        all.insert(Group::Scope(birth.scope));
        all.extend(birth.key.map(Group::Key));
        all.extend(birth.subjects.iter().copied().map(Group::Person));
        all.extend(birth.tags.iter().copied().map(Group::Tag));
        all.extend(birth.domain.map(Group::Domain));
        all.extend(birth.fact.map(|fact| Group::Subject(fact.subject)));
        all.extend(birth.fact.map(|fact| Group::Predicate(fact.predicate)));
    }
    all
}

/// Whether a write puts its memory into a group, read from the write itself.
fn belongs(group: &Group, scope: ledger_format::AliasId, write: &Write) -> bool {
    match group {
        Group::Scope(alias) => scope == *alias,
        Group::Key(alias) => write.key == Some(*alias),
        Group::Person(alias) => write.subjects.contains(alias),
        Group::Subject(alias) => write.fact.is_some_and(|fact| fact.subject == *alias),
        Group::Predicate(alias) => write.fact.is_some_and(|fact| fact.predicate == *alias),
        Group::Tag(alias) => write.tags.contains(alias),
        Group::Domain(alias) => write.domain == Some(*alias),
    }
}

/// Every memory as it stood at a record: version, fields, status and validity. Says how many values
/// were compared.
pub fn memories(
    views: &Views,
    state: &State,
    moment: &Moment<'_>,
    births: &[Birth],
    instants: &[Instants],
) -> usize {
    let seq = state.head().unwrap().seq;
    let mut compared = 0;
    for birth in births {
        let id = birth.id;
        let version = views.version_at(birth.seq, seq).unwrap();
        let known = state.memory(&id).map(|memory| memory.lifecycle.clone());
        assert_eq!(version, known, "views / replay: memory {id} at {seq}");
        let story = moment.story(id);
        let told = answers::row(id, &story);
        let Some(version) = version else {
            assert_eq!(told, None, "views / oracle: memory {id} at {seq}");
            continue;
        };
        let told = told.unwrap();
        let live = views.live_at(Group::Scope(birth.scope), seq).unwrap();
        let row = row_of(id, &as_memory(birth, &version, live.contains(&birth.seq)));
        assert_eq!(row, told, "views / oracle: {}", row.differences(&told));
        for at in instants {
            let word = answers::word(&told, &story, at.known, at.valid);
            let place = format!("memory {id} at {seq}, {at:?}");
            assert_eq!(version.status(*at).name(), word, "views / oracle: {place}");
            let holds = version.validity.contains(at.valid);
            assert_eq!(holds, answers::holds(&story, at.valid), "{place}");
            compared += 2;
        }
        compared += 24;
    }
    compared
}

fn as_memory(birth: &Birth, version: &Lifecycle, live: bool) -> Memory {
    Memory {
        born: birth.seq,
        scope: birth.scope,
        body: birth.body,
        key: birth.key,
        live,
        lifecycle: version.clone(),
    }
}

/// Who is in which group at a record, and who of them is listed. Says how many lists were compared.
pub fn members(views: &Views, seq: Seq, moment: &Moment<'_>, groups: &BTreeSet<Group>) -> usize {
    let told = moment.memories().into_iter().map(|id| {
        let (event, write) = moment.birth(id).unwrap();
        (event.seq(), event.header.scope, write, moment.row(id).unwrap().live)
    });
    let mut told: Vec<_> = told.collect();
    told.sort_unstable_by_key(|(born, ..)| *born);
    let mut compared = 0;
    for group in groups {
        let inside: Vec<_> = told
            .iter()
            .filter(|(_, scope, write, _)| belongs(group, *scope, write))
            .collect();
        let all: Vec<Seq> = inside.iter().map(|(born, ..)| *born).collect();
        let found = views.all_until(*group, Seq(0), seq).unwrap();
        let found: Vec<Seq> = found.map(Result::unwrap).collect();
        assert_eq!(found, all, "views / oracle: {group:?} at {seq}");
        if group.has_live_set() {
            let live = inside.iter().filter(|(.., live)| *live);
            let live: Vec<Seq> = live.map(|(born, ..)| *born).collect();
            let found = views.live_at(*group, seq).unwrap();
            assert_eq!(found, live, "views / oracle: {group:?} live at {seq}");
        }
        compared += 2;
    }
    compared
}

/// What was made from a memory, and all its versions, at the head.
pub fn lives(views: &Views, moment: &Moment<'_>, births: &[Birth]) -> usize {
    let last = views.applied().unwrap().seq;
    let mut compared = 0;
    for birth in births {
        let id = birth.id;
        assert_eq!(views.birth(id).unwrap(), Some(birth.seq), "memory {id}");
        assert_eq!(views.birth_at(birth.seq).unwrap().as_ref(), Some(birth), "memory {id}");
        let versions = views.versions(birth.seq).unwrap();
        let since: Vec<Seq> = versions.iter().map(|version| version.since).collect();
        let told: Vec<Seq> = moment.story(id).iter().map(|deed| deed.seq).collect();
        assert_eq!(since, told, "views / oracle: versions of memory {id}");
        let made = |other: &MemoryId| {
            let (event, write) = moment.birth(*other)?;
            write.derived_from.contains(&id).then(|| event.seq())
        };
        let mut told: Vec<Seq> = moment.memories().iter().filter_map(made).collect();
        told.sort_unstable();
        let found = views.derived_from_this(id, last).unwrap();
        assert_eq!(found, told, "views / oracle: made from memory {id}");
        compared += 3 + since.len() + found.len();
    }
    compared
}

/// Which record an instant means. Says how many instants were compared.
pub fn times(views: &Views, oracle: &crate::oracle::Oracle, instants: &[Micros]) -> usize {
    for at in instants {
        let last = oracle.known(*at).events().last().map(|event| event.seq());
        let found = views.time_to_seq(*at).unwrap();
        assert_eq!(found, last, "views / oracle: the record of {}", at.0);
    }
    instants.len()
}
