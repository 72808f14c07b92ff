//! Owns what the flags of `write` propose.

use std::ffi::OsString;

use memledger::civil::Zone;
use memledger::format::BodyType;
use memledger::{Content, Ledger, Proposal};
use serde_json::{Map, json};

use super::{line, object, text};
use crate::args::WriteArgs;
use crate::commands::{ids, times};
use crate::context::Context;
use crate::exit::Failure;

/// What was typed: content, and the ids that flags name.
pub(super) struct Typed {
    content: Content,
    body: Option<BodyType>,
    supersedes: Vec<String>,
    derived_from: Vec<String>,
}

/// Reads the content and sorts out the lists of ids.
///
/// # Errors
/// A usage failure when there is no content, or it is none.
pub(super) fn typed(args: &WriteArgs) -> Result<Typed, Failure> {
    let mut supersedes = args.supersedes.clone();
    let mut derived_from = args.derived_from.clone();
    let mut words = args.text.clone();
    let elsewhere = args.fact.is_some() || args.body.is_some() || args.text_file.is_some();
    if words.is_none() && !elsewhere {
        // `--supersedes ID… TEXT`: the list of ids ends before what is no id.
        words = spilled(&mut supersedes).or_else(|| spilled(&mut derived_from));
    }
    let strings = |flag: &str, list: Vec<OsString>| -> Result<Vec<String>, Failure> {
        list.iter().map(|id| text::option(flag, id)).collect()
    };
    let (content, body) = content(args, words)?;
    Ok(Typed {
        content,
        body: args.body_type.or(body),
        supersedes: strings("--supersedes", supersedes)?,
        derived_from: strings("--derived-from", derived_from)?,
    })
}

/// Takes the last word off a list of ids if it is no id. A list of one word is a list of one id,
/// however it is written: a mistyped id must not become the text.
fn spilled(list: &mut Vec<OsString>) -> Option<OsString> {
    if list.len() < 2 {
        return None;
    }
    list.pop_if(|last| !last.to_str().is_some_and(ids::looks_like_id))
}

fn content(
    args: &WriteArgs,
    words: Option<OsString>,
) -> Result<(Content, Option<BodyType>), Failure> {
    if let Some([subject, predicate, object]) = args.fact.as_deref() {
        let (subject, predicate, object) = (subject.clone(), predicate.clone(), object.clone());
        if args.qualifier.is_empty() {
            return Ok((Content::Fact { subject, predicate, object }, None));
        }
        let fact = qualified([subject, predicate, object], &args.qualifier)?;
        return Ok((fact, Some(BodyType::Fact)));
    }
    if let Some(path) = &args.body {
        let text = text::file(path)?;
        let wrong = |what: String| Failure::usage(what).within(path.display());
        let fields = object::read(text.as_bytes()).map_err(|refused| wrong(refused.message()))?;
        let (value, named) = line::typed_body(fields).map_err(wrong)?;
        if let (Some(flag), Some(named)) = (args.body_type, named)
            && flag != named
        {
            return Err(wrong(format!("its type is {named}, but --body-type says {flag}")));
        }
        return Ok((Content::Body(value), named));
    }
    if let Some(path) = &args.text_file {
        return Ok((Content::Text(text::file(path)?), None));
    }
    let words = words.ok_or_else(|| {
        Failure::usage("there is nothing to write")
            .hint("give TEXT, --fact S P O, --body FILE, --text-file FILE, or - for stdin")
    })?;
    Ok((Content::Text(text::argument(&words)?), None))
}

/// A fact that holds under circumstances.
fn qualified(
    [subject, predicate, object]: [String; 3],
    named: &[(String, String)],
) -> Result<Content, Failure> {
    let mut qualifiers = Map::new();
    for (name, value) in named {
        if qualifiers.insert(name.clone(), value.clone().into()).is_some() {
            return Err(Failure::usage(format!("--qualifier names {name} twice")));
        }
    }
    Ok(Content::Body(json!({
        "subject": subject, "predicate": predicate, "object": object, "qualifiers": qualifiers,
    })))
}

/// The proposal that the flags mean for this ledger.
///
/// # Errors
/// A usage failure for what cannot be read, not found or a conflict for ids.
pub(super) fn proposal(
    ctx: &Context<'_>,
    ledger: &Ledger,
    args: &WriteArgs,
    typed: Typed,
) -> Result<Proposal, Failure> {
    let zone: Zone = ctx.zone(ledger);
    let point = |flag: &str, text: &Option<String>| times::point(flag, text.as_deref(), &zone);
    let lifetime =
        |flag: &str, text: &Option<String>| times::lifetime(flag, text.as_deref(), &zone);
    Ok(Proposal {
        body: typed.body,
        layer: args.layer,
        source: args.source.clone(),
        by: args.terms.by.clone(),
        supersedes: ids::resolve_anywhere(ledger, &typed.supersedes)?,
        valid_from: point("--valid-from", &args.valid_from)?,
        valid_until: point("--valid-until", &args.valid_until)?,
        observed_at: point("--observed-at", &args.observed_at)?,
        ttl_until: lifetime("--ttl", &args.ttl)?,
        review_by: lifetime("--review-by", &args.review_by)?,
        subjects: args.subject.clone(),
        tags: args.tag.clone(),
        domain: args.domain.clone(),
        key: args.key.clone(),
        derived_from: ids::resolve_anywhere(ledger, &typed.derived_from)?,
        confidence: args.confidence,
        task: args.task.clone().or_else(|| ctx.task.clone()),
        ..Proposal::new(typed.content, ctx.scope.clone())
    })
}
