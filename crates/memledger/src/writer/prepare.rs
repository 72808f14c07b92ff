//! Owns the part of a write that needs no state: checking the request itself and sealing its
//! words. Runs in the caller's thread, so that ciphers do not queue behind each other.

use ledger_format::payload::Sealed;
use ledger_format::{BodyType, Layer, LedgerId, Micros, Role, limits};
use ledger_policy::usual_layer;
use ledger_store::KeyStore;
use serde_json::{Value, json};

use crate::body;
use crate::clock::Chance;
use crate::command::{Command, Content, Proposal, Submission, Terms};
use crate::error::{Error, Result};
use crate::gate::{Looked, QUALIFIERS, look};
use crate::scope::{Actor, Source, check_name};
use crate::writer::canonical;
use crate::writer::seal::{Word, seal_all};

/// A submission whose words are sealed.
pub(crate) struct Prepared {
    pub(crate) commands: Vec<PreparedCommand>,
    pub(crate) terms: Terms,
    /// The canonical bytes of the commands, for the idempotency digest.
    pub(crate) canonical: Vec<u8>,
}

pub(crate) struct PreparedCommand {
    pub(crate) command: Command,
    pub(crate) payloads: Vec<Sealed>,
    /// What was seen in its words, where it proposes some.
    pub(crate) seen: Looked,
}

/// Checks and seals.
pub(crate) fn prepare(
    ledger: &LedgerId,
    keys: &KeyStore,
    chance: &dyn Chance,
    sketch_key: &[u8; 32],
    mut submission: Submission,
) -> Result<Prepared> {
    if submission.commands.is_empty() {
        return Err(Error::invalid("a submission without commands; give it one at least"));
    }
    if let Some(key) = &submission.terms.idempotency_key {
        check_name("idempotency key", key)?;
    }
    if let Some(actor) = &submission.terms.by {
        actor.check()?;
    }
    let canonical = if submission.terms.idempotency_key.is_some() {
        canonical::bytes(&submission)
    } else {
        Vec::new()
    };
    for command in &mut submission.commands {
        if let Command::Write(proposal) = command {
            body::complete(proposal)?;
        }
    }
    let payloads = seal_commands(ledger, keys, chance, &submission.commands)?;
    let commands = submission
        .commands
        .into_iter()
        .zip(payloads)
        .map(|(command, payloads)| {
            let seen = match &command {
                Command::Write(proposal) => look(proposal, sketch_key),
                _ => Looked::default(),
            };
            PreparedCommand { command: unworded(command), payloads, seen }
        })
        .collect();
    Ok(Prepared { commands, terms: submission.terms, canonical })
}

/// Checks all commands, then seals the words of all of them together: the payloads of each.
fn seal_commands(
    ledger: &LedgerId,
    keys: &KeyStore,
    chance: &dyn Chance,
    commands: &[Command],
) -> Result<Vec<Vec<Sealed>>> {
    let mut all = Vec::with_capacity(2 * commands.len());
    let mut counts = Vec::with_capacity(commands.len());
    for command in commands {
        check(command)?;
        let before = all.len();
        words(command, &mut all)?;
        counts.push(all.len() - before);
    }
    let mut sealed = seal_all(ledger, keys, chance, &all)?.into_iter();
    Ok(counts.into_iter().map(|count| sealed.by_ref().take(count).collect()).collect())
}

/// The command without the text that is sealed: nobody needs it any more, and this thread frees
/// what it allocated faster than the writer does.
fn unworded(mut command: Command) -> Command {
    if let Command::Write(proposal) = &mut command {
        match &mut proposal.content {
            Content::Text(text) => *text = String::new(),
            Content::Bytes(bytes) => *bytes = Vec::new(),
            Content::Body(_) | Content::Fact { .. } => {}
        }
    }
    command
}

/// The words of a command, each with its role.
fn words<'a>(command: &'a Command, words: &mut Vec<Word<'a>>) -> Result<()> {
    match command {
        Command::Write(proposal) => {
            words.push(content(proposal)?);
            if let Some(source) = &proposal.source {
                words.push((Role::Source, source.to_string().into_bytes().into()));
            }
        }
        Command::Skill { evidence, reason, .. } => {
            push(words, Role::Reason, reason.as_ref());
            push(words, Role::Evidence, evidence.as_ref());
        }
        Command::PushDown { query, evidence, reason, .. } => {
            push(words, Role::Reason, reason.as_ref());
            push(words, Role::Query, query.as_ref());
            push(words, Role::Evidence, evidence.as_ref());
        }
        Command::Close { reason, .. }
        | Command::Reopen { reason, .. }
        | Command::Confirm { reason, .. }
        | Command::Use { reason, .. }
        | Command::Lift { reason, .. }
        | Command::Contest { reason, .. }
        | Command::Resolve { reason, .. }
        | Command::Forget { reason, .. }
        | Command::Rank { reason, .. }
        | Command::Summary { reason, .. }
        | Command::Stale { reason, .. }
        | Command::Source { reason, .. } => push(words, Role::Reason, reason.as_ref()),
        Command::Planned(planned) => push(words, Role::Reason, planned.reason.as_ref()),
        Command::Pin { .. } => {}
    }
    Ok(())
}

