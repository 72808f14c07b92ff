//! Owns the way from aliases to names and back.
//!
//! Invariants: a name is looked up where it was bound and nowhere else; erased names are gone from
//! here too; no name is written, only keyed digests of names (`index`). The book in memory is filled
//! from the views or from replayed state, one name at a time where the index knows the rest.

mod index;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ledger_format::{AliasId, AliasKind, Event, Kind, RecordView, Role, Seq};
use ledger_replay::{Alias, State};
use ledger_store::storage::Storage;
use ledger_store::{Check, KeyState, StoreError};

use self::index::{Index, Upto};
use crate::error::Result;
use crate::ledger::is_far_behind;
use crate::scope::Scope;
use crate::vault::{Loaded, Opened, Vault, decode};

/// Names that are read one by one, by looking for each record, rather than in one pass over the
/// log: one look costs about as much as a hundred records in a row.
const LOOK_COST: u64 = 100;

/// What a name is unique within.
type Place = (u8, AliasId);

#[derive(Default)]
struct Book {
    names: HashMap<AliasId, Option<String>>,
    aliases: HashMap<Place, HashMap<String, AliasId>>,
    /// Places of which every name is in the book.
    complete: HashMap<Place, usize>,
    /// Aliases that the index may still know and that have no name any more.
    erased: HashSet<AliasId>,
}

/// Where aliases can be looked up.
pub(crate) trait AliasSource {
    /// One alias.
    fn alias(&self, id: AliasId) -> Result<Option<Alias>>;
    /// Aliases of one kind whose parent is `parent` (zero: none), bound from a record on.
    fn children(
        &self,
        parent: AliasId,
        kind: AliasKind,
        from: Seq,
    ) -> Result<Vec<(AliasId, Alias)>>;
}

/// Names by alias and aliases by name.
pub(crate) struct Names {
    storage: Arc<dyn Storage>,
    book: Mutex<Book>,
    /// The saved index, once it was asked for.
    index: OnceLock<Option<Index>>,
}

