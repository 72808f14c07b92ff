//! Owns `skill`: versions, how they did, and which one is in use.

use memledger::body::{Act, Score, Skill, SkillChange, SkillVersion};
use memledger::civil::Zone;
use memledger::{Actor, Ledger, Snapshot};
use serde_json::{Value, json};

use super::lifecycle::reason_given;
use super::{Done, reading, writing};
use crate::args::{SkillActArgs, SkillArgs, SkillVerb};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::width::visible;
use crate::output::{human, json as object};

/// Does what was asked about skills.
pub(crate) fn skill(ctx: &Context<'_>, args: &SkillArgs) -> Done {
    match &args.verb {
        SkillVerb::List => reading(ctx, list),
        SkillVerb::Show { name } => reading(ctx, |ctx, opened| show(ctx, opened, name)),
        SkillVerb::Promote(args) => change(ctx, &args.name, |ledger, skill| {
            ledger.promote_skill(&skill.scope, &skill.name, args.version, &act(args))
        }),
        SkillVerb::Canary(args) => change(ctx, &args.name, |ledger, skill| {
            ledger.canary_skill(&skill.scope, &skill.name, args.version, &act(args))
        }),
        SkillVerb::Rollback { name, reason, by } => {
            reason_given("skill rollback", Some(reason))?;
            let act = act_of(by.as_ref(), Some(reason));
            change(ctx, name, |ledger, skill| {
                ledger.rollback_skill(&skill.scope, &skill.name, &act)
            })
        }
    }
}

fn act(args: &SkillActArgs) -> Act {
    act_of(args.by.as_ref(), args.reason.as_ref())
}

/// Who acts, and why.
pub(super) fn act_of(by: Option<&Actor>, reason: Option<&String>) -> Act {
    Act { by: by.cloned(), reason: reason.cloned() }
}

fn list(ctx: &Context<'_>, opened: &Opened) -> Done {
    let at = ctx.snapshot(opened)?;
    ctx.announce(at.basis())?;
    let skills = at.skills(&ctx.scope)?;
    if skills.is_empty() {
        return Err(Failure::not_found("no skill is known in this scope")
            .hint("a skill is written with `write --body FILE`, see `write --help`"));
    }
    if ctx.json() {
        skills.iter().try_for_each(|skill| ctx.out.object(&as_object(skill, &at)))?;
        return Ok(Code::Ok);
    }
    let zone = &at.basis().zone;
    let rows: Vec<Vec<String>> = skills.iter().map(|skill| row(skill, zone)).collect();
    human::aligned(&rows).iter().try_for_each(|line| ctx.out.line(line))?;
    Ok(Code::Ok)
}

/// The version in use, else the newest.
fn row(skill: &Skill, zone: &Zone) -> Vec<String> {
    let used = skill.in_use.and_then(|version| skill.version(version));
    let shown = used.or_else(|| skill.versions.last());
    let mut row = vec![visible(&skill.name), skill.scope.to_string()];
    row.extend(shown.map(|one| cells(one, zone)).into_iter().flatten());
    row
}

fn cells(one: &SkillVersion, zone: &Zone) -> Vec<String> {
    let Score { ok, failed, partial, in_a_row, failures, last_use } = &one.score;
    let rate = one.score.success_rate();
    let percent = |parts: u16| format!("{}.{:02}%", parts / 100, parts % 100);
    vec![
        format!("v{}", one.version),
        format!("m{}", one.item.seq),
        one.phase.map_or("new", |phase| phase.name()).to_owned(),
        one.item.status.to_string(),
        format!("{ok} ok, {failed} failed, {partial} partial"),
        rate.map_or_else(|| "-".to_owned(), percent),
        format!("{} in a row", in_a_row.len()),
        human::count(failures.len() as u64, "failure", "failures"),
        last_use.map_or_else(
            || "never used".to_owned(),
            |at| format!("used {}", human::short_time(at, zone)),
        ),
    ]
}

