//! Owns listings: which memories belong to an answer, in the order of their records.
//!
//! Cost: a listing of what is in force costs its result and a seek per member, at any depth of
//! history. With history, or at a valid time before the basis, it costs what the scope ever held.

use ledger_format::{AliasId, AliasKind, Micros, Seq};
use ledger_replay::{Birth, Lifecycle};

use crate::answer::{Item, Listing, Text};
use crate::error::Result;
use crate::filter::Filter;
use crate::names::AliasSource;
use crate::read::assemble::Assembler;
use crate::read::past::Members;

/// A page of the memories that a filter lets through.
pub(crate) fn list(
    assembler: &Assembler<'_>,
    filter: &Filter,
    basis_at: Option<Micros>,
) -> Result<Listing> {
    let Some(candidates) = candidates(assembler, filter, basis_at)? else {
        return Ok(Listing { items: Vec::new(), next: None });
    };
    let mut items: Vec<Item> = Vec::new();
    for born in candidates {
        if filter.after.is_some_and(|after| born <= after) {
            continue;
        }
        let Some((birth, life)) = known(assembler, born)? else { continue };
        if !passes(assembler, filter, &birth, &life)? {
            continue;
        }
        let item = assembler.item(&birth, &life, filter.include_history)?;
        if !matches_text(filter, &item) {
            continue;
        }
        if filter.limit > 0 && items.len() == filter.limit {
            let next = items.last().map(|last| last.seq);
            return Ok(Listing { items, next });
        }
        items.push(item);
    }
    Ok(Listing { items, next: None })
}

fn known(assembler: &Assembler<'_>, born: Seq) -> Result<Option<(Birth, Lifecycle)>> {
    let Some(birth) = assembler.past.birth_at(born)? else { return Ok(None) };
    Ok(assembler.past.version(born)?.map(|life| (birth, life)))
}

/// Births that may belong to the answer, ascending; none when a name of the filter was never bound.
fn candidates(
    assembler: &Assembler<'_>,
    filter: &Filter,
    basis_at: Option<Micros>,
) -> Result<Option<Vec<Seq>>> {
    let scope = assembler.names.scope_alias(assembler.vault, assembler.past, &filter.scope)?;
    let Some(scope) = scope else { return Ok(None) };
    // Sets of what is live follow recorded time: they cover every valid time from the basis on.
    let live_only = !filter.include_history && basis_at.is_none_or(|at| assembler.at.valid >= at);
    let term = |kind: AliasKind, parent: AliasId, name: &str| {
        assembler.names.alias(assembler.vault, assembler.past, kind, parent, name)
    };
    let single = if let Some(key) = &filter.key {
        Some(term(AliasKind::Key, scope, key)?.map(Members::Key))
    } else if let Some(subject) = &filter.subject {
        Some(term(AliasKind::Person, AliasId::ZERO, subject)?.map(Members::Person))
    } else if let Some(subject) = &filter.fact_subject {
        Some(term(AliasKind::Term, AliasId::ZERO, subject)?.map(Members::FactSubject))
    } else if let Some(predicate) = &filter.predicate {
        Some(term(AliasKind::Term, AliasId::ZERO, predicate)?.map(Members::Predicate))
    } else if let Some(tag) = &filter.tag {
        Some(term(AliasKind::Tag, AliasId::ZERO, tag)?.map(Members::Tag))
    } else if let Some(domain) = &filter.domain {
        Some(term(AliasKind::Domain, AliasId::ZERO, domain)?.map(Members::Domain))
    } else {
        None
    };
    match single {
        Some(None) => Ok(None),
        Some(Some(members)) => assembler.past.members(members, live_only).map(Some),
        None => {
            let mut all = Vec::new();
            for scope in below(assembler.past, scope)? {
                all.append(&mut assembler.past.members(Members::Scope(scope), live_only)?);
            }
            all.sort_unstable();
            Ok(Some(all))
        }
    }
}

/// A scope and every scope below it.
fn below(past: &dyn crate::read::past::Past, scope: AliasId) -> Result<Vec<AliasId>> {
    let mut all = vec![scope];
    let mut at = 0;
    while let Some(parent) = all.get(at).copied() {
        let children = AliasSource::children(past, parent, AliasKind::Scope)?;
        all.extend(children.into_iter().map(|(id, _)| id));
        at += 1;
    }
    Ok(all)
}

fn passes(
    assembler: &Assembler<'_>,
    filter: &Filter,
    birth: &Birth,
    life: &Lifecycle,
) -> Result<bool> {
    let shape = filter.layer.is_none_or(|layer| layer == life.layer)
        && filter.body.is_none_or(|body| body == birth.body)
        && filter.source_kind.is_none_or(|kind| kind == birth.source);
    if !shape {
        return Ok(false);
    }
    // What was in force then and was erased later passes too: it becomes an item without text,
    // never an absence.
    if !filter.include_history && !life.status(assembler.at).in_force() {
        return Ok(false);
    }
    within(assembler, filter, birth)
}

/// Groups other than the scope hold memories of every scope.
fn within(assembler: &Assembler<'_>, filter: &Filter, birth: &Birth) -> Result<bool> {
    if filter.scope.segments().is_empty() {
        return all_labels(assembler, filter, birth);
    }
    let scope = assembler.names.scope(assembler.vault, assembler.past, birth.scope)?;
    Ok(scope.within(&filter.scope) && all_labels(assembler, filter, birth)?)
}

/// One label chose the group; the others are checked here.
fn all_labels(assembler: &Assembler<'_>, filter: &Filter, birth: &Birth) -> Result<bool> {
    let has = |kind: AliasKind,
               name: &Option<String>,
               holds: &dyn Fn(AliasId) -> bool|
     -> Result<bool> {
        let Some(name) = name else { return Ok(true) };
        let alias =
            assembler.names.alias(assembler.vault, assembler.past, kind, AliasId::ZERO, name)?;
        Ok(alias.is_some_and(holds))
    };
    Ok(has(AliasKind::Person, &filter.subject, &|id| birth.subjects.contains(&id))?
        && has(AliasKind::Term, &filter.fact_subject, &|id| {
            birth.fact.is_some_and(|fact| fact.subject == id)
        })?
        && has(AliasKind::Term, &filter.predicate, &|id| {
            birth.fact.is_some_and(|fact| fact.predicate == id)
        })?
        && has(AliasKind::Tag, &filter.tag, &|id| birth.tags.contains(&id))?
        && has(AliasKind::Domain, &filter.domain, &|id| birth.domain == Some(id))?)
}

fn matches_text(filter: &Filter, item: &Item) -> bool {
    let Some(needle) = &filter.grep else { return true };
    match &item.text {
        Text::Words(words) => words.contains(needle.as_str()),
        _ => false,
    }
}
