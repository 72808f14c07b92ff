//! Registered canonical files: what a document says now is what the ledger holds of it.
//!
//! Owns the registration, which is a `state` memory under the key `source:NAME`, so that it has a
//! history and an end like everything else, and the sync: the clauses of the file against the canonical
//! memories under the keys `DOCUMENT#CLAUSE`. A new text supersedes the old one, a clause that went is
//! closed, and what cites either is marked stale, all in one submission. Invariants: a sync that finds
//! nothing new records nothing; a file that is not there changes no clause.

mod clauses;
mod plan;
mod read;

use std::path::PathBuf;

use memledger::answer::{Item, Text};
use memledger::body::SourceEvent;
use memledger::format::{BodyType, CloseKind, Layer, MemoryId, SourceKind};
use memledger::{
    Actor, Command, Content, Error, Filter, Ledger, Outcome, Proposal, Question, Result, Scope,
    Snapshot, Source, Submission, Terms,
};
use serde_json::{Value, json};

use crate::document::one_line;

/// What a registered source is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Its name.
    pub name: String,
    /// Where its clauses belong.
    pub scope: Scope,
    /// The document that its clauses are of.
    pub document: String,
    /// The file; in a repository, its path from the root of it.
    pub file: PathBuf,
    /// The git repository that holds it.
    pub repo: Option<PathBuf>,
    /// Whether it is one clause and not one for each heading.
    pub whole: bool,
}

/// What a sync, or a look, came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// The source.
    pub registration: Registration,
    /// Whether the file is there.
    pub present: bool,
    /// Clauses that are new or have a new text.
    pub changed: Vec<String>,
    /// Clauses that are not in the file any more.
    pub gone: Vec<String>,
    /// Clauses that are as they were.
    pub unchanged: usize,
    /// Memories that cite what changed, went or disappeared, and are not marked stale yet.
    pub citing: Vec<MemoryId>,
    /// The records; empty where nothing had to be recorded.
    pub outcomes: Vec<Outcome>,
}

impl Freshness {
    /// Whether the ledger holds what the file says.
    #[must_use]
    pub fn fresh(&self) -> bool {
        self.present && self.changed.is_empty() && self.gone.is_empty()
    }
}

/// Registers a source.
///
/// # Errors
/// When the name is taken, or the file is not there or cannot be read.
pub fn add(ledger: &Ledger, registration: &Registration, by: &Actor) -> Result<Vec<Outcome>> {
    let now = ledger.snapshot(&Question::now(ledger.zone()))?;
    if found(&now, Some(&registration.name))?.pop().is_some() {
        return Err(Error::invalid(format!(
            "a source {:?} is registered already; remove it first, or take another name",
            registration.name
        )));
    }
    if read::read(registration)?.is_none() {
        return Err(Error::invalid(format!(
            "{} is not there; nothing was registered",
            registration.file.display()
        )));
    }
    let Registration { name, document, file, repo, whole, scope } = registration;
    let config =
        json!({ "name": name, "document": document, "file": file, "repo": repo, "whole": whole });
    let mut proposal =
        Proposal::new(Content::Bytes(config.to_string().into_bytes()), scope.clone());
    proposal.body = Some(BodyType::State);
    // It stands until it is removed.
    proposal.layer = Some(Layer::Project);
    proposal.source =
        Some(Source { kind: SourceKind::File, uri: one_line(&file.to_string_lossy()) });
    proposal.key = Some(key(name));
    proposal.by = Some(by.clone());
    let event = SourceEvent::Registered(SourceKind::File);
    let commands = vec![
        Command::Write(Box::new(proposal)),
        Command::Source { name: name.clone(), scope: scope.clone(), event, reason: None },
    ];
    ledger.submit(Submission { commands, terms: terms(by, None) })
}

/// The registered sources as they stood, or the one of a name.
///
/// # Errors
/// When a record or payload it needs cannot be read.
pub fn list(at: &Snapshot<'_>, name: Option<&str>) -> Result<Vec<Registration>> {
    Ok(found(at, name)?.into_iter().map(|(registration, _)| registration).collect())
}

