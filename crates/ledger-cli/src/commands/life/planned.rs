//! Owns the plan of a verb that touches more than one memory: shown, asked about, carried out.
//!
//! Invariant: nothing is recorded before the plan was printed and answered.

use memledger::life::{Plan, PlanKind, Step};
use memledger::{Ledger, Question, Terms};
use serde_json::json;

use crate::args::PlanArgs;
use crate::commands::Done;
use crate::context::Context;
use crate::exit::{Code, Failure};
use crate::output::{human, json as object};

/// Shows a plan, asks, and carries it out.
pub(super) fn run(
    ctx: &Context<'_>,
    ledger: &Ledger,
    plan: &Plan,
    args: &PlanArgs,
    reason: Option<&str>,
) -> Done {
    show(ctx, ledger, plan)?;
    if !args.yes && !agreed(ctx, plan)? {
        ctx.out.note("nothing was recorded");
        return Ok(Code::NotFound);
    }
    let terms = Terms { by: args.by.clone(), ..Terms::default() };
    let outcomes = ledger.carry_out(plan, terms, reason.map(str::to_owned))?;
    let done = done(plan.kind);
    for outcome in &outcomes {
        if ctx.json() {
            ctx.out.object(&object::outcome(outcome, None))?;
        } else {
            ctx.out.line(&human::outcome(outcome, done, None))?;
        }
    }
    Ok(Code::Ok)
}

/// The plan goes where messages go with `--json`, because stdout holds the results.
fn show(ctx: &Context<'_>, ledger: &Ledger, plan: &Plan) -> Result<(), Failure> {
    if ctx.json() {
        let steps: Vec<_> = plan.steps.iter().map(step).collect();
        ctx.out.plan(&json!({ "plan": {
            "kind": word(plan.kind), "head_seq": plan.head.map(|seq| seq.0),
            "records": plan.records(), "steps": steps,
        }}));
        return Ok(());
    }
    let title = human::count(plan.steps.len() as u64, "memory", "memories");
    let records = human::count(plan.records() as u64, "record", "records");
    ctx.out.line(&format!("plan: {} {title}, in {records}", word(plan.kind)))?;
    let now = ledger.snapshot(&Question::now(ctx.zone(ledger)))?;
    let mut rows = Vec::new();
    for Step { memory, does } in &plan.steps {
        let Some(item) = now.get(memory)? else { continue };
        rows.push(vec![
            human::short_name(&item),
            (*does).to_owned(),
            item.status.to_string(),
            item.layer.to_string(),
            human::brief(&item.text, 60),
        ]);
    }
    human::aligned(&rows).iter().try_for_each(|line| ctx.out.line(&format!("  {line}")))?;
    ctx.out.flush()
}

fn step(step: &Step) -> serde_json::Value {
    json!({ "id": step.memory.hyphenated(), "does": step.does })
}

fn agreed(ctx: &Context<'_>, plan: &Plan) -> Result<bool, Failure> {
    let count = human::count(plan.steps.len() as u64, "memory", "memories");
    ctx.out.ask(&format!("{} {count}?", word(plan.kind))).ok_or_else(|| {
        Failure::usage("there is no terminal to ask on, and nothing was recorded")
            .hint("look at the plan, then add --yes")
    })
}

const fn word(kind: PlanKind) -> &'static str {
    match kind {
        PlanKind::Sweep => "sweep",
        PlanKind::Undo => "undo",
        PlanKind::Revoke => "revoke",
        PlanKind::Approval => "decide",
        PlanKind::TaskStart => "task start",
        PlanKind::TaskEnd => "task end",
        _ => "change",
    }
}

const fn done(kind: PlanKind) -> &'static str {
    match kind {
        PlanKind::Sweep => "swept",
        PlanKind::Undo => "undone",
        PlanKind::Revoke => "revoked",
        PlanKind::Approval => "decided",
        _ => "recorded",
    }
}
