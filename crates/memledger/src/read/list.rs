//! Owns listings: which memories belong to an answer, in the order of their records, except that those of
//! one contest come together, where the first of them is, by authority.
//!
//! Cost: a listing of what is in force costs its result and a seek per member, at any depth of
//! history. With history, or at a valid time before the basis, it costs what the group ever held: one
//! seek for each member that is not in force, and several more for each that is.

use std::cell::RefCell;
use std::collections::HashMap;

use ledger_format::event::memory::FactKey;
use ledger_format::{AliasId, AliasKind, BodyType, MemoryId, Micros, Seq};
use ledger_replay::{Birth, Lifecycle};

use crate::answer::{Item, Listing, Text};
use crate::error::Result;
use crate::filter::Filter;
use crate::names::AliasSource;
use crate::read::assemble::Assembler;
use crate::read::past::{Members, Past};

/// A page of the memories that a filter lets through.
pub(crate) fn list(
    assembler: &Assembler<'_>,
    filter: &Filter,
    basis_at: Option<Micros>,
) -> Result<Listing> {
    let mut items: Vec<Item> = Vec::new();
    let mut next = None;
    each(assembler, filter, basis_at, |birth, life| {
        let item = assembler.item(birth, life)?;
        if !matches_text(filter, &item) {
            return Ok(Go::On);
        }
        if filter.limit > 0 && items.len() == filter.limit {
            next = items.last().map(|last| last.seq);
            return Ok(Go::Stop);
        }
        items.push(item);
        Ok(Go::On)
    })?;
    Ok(Listing { items, next })
}

/// The ids of the memories that a filter lets through, without a look at their words, except where
/// the filter asks for words.
pub(crate) fn ids(
    assembler: &Assembler<'_>,
    filter: &Filter,
    basis_at: Option<Micros>,
) -> Result<Vec<MemoryId>> {
    if filter.grep.is_some() {
        let listing = list(assembler, filter, basis_at)?;
        return Ok(listing.items.into_iter().map(|item| item.id).collect());
    }
    let mut ids = Vec::new();
    each(assembler, filter, basis_at, |birth, _| {
        ids.push(birth.id);
        Ok(if ids.len() == filter.limit { Go::Stop } else { Go::On })
    })?;
    Ok(ids)
}

enum Go {
    On,
    Stop,
}

