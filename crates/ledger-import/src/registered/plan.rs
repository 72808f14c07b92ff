//! Owns what has to be recorded so that the ledger holds what a file says.

use memledger::answer::Item;
use memledger::body::SourceEvent;
use memledger::format::{BodyType, CloseKind, Layer, MemoryId, SourceKind, Trust};
use memledger::{Actor, Command, Content, Error, Filter, Proposal, Result, Snapshot, Source};
use serde_json::{Value, json};

use super::clauses::{Clause, clauses};
use super::read::{Reading, read};
use super::{Freshness, Registration};

/// Most clauses of one document: they are recorded together.
const CLAUSES: usize = 2_000;

/// What a sync would find and record at a basis.
pub(super) fn plan(
    at: &Snapshot<'_>,
    from: &Registration,
    by: &Actor,
) -> Result<(Freshness, Vec<Command>)> {
    let held = held(at, from)?;
    let mut freshness = Freshness {
        registration: from.clone(),
        present: true,
        changed: Vec::new(),
        gone: Vec::new(),
        unchanged: 0,
        citing: Vec::new(),
        outcomes: Vec::new(),
    };
    let Some(reading) = read(from)? else {
        freshness.present = false;
        freshness.unchanged = held.len();
        let all: Vec<MemoryId> = held.iter().map(|item| item.id).collect();
        freshness.citing = at.citing(&all)?;
        // Said once: what cites it is marked, and from then on there is nothing new to say.
        let commands = if freshness.citing.is_empty() {
            Vec::new()
        } else {
            after(from, &freshness, "is not there")
        };
        return Ok((freshness, commands));
    };
    let now = clauses(&reading.text, from.whole);
    if now.len() > CLAUSES {
        return Err(Error::invalid(format!(
            "{} has {} clauses, the limit is {CLAUSES}; register it as a whole, or split it",
            from.file.display(),
            now.len()
        )));
    }
    let mut commands = Vec::new();
    let mut replaced = Vec::new();
    for clause in &now {
        let key = key(from, &clause.name);
        let old = held.iter().find(|item| item.key.as_deref() == Some(key.as_str()));
        if old.is_some_and(|item| text_of(item) == Some(clause.text.as_str())) {
            freshness.unchanged += 1;
            continue;
        }
        freshness.changed.push(clause.name.clone());
        replaced.extend(old.map(|item| item.id));
        commands.push(write(from, &reading, clause, key, old, by));
    }
    for item in &held {
        let name = item.body.as_ref().and_then(|body| body.get("clause")).and_then(Value::as_str);
        let Some(name) = name.filter(|name| !now.iter().any(|clause| clause.name == **name)) else {
            continue;
        };
        freshness.gone.push(name.to_owned());
        replaced.push(item.id);
        commands.push(gone(item.id, &reading));
    }
    freshness.citing = at.citing(&replaced)?;
    if !commands.is_empty() {
        commands.extend(after(from, &freshness, "has a new revision"));
    }
    Ok((freshness, commands))
}

/// The clauses of a document that the ledger holds.
pub(super) fn held(at: &Snapshot<'_>, from: &Registration) -> Result<Vec<Item>> {
    let filter =
        Filter { scope: from.scope.clone(), body: Some(BodyType::Canonical), ..Filter::default() };
    let prefix = key(from, "");
    let mut items = at.list(&filter)?.items;
    items.retain(|item| {
        let own = item.key.as_deref().is_some_and(|key| key.starts_with(&prefix));
        own && item.scope == from.scope
    });
    Ok(items)
}

fn key(from: &Registration, clause: &str) -> String {
    format!("{}#{clause}", from.document)
}

fn text_of(item: &Item) -> Option<&str> {
    item.body.as_ref()?.get("text")?.as_str()
}

fn gone(memory: MemoryId, reading: &Reading) -> Command {
    Command::Close {
        memory,
        kind: CloseKind::Changed,
        from: reading.since,
        until: None,
        replaced_by: None,
        reason: Some(format!("not in {} any more", reading.origin)),
    }
}

fn write(
    from: &Registration,
    reading: &Reading,
    clause: &Clause,
    key: String,
    old: Option<&Item>,
    by: &Actor,
) -> Command {
    let mut body = json!({ "document": from.document, "clause": clause.name, "text": clause.text });
    if let (Some(version), Some(body)) = (&reading.version, body.as_object_mut()) {
        body.insert("version".to_owned(), version.clone().into());
    }
    let mut proposal = Proposal::new(Content::Body(body), from.scope.clone());
    proposal.body = Some(BodyType::Canonical);
    proposal.layer = Some(Layer::Canonical);
    proposal.trust = Some(Trust::Verified);
    proposal.key = Some(key);
    proposal.by = Some(by.clone());
    proposal.source =
        Some(Source { kind: SourceKind::File, uri: format!("{}#{}", reading.origin, clause.name) });
    proposal.valid_from = reading.since;
    proposal.supersedes = old.map(|item| item.id).into_iter().collect();
    Command::Write(Box::new(proposal))
}

/// What follows the clauses: marks on what cites them, and the word for the reader of the log.
fn after(from: &Registration, found: &Freshness, what: &str) -> Vec<Command> {
    let reason = Some(format!("source {} {what}", from.name));
    let mut commands = Vec::new();
    if !found.citing.is_empty() {
        commands.push(Command::Stale {
            memories: found.citing.clone(),
            source: Some(from.name.clone()),
            reason: reason.clone(),
        });
    }
    let count = |list: usize| u32::try_from(list).unwrap_or(u32::MAX);
    commands.push(Command::Source {
        name: from.name.clone(),
        scope: from.scope.clone(),
        event: SourceEvent::Synced {
            present: found.present,
            written: count(found.changed.len()),
            closed: count(found.gone.len()),
            stale: count(found.citing.len()),
        },
        reason,
    });
    commands
}
