//! Owns `policy`: what the gate goes by, tried before it counts and comparable with what it replaces.

use std::path::Path;

use memledger::Ledger;
use memledger::policy::{LayerRule, Policy, PolicyInForce, Trial, seen_in};
use serde_json::json;

use super::proof::{in_file, read};
use super::{Done, reading, writing};
use crate::args::{PolicyArgs, PolicySetArgs, PolicyVerb};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::human;

/// Does what was asked about the policy.
pub(crate) fn policy(ctx: &Context<'_>, args: &PolicyArgs) -> Done {
    match &args.verb {
        PolicyVerb::Show { version, table } => {
            reading(ctx, |ctx, opened| show(ctx, opened, *version, *table))
        }
        PolicyVerb::Set(args) => writing(ctx, |ctx, ledger| set(ctx, ledger, args)),
        PolicyVerb::Test { file, policy } => test(ctx, file, policy.as_deref()),
        PolicyVerb::Diff { from, to } => {
            reading(ctx, |ctx, opened| diff(ctx, opened, from, to.as_deref()))
        }
        PolicyVerb::Check => reading(ctx, check),
        PolicyVerb::Rollback { version, reason, by, overriding } => writing(ctx, |ctx, ledger| {
            let text = ledger.policy_version(*version)?.text;
            put(ctx, ledger, &text, by.as_ref(), (reason, *overriding))
        }),
    }
}

fn show(ctx: &Context<'_>, opened: &Opened, version: Option<u32>, table: bool) -> Done {
    let found = match version {
        Some(version) => opened.ledger.policy_version(version)?,
        None => opened.ledger.policy(&ctx.question(opened)?)?,
    };
    if ctx.json() {
        let settings: serde_json::Map<_, _> =
            found.policy.settings().into_iter().map(|(at, value)| (at, value.into())).collect();
        let since = found.since.map(|seq| seq.0);
        ctx.out.object(&json!({
            "version": found.version, "since": since, "settings": settings, "text": found.text,
        }))?;
        return Ok(Code::Ok);
    }
    let since = match found.since {
        Some(seq) => format!("set by record {seq}"),
        None => "the built-in one".to_owned(),
    };
    ctx.out.note(&format!("policy version {}, {since}", found.version));
    if table {
        human::aligned(&routes(&found.policy)).iter().try_for_each(|line| ctx.out.line(line))?;
    } else {
        ctx.out.raw(&found.text)?;
    }
    Ok(Code::Ok)
}

/// The way of a memory through each layer.
fn routes(policy: &Policy) -> Vec<Vec<String>> {
    let heads = ["layer", "owner", "ttl", "unverified", "review", "expiry", "deletion"];
    let mut rows = vec![heads.iter().map(|head| (*head).to_owned()).collect()];
    for (layer, _, name) in memledger::format::Layer::ALL {
        let Some(rule) = policy.layers.rule(*layer) else { continue };
        rows.push(route(name, rule));
    }
    rows
}

fn route(name: &str, rule: &LayerRule) -> Vec<String> {
    let settings = rule.settings();
    let value = |field: &str| settings.get(field).cloned().unwrap_or_else(|| "-".to_owned());
    let fields = ["owner", "ttl", "ttl_unverified", "review_by", "expiry", "deletion"];
    std::iter::once(name.to_owned()).chain(fields.into_iter().map(value)).collect()
}

fn set(ctx: &Context<'_>, ledger: &Ledger, args: &PolicySetArgs) -> Done {
    let text = text_of(&args.file)?;
    if let Some(cases) = &args.test {
        let policy = Policy::parse(&text).map_err(|error| in_file(&args.file, &error))?;
        if try_all(ctx, cases, &policy)? == Code::Refused {
            return Err(Failure::refused("the policy was not set: a case differs"));
        }
    }
    put(ctx, ledger, &text, args.by.as_ref(), (&args.reason, args.overriding))
}

fn put(
    ctx: &Context<'_>,
    ledger: &Ledger,
    text: &str,
    by: Option<&memledger::Actor>,
    (reason, overriding): (&str, bool),
) -> Done {
    if reason.trim().is_empty() {
        return Err(Failure::usage("--reason is empty; say why the policy changes"));
    }
    let done = match by.filter(|_| overriding) {
        Some(by) => ledger.set_policy_all_the_same(text, by, reason)?,
        None => ledger.set_policy(text, by.cloned(), Some(reason))?,
    };
    let (passed, failed) = done.suite.counts();
    if ctx.json() {
        ctx.out.object(&json!({
            "seq": done.outcome.seq.0, "version": done.version, "previous": done.previous,
            "suite": { "passed": passed, "failed": failed },
        }))?;
        return Ok(Code::Ok);
    }
    ctx.out.line(&format!(
        "#{}  policy version {} in force, after version {}",
        done.outcome.seq, done.version, done.previous
    ))?;
    Ok(Code::Ok)
}

