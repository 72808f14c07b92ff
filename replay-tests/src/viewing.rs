//! Owns the comparison of stored views with the replayed state and with the oracle, at one record.

use std::collections::BTreeSet;
use std::fmt::Debug;

use ledger_format::event::memory::Write;
use ledger_format::{MemoryId, Micros, Seq};
use ledger_replay::{Birth, Instants, Lifecycle, Memory, State};
use ledger_views::{Group, Views};

use crate::compare::row_of;
use crate::oracle::{Moment, Oracle, answers};

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

/// How many values were compared, or the first that differs, in words.
pub type Compared = Result<usize, String>;

fn same<T: PartialEq + Debug>(
    what: impl FnOnce() -> String,
    views: &T,
    told: &T,
) -> Result<(), String> {
    if views == told {
        return Ok(());
    }
    Err(format!("{}: the views say {views:?}, not {told:?}", what()))
}

/// Every memory as it stood at a record: version, fields, status and validity.
///
/// # Errors
/// The first difference.
pub fn memories(
    views: &Views,
    state: &State,
    moment: &Moment<'_>,
    births: &[Birth],
    instants: &[Instants],
) -> Compared {
    let seq = state.head().unwrap().seq;
    let mut compared = 0;
    for birth in births {
        let id = birth.id;
        let version = views.version_at(birth.seq, seq).unwrap();
        let known = state.memory(&id).map(|memory| memory.lifecycle.clone());
        same(|| format!("memory {id} at {seq}, by replay"), &version, &known)?;
        let story = moment.story(id);
        let told = answers::row(id, &story);
        let (Some(version), Some(told)) = (&version, &told) else {
            let both = (version.is_some(), told.is_some());
            same(|| format!("memory {id} at {seq}, by the oracle"), &both, &(false, false))?;
            continue;
        };
        let live = views.live_at(Group::Scope(birth.scope), seq).unwrap();
        let row = row_of(id, &as_memory(birth, version, live.contains(&birth.seq)));
        if row != *told {
            let differences = row.differences(told);
            return Err(format!("memory {id} at {seq} (views / oracle): {differences}"));
        }
        for at in instants {
            let what = |of| format!("{of} of memory {id} at {seq}, {at:?}");
            let word = answers::word(told, &story, at.known, at.valid);
            same(|| what("status"), &version.status(*at).name(), &word)?;
            let holds = answers::holds(&story, at.valid);
            same(|| what("validity"), &version.validity.contains(at.valid), &holds)?;
            compared += 2;
        }
        compared += 24;
    }
    Ok(compared)
}

fn as_memory(birth: &Birth, version: &Lifecycle, live: bool) -> Memory {
    Memory {
        born: birth.seq,
        scope: birth.scope,
        body: birth.body,
        source: birth.source,
        actor_kind: birth.actor_kind,
        key: birth.key,
        task: birth.task,
        live,
        lifecycle: version.clone(),
    }
}

/// Who is in which group at a record, and who of them is listed.
///
/// # Errors
/// The first difference.
pub fn members(views: &Views, seq: Seq, moment: &Moment<'_>, groups: &BTreeSet<Group>) -> Compared {
    let told = moment.memories().into_iter().map(|id| {
        let (event, write) = moment.birth(id).unwrap();
        let live = moment.row(id).unwrap().live;
        (event.seq(), event.header.scope, write, live)
    });
    let mut told: Vec<_> = told.collect();
    told.sort_unstable_by_key(|(born, ..)| *born);
    for group in groups {
        let inside = || told.iter().filter(|(_, scope, write, _)| belongs(group, *scope, write));
        let all: Vec<Seq> = inside().map(|(born, ..)| *born).collect();
        let found = views.all_until(*group, Seq(0), seq).unwrap();
        let found: Vec<Seq> = found.map(Result::unwrap).collect();
        same(|| format!("{group:?} at {seq}"), &found, &all)?;
        if group.has_live_set() {
            let live = inside().filter(|(.., live)| *live);
            let live: Vec<Seq> = live.map(|(born, ..)| *born).collect();
            let found = views.live_at(*group, seq).unwrap();
            same(|| format!("{group:?} live at {seq}"), &found, &live)?;
        }
    }
    Ok(2 * groups.len())
}

/// What was made from each memory, and all its versions, at the head.
///
/// # Errors
/// The first difference.
pub fn lives(views: &Views, moment: &Moment<'_>, births: &[Birth]) -> Compared {
    let last = views.applied().unwrap().seq;
    let mut compared = 0;
    for birth in births {
        let id = birth.id;
        let what = |of| move || format!("{of} of memory {id}");
        same(what("the birth"), &views.birth(id).unwrap(), &Some(birth.seq))?;
        let stored = views.birth_at(birth.seq).unwrap();
        same(what("the write"), &stored.as_ref(), &Some(birth))?;
        let versions = views.versions(birth.seq).unwrap();
        let since: Vec<Seq> = versions.iter().map(|version| version.since).collect();
        let told: Vec<Seq> = moment.story(id).iter().map(|deed| deed.seq).collect();
        same(what("the versions"), &since, &told)?;
        let made = |other: &MemoryId| {
            let (event, write) = moment.birth(*other)?;
            write.derived_from.contains(&id).then(|| event.seq())
        };
        let mut told: Vec<Seq> = moment.memories().iter().filter_map(made).collect();
        told.sort_unstable();
        let found = views.derived_from_this(id, last).unwrap();
        same(what("what was made"), &found, &told)?;
        compared += 3 + since.len() + found.len();
    }
    Ok(compared)
}

/// Which record an instant means.
///
/// # Errors
/// The first difference.
pub fn times(views: &Views, oracle: &Oracle, instants: &[Micros]) -> Compared {
    for at in instants {
        let last = oracle.known(*at).events().last().map(|event| event.seq());
        let found = views.time_to_seq(*at).unwrap();
        same(|| format!("the record of {}", at.0), &found, &last)?;
    }
    Ok(instants.len())
}
