//! Owns the questions. All answers up to [`Views::applied`] are stable: rows about a record are not
//! changed by later ones, save for what erasure does to a few.
//!
//! A question about a record that is not applied yet is an error, never a shorter answer.

use std::collections::VecDeque;

use ledger_format::names::Job;
use ledger_format::{AliasId, AliasKind, JobId, MemoryId, Micros, Seq};
use ledger_replay::{Alias, Birth, Erasure, Lifecycle, Schedule, Task};

use crate::error::ViewError;
use crate::group::Group;
use crate::rows::{alias, erasure, group, id, lineage, live, schedule, task, time, version};
use crate::views::Views;

/// Members read at a time.
const PAGE: usize = 256;

/// Every method fails with [`ViewError::Doubt`] when rows do not read: rebuild, and answer from the
/// archive meanwhile. Those with a record fail with [`ViewError::NotReached`] when it is not applied.
impl Views {
    /// The record that wrote a memory. It may lie behind the record asked about elsewhere: then the
    /// memory was not known there.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn birth(&self, id: MemoryId) -> Result<Option<Seq>, ViewError> {
        id::birth(&self.rows().over(), id)
    }

    /// Memories from an id on, in the order of their ids, with their births; at most `limit`.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn ids_from(
        &self,
        first: MemoryId,
        limit: usize,
    ) -> Result<Vec<(MemoryId, Seq)>, ViewError> {
        id::from(&self.rows().over(), first, limit)
    }

    /// What the write of a memory said.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn birth_at(&self, born: Seq) -> Result<Option<Birth>, ViewError> {
        version::birth(&self.rows().over(), born)
    }

    /// The version of a memory that was known after a record; none: the memory was not.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn version_at(&self, born: Seq, seq: Seq) -> Result<Option<Lifecycle>, ViewError> {
        self.reached(seq)?;
        version::at(&self.rows().over(), born, seq)
    }

    /// The versions of a memory that are known now, oldest first. Each was known from its
    /// [`Lifecycle::since`] until the next one's.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn versions(&self, born: Seq) -> Result<Vec<Lifecycle>, ViewError> {
        match self.applied() {
            Some(applied) => version::until(&self.rows().over(), born, applied.seq),
            None => Ok(Vec::new()),
        }
    }

    /// Births of the members of a scope or key that were listed without history after a record, in
    /// order. Costs about twice the answer and 64 steps, however long the history.
    ///
    /// # Errors
    /// See the head of these methods; [`ViewError::NoLiveSet`] for other groups.
    pub fn live_at(&self, group: Group, seq: Seq) -> Result<Vec<Seq>, ViewError> {
        self.reached(seq)?;
        if !group.has_live_set() {
            return Err(ViewError::NoLiveSet { group });
        }
        match group::number(&self.rows().over(), group)? {
            Some(number) => live::at(&self.rows().over(), number, seq),
            None => Ok(Vec::new()),
        }
    }

    /// Births of all members of a group that were ever written until a record, in order, beginning at
    /// `from`: the one behind the last that was seen, or 0.
    ///
    /// # Errors
    /// See the head of these methods, on the call and on each step.
    pub fn all_until(&self, group: Group, from: Seq, seq: Seq) -> Result<AllUntil<'_>, ViewError> {
        self.reached(seq)?;
        let number = group::number(&self.rows().over(), group)?;
        let next = number.map(|number| (number, from));
        Ok(AllUntil { views: self, group, next, until: seq, page: VecDeque::new() })
    }

    /// An alias as it stands now. After a record before [`Alias::bound`] it was not known.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn alias(&self, id: AliasId) -> Result<Option<Alias>, ViewError> {
        alias::get(&self.rows().over(), id)
    }

    /// Aliases of one kind bound under `parent` from one record until another, in the order in which
    /// they were bound. Under the zero alias are those without a parent.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
        until: Seq,
    ) -> Result<Vec<AliasId>, ViewError> {
        self.reached(until)?;
        alias::children(&self.rows().over(), parent, kind, from, until)
    }

    /// Births of the memories whose writes, until a record, named `source` as what they were made
    /// from, in order. `source` need not exist.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn derived_from_this(&self, source: MemoryId, seq: Seq) -> Result<Vec<Seq>, ViewError> {
        self.reached(seq)?;
        lineage::made_from(&self.rows().over(), source, seq)
    }

    /// Births of the memories that, until a record, took this one's place, by a write, an approval
    /// or a closure that names its successor; in order, each once. Reads all versions until then; the
    /// one in effect is in [`Lifecycle::closed`].
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn superseded_by(&self, id: MemoryId, seq: Seq) -> Result<Vec<Seq>, ViewError> {
        self.reached(seq)?;
        match id::birth(&self.rows().over(), id)? {
            Some(born) if born <= seq => version::superseded_by(&self.rows().over(), born, seq),
            _ => Ok(Vec::new()),
        }
    }

    /// The last record recorded at or before an instant; none: all came later.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn time_to_seq(&self, time: Micros) -> Result<Option<Seq>, ViewError> {
        time::seq_at(&self.rows().over(), time)
    }

    /// A task as it stood after a record; none: it had not begun.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn task_at(&self, id: AliasId, seq: Seq) -> Result<Option<Task>, ViewError> {
        self.reached(seq)?;
        task::at(&self.rows().over(), id, seq)
    }

    /// When a recurring job ran and when it is due, as of now.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn schedule(&self, job: Job) -> Result<Option<Schedule>, ViewError> {
        schedule::get(&self.rows().over(), job)
    }

    /// An erasure as it stands now.
    ///
    /// # Errors
    /// See the head of these methods.
    pub fn erasure(&self, id: JobId) -> Result<Option<Erasure>, ViewError> {
        erasure::get(&self.rows().over(), id)
    }

    fn reached(&self, asked: Seq) -> Result<(), ViewError> {
        let applied = self.applied().map(|applied| applied.seq);
        if applied.is_some_and(|applied| asked <= applied) {
            return Ok(());
        }
        Err(ViewError::NotReached { asked, applied })
    }
}

/// The members of a group in the order of their births; see [`Views::all_until`].
#[derive(Debug)]
pub struct AllUntil<'a> {
    views: &'a Views,
    group: Group,
    /// Its number and the first birth that was not read; none: all were.
    next: Option<(u64, Seq)>,
    until: Seq,
    page: VecDeque<Seq>,
}

impl Iterator for AllUntil<'_> {
    type Item = Result<Seq, ViewError>;

    fn next(&mut self) -> Option<Self::Item> {
        // The place of the next page is taken only when this page is used up.
        if self.page.is_empty()
            && let Some((number, from)) = self.next.take()
        {
            let (rows, until) = (self.views.rows(), self.until);
            let members = match self.group.has_live_set() {
                true => live::members(&rows.over(), number, from, until, PAGE),
                false => group::members(&rows.over(), number, from, until, PAGE),
            };
            match members {
                Err(error) => return Some(Err(error)),
                Ok(members) => {
                    let more = members.len() >= PAGE;
                    self.next = members.last().filter(|_| more).map(|last| (number, last.next()));
                    self.page = members.into();
                }
            }
        }
        self.page.pop_front().map(Ok)
    }
}
