//! Owns the seam between the two ways to look at the past: what an answer needs to know of a
//! moment, whoever knows it.
//!
//! Invariant: for the same moment, both implementations give the same values, and the answers are
//! made from those values alone.

use ledger_format::{AliasId, MemoryId, Seq};
use ledger_replay::{Birth, Lifecycle, Task};

use crate::error::Result;
use crate::names::AliasSource;

/// Which memories to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Members {
    /// Every memory of the scope itself, without the scopes below.
    Scope(AliasId),
    /// Every memory under a key.
    Key(AliasId),
    /// Every memory about a person.
    Person(AliasId),
    /// Every fact with a subject.
    FactSubject(AliasId),
    /// Every fact with a predicate.
    Predicate(AliasId),
    /// Every memory with a label.
    Tag(AliasId),
    /// Every memory of a domain.
    Domain(AliasId),
}

/// A moment of the known axis.
pub(crate) trait Past: AliasSource {
    /// What the write of a memory said, if the memory was known.
    fn birth(&self, id: &MemoryId) -> Result<Option<Birth>>;

    /// The same, by the record that wrote it.
    fn birth_at(&self, born: Seq) -> Result<Option<Birth>>;

    /// The version known at this moment.
    fn version(&self, born: Seq) -> Result<Option<Lifecycle>>;

    /// All versions known at this moment, oldest first.
    fn versions(&self, born: Seq) -> Result<Vec<Lifecycle>>;

    /// The erasure of a memory, if the ledger holds one up to its head: erasures reach back.
    fn erased(&self, born: Seq) -> Result<Option<Seq>>;

    /// Births of members, ascending. With `live_only`, those that were listed without history; a
    /// superset is allowed.
    fn members(&self, members: Members, live_only: bool) -> Result<Vec<Seq>>;

    /// Births of memories made from this one.
    fn derived(&self, id: &MemoryId) -> Result<Vec<Seq>>;

    /// A task, if it had begun.
    fn task(&self, task: AliasId) -> Result<Option<Task>>;

    /// Births of memories whose id begins with these bytes and nibble.
    fn with_prefix(&self, prefix: &str) -> Result<Vec<MemoryId>>;
}