/// Needs no ledger where the policy is given.
fn test(ctx: &Context<'_>, cases: &Path, policy: Option<&Path>) -> Done {
    if let Some(file) = policy {
        let policy = Policy::parse(&text_of(file)?).map_err(|error| in_file(file, &error))?;
        return try_all(ctx, cases, &policy);
    }
    reading(ctx, |ctx, opened| {
        let found = opened.ledger.policy(&ctx.question(opened)?)?;
        try_all(ctx, cases, &found.policy)
    })
}

fn try_all(ctx: &Context<'_>, cases: &Path, policy: &Policy) -> Done {
    let trials = Trial::parse_all(&text_of(cases)?).map_err(|error| in_file(cases, &error))?;
    let mut failed = 0_u64;
    for trial in &trials {
        let seen = trial.text.as_deref().map(seen_in).unwrap_or_default();
        let tried = trial.run(policy, seen).map_err(|error| in_file(cases, &error))?;
        failed += u64::from(!tried.differs.is_empty());
        let (verdict, rule) = (tried.decision.verdict, tried.decision.rule);
        if ctx.json() {
            ctx.out.object(&json!({
                "name": trial.name, "passed": tried.differs.is_empty(), "verdict": verdict.name(),
                "rule": rule.name(), "differs": tried.differs,
            }))?;
            continue;
        }
        let word = if tried.differs.is_empty() { "ok    " } else { "DIFFERS" };
        ctx.out.line(&format!("{word} {}: {verdict} by {rule}", trial.name))?;
        tried.differs.iter().try_for_each(|one| ctx.out.line(&format!("       {one}")))?;
    }
    let count = human::count(trials.len() as u64, "case", "cases");
    ctx.out.note(&format!("{count}, {failed} differ"));
    Ok(if failed == 0 { Code::Ok } else { Code::Refused })
}

fn check(ctx: &Context<'_>, opened: &Opened) -> Done {
    let done = opened.ledger.verdicts_again()?;
    if ctx.json() {
        let differ: Vec<_> =
            done.differ.iter().map(|(seq, why)| json!({ "seq": seq.0, "differs": why })).collect();
        ctx.out.object(&json!({ "checked": done.checked, "differ": differ }))?;
    } else {
        for (seq, why) in &done.differ {
            ctx.out.line(&format!("#{seq}  {why}"))?;
        }
        let same = done.checked - done.differ.len() as u64;
        ctx.out.line(&format!(
            "{same} of {} verdicts are given again by their policy",
            done.checked
        ))?;
    }
    Ok(if done.differ.is_empty() { Code::Ok } else { Code::Damaged })
}

fn diff(ctx: &Context<'_>, opened: &Opened, from: &str, to: Option<&str>) -> Done {
    let before = named(opened, from)?;
    let after = match to {
        Some(name) => named(opened, name)?,
        None => opened.ledger.policy(&ctx.question(opened)?)?.policy,
    };
    let changes: Vec<_> = before.changes(&after).collect();
    if changes.is_empty() {
        return Err(Failure::not_found("the two policies say the same"));
    }
    for change in changes {
        if ctx.json() {
            ctx.out.object(&json!({
                "setting": change.setting, "before": change.before, "after": change.after,
            }))?;
            continue;
        }
        let value = |value: Option<String>| value.unwrap_or_else(|| "(not set)".to_owned());
        let line =
            format!("{}: {} -> {}", change.setting, value(change.before), value(change.after));
        ctx.out.line(&line)?;
    }
    Ok(Code::Ok)
}

/// A version by its number, else a file.
fn named(opened: &Opened, name: &str) -> Result<Policy, Failure> {
    if let Ok(version) = name.parse() {
        let PolicyInForce { policy, .. } = opened.ledger.policy_version(version)?;
        return Ok(policy);
    }
    let file = Path::new(name);
    Policy::parse(&text_of(file)?).map_err(|error| in_file(file, &error))
}

/// A document or cases: text, however it was come by.
pub(super) fn text_of(file: &Path) -> Result<String, Failure> {
    String::from_utf8(read(file)?).map_err(|_| in_file(file, &"it is not UTF-8 text"))
}
