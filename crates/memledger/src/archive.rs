//! Owns answers from the raw archive: replaying verified records, touching no view.
//!
//! Invariants: every record is checked against its chain on the way; only events up to the moment
//! count, and erasures up to the head; the result holds no text.

use std::collections::BTreeMap;

use ledger_format::{AliasId, AliasKind, Event, JobId, MemoryId, Micros, Seq};
use ledger_replay::{Alias, Birth, Change, Changes, Lifecycle, Sequenced, State, Task, apply};
use ledger_store::{Check, Reader};

use crate::error::{Error, ErrorKind, Result};
use crate::names::AliasSource;
use crate::read::{Members, Past};
use crate::vault::decode;

/// Which events count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// Those up to a record; none: no event at all.
    Seq(Option<Seq>),
    /// Those known by then as imported sources claim, or else as recorded.
    Claimed(Micros),
}

/// A moment, replayed.
#[derive(Default)]
pub(crate) struct Archive {
    ids: BTreeMap<MemoryId, Seq>,
    births: BTreeMap<Seq, Birth>,
    versions: BTreeMap<Seq, Vec<Lifecycle>>,
    aliases: BTreeMap<AliasId, Alias>,
    derived: BTreeMap<MemoryId, Vec<Seq>>,
    erased: BTreeMap<MemoryId, Seq>,
    tasks: BTreeMap<AliasId, Task>,
    /// The critical record of an unknown kind that the moment lies beyond.
    unknown: Option<Seq>,
}

impl Archive {
    /// Replays up to a moment. Names and erasures are those up to the head.
    pub(crate) fn replay(reader: &Reader, until: Until) -> Result<Self> {
        let mut archive = Self::default();
        let mut state = State::default();
        let mut overlay = Overlay::default();
        for stored in reader.stream(Seq(0), Check::Chain) {
            let event = decode(&stored?)?;
            let counts = match until {
                Until::Seq(last) => Some(event.seq()) <= last,
                Until::Claimed(at) => event.claimed_or_recorded() <= at,
            };
            if counts {
                archive.absorb(apply(&mut state, &event));
            }
            overlay.event(&event, &mut archive);
        }
        archive.unknown = state.unknown_critical();
        Ok(archive)
    }

    /// Refuses to answer beyond a critical record that this version does not know.
    pub(crate) fn check_known(&self) -> Result<()> {
        match self.unknown {
            None => Ok(()),
            Some(seq) => Err(Error::new(
                ErrorKind::Unproven,
                format!(
                    "record {seq} is of a kind that this program does not know and that changes what later answers mean; use a newer memledger to read beyond it"
                ),
            )),
        }
    }

    fn absorb(&mut self, changes: Changes) {
        for change in changes.list {
            match change {
                Change::Born(birth) => {
                    for parent in &birth.derived_from {
                        self.derived.entry(*parent).or_default().push(birth.seq);
                    }
                    self.ids.insert(birth.id, birth.seq);
                    self.births.insert(birth.seq, birth);
                }
                Change::Version { born, lifecycle, .. } => {
                    self.versions.entry(born).or_default().push(lifecycle);
                }
                Change::Task(id, task) => drop(self.tasks.insert(id, task)),
                _ => {}
            }
        }
    }
}

/// What reaches back from the head to every moment: the names of aliases and what erasures took.
#[derive(Default)]
struct Overlay {
    state: State,
    /// Memories of intents whose last part has not come yet.
    waiting: BTreeMap<JobId, Vec<MemoryId>>,
}

impl Overlay {
    fn event(&mut self, event: &Sequenced, archive: &mut Archive) {
        let memories = match &event.event {
            Event::AliasBound(_) => &[],
            Event::EraseIntent(intent) => intent.memories.as_slice(),
            _ => return,
        };
        for change in apply(&mut self.state, event).list {
            match change {
                Change::Alias(id, alias) => {
                    archive.aliases.insert(id, alias);
                }
                Change::Erasure(job, erasure) => {
                    self.waiting.entry(job).or_default().extend(memories);
                    if erasure.intended == Some(event.seq()) {
                        for id in self.waiting.remove(&job).unwrap_or_default() {
                            archive.erased.entry(id).or_insert(event.seq());
                        }
                    }
                }
                _ => {}
            }
        }
    }
}

impl AliasSource for Archive {
    fn alias(&self, id: AliasId) -> Result<Option<Alias>> {
        Ok(self.aliases.get(&id).cloned())
    }

    fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
    ) -> Result<Vec<(AliasId, Alias)>> {
        let fits = |alias: &Alias| alias.bound >= from && alias.is_under(parent, kind);
        let all = self.aliases.iter().filter(|(_, alias)| fits(alias));
        Ok(all.map(|(id, alias)| (*id, alias.clone())).collect())
    }
}

impl Past for Archive {
    fn birth(&self, id: &MemoryId) -> Result<Option<Birth>> {
        Ok(self.ids.get(id).and_then(|born| self.births.get(born)).cloned())
    }

    fn birth_at(&self, born: Seq) -> Result<Option<Birth>> {
        Ok(self.births.get(&born).cloned())
    }

    fn version(&self, born: Seq) -> Result<Option<Lifecycle>> {
        Ok(self.versions.get(&born).and_then(|versions| versions.last()).cloned())
    }

    fn versions(&self, born: Seq) -> Result<Vec<Lifecycle>> {
        Ok(self.versions.get(&born).cloned().unwrap_or_default())
    }

    fn erased(&self, born: Seq) -> Result<Option<Seq>> {
        Ok(self.births.get(&born).and_then(|birth| self.erased.get(&birth.id)).copied())
    }

    fn members(&self, members: Members, _live_only: bool) -> Result<Vec<Seq>> {
        let belongs = |birth: &Birth| match members {
            Members::Scope(scope) => birth.scope == scope,
            Members::Key(key) => birth.key == Some(key),
            Members::Person(person) => birth.subjects.contains(&person),
            Members::FactSubject(term) => birth.fact.is_some_and(|fact| fact.subject == term),
            Members::Predicate(term) => birth.fact.is_some_and(|fact| fact.predicate == term),
            Members::Tag(tag) => birth.tags.contains(&tag),
            Members::Domain(domain) => birth.domain == Some(domain),
        };
        Ok(self.births.values().filter(|birth| belongs(birth)).map(|birth| birth.seq).collect())
    }

    fn derived(&self, id: &MemoryId) -> Result<Vec<Seq>> {
        Ok(self.derived.get(id).cloned().unwrap_or_default())
    }

    fn task(&self, task: AliasId) -> Result<Option<Task>> {
        Ok(self.tasks.get(&task).copied())
    }

    fn with_prefix(&self, prefix: &str) -> Result<Vec<MemoryId>> {
        let Some(first) = crate::read::first_with_prefix(prefix) else { return Ok(Vec::new()) };
        let from_first = self.ids.range(first..).map(|(id, _)| *id);
        Ok(from_first.take_while(|id| crate::read::has_prefix(id, prefix)).collect())
    }
}
