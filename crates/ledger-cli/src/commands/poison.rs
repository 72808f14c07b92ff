//! Owns `poison`: what did not hold under a policy, and where.

use memledger::policy::poison::{CaseResult, Check, Report, run};
use serde_json::{Value, json};

use super::policy::text_of;
use super::proof::in_file;
use super::{Done, reading};
use crate::args::PoisonArgs;
use crate::context::Context;
use crate::exit::Code;
use crate::output::human;

/// Plays the cases under a document, or under the policy in force.
pub(crate) fn poison(ctx: &Context<'_>, args: &PoisonArgs) -> Done {
    if let Some(file) = &args.policy {
        let report = run(&text_of(file)?).map_err(|error| in_file(file, &error))?;
        return say(ctx, &report, args.all);
    }
    reading(ctx, |ctx, opened| {
        let policy = opened.ledger.policy(&ctx.question(opened)?)?;
        ctx.out.note(&format!("under policy version {}", policy.version));
        say(ctx, &run(&policy.text)?, args.all)
    })
}

fn say(ctx: &Context<'_>, report: &Report, all: bool) -> Done {
    for case in &report.cases {
        if ctx.json() {
            ctx.out.object(&object(case))?;
        } else {
            lines(case, all).iter().try_for_each(|line| ctx.out.line(line))?;
        }
    }
    let (passed, failed) = report.counts();
    let count = human::count(u64::from(passed + failed), "case", "cases");
    ctx.out.note(&format!("{count}, {failed} failed"));
    Ok(if failed == 0 { Code::Ok } else { Code::Refused })
}

fn lines(case: &CaseResult, all: bool) -> Vec<String> {
    let word = if case.passed() { "ok    " } else { "FAILED" };
    let held = case.checks.iter().filter(|check| check.held).count();
    let mut lines = vec![format!("{word} {}: {held} of {} held", case.name, case.checks.len())];
    if !case.passed() {
        lines.push(format!("       {}", case.attack));
    }
    for check in case.checks.iter().filter(|check| all || !check.held) {
        let word = if check.held { "held  " } else { "BROKEN" };
        lines.push(format!("  {word} {} ({}): {}", check.what, check.rule, check.found));
    }
    lines
}

fn object(case: &CaseResult) -> Value {
    let check = |check: &Check| {
        let memories: Value = check
            .memories
            .iter()
            .map(|(id, seq)| json!({ "id": id.hyphenated(), "seq": seq.0 }))
            .collect();
        json!({
            "what": check.what, "rule": check.rule, "held": check.held, "memories": memories,
            "found": check.found,
        })
    };
    json!({
        "case": case.name, "attack": case.attack, "passed": case.passed(),
        "checks": case.checks.iter().map(check).collect::<Value>(),
    })
}
