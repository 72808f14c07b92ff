//! Owns `task`: beginning, ending and listing tasks.

use memledger::Terms;
use memledger::civil::{Zone, format_utc};
use memledger::life::TaskItem;
use serde_json::json;

use crate::args::{TaskArgs, TaskVerb};
use crate::commands::{Done, reading, writing};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::width::visible;
use crate::output::{human, json as object};

/// Does what was asked about a task.
pub(in crate::commands) fn task(ctx: &Context<'_>, args: &TaskArgs) -> Done {
    match &args.verb {
        TaskVerb::Start { name, parent, by } => writing(ctx, |ctx, ledger| {
            let terms = Terms { by: by.clone(), ..Terms::default() };
            let done = ledger.start_task(name, parent.as_deref(), &ctx.scope, &terms)?;
            if ctx.json() {
                ctx.out.object(&object::outcome(&done, Some(ctx.scope_step)))?;
            } else {
                let step = Some(ctx.scope_step);
                ctx.out.line(&human::outcome(&done, "task begun", step))?;
            }
            Ok(Code::Ok)
        }),
        TaskVerb::End { name, outcome, reason, by } => writing(ctx, |ctx, ledger| {
            let terms = Terms { by: by.clone(), ..Terms::default() };
            let (plan, done) = ledger.end_task(name, *outcome, &terms, reason)?;
            if ctx.json() {
                return done
                    .iter()
                    .try_for_each(|one| ctx.out.object(&object::outcome(one, None)))
                    .map(|()| Code::Ok);
            }
            let seq = done.first().map_or(0, |one| one.seq.0);
            let aside = human::count(plan.steps.len() as u64, "memory steps", "memories step");
            ctx.out.line(&format!("#{seq}  task ended  {outcome}  {aside} aside"))?;
            Ok(Code::Ok)
        }),
        TaskVerb::List { open } => reading(ctx, |ctx, opened| list(ctx, opened, *open)),
    }
}

fn list(ctx: &Context<'_>, opened: &Opened, open: bool) -> Done {
    let at = ctx.snapshot(opened)?;
    ctx.announce(at.basis())?;
    let limit = ctx.scope_limit();
    let mut tasks = at.tasks()?;
    tasks.retain(|task| {
        (!open || task.ended.is_none()) && limit.is_none_or(|scope| task.scope.within(scope))
    });
    if tasks.is_empty() {
        return Err(Failure::not_found("there is no task in this answer")
            .hint("`memledger task start NAME` begins one")
            .at(object::basis(at.basis())));
    }
    if ctx.json() {
        return tasks
            .iter()
            .try_for_each(|task| ctx.out.object(&object::with_basis(of(task), at.basis())))
            .map(|()| Code::Ok);
    }
    let zone = at.basis().zone;
    let rows: Vec<Vec<String>> = tasks.iter().map(|task| row(task, &zone)).collect();
    human::aligned(&rows).iter().try_for_each(|line| ctx.out.line(line))?;
    Ok(Code::Ok)
}

fn row(task: &TaskItem, zone: &Zone) -> Vec<String> {
    let time = |at| human::short_time(at, zone);
    let (state, ended) = match task.ended {
        None => ("under way".to_owned(), String::new()),
        Some((seq, at, outcome)) => (outcome.to_string(), format!("until {} (#{seq})", time(at))),
    };
    vec![
        visible(&task.name),
        state,
        task.parent.as_ref().map(|parent| format!("in {}", visible(parent))).unwrap_or_default(),
        format!("since {} (#{})", time(task.started.1), task.started.0),
        ended,
        task.scope.to_string(),
    ]
}

fn of(task: &TaskItem) -> serde_json::Map<String, serde_json::Value> {
    object::into_map(json!({
        "task": task.name,
        "parent": task.parent,
        "scope": task.scope.to_string(),
        "seq": task.started.0.0,
        "started_at": format_utc(task.started.1),
        "ended_seq": task.ended.map(|(seq, ..)| seq.0),
        "ended_at": task.ended.map(|(_, at, _)| format_utc(at)),
        "outcome": task.ended.map(|(.., outcome)| outcome.name()),
        "reason": task.reason,
    }))
}
