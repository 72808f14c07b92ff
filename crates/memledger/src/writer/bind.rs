//! Owns turning names into aliases while records are composed: known ones are looked up, new ones
//! get a random alias and a record that binds it, in the same batch before its first use.
//!
//! Invariant: new names enter the book only after the records that bind them were pushed.

use ledger_format::event::ledger::AliasBound;
use ledger_format::{AliasId, AliasKind, Event, Kind, LedgerId, MemoryId, Role};
use ledger_store::{KeyStore, NewRecord};

use crate::clock::Chance;
use crate::error::{Error, ErrorKind, Result};
use crate::names::Names;
use crate::scope::{Actor, Scope};
use crate::writer::compose::header;
use crate::writer::seal::seal_all;
use crate::writer::stamp::Stamp;

/// A name bound by this submission.
pub(crate) struct Bound {
    id: AliasId,
    kind: AliasKind,
    parent: AliasId,
    name: String,
}

pub(crate) struct Binder<'a> {
    pub(crate) ledger: LedgerId,
    pub(crate) names: &'a Names,
    pub(crate) keys: &'a KeyStore,
    pub(crate) chance: &'a dyn Chance,
    pub(crate) stamp: Stamp,
    pub(crate) policy: u32,
    /// Records that bind new names, in order, with their events.
    pub(crate) records: Vec<(NewRecord, Event)>,
    pub(crate) bound: Vec<Bound>,
}

impl Binder<'_> {
    /// The alias of a scope, bound segment by segment.
    pub(crate) fn scope(&mut self, scope: &Scope) -> Result<AliasId> {
        let mut at = AliasId::ZERO;
        for segment in scope.segments() {
            at = self.alias(AliasKind::Scope, at, segment)?;
        }
        Ok(at)
    }

    /// The alias of a scope as far as it is bound already: nothing is bound for what is turned away.
    pub(crate) fn known_scope(&self, scope: &Scope) -> AliasId {
        let mut at = AliasId::ZERO;
        for segment in scope.segments() {
            match self.names.known(AliasKind::Scope, at, segment) {
                Some(known) => at = known,
                None => break,
            }
        }
        at
    }

    /// The alias of an actor. The kind is part of the name: `agent:x` and `person:x` differ.
    pub(crate) fn actor(&mut self, actor: &Actor) -> Result<AliasId> {
        self.alias(AliasKind::Actor, AliasId::ZERO, &actor.to_string())
    }

    /// The alias of a name.
    pub(crate) fn alias(
        &mut self,
        kind: AliasKind,
        parent: AliasId,
        name: &str,
    ) -> Result<AliasId> {
        if let Some(known) = self.names.known(kind, parent, name) {
            return Ok(known);
        }
        let fresh = self
            .bound
            .iter()
            .find(|bound| bound.kind == kind && bound.parent == parent && bound.name == name);
        if let Some(bound) = fresh {
            return Ok(bound.id);
        }
        let mut id = [0; 16];
        self.chance.fill(&mut id).map_err(|reason| {
            Error::new(ErrorKind::Unavailable, format!("no random bytes: {reason}"))
        })?;
        let id = AliasId(id);
        let parent_field = (!parent.is_zero()).then_some(parent);
        let event = Event::AliasBound(AliasBound { alias: id, kind, parent: parent_field });
        let words = [(Role::Name, name.as_bytes().into())];
        let payloads = seal_all(&self.ledger, self.keys, self.chance, &words)?;
        let record = NewRecord {
            header: header(Kind::AliasBound, self.stamp, self.policy),
            body: event.encode()?,
            payloads,
            extensions: Vec::new(),
        };
        self.records.push((record, event));
        self.bound.push(Bound { id, kind, parent, name: name.to_owned() });
        Ok(id)
    }

    /// Whether a name is bound, by an earlier submission or by this one.
    pub(crate) fn is_bound(&self, kind: AliasKind, parent: AliasId, name: &str) -> bool {
        let here =
            |bound: &Bound| bound.kind == kind && bound.parent == parent && bound.name == name;
        self.names.known(kind, parent, name).is_some() || self.bound.iter().any(here)
    }

    /// A `UUIDv7` (RFC 9562 section 5.7) of the record's time. Times before 1970 count as 0.
    pub(crate) fn memory_id(&self) -> Result<MemoryId> {
        let mut random = [0; 10];
        self.chance.fill(&mut random).map_err(|reason| {
            Error::new(ErrorKind::Unavailable, format!("no random bytes: {reason}"))
        })?;
        let millis = u64::try_from(self.stamp.recorded_at.0 / 1000).unwrap_or(0);
        let id = uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid();
        Ok(MemoryId(id.into_bytes()))
    }

    /// Enters the new names into the book.
    pub(crate) fn settle(names: &Names, bound: Vec<Bound>) {
        for Bound { id, kind, parent, name } in bound {
            names.bound(id, kind, parent, &name);
        }
    }
}
