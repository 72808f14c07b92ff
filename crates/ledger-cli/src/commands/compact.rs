//! Owns `compact`: the plan first, and then, where it is asked for, the batch that carries it out.

use memledger::answer::Item;
use memledger::policy::compact::{Compaction, Plan};
use serde_json::{Value, json};

use super::{Done, reading, writing};
use crate::args::CompactArgs;
use crate::context::Context;
use crate::exit::{Code, Failure};
use crate::output::{human, json as out};

/// Shows the plan, or carries it out.
pub(crate) fn compact(ctx: &Context<'_>, args: &CompactArgs) -> Done {
    let asked = Compaction {
        scope: ctx.scope.clone(),
        untouched_days: args.untouched,
        touches: args.touches,
    };
    if !args.apply {
        return reading(ctx, |ctx, opened| {
            let plan = opened.ledger.compaction(&asked)?;
            show(ctx, &plan)
        });
    }
    writing(ctx, |ctx, ledger| {
        let plan = ledger.compaction(&asked)?;
        let done = ledger.compact(&plan, args.by.clone(), args.promote)?;
        let (records, job) = (done.outcomes.len(), done.job.to_string());
        if ctx.json() {
            ctx.out.object(&json!({ "batch": job, "records": records, "left": done.left }))?;
        } else {
            let count = human::count(records as u64, "change", "changes");
            ctx.out.line(&format!("batch {job}: {count}, {} left", done.left))?;
        }
        Ok(Code::Ok)
    })
}

fn show(ctx: &Context<'_>, plan: &Plan) -> Done {
    let nothing = plan.merges.is_empty() && plan.promotions.is_empty() && plan.noise.is_empty();
    if ctx.json() {
        ctx.out.object(&object(plan))?;
    } else {
        for (kept, others) in &plan.merges {
            lines(
                ctx,
                "say the same, and the first stays",
                std::iter::once(kept).chain(others),
                plan,
            )?;
        }
        lines(ctx, "nobody used them, and nothing depends on them", plan.noise.iter(), plan)?;
        let worth = plan.promotions.iter().map(|(item, _)| item);
        lines(ctx, "proved themselves: a person may raise them, with --promote", worth, plan)?;
    }
    if nothing {
        return Err(Failure::not_found("there is nothing to compact"));
    }
    Ok(Code::Ok)
}

fn lines<'a>(
    ctx: &Context<'_>,
    title: &str,
    items: impl Iterator<Item = &'a Item>,
    plan: &Plan,
) -> Result<(), Failure> {
    let items: Vec<Item> = items.cloned().collect();
    if items.is_empty() {
        return Ok(());
    }
    ctx.out.line(title)?;
    let rows = human::table(&items, plan.basis.valid_at, &plan.basis.zone);
    rows.iter().try_for_each(|row| ctx.out.line(&format!("  {row}")))
}

fn object(plan: &Plan) -> Value {
    let ids = |items: &[Item]| items.iter().map(|item| item.id.hyphenated()).collect::<Value>();
    let merges = plan
        .merges
        .iter()
        .map(|(kept, others)| json!({ "keep": kept.id.hyphenated(), "close": ids(others) }));
    let promotions = plan.promotions.iter().map(
        |(item, touches)| json!({ "id": item.id.hyphenated(), "touches": touches, "to": "verified" }),
    );
    out::with_basis(
        out::into_map(json!({
            "merges": merges.collect::<Value>(), "promotions": promotions.collect::<Value>(),
            "noise": ids(&plan.noise),
        })),
        &plan.basis,
    )
}
