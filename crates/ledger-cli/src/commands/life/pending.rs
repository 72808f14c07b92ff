//! Owns `pending` and `review`: what waits for persons, and what else needs one.

use memledger::Terms;
use memledger::life::{Concern, PendingItem, ReviewItem};
use serde_json::json;

use crate::args::{DecideArgs, PendingArgs, PendingVerb};
use crate::commands::lifecycle::reason_given;
use crate::commands::{Done, ids, reading, writing};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::width::visible;
use crate::output::{human, json as object};

/// Does what was asked about what waits.
pub(in crate::commands) fn pending(ctx: &Context<'_>, args: &PendingArgs) -> Done {
    match &args.verb {
        PendingVerb::List => reading(ctx, list),
        PendingVerb::Approve(args) => decide(ctx, args, true),
        PendingVerb::Reject(args) => {
            reason_given("pending reject", args.reason.as_deref())?;
            decide(ctx, args, false)
        }
    }
}

fn decide(ctx: &Context<'_>, args: &DecideArgs, approve: bool) -> Done {
    writing(ctx, |ctx, ledger| {
        let memory = ids::resolve_all(ctx, ledger, &[&args.id])?.into_iter().next();
        let memory = memory.ok_or_else(Failure::internal)?;
        let now = ledger.snapshot(&memledger::Question::now(ctx.zone(ledger)))?;
        let item = now.get(&memory)?.ok_or_else(Failure::internal)?;
        let terms = Terms { by: Some(args.by.clone()), ..Terms::default() };
        let (plan, done) = ledger.decide_pending(item.seq, approve, &terms, &args.reason)?;
        if ctx.json() {
            return done
                .iter()
                .try_for_each(|one| ctx.out.object(&object::outcome(one, None)))
                .map(|()| Code::Ok);
        }
        let seq = done.first().map_or(0, |one| one.seq.0);
        let said = plan.steps.first().map_or("decided", |step| step.does);
        ctx.out.line(&format!("#{seq}  {said}  {}", human::short_name(&item)))?;
        let closed = plan.steps.len().saturating_sub(1) as u64;
        if closed > 0 {
            let count = human::count(closed, "memory", "memories");
            ctx.out.line(&format!("  closes {count}"))?;
        }
        Ok(Code::Ok)
    })
}

fn list(ctx: &Context<'_>, opened: &Opened) -> Done {
    let at = ctx.snapshot(opened)?;
    ctx.announce(at.basis())?;
    let limit = ctx.scope_limit();
    let mut items = at.pending()?;
    items.retain(|one| limit.is_none_or(|scope| one.item.scope.within(scope)));
    if items.is_empty() {
        return Err(Failure::not_found("nothing waits for a person").at(object::basis(at.basis())));
    }
    let mut rows = Vec::new();
    for PendingItem { item, persons, agreed } in &items {
        if ctx.json() {
            let mut map = object::item(item, at.basis().valid_at);
            map.insert("persons".to_owned(), json!(persons));
            let agreed: Vec<String> = agreed.iter().map(ToString::to_string).collect();
            map.insert("agreed".to_owned(), json!(agreed));
            ctx.out.object(&object::with_basis(map, at.basis()))?;
            continue;
        }
        rows.push(vec![
            human::short_name(item),
            format!("{} of {persons} agreed", agreed.len()),
            item.layer.to_string(),
            human::brief(&item.text, 60),
            item.by.as_ref().map(|by| visible(&by.to_string())).unwrap_or_default(),
            closes(item.supersedes.len()),
        ]);
    }
    human::aligned(&rows).iter().try_for_each(|line| ctx.out.line(line))?;
    Ok(Code::Ok)
}

fn closes(count: usize) -> String {
    if count == 0 { String::new() } else { format!("would close {count}") }
}

/// What needs a person, the gravest first.
pub(in crate::commands) fn review(ctx: &Context<'_>, opened: &Opened) -> Done {
    let at = ctx.snapshot(opened)?;
    ctx.announce(at.basis())?;
    let all = at.review(&ctx.scope)?;
    if all.is_empty() {
        return Err(Failure::not_found("nothing needs a person").at(object::basis(at.basis())));
    }
    let limit = match ctx.limit(100) {
        0 => usize::MAX,
        limit => limit,
    };
    let mut rows = Vec::new();
    for ReviewItem { item, concerns } in all.iter().take(limit) {
        let names: Vec<&str> = concerns.iter().map(|concern| Concern::name(*concern)).collect();
        if ctx.json() {
            let mut map = object::item(item, at.basis().valid_at);
            map.insert("concerns".to_owned(), json!(names));
            ctx.out.object(&object::with_basis(map, at.basis()))?;
            continue;
        }
        rows.push(vec![
            human::short_name(item),
            names.join(", "),
            item.layer.to_string(),
            human::brief(&item.text, 60),
            item.scope.to_string(),
        ]);
    }
    human::aligned(&rows).iter().try_for_each(|line| ctx.out.line(line))?;
    let left = all.len().saturating_sub(limit) as u64;
    if left > 0 {
        let more = human::count(left, "more needs one", "more need one");
        ctx.out.note(&format!("{more}; --limit 0 shows all"));
    }
    Ok(Code::Ok)
}
