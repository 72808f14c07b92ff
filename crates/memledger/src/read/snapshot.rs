//! Owns a moment of the ledger that can be asked any number of questions.

use std::cell::OnceCell;

use ledger_format::{MemoryId, Micros, Seq};

use crate::answer::{HistoryEntry, Item, Lineage, Listing};
use crate::archive::Archive;
use crate::basis::Basis;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::gate::Policies;
use crate::names::Names;
use crate::read::assemble::Assembler;
use crate::read::claimed::Claimed;
use crate::read::past::Past;
use crate::read::ranks::Ranks;
use crate::read::remembered::Remembered;
use crate::read::viewed::Viewed;
use crate::read::{history, list};
use crate::vault::Vault;

/// A moment of the ledger.
pub struct Snapshot<'a> {
    pub(crate) basis: Basis,
    pub(crate) way: Way<'a>,
    pub(crate) vault: &'a Vault,
    pub(crate) names: &'a Names,
    /// Time of the last record that counts.
    pub(crate) recorded_at: Option<Micros>,
    pub(crate) policies: &'a Policies,
}

/// The way to the past that this snapshot goes.
pub(crate) enum Way<'a> {
    Views(Viewed<'a>),
    Claimed(Claimed<'a>),
    Archive(Box<Archive>),
    /// One of the others, asked about more than one valid time.
    Remembered(Remembered<'a>),
}

impl Way<'_> {
    pub(crate) fn past(&self) -> &dyn Past {
        match self {
            Self::Views(viewed) => viewed,
            Self::Claimed(claimed) => claimed,
            Self::Archive(archive) => &**archive,
            Self::Remembered(remembered) => remembered,
        }
    }
}

impl Snapshot<'_> {
    /// What answers rest on.
    #[must_use]
    pub const fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The same moment of the known axis, asked about another valid time. From here on the snapshot
    /// keeps what it reads of each memory (some hundred bytes, no words), so that many valid times
    /// cost little more than one; an answer from the archive replays once for all of them.
    #[must_use]
    pub fn valid_at(mut self, at: Micros) -> Self {
        self.basis.valid_at = at;
        self.way = match self.way {
            Way::Remembered(remembered) => Way::Remembered(remembered),
            way => Way::Remembered(Remembered::new(way)),
        };
        self
    }

    /// One memory as it stood. A memory that was not known yet is none.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn get(&self, id: &MemoryId) -> Result<Option<Item>> {
        let Some(birth) = self.past().birth(id)? else { return Ok(None) };
        let Some(life) = self.past().version(birth.seq)? else { return Ok(None) };
        self.assembler()?.item(&birth, &life).map(Some)
    }

    /// A page of memories, in the order of their records; what is contested comes together where the
    /// first of it is, highest authority first.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn list(&self, filter: &Filter) -> Result<Listing> {
        list::list(&self.assembler()?, filter, self.live_from())
    }

    /// The ids of the memories of a listing, in its order, without a look at their words; a filter on
    /// words looks at them all the same. The first [`Filter::limit`] of them behind
    /// [`Filter::after`].
    ///
    /// # Errors
    /// When a record it needs cannot be read.
    pub fn ids(&self, filter: &Filter) -> Result<Vec<MemoryId>> {
        list::ids(&self.assembler()?, filter, self.live_from())
    }

    /// From which valid time on the sets of what was live hold every answer.
    const fn live_from(&self) -> Option<Micros> {
        if self.basis.claimed { Some(Micros::MAX) } else { self.recorded_at }
    }

    /// Events that touched a memory, up to the basis, oldest first. Empty for an unknown memory.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn history(&self, id: &MemoryId) -> Result<Vec<HistoryEntry>> {
        history::history(&self.assembler()?, id)
    }

    /// Memories in force that were made from one of these, and are not marked for it yet.
    ///
    /// # Errors
    /// When a record it needs cannot be read.
    pub fn citing(&self, sources: &[MemoryId]) -> Result<Vec<MemoryId>> {
        let mut citing = Vec::new();
        for source in sources {
            for born in self.past().derived(source)? {
                let marked = self.past().version(born)?.is_none_or(|life| {
                    life.stale || !life.status(self.basis.instants()).in_force()
                });
                let birth = self.past().birth_at(born)?.filter(|_| !marked);
                citing.extend(birth.map(|birth| birth.id));
            }
        }
        citing.sort_unstable();
        citing.dedup();
        Ok(citing)
    }

    /// Where a memory comes from and what came from it.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn lineage(&self, id: &MemoryId) -> Result<Option<Lineage>> {
        history::lineage(&self.assembler()?, id)
    }

    /// The memories a short name can mean, known at the basis: `m12` is the memory that record 12
    /// wrote; anything else is the beginning of an id in hex digits.
    ///
    /// # Errors
    /// When the text is neither.
    pub fn find(&self, short: &str) -> Result<Vec<MemoryId>> {
        if let Some(number) = short.strip_prefix('m').and_then(|digits| digits.parse().ok()) {
            return Ok(self
                .past()
                .birth_at(Seq(number))?
                .map(|birth| birth.id)
                .into_iter()
                .collect());
        }
        if super::first_with_prefix(short).is_none() {
            return Err(Error::new(
                ErrorKind::Invalid,
                format!(
                    "{short:?} names no memory: give m and the number of its record (m12), its id, or the beginning of it"
                ),
            ));
        }
        let mut found = self.past().with_prefix(short)?;
        found.truncate(super::PREFIX_MATCHES);
        Ok(found)
    }

    pub(crate) fn past(&self) -> &dyn Past {
        self.way.past()
    }

    pub(crate) fn assembler(&self) -> Result<Assembler<'_>> {
        let policy = self.policies.at(self.vault, self.basis.seq)?;
        Ok(Assembler {
            past: self.past(),
            vault: self.vault,
            names: self.names,
            at: self.basis.instants(),
            contradictions: OnceCell::new(),
            zone: self.basis.zone,
            ranks: Ranks::new(policy),
        })
    }
}

impl std::fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Snapshot").field(&self.basis).finish()
    }
}