impl Names {
    pub(crate) fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, book: Mutex::default(), index: OnceLock::new() }
    }

    /// The name behind an alias; none when it is erased, locked or unknown.
    pub(crate) fn name(
        &self,
        vault: &Vault,
        source: &dyn AliasSource,
        id: AliasId,
    ) -> Result<Option<String>> {
        if let Some(known) = self.book().names.get(&id) {
            return Ok(known.clone());
        }
        let Some(alias) = source.alias(id)? else { return Ok(None) };
        let name = read_name(vault, &alias)?;
        self.remember(id, &alias, name.as_deref());
        Ok(name)
    }

    /// The alias that stands for a name, if one was bound.
    pub(crate) fn alias(
        &self,
        vault: &Vault,
        source: &dyn AliasSource,
        kind: AliasKind,
        parent: AliasId,
        name: &str,
    ) -> Result<Option<AliasId>> {
        let index = self.index(vault);
        if let Some(found) = self.known(kind, parent, name) {
            let alias = source.alias(found)?;
            if alias.is_some_and(|alias| alias.erased.is_none()) {
                return Ok(Some(found));
            }
        }
        // The index is complete up to its record.
        let from = index.map_or(Seq(0), |index| index.upto.seq.next());
        let children = source.children(parent, kind, from)?;
        let place = (kind.number(), parent);
        if self.book().complete.get(&place) == Some(&children.len()) {
            return Ok(None);
        }
        for (id, alias) in &children {
            if !self.book().names.contains_key(id) {
                let name = read_name(vault, alias)?;
                self.remember(*id, alias, name.as_deref());
            }
        }
        self.book().complete.insert(place, children.len());
        let found = self.known(kind, parent, name);
        Ok(found.filter(|found| children.iter().any(|(id, _)| id == found)))
    }

    /// Whether a name was bound when `source` stands, and its alias. Cheaper than [`Names::alias`] where
    /// many names of one place are asked for: the caller has filled the book by asking that first.
    pub(crate) fn among(
        &self,
        source: &dyn AliasSource,
        kind: AliasKind,
        parent: AliasId,
        name: &str,
    ) -> Result<Option<AliasId>> {
        let Some(found) = self.known(kind, parent, name) else { return Ok(None) };
        Ok(source.alias(found)?.map(|_| found))
    }

    /// The scope whose last segment is `id`, outermost first.
    pub(crate) fn scope(
        &self,
        vault: &Vault,
        source: &dyn AliasSource,
        id: AliasId,
    ) -> Result<Scope> {
        let mut segments = Vec::new();
        let mut at = id;
        while !at.is_zero() && segments.len() < ledger_format::limits::SCOPE_DEPTH {
            let name = self.name(vault, source, at)?;
            segments.push(name.unwrap_or_else(|| format!("alias/{at}")));
            at = source.alias(at)?.and_then(|alias| alias.parent).unwrap_or(AliasId::ZERO);
        }
        segments.reverse();
        Ok(Scope::from_segments(segments))
    }

    /// The alias of the last segment of a scope; zero for the ledger itself; none when a segment
    /// was never bound.
    pub(crate) fn scope_alias(
        &self,
        vault: &Vault,
        source: &dyn AliasSource,
        scope: &Scope,
    ) -> Result<Option<AliasId>> {
        let mut at = AliasId::ZERO;
        for segment in scope.segments() {
            match self.alias(vault, source, AliasKind::Scope, at, segment)? {
                Some(found) => at = found,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Makes [`Self::known`] complete at a state: what the index does not cover is read.
    pub(crate) fn prepare(&self, vault: &Vault, state: &State) -> Result<()> {
        let erased = state.aliases().filter(|(_, alias)| alias.erased.is_some());
        self.book().erased = erased.map(|(id, _)| *id).collect();
        let Some(head) = state.head() else { return Ok(()) };
        let from = self.index(vault).map_or(Seq(0), |index| index.upto.seq.next());
        let open: Vec<_> = state.aliases().filter(|(_, alias)| alias.bound >= from).collect();
        let records = head.seq.0.saturating_add(1).saturating_sub(from.0);
        if (open.len() as u64).saturating_mul(LOOK_COST) > records {
            return self.read_from(vault, state, from);
        }
        for (id, alias) in open {
            if !self.book().names.contains_key(id) {
                let name = read_name(vault, alias)?;
                self.remember(*id, alias, name.as_deref());
            }
        }
        Ok(())
    }

    /// Reads all names bound from a record on in one pass.
    fn read_from(&self, vault: &Vault, state: &State, from: Seq) -> Result<()> {
        for stored in vault.reader().stream(from, Check::Chain) {
            let stored = stored?;
            let kind = RecordView::decode(&stored.bytes).map(|record| record.header.kind);
            if kind.is_ok_and(|kind| kind != Kind::AliasBound.number()) {
                continue;
            }
            let event = decode(&stored)?;
            let Event::AliasBound(bound) = &event.event else { continue };
            let id = bound.alias;
            // A second binding of the same alias counts for nothing.
            let Some(alias) = state.alias(&id).filter(|alias| alias.bound == stored.seq) else {
                continue;
            };
            let loaded = Loaded { stored, event };
            let name = name_in(vault, alias, &loaded)?;
            self.remember(id, alias, name.as_deref());
        }
        Ok(())
    }

    /// Saves the index of all names at a state that [`Self::prepare`] and [`Self::bound`] have
    /// followed, when the saved one is far enough behind to matter.
    pub(crate) fn save_if_worthwhile(&self, vault: &Vault, state: &State) -> Result<()> {
        let Some(head) = state.head() else { return Ok(()) };
        let Some(pepper) = pepper(vault) else { return Ok(()) };
        if !is_far_behind(self.index(vault).map(|index| index.upto.seq), head.seq) {
            return Ok(());
        }
        let mut fresh = Index::new(Upto { seq: head.seq, hash: head.hash }, pepper);
        let erased: HashSet<AliasId> = state
            .aliases()
            .filter(|(_, alias)| alias.erased.is_some())
            .map(|(id, _)| *id)
            .collect();
        if let Some(older) = self.index(vault) {
            fresh.extend(older, &erased);
        }
        for ((kind, parent), names) in &self.book().aliases {
            let Some(kind) = AliasKind::from_number(*kind) else { continue };
            for (name, id) in names.iter().filter(|(_, id)| !erased.contains(id)) {
                fresh.insert(kind, *parent, name, *id);
            }
        }
        fresh.save(&*self.storage, state.ledger()).map_err(StoreError::from)?;
        Ok(())
    }

    /// The saved index, if there is one that belongs to this log.
    fn index(&self, vault: &Vault) -> Option<&Index> {
        let load = || {
            let reader = vault.reader();
            let index = Index::load(&*self.storage, reader.ledger(), pepper(vault)?)?;
            let record = reader.record(index.upto.seq).ok()?;
            (record.hash == index.upto.hash).then_some(index)
        };
        self.index.get_or_init(load).as_ref()
    }

    /// Adds a name that was just bound.
    pub(crate) fn bound(&self, id: AliasId, kind: AliasKind, parent: AliasId, name: &str) {
        let mut book = self.book();
        let place = (kind.number(), parent);
        book.names.insert(id, Some(name.to_owned()));
        book.aliases.entry(place).or_default().insert(name.to_owned(), id);
    }

    /// The alias of a name, as far as book and index know.
    pub(crate) fn known(&self, kind: AliasKind, parent: AliasId, name: &str) -> Option<AliasId> {
        let book = self.book();
        let place = (kind.number(), parent);
        if let Some(found) = book.aliases.get(&place).and_then(|names| names.get(name)) {
            return Some(*found);
        }
        let index = self.index.get().and_then(Option::as_ref)?;
        index.find(kind, parent, name).filter(|id| !book.erased.contains(id))
    }

    fn remember(&self, id: AliasId, alias: &Alias, name: Option<&str>) {
        match name {
            Some(name) => self.bound(id, alias.kind, alias.parent.unwrap_or(AliasId::ZERO), name),
            None => {
                self.book().names.insert(id, None);
            }
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // The book holds plain values that are valid at every step, so a panic elsewhere while it
        // was locked does not make it wrong.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_name(vault: &Vault, alias: &Alias) -> Result<Option<String>> {
    if alias.erased.is_some() {
        return Ok(None);
    }
    name_in(vault, alias, &vault.load(alias.bound)?)
}

/// The name in the record that bound an alias.
fn name_in(vault: &Vault, alias: &Alias, loaded: &Loaded) -> Result<Option<String>> {
    if alias.erased.is_some() {
        return Ok(None);
    }
    Ok(match vault.open(loaded, Role::Name)? {
        Some(Opened::Plain(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    })
}

/// What keys the digests of names; none where the master key is not at hand.
fn pepper(vault: &Vault) -> Option<[u8; 32]> {
    match vault.keys().pepper() {
        Ok(KeyState::Key(pepper)) => Some(*pepper),
        _ => None,
    }
}