/// Visits the memories that a filter lets through but for their words, in the order of listings.
fn each(
    assembler: &Assembler<'_>,
    filter: &Filter,
    basis_at: Option<Micros>,
    mut visit: impl FnMut(&Birth, &Lifecycle) -> Result<Go>,
) -> Result<()> {
    let Some(wanted) = Wanted::resolve(assembler, filter)? else { return Ok(()) };
    let Resume { after, rest } = wanted.resume()?;
    for (birth, life) in &rest {
        if let Go::Stop = visit(birth, life)? {
            return Ok(());
        }
    }
    for born in wanted.candidates(basis_at)? {
        if after.is_some_and(|after| born <= after) {
            continue;
        }
        let Some((birth, life)) = wanted.passes(born)? else { continue };
        let group = match life.contest {
            None => vec![(birth, life)],
            Some(contest) => {
                let group = wanted.group(contest)?;
                // Those behind the first one were visited with it.
                if group.iter().map(|(birth, _)| birth.seq).min() != Some(born) {
                    continue;
                }
                group
            }
        };
        for (birth, life) in &group {
            if let Go::Stop = visit(birth, life)? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Where a page begins.
struct Resume {
    /// Nothing up to this record comes any more.
    after: Option<Seq>,
    /// What is left of the contest that the page before ended in.
    rest: Vec<(Birth, Lifecycle)>,
}

/// A filter whose names are resolved.
struct Wanted<'a> {
    assembler: &'a Assembler<'a>,
    filter: &'a Filter,
    scope: AliasId,
    key: Option<AliasId>,
    person: Option<AliasId>,
    fact_subject: Option<AliasId>,
    predicate: Option<AliasId>,
    tag: Option<AliasId>,
    domain: Option<AliasId>,
    /// Scopes seen, and whether they are the one that is asked for or lie below it.
    inside: RefCell<HashMap<AliasId, bool>>,
}

impl<'a> Wanted<'a> {
    /// None when a name of the filter was never bound: nothing can have it.
    fn resolve(assembler: &'a Assembler<'a>, filter: &'a Filter) -> Result<Option<Self>> {
        let scope = assembler.names.scope_alias(assembler.vault, assembler.past, &filter.scope)?;
        let Some(scope) = scope else { return Ok(None) };
        let mut unbound = false;
        let mut alias = |kind: AliasKind, parent: AliasId, name: &Option<String>| {
            let Some(name) = name else { return Ok(None) };
            let found =
                assembler.names.alias(assembler.vault, assembler.past, kind, parent, name)?;
            unbound |= found.is_none();
            Ok::<_, crate::Error>(found)
        };
        let wanted = Self {
            assembler,
            filter,
            scope,
            key: alias(AliasKind::Key, scope, &filter.key)?,
            person: alias(AliasKind::Person, AliasId::ZERO, &filter.subject)?,
            fact_subject: alias(AliasKind::Term, AliasId::ZERO, &filter.fact_subject)?,
            predicate: alias(AliasKind::Term, AliasId::ZERO, &filter.predicate)?,
            tag: alias(AliasKind::Tag, AliasId::ZERO, &filter.tag)?,
            domain: alias(AliasKind::Domain, AliasId::ZERO, &filter.domain)?,
            inside: RefCell::new(HashMap::from([(scope, true)])),
        };
        Ok(if unbound { None } else { Some(wanted) })
    }

    /// Births that may belong to the answer, ascending. One label chooses them; the others are checked
    /// one by one.
    fn candidates(&self, basis_at: Option<Micros>) -> Result<Vec<Seq>> {
        let past = self.assembler.past;
        // Sets of what is live follow recorded time: they cover every valid time from the basis on.
        let live_only =
            !self.filter.include_history && basis_at.is_none_or(|at| self.assembler.at.valid >= at);
        let label = (self.key.map(Members::Key))
            .or(self.person.map(Members::Person))
            .or(self.fact_subject.map(Members::FactSubject))
            .or(self.predicate.map(Members::Predicate))
            .or(self.tag.map(Members::Tag))
            .or(self.domain.map(Members::Domain));
        if let Some(label) = label {
            return past.members(label, live_only);
        }
        let mut all = Vec::new();
        let scopes = if self.filter.alone { vec![self.scope] } else { below(past, self.scope)? };
        for scope in scopes {
            all.append(&mut past.members(Members::Scope(scope), live_only)?);
        }
        all.sort_unstable();
        Ok(all)
    }

    /// The memory that a record wrote, if the filter lets it through but for its words.
    fn passes(&self, born: Seq) -> Result<Option<(Birth, Lifecycle)>> {
        // The version first: nearly all that is not in force is left out by it, and reading a birth
        // takes several seeks.
        let past = self.assembler.past;
        let Some(life) = past.version(born)?.filter(|life| self.stands(life)) else {
            return Ok(None);
        };
        let Some(birth) = past.birth_at(born)? else { return Ok(None) };
        Ok(if self.holds(&birth)? { Some((birth, life)) } else { None })
    }

    /// The members of a contest that the filter lets through, by authority.
    fn group(&self, contest: Seq) -> Result<Vec<(Birth, Lifecycle)>> {
        let mut group = Vec::new();
        for (birth, life) in self.assembler.members(contest)? {
            if self.stands(&life) && self.holds(&birth)? {
                group.push((birth, life));
            }
        }
        self.assembler.order(&mut group)?;
        Ok(group)
    }

    /// The page before ended with the memory of a record; in a contest, the others of it come first.
    fn resume(&self) -> Result<Resume> {
        let Some(after) = self.filter.after else {
            return Ok(Resume { after: None, rest: Vec::new() });
        };
        let alone = Resume { after: Some(after), rest: Vec::new() };
        let Some((_, life)) = self.passes(after)? else { return Ok(alone) };
        let Some(contest) = life.contest else { return Ok(alone) };
        let mut group = self.group(contest)?;
        let first = group.iter().map(|(birth, _)| birth.seq).min();
        let Some(at) = group.iter().position(|(birth, _)| birth.seq == after) else {
            return Ok(alone);
        };
        Ok(Resume { after: first, rest: group.split_off(at + 1) })
    }

    /// What a version alone says. What was in force then and was erased later passes too: it becomes
    /// an item without text, never an absence.
    fn stands(&self, life: &Lifecycle) -> bool {
        self.filter.layer.is_none_or(|layer| layer == life.layer)
            && (self.filter.include_history || life.status(self.assembler.at).in_force())
    }

    fn holds(&self, birth: &Birth) -> Result<bool> {
        let Filter { body, source_kind, include_history, .. } = *self.filter;
        let fact = |wanted: Option<AliasId>, part: fn(&FactKey) -> AliasId| {
            wanted.is_none_or(|id| birth.fact.as_ref().is_some_and(|fact| part(fact) == id))
        };
        // Messages are archived raw: they are found when they are asked for, and make no claim.
        let claims = birth.body != BodyType::Message || include_history || body.is_some();
        let fits = claims
            && body.is_none_or(|body| body == birth.body)
            && source_kind.is_none_or(|kind| kind == birth.source)
            && self.key.is_none_or(|id| birth.key == Some(id))
            && self.person.is_none_or(|id| birth.subjects.contains(&id))
            && fact(self.fact_subject, |fact| fact.subject)
            && fact(self.predicate, |fact| fact.predicate)
            && self.tag.is_none_or(|id| birth.tags.contains(&id))
            && self.domain.is_none_or(|id| birth.domain == Some(id));
        Ok(fits && self.is_inside(birth.scope)?)
    }

    /// Whether a scope is the one that is asked for, or lies below it.
    fn is_inside(&self, scope: AliasId) -> Result<bool> {
        if self.filter.alone {
            return Ok(scope == self.scope);
        }
        if self.scope.is_zero() {
            return Ok(true);
        }
        let (mut way, mut at) = (Vec::new(), scope);
        let inside = loop {
            if let Some(known) = self.inside.borrow().get(&at) {
                break *known;
            }
            if at.is_zero() || way.len() > ledger_format::limits::SCOPE_DEPTH {
                break false;
            }
            way.push(at);
            let alias = self.assembler.past.alias(at)?;
            at = alias.and_then(|alias| alias.parent).unwrap_or(AliasId::ZERO);
        };
        self.inside.borrow_mut().extend(way.into_iter().map(|scope| (scope, inside)));
        Ok(inside)
    }
}

/// A scope and every scope below it.
fn below(past: &dyn Past, scope: AliasId) -> Result<Vec<AliasId>> {
    let mut all = vec![scope];
    let mut at = 0;
    while let Some(parent) = all.get(at).copied() {
        let children = AliasSource::children(past, parent, AliasKind::Scope, Seq(0))?;
        all.extend(children.into_iter().map(|(id, _)| id));
        at += 1;
    }
    Ok(all)
}

fn matches_text(filter: &Filter, item: &Item) -> bool {
    let Some(needle) = &filter.grep else { return true };
    match &item.text {
        Text::Words(words) => words.contains(needle.as_str()),
        _ => false,
    }
}
