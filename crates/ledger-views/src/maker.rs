//! Owns how changes become rows. Storing and only summing go through here alike, which is why they
//! cannot differ.
//!
//! Invariant: what is remembered between records (numbers and counts looked up, the last times) can
//! be loaded from the rows again. May not: know where rows are kept.

use std::collections::BTreeMap;

use ledger_format::{AliasId, LedgerId, MemoryId};
use ledger_replay::{Birth, Change, Changes};

use crate::error::ViewError;
use crate::group::Group;
use crate::meta::{Applied, Meta};
use crate::pending::Pending;
use crate::recent::Recent;
use crate::rows::birth::Numbers;
use crate::rows::{Rows, alias, erasure, group, id, lineage, live, schedule, task, time, version};
use crate::source::Source;

/// Makes rows of changes.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) meta: Meta,
    groups: Recent<Group, u64>,
    live: live::Sets,
    times: time::Tail,
}

/// Where one changed memory is listed.
type Turns = BTreeMap<Group, Vec<live::Turn>>;

impl Maker {
    /// Begins before the first record. `readable`: what is remembered may be forgotten, because
    /// rows can be read again.
    pub(crate) fn new(ledger: LedgerId, readable: bool) -> Self {
        Self {
            meta: Meta::new(ledger),
            groups: Recent::new(readable),
            live: live::Sets::new(readable),
            times: time::Tail::new(),
        }
    }

    /// Continues stored rows.
    pub(crate) fn resume<S: Source>(meta: Meta, source: &S) -> Result<Self, ViewError> {
        let times = time::Tail::load(source, meta.next())?;
        Ok(Self { meta, times, ..Self::new(meta.ledger, true) })
    }

    /// Whether these changes come next and make sense, before any of them is applied.
    pub(crate) fn check_next(&self, list: &[Changes]) -> Result<(), ViewError> {
        let mut expected = self.meta.next();
        for changes in list {
            if changes.seq != expected {
                return Err(ViewError::Gap { expected, found: changes.seq });
            }
            consistent(changes)?;
            expected = expected.next();
        }
        Ok(())
    }

    /// Makes the rows of one record, which [`Self::check_next`] has accepted.
    pub(crate) fn push<S: Source>(
        &mut self,
        changes: &Changes,
        pending: &mut Pending,
        below: &S,
    ) -> Result<(), ViewError> {
        let seq = changes.seq;
        let Self { meta, groups, live: sets, times } = self;
        let mut rows = Rows { below, pending, meta };
        let mut turns = Turns::new();
        let mut numbers = Numbers::new();
        times.push(&mut rows, seq, changes.recorded_at);
        for birth in births(changes) {
            id::put(&mut rows, birth.id, seq);
            lineage::put_derived(&mut rows, birth);
            numbers = join_groups(&mut rows, groups, sets, birth)?;
        }
        for change in &changes.list {
            match change {
                Change::Born(_) => {}
                Change::Version { id, born, scope, key, was_live, live, lifecycle } => {
                    match births(changes).find(|birth| birth.id == *id) {
                        Some(birth) => version::put_first(&mut rows, birth, &numbers, lifecycle),
                        None => version::put(&mut rows, *born, seq, lifecycle),
                    }
                    if was_live != live || *born == seq {
                        let turn = live::Turn { born: born.0, began: *live };
                        add_turn(&mut turns, *scope, *key, turn);
                    }
                }
                Change::Alias(id, value) => alias::put(&mut rows, seq, *id, value)?,
                Change::Task(id, value) => task::put(&mut rows, *id, changes.seq, value),
                Change::Schedule(job, value) => schedule::put(&mut rows, *job, value)?,
                Change::Erasure(id, value) => erasure::put(&mut rows, *id, value)?,
                _ => {
                    return Err(ViewError::BadChanges { seq, what: "a change of no known kind" });
                }
            }
        }
        for (listed, turns) in turns {
            let number = group::number_or_new(&mut rows, groups, listed)?.number;
            live::put(&mut rows, sets, number, seq, &turns)?;
        }
        self.meta.applied = Some(Applied { seq, hash: changes.hash });
        Ok(())
    }

    /// Brings rows up to date that lag behind: needed before rows are stored or summed.
    pub(crate) fn settle<S: Source>(&mut self, pending: &mut Pending, below: &S) {
        let Self { meta, times, .. } = self;
        times.settle(&mut Rows { below, pending, meta });
    }

    #[cfg(test)]
    pub(crate) fn forget_recent(&mut self) {
        self.groups.forget();
        self.live.forget();
    }
}

fn join_groups<S: Source>(
    rows: &mut Rows<'_, S>,
    groups: &mut Recent<Group, u64>,
    sets: &mut live::Sets,
    birth: &Birth,
) -> Result<Numbers, ViewError> {
    let mut numbers = Numbers::new();
    for listed in Group::of(birth) {
        let found = group::number_or_new(rows, groups, listed)?;
        match listed.has_live_set() {
            true if found.new => live::begin(sets, found.number),
            true => {}
            false => group::join(rows, found.number, birth.seq),
        }
        numbers.push((listed, found.number));
    }
    Ok(numbers)
}

fn add_turn(turns: &mut Turns, scope: AliasId, key: Option<AliasId>, turn: live::Turn) {
    turns.entry(Group::Scope(scope)).or_default().push(turn);
    if let Some(key) = key {
        turns.entry(Group::Key(key)).or_default().push(turn);
    }
}

/// The births among the changes of a record: one at most, see [`consistent`].
fn births(changes: &Changes) -> impl Iterator<Item = &Birth> {
    changes.list.iter().filter_map(|change| match change {
        Change::Born(birth) => Some(birth),
        _ => None,
    })
}

/// A birth and the first version come together, one memory at most is born by a record, and nothing
/// has two versions: rows are keyed by it.
fn consistent(changes: &Changes) -> Result<(), ViewError> {
    let seq = changes.seq;
    let bad = |what| Err(ViewError::BadChanges { seq, what });
    let mut versions = Vec::new();
    let mut births = Vec::new();
    for change in &changes.list {
        match change {
            Change::Born(birth) if birth.seq != seq => return bad("a birth of another record"),
            Change::Born(birth) => births.push(birth.id),
            Change::Version { born, .. } if *born > seq => {
                return bad("a version before the birth");
            }
            Change::Version { lifecycle, .. } if lifecycle.since != seq => {
                return bad("a version of another record");
            }
            Change::Version { id, born, .. } => versions.push((*born, *id)),
            _ => {}
        }
    }
    versions.sort_unstable();
    let firsts: Vec<MemoryId> =
        versions.iter().filter(|(born, _)| *born == seq).map(|(_, id)| *id).collect();
    if versions.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a == b)) {
        return bad("two versions of one memory");
    }
    if firsts != births { bad("a birth without a first version, or the reverse") } else { Ok(()) }
}
