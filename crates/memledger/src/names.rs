//! Owns the way from aliases to names and back, in memory.
//!
//! Invariants: a name is looked up where it was bound and nowhere else; erased names are gone from
//! here too; nothing of this is written. The book is filled from the views or from replayed state.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ledger_format::{AliasId, AliasKind, Role};
use ledger_replay::Alias;

use crate::error::Result;
use crate::scope::Scope;
use crate::vault::{Opened, Vault};

/// What a name is unique within.
type Place = (u8, AliasId);

#[derive(Default)]
struct Book {
    names: HashMap<AliasId, Option<String>>,
    aliases: HashMap<Place, HashMap<String, AliasId>>,
    /// Places of which every name is in the book.
    complete: HashMap<Place, usize>,
}

/// Where aliases can be looked up.
pub(crate) trait AliasSource {
    /// One alias.
    fn alias(&self, id: AliasId) -> Result<Option<Alias>>;
    /// Aliases of one kind whose parent is `parent` (zero: none).
    fn children(&self, parent: AliasId, kind: AliasKind) -> Result<Vec<(AliasId, Alias)>>;
}

/// Names by alias and aliases by name.
#[derive(Default)]
pub(crate) struct Names(Mutex<Book>);

impl Names {
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
        let place = (kind.number(), parent);
        if let Some(found) = self.known(kind, parent, name) {
            return Ok(Some(found));
        }
        let children = source.children(parent, kind)?;
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
        Ok(self.known(kind, parent, name))
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

    /// Reads every name that is not in the book yet. Afterwards the book knows each alias given.
    pub(crate) fn load_all<'a>(
        &self,
        vault: &Vault,
        aliases: impl Iterator<Item = (&'a AliasId, &'a Alias)>,
    ) -> Result<()> {
        for (id, alias) in aliases {
            if !self.book().names.contains_key(id) {
                let name = read_name(vault, alias)?;
                self.remember(*id, alias, name.as_deref());
            }
        }
        Ok(())
    }

    /// Adds a name that was just bound.
    pub(crate) fn bound(&self, id: AliasId, kind: AliasKind, parent: AliasId, name: &str) {
        let mut book = self.book();
        let place = (kind.number(), parent);
        book.names.insert(id, Some(name.to_owned()));
        book.aliases.entry(place).or_default().insert(name.to_owned(), id);
    }

    /// The alias of a name that is in the book.
    pub(crate) fn known(&self, kind: AliasKind, parent: AliasId, name: &str) -> Option<AliasId> {
        let place = (kind.number(), parent);
        self.book().aliases.get(&place).and_then(|names| names.get(name)).copied()
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_name(vault: &Vault, alias: &Alias) -> Result<Option<String>> {
    if alias.erased.is_some() {
        return Ok(None);
    }
    let loaded = vault.load(alias.bound)?;
    Ok(match vault.open(&loaded, Role::Name)? {
        Some(Opened::Plain(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    })
}
