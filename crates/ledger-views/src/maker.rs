//! Owns how changes become rows. Storing and only summing go through here alike, which is why they
//! cannot differ.
//!
//! Invariant: what is remembered between records (numbers and counts looked up, the last times) can
//! be loaded from the rows again. May not: know where rows are kept.

use std::collections::BTreeMap;

use ledger_format::{AliasId, LedgerId, MemoryId, Seq};
use ledger_replay::{Birth, Change, Changes, Lifecycle};

use crate::error::ViewError;
use crate::group::Group;
use crate::meta::{Applied, Meta};
use crate::pending::Pending;
use crate::recent::Recent;
use crate::rows::{self, Rows, alias, erasure, group, id, lineage, live, task, time, version};
use crate::source::Source;

/// Makes rows of changes.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) meta: Meta,
    groups: Recent<Group, u64>,
    live: Recent<u64, live::Count>,
    times: time::Tail,
}

/// Where one changed memory is listed.
type Turns = BTreeMap<Group, Vec<live::Turn>>;

impl Maker {
    /// Begins before the first record.
    pub(crate) fn new(ledger: LedgerId) -> Self {
        Self {
            meta: Meta::new(ledger),
            groups: Recent::new(),
            live: Recent::new(),
            times: time::Tail::new(),
        }
    }

    /// Continues stored rows.
    pub(crate) fn resume<S: Source>(meta: Meta, source: &S) -> Result<Self, ViewError> {
        let times = time::Tail::load(source, meta.next())?;
        Ok(Self { meta, times, ..Self::new(meta.ledger) })
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
        let Self { meta, groups, live: counts, times } = self;
        let mut rows = Rows { below, pending, meta };
        let mut turns = Turns::new();
        times.push(&mut rows, seq, changes.recorded_at);
        for change in &changes.list {
            match change {
                Change::Born(birth) => {
                    id::put(&mut rows, birth.id, seq);
                    lineage::put_derived(&mut rows, birth);
                    join_groups(&mut rows, groups, counts, birth)?;
                }
                Change::Version { id, born, scope, key, was_live, live, lifecycle } => {
                    put_version(&mut rows, changes, *id, *born, lifecycle);
                    if was_live != live {
                        add_turn(&mut turns, *scope, *key, (*born, *live));
                    }
                }
                Change::Alias(id, value) => alias::put(&mut rows, seq, *id, value)?,
                Change::Task(id, value) => task::put(&mut rows, *id, value)?,
                Change::Erasure(id, value) => erasure::put(&mut rows, *id, value)?,
                _ => {
                    return Err(ViewError::BadChanges { seq, what: "a change of no known kind" });
                }
            }
        }
        for (listed, turns) in turns {
            let number = group::number_or_new(&mut rows, groups, listed)?.number;
            live::put(&mut rows, counts, number, seq, &turns)?;
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

fn put_version<S: Source>(
    rows: &mut Rows<'_, S>,
    changes: &Changes,
    id: MemoryId,
    born: Seq,
    lifecycle: &Lifecycle,
) {
    match birth_of(changes, id) {
        Some(birth) => version::put_first(rows, birth, lifecycle),
        None => version::put(rows, born, changes.seq, lifecycle),
    }
    let closed_here = lifecycle.closed.as_ref().filter(|closure| closure.seq == changes.seq);
    if closed_here.is_some_and(|closure| closure.by.is_some()) {
        lineage::put_superseded(rows, born, changes.seq);
    }
}

fn join_groups<S: Source>(
    rows: &mut Rows<'_, S>,
    groups: &mut Recent<Group, u64>,
    counts: &mut Recent<u64, live::Count>,
    birth: &Birth,
) -> Result<(), ViewError> {
    for listed in Group::of(birth) {
        let found = group::number_or_new(rows, groups, listed)?;
        if found.new && listed.has_live_set() {
            live::begin(counts, found.number);
        }
        group::join(rows, found.number, birth.seq);
    }
    Ok(())
}

fn add_turn(turns: &mut Turns, scope: AliasId, key: Option<AliasId>, turn: live::Turn) {
    turns.entry(Group::Scope(scope)).or_default().push(turn);
    if let Some(key) = key {
        turns.entry(Group::Key(key)).or_default().push(turn);
    }
}

/// The birth of a memory in the changes of the record that wrote it.
fn birth_of(changes: &Changes, memory: MemoryId) -> Option<&Birth> {
    changes.list.iter().find_map(|change| match change {
        Change::Born(birth) if birth.id == memory => Some(birth),
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
            Change::Version { born, .. } if *born > seq => return bad("a version before the birth"),
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

/// Whether a stored row reads; see [`rows::check`].
pub(crate) use rows::check as check_row;