fn show(ctx: &Context<'_>, opened: &Opened, name: &str) -> Done {
    let at = ctx.snapshot(opened)?;
    ctx.announce(at.basis())?;
    let skill = one(ctx, &at, name)?;
    if ctx.json() {
        ctx.out.object(&as_object(&skill, &at))?;
        return Ok(Code::Ok);
    }
    let used = skill.in_use.map_or_else(|| "none".to_owned(), |version| format!("v{version}"));
    ctx.out.line(&format!("{}  {}  in use: {used}", visible(name), skill.scope))?;
    let zone = &at.basis().zone;
    let rows: Vec<Vec<String>> = skill.versions.iter().map(|one| cells(one, zone)).collect();
    human::aligned(&rows).iter().try_for_each(|line| ctx.out.line(line))?;
    for id in skill.versions.iter().flat_map(|one| &one.score.failures) {
        if let Some(item) = at.get(id)? {
            let text = human::brief(&item.text, 80);
            ctx.out.line(&format!("failed: {}  {text}", human::short_name(&item)))?;
        }
    }
    Ok(Code::Ok)
}

/// The only skill of this name in the scope or below.
fn one(ctx: &Context<'_>, at: &Snapshot<'_>, name: &str) -> Result<Skill, Failure> {
    if let Some(skill) = at.skill(&ctx.scope, name)? {
        return Ok(skill);
    }
    let mut found = at.skills(&ctx.scope)?;
    found.retain(|skill| skill.name == name);
    if found.len() > 1 {
        let scopes: Vec<_> = found.iter().map(|skill| skill.scope.to_string()).collect();
        return Err(Failure::ambiguous(format!(
            "there is a skill {name:?} in several scopes: {}",
            scopes.join(", ")
        ))
        .hint("name one with --scope"));
    }
    found.pop().ok_or_else(|| {
        Failure::not_found(format!("there is no skill {name:?} in scope {} or below", ctx.scope))
            .hint("`memledger skill list` shows which there are")
    })
}

fn change(
    ctx: &Context<'_>,
    name: &str,
    decide: impl FnOnce(&Ledger, &Skill) -> memledger::Result<SkillChange>,
) -> Done {
    writing(ctx, |ctx, ledger| {
        let now = ledger.snapshot(&memledger::Question::now(ledger.zone()))?;
        let skill = one(ctx, &now, name)?;
        let done = decide(ledger, &skill)?;
        if ctx.json() {
            ctx.out.object(&json!({
                "name": name,
                "scope": skill.scope.to_string(),
                "version": done.version,
                "phase": done.phase.name(),
                "in_use": done.in_use,
                "evidence": done.evidence,
                "results": done.outcomes.iter().map(|one| object::outcome(one, None)).collect::<Vec<_>>(),
            }))?;
            return Ok(Code::Ok);
        }
        let seq = done.outcomes.first().map(|one| format!("#{}  ", one.seq)).unwrap_or_default();
        let used = done.in_use.map_or_else(|| "none".to_owned(), |version| format!("v{version}"));
        ctx.out.line(&format!(
            "{seq}{} v{} {}  ({})  in use: {used}",
            visible(name),
            done.version,
            done.phase,
            done.evidence
        ))?;
        Ok(Code::Ok)
    })
}

fn as_object(skill: &Skill, at: &Snapshot<'_>) -> Value {
    let versions: Vec<Value> = skill
        .versions
        .iter()
        .map(|one| {
            let Score { ok, failed, partial, in_a_row, failures, last_use } = &one.score;
            let mut item = object::item(&one.item, at.basis().valid_at);
            let score = json!({
                "version": one.version,
                "record": item.remove("version"),
                "phase": one.phase.map(|phase| phase.name()),
                "ok": ok,
                "failed": failed,
                "partial": partial,
                "success_rate": one.score.success_rate().map(|parts| f64::from(parts) / 10_000.0),
                "in_a_row": object::ids(in_a_row),
                "failures": object::ids(failures),
                "last_use": object::time(*last_use),
            });
            item.extend(object::into_map(score));
            Value::Object(item)
        })
        .collect();
    object::with_basis(
        object::into_map(json!({
            "name": skill.name,
            "scope": skill.scope.to_string(),
            "in_use": skill.in_use,
            "versions": versions,
        })),
        at.basis(),
    )
}