/// How a source stands against what the ledger held at a basis, without recording anything.
///
/// # Errors
/// When the file cannot be read, or what the ledger holds of it.
pub fn look(at: &Snapshot<'_>, registration: &Registration) -> Result<Freshness> {
    Ok(plan::plan(at, registration, &by_default()?)?.0)
}

/// Brings the ledger to what the file says now.
///
/// # Errors
/// When the file cannot be read, the policy refuses a clause, or as [`Ledger::submit`].
pub fn sync(ledger: &Ledger, registration: &Registration, by: Option<&Actor>) -> Result<Freshness> {
    let now = ledger.snapshot(&Question::now(ledger.zone()))?;
    let by = by.cloned().map_or_else(by_default, Ok)?;
    let (mut freshness, commands) = plan::plan(&now, registration, &by)?;
    if !commands.is_empty() {
        let terms = terms(&by, now.basis().seq);
        freshness.outcomes = ledger.submit(Submission { commands, terms })?;
        if let Some(reason) = freshness.outcomes.iter().find_map(crate::document::refusal) {
            return Err(Error::invalid(format!("nothing was synced: {reason}")));
        }
    }
    Ok(freshness)
}

/// Ends a registration and closes the clauses that came from it.
///
/// # Errors
/// When there is no such source; otherwise as [`Ledger::submit`].
pub fn remove(
    ledger: &Ledger,
    name: &str,
    reason: &str,
    by: &Actor,
) -> Result<(u64, Vec<Outcome>)> {
    let now = ledger.snapshot(&Question::now(ledger.zone()))?;
    let Some((registration, memory)) = found(&now, Some(name))?.pop() else {
        return Err(none_such(name));
    };
    let held = plan::held(&now, &registration)?;
    let ids: Vec<MemoryId> = held.iter().map(|item| item.id).collect();
    let citing = now.citing(&ids)?;
    let close = |memory| Command::Close {
        memory,
        kind: CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: None,
        reason: Some(reason.to_owned()),
    };
    let count = ids.len() as u64;
    let mut commands: Vec<Command> = std::iter::once(memory).chain(ids).map(close).collect();
    if !citing.is_empty() {
        let (memories, source) = (citing, Some(name.to_owned()));
        commands.push(Command::Stale { memories, source, reason: Some(reason.to_owned()) });
    }
    commands.push(Command::Source {
        name: name.to_owned(),
        scope: registration.scope,
        event: SourceEvent::Revoked(count),
        reason: Some(reason.to_owned()),
    });
    let outcomes = ledger.submit(Submission { commands, terms: terms(by, now.basis().seq) })?;
    Ok((count, outcomes))
}

/// What to say where a name means no source.
#[must_use]
pub fn none_such(name: &str) -> Error {
    Error::invalid(format!("no source {name:?} is registered; `source status` shows which are"))
}

fn terms(by: &Actor, expected_head: Option<memledger::format::Seq>) -> Terms {
    Terms { by: Some(by.clone()), expected_head, ..Terms::default() }
}

fn by_default() -> Result<Actor> {
    "service:memledger-sync".parse()
}

fn key(name: &str) -> String {
    format!("source:{name}")
}

/// Registrations in force, each with its memory.
fn found(at: &Snapshot<'_>, name: Option<&str>) -> Result<Vec<(Registration, MemoryId)>> {
    let filter = Filter { body: Some(BodyType::State), ..Filter::default() };
    let all = at.list(&filter)?.items.into_iter();
    let read = all.filter_map(|item| Some((registration(&item)?, item.id)));
    Ok(read.filter(|(one, _)| name.is_none_or(|name| one.name == name)).collect())
}

fn registration(item: &Item) -> Option<Registration> {
    let key_given = item.key.as_deref()?;
    let config: Value = match &item.text {
        Text::Words(words) => serde_json::from_str(words).ok()?,
        Text::Bytes(bytes) => serde_json::from_slice(bytes).ok()?,
        _ => return None,
    };
    let text = |field: &str| config.get(field)?.as_str().map(str::to_owned);
    let name = text("name").filter(|name| key(name) == key_given)?;
    Some(Registration {
        name,
        scope: item.scope.clone(),
        document: text("document")?,
        file: text("file")?.into(),
        repo: text("repo").map(PathBuf::from),
        whole: config.get("whole")?.as_bool()?,
    })
}
