//! Owns `source`: canonical files that the ledger follows.

use std::path::Path;

use ledger_import::registered::{self, Freshness, Registration};
use memledger::{Actor, Ledger, Outcome, Question};
use serde_json::{Value, json};

use super::lifecycle::reason_given;
use super::{Done, reading, writing};
use crate::args::{SourceAddArgs, SourceArgs, SourceVerb};
use crate::context::{Context, Opened, whole};
use crate::exit::{Code, Failure};
use crate::output::width::visible;
use crate::output::{human, json as object};

/// Does what was asked about sources.
pub(crate) fn source(ctx: &Context<'_>, args: &SourceArgs) -> Done {
    match &args.verb {
        SourceVerb::Add(args) => writing(ctx, |ctx, ledger| add(ctx, ledger, args)),
        SourceVerb::Sync { name, by } => {
            writing(ctx, |ctx, ledger| sync(ctx, ledger, name.as_deref(), by.as_ref()))
        }
        SourceVerb::Status { name } => {
            reading(ctx, |ctx, opened| status(ctx, opened, name.as_deref()))
        }
        SourceVerb::Remove { name, reason, by } => {
            reason_given("source remove", Some(reason))?;
            writing(ctx, |ctx, ledger| {
                let by = by.clone().map_or_else(service, Ok)?;
                let (closed, outcomes) = registered::remove(ledger, name, reason, &by)?;
                if ctx.json() {
                    let results = results(&outcomes);
                    ctx.out
                        .object(&json!({ "name": name, "closed": closed, "results": results }))?;
                    return Ok(Code::Ok);
                }
                let closed = human::count(closed, "clause", "clauses");
                ctx.out.line(&format!("{}: removed, {closed} closed", visible(name)))?;
                Ok(Code::Ok)
            })
        }
    }
}

fn service() -> Result<Actor, Failure> {
    Ok("service:memledger-sync".parse::<Actor>()?)
}

fn add(ctx: &Context<'_>, ledger: &Ledger, args: &SourceAddArgs) -> Done {
    let (file, repo) = match (args.git.as_deref(), &args.file) {
        (Some([repo, path]), _) => (path.clone(), Some(whole(repo)?)),
        (_, Some(file)) => (whole(file)?, None),
        _ => return Err(Failure::internal()),
    };
    for path in [Some(file.as_path()), repo.as_deref()].into_iter().flatten() {
        spelled(path)?;
    }
    let registration = Registration {
        name: args.name.clone(),
        scope: ctx.scope.clone(),
        document: args.document.clone().unwrap_or_else(|| args.name.clone()),
        file,
        repo,
        whole: args.whole,
    };
    let by = args.by.clone().map_or_else(service, Ok)?;
    let outcomes = registered::add(ledger, &registration, &by)?;
    if ctx.json() {
        let mut answer = as_object(&registration);
        answer.insert("results".to_owned(), results(&outcomes));
        ctx.out.object(&Value::Object(answer))?;
        return Ok(Code::Ok);
    }
    let step = ctx.scope_step.name();
    ctx.out.line(&format!(
        "{}: registered, document {} in scope {} ({step}); `source sync` reads it",
        visible(&args.name),
        visible(&registration.document),
        ctx.scope
    ))?;
    Ok(Code::Ok)
}

/// A path that is no text cannot be written down.
fn spelled(path: &Path) -> Result<(), Failure> {
    if path.to_str().is_some() {
        return Ok(());
    }
    Err(Failure::usage(format!("'{}' is no UTF-8 path and cannot be registered", path.display())))
}

fn sync(ctx: &Context<'_>, ledger: &Ledger, name: Option<&str>, by: Option<&Actor>) -> Done {
    let now = ledger.snapshot(&Question::now(ledger.zone()))?;
    let mut code = Code::Ok;
    for registration in chosen(registered::list(&now, name)?, name)? {
        let found = registered::sync(ledger, &registration, by)?;
        if !found.present {
            code = Code::NotFound;
        }
        told(ctx, &found, "synced")?;
    }
    Ok(code)
}

fn status(ctx: &Context<'_>, opened: &Opened, name: Option<&str>) -> Done {
    let at = ctx.snapshot(opened)?;
    ctx.announce(at.basis())?;
    let mut code = Code::Ok;
    for registration in chosen(registered::list(&at, name)?, name)? {
        let found = registered::look(&at, &registration)?;
        if !found.present {
            code = Code::NotFound;
        }
        told(ctx, &found, "")?;
    }
    Ok(code)
}

fn chosen(found: Vec<Registration>, name: Option<&str>) -> Result<Vec<Registration>, Failure> {
    match (found.is_empty(), name) {
        (false, _) => Ok(found),
        (true, Some(name)) => Err(Failure::not_found(format!("no source {name:?} is registered"))
            .hint("`memledger source status` shows which are")),
        (true, None) => Err(Failure::not_found("no source is registered")
            .hint("`memledger source add NAME FILE` registers one")),
    }
}

fn told(ctx: &Context<'_>, found: &Freshness, done: &str) -> Result<(), Failure> {
    if ctx.json() {
        let mut answer = as_object(&found.registration);
        answer.extend(object::into_map(json!({
            "present": found.present,
            "fresh": found.fresh(),
            "changed": found.changed,
            "gone": found.gone,
            "unchanged": found.unchanged,
            "stale": object::ids(&found.citing),
            "results": results(&found.outcomes),
        })));
        return ctx.out.object(&Value::Object(answer));
    }
    let name = visible(&found.registration.name);
    if !found.present {
        let file = found.registration.file.display();
        return ctx.out.line(&format!(
            "{name}: '{file}' is not there; its {} stand until `source remove` says why",
            human::count(found.unchanged as u64, "clause", "clauses")
        ));
    }
    let word = match (found.fresh(), done) {
        (true, _) => "fresh",
        (false, "") => "behind",
        (false, done) => done,
    };
    ctx.out.line(&format!(
        "{name}: {word}, {} changed, {} gone, {} as they were, {} stale",
        found.changed.len(),
        found.gone.len(),
        found.unchanged,
        human::count(found.citing.len() as u64, "memory", "memories")
    ))
}

fn results(outcomes: &[Outcome]) -> Value {
    outcomes.iter().map(|one| object::outcome(one, None)).collect()
}

fn as_object(one: &Registration) -> serde_json::Map<String, Value> {
    object::into_map(json!({
        "name": one.name,
        "scope": one.scope.to_string(),
        "document": one.document,
        "file": one.file.display().to_string(),
        "repo": one.repo.as_ref().map(|repo| repo.display().to_string()),
        "whole": one.whole,
    }))
}