fn push<'a>(words: &mut Vec<Word<'a>>, role: Role, text: Option<&'a String>) {
    if let Some(text) = text {
        words.push((role, text.as_bytes().into()));
    }
}

fn content(proposal: &Proposal) -> Result<Word<'_>> {
    let (role, bytes): Word<'_> = match &proposal.content {
        Content::Text(text) => (Role::Text, text.as_bytes().into()),
        Content::Bytes(bytes) => (Role::Text, bytes.into()),
        Content::Body(value) => (Role::Body, value.to_string().into_bytes().into()),
        Content::Fact { subject, predicate, object } => {
            let fact = json!({ "subject": subject, "predicate": predicate, "object": object });
            (Role::Body, fact.to_string().into_bytes().into())
        }
    };
    if bytes.is_empty() {
        return Err(Error::invalid("the text is empty; a memory needs content"));
    }
    if matches!(&proposal.content, Content::Text(text) if is_blank(text)) {
        return Err(Error::invalid("the text is nothing but white space; a memory needs words"));
    }
    if bytes.len() > limits::PAYLOAD_BYTES {
        return Err(Error::invalid(format!(
            "the content has {} bytes, the limit is {}; split it, or keep it elsewhere and write where it is",
            bytes.len(),
            limits::PAYLOAD_BYTES
        )));
    }
    Ok((role, bytes))
}

/// Whether nothing is said: no character but white space.
fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// The body and layer of a proposal, with what it leaves open filled in.
pub(crate) fn body_and_layer(proposal: &Proposal) -> (BodyType, Layer) {
    let body = proposal.body.unwrap_or(match &proposal.content {
        Content::Fact { .. } => BodyType::Fact,
        Content::Bytes(_) => BodyType::State,
        Content::Text(_) | Content::Body(_) => BodyType::Note,
    });
    let layer = proposal.layer.unwrap_or_else(|| usual_layer(body));
    (body, layer)
}

fn check(command: &Command) -> Result<()> {
    match command {
        Command::Write(proposal) => check_proposal(proposal),
        Command::Confirm { memories, .. }
        | Command::Use { memories, .. }
        | Command::Forget { memories, .. }
        | Command::Stale { memories, .. }
        | Command::Contest { memories, .. } => {
            if memories.is_empty() {
                return Err(Error::invalid("no memory is named; name one at least"));
            }
            if let Command::Forget { subject: Some(name), .. } = command {
                check_name("name of a person", name)?;
            }
            at_most("memories", memories.len(), limits::TARGETS)
        }
        Command::Source { name, .. } => check_name("name of a source", name),
        Command::Rank { trust: None, layer: None, .. } => {
            Err(Error::invalid("neither a trust nor a layer is given; give one of them"))
        }
        _ => Ok(()),
    }
}

