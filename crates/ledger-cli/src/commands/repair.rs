//! Owns `repair`: the plan, the question, the repair, and the verdict afterwards.
//!
//! Invariant: nothing is changed before the plan was printed and answered.

use memledger::Ledger;
use memledger::proof::compare;
use memledger::repair::{RepairDone, RepairNeed, RepairPlan};
use memledger::verify::CheckVerdict;
use serde_json::json;

use super::proof::heads;
use super::verify::{self, show_progress};
use super::{Done, close, lifecycle};
use crate::args::{AgainstArgs, RepairArgs, VerifyArgs};
use crate::context::Context;
use crate::exit::{Code, Failure};

/// Mends one part of a ledger, where that loses nothing that was acknowledged.
pub(crate) fn repair(ctx: &Context<'_>, args: &RepairArgs) -> Done {
    lifecycle::reason_given("repair", Some(&args.reason))?;
    let part = args.part.into();
    let watch = |what: &str, done, total| show_progress(ctx, what, done, total);
    let need = Ledger::plan_repair(&ctx.dir, part, &ctx.options(), &watch);
    ctx.out.progress_done();
    let plan = match need? {
        RepairNeed::Plan(plan) => plan,
        RepairNeed::Nothing(why) => return nothing(ctx, &part.to_string(), &why),
    };
    hold_to_heads(ctx, &plan)?;
    print(ctx, &plan)?;
    if !args.yes && !agreed(ctx, &plan)? {
        ctx.out.note("nothing was repaired");
        return Ok(Code::NotFound);
    }
    let done = Ledger::repair(&ctx.dir, &plan, &args.reason, &ctx.options(), &watch);
    ctx.out.progress_done();
    let RepairDone { ledger, seq } = done?;
    ctx.say_notices(&ledger);
    close(ctx, ledger, Ok(Code::Ok))?;
    if ctx.json() {
        ctx.out.object(&json!({ "repaired": part.to_string(), "seq": seq.0 }))?;
    } else {
        ctx.out.line(&format!("#{seq}  repaired  {part}"))?;
    }
    verify::verify(ctx, &VerifyArgs::default())
}

fn nothing(ctx: &Context<'_>, part: &str, why: &str) -> Done {
    if ctx.json() {
        ctx.out.object(&json!({ "repaired": null, "part": part, "why": why }))?;
    } else {
        ctx.out.line(&format!("nothing to repair: {why}"))?;
    }
    Ok(Code::Ok)
}

/// A log that lacks a head which this user saw is not made to look whole.
fn hold_to_heads(ctx: &Context<'_>, plan: &RepairPlan) -> Result<(), Failure> {
    let compared = compare(&ctx.dir, &heads(ctx, plan.ledger, &AgainstArgs::default())?)?;
    let bad = compared.checks.iter().find(|check| check.verdict == CheckVerdict::Damaged);
    let Some(check) = bad else { return Ok(()) };
    let finding = check.findings.first().map_or("", String::as_str);
    Err(Failure::broken(format!(
        "{}: {finding}; nothing was repaired, because a repair would hide it",
        check.name
    ))
    .hint("put the log back from a backup; `memledger verify` shows the extent"))
}

/// The plan goes where messages go with `--json`, because stdout holds the results.
fn print(ctx: &Context<'_>, plan: &RepairPlan) -> Result<(), Failure> {
    if ctx.json() {
        let part = plan.part.to_string();
        ctx.out
            .plan(&json!({ "plan": { "repair": part, "what": plan.what, "steps": plan.steps } }));
        return Ok(());
    }
    ctx.out.line(&format!("plan: repair {}; {}", plan.part, plan.what))?;
    for (number, step) in (1..).zip(&plan.steps) {
        ctx.out.line(&format!("  {number}. {step}"))?;
    }
    ctx.out.flush()
}

fn agreed(ctx: &Context<'_>, plan: &RepairPlan) -> Result<bool, Failure> {
    ctx.out.ask(&format!("repair {}?", plan.part)).ok_or_else(|| {
        Failure::usage("there is no terminal to ask on, and nothing was repaired")
            .hint("look at the plan, then add --yes")
    })
}