fn check_proposal(proposal: &Proposal) -> Result<()> {
    at_most("superseded memories", proposal.supersedes.len(), limits::SUPERSEDES)?;
    at_most("memories it is derived from", proposal.derived_from.len(), limits::DERIVED_FROM)?;
    at_most("subjects", proposal.subjects.len(), limits::SUBJECTS)?;
    at_most("tags", proposal.tags.len(), limits::TAGS)?;
    for (what, names) in [("subject", &proposal.subjects), ("tag", &proposal.tags)] {
        names.iter().try_for_each(|name| check_name(what, name))?;
    }
    for (what, name) in [("key", &proposal.key), ("domain", &proposal.domain)] {
        name.iter().try_for_each(|name| check_name(what, name))?;
    }
    proposal.by.iter().try_for_each(Actor::check)?;
    proposal.source.iter().try_for_each(Source::check)?;
    if proposal.confidence.is_some_and(|parts| parts > 10_000) {
        return Err(Error::invalid("confidence is above 1; give a number from 0 to 1"));
    }
    let times = [
        proposal.valid_from,
        proposal.valid_until,
        proposal.supersede_from,
        proposal.supersede_until,
    ];
    if times.into_iter().flatten().any(|at| at == Micros::MIN || at == Micros::MAX) {
        return Err(Error::invalid(
            "a valid time at the end of the number line: leave it out to say \"since ever\" or \"for good\"",
        ));
    }
    if let (Some(from), Some(until)) = (proposal.valid_from, proposal.valid_until)
        && from >= until
    {
        return Err(Error::invalid(format!(
            "valid_until {} is not after valid_from {}; an interval ends after it begins",
            crate::civil::format_utc(until),
            crate::civil::format_utc(from)
        )));
    }
    let cut = proposal.supersede_from.or(proposal.supersede_until);
    if let (true, Some(_)) = (proposal.supersedes.is_empty(), cut) {
        return Err(Error::invalid(
            "supersede_from and supersede_until say when superseded memories stop applying, and none is named; name them under supersedes, or leave the times out",
        ));
    }
    let mut seen = proposal.supersedes.clone();
    seen.sort_unstable();
    seen.dedup();
    if seen.len() != proposal.supersedes.len() {
        return Err(Error::invalid("a memory is named twice under supersedes"));
    }
    check_content(proposal)
}

fn check_content(proposal: &Proposal) -> Result<()> {
    match (&proposal.content, proposal.body) {
        (Content::Fact { subject, predicate, object }, _) => {
            check_terms(subject, predicate)?;
            if is_blank(object) {
                Err(Error::invalid("the object of a fact is empty"))
            } else {
                Ok(())
            }
        }
        (Content::Body(value), body) => check_body(body.unwrap_or(BodyType::Note), value),
        (_, Some(BodyType::Fact)) => {
            Err(Error::invalid("a fact is given as subject, predicate and object, not as text"))
        }
        (Content::Text(_), Some(typed)) if !body::takes_text(typed) => {
            Err(Error::invalid(format!(
                "a body of type {typed} has fields, so it is given as a JSON object and not as text"
            )))
        }
        _ => Ok(()),
    }
}

/// Subject and predicate of a fact are names: facts are listed by them.
fn check_terms(subject: &str, predicate: &str) -> Result<()> {
    check_name("subject of a fact", subject)?;
    check_name("predicate of a fact", predicate)
}

/// Facts come as facts: the rules of their terms hold for typed bodies too.
fn check_body(body: BodyType, value: &Value) -> Result<()> {
    if body != BodyType::Fact {
        return body::check(body, value);
    }
    let Some(object) = value.as_object() else {
        return Err(Error::invalid("a typed body is a JSON object"));
    };
    if let Some(missing) =
        ["subject", "predicate", "object"].iter().find(|field| !object.contains_key(**field))
    {
        return Err(Error::invalid(format!(
            "a body of type {body} needs the field {missing:?} (it needs: subject, predicate, object)"
        )));
    }
    if object.get("object").and_then(Value::as_str).is_some_and(is_blank) {
        return Err(Error::invalid("the object of a fact is empty"));
    }
    let term = |field: &str| {
        object.get(field).and_then(Value::as_str).ok_or_else(|| {
            Error::invalid(format!("the {field} of a fact is text: facts are listed by it"))
        })
    };
    check_terms(term("subject")?, term("predicate")?)?;
    check_qualifiers(object.get("qualifiers"))
}

/// Qualifiers (environment, place, …) say under which circumstances a fact holds.
fn check_qualifiers(qualifiers: Option<&Value>) -> Result<()> {
    let Some(qualifiers) = qualifiers else { return Ok(()) };
    let named = qualifiers.as_object().ok_or_else(|| {
        Error::invalid(
            "the qualifiers of a fact are an object, such as {\"environment\": \"production\"}",
        )
    })?;
    at_most("qualifiers", named.len(), QUALIFIERS)?;
    let plain = |value: &Value| value.is_string() || value.is_number() || value.is_boolean();
    match named.iter().find(|(name, value)| name.trim().is_empty() || !plain(value)) {
        Some((name, _)) => Err(Error::invalid(format!(
            "the qualifier {name:?} of a fact has no name, or its value is neither text, number, true nor false"
        ))),
        None => Ok(()),
    }
}

fn at_most(what: &str, found: usize, limit: usize) -> Result<()> {
    if found > limit {
        return Err(Error::invalid(format!(
            "{found} {what}, the limit is {limit}; split the write"
        )));
    }
    Ok(())
}
