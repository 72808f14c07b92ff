//! Owns `summary`: whether a summary still speaks for what it covers, the way back to the generation
//! before, and the way down to the raw messages.

use memledger::answer::Item;
use memledger::body::{Drift, SummaryCheck};
use memledger::format::BodyType;
use memledger::{Filter, Ledger, Snapshot};
use serde_json::{Value, json};

use super::lifecycle::reason_given;
use super::skill::act_of;
use super::{Done, ids, reading, writing};
use crate::args::{SummaryArgs, SummaryVerb};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::{human, json as object};

/// How many messages a page has unless `--limit` says otherwise.
const PAGE: usize = 100;

/// Does what was asked about summaries.
pub(crate) fn summary(ctx: &Context<'_>, args: &SummaryArgs) -> Done {
    match &args.verb {
        SummaryVerb::Verify { id, record: false, .. } => reading(ctx, |ctx, opened| {
            let at = ctx.snapshot(opened)?;
            ctx.announce(at.basis())?;
            let check = at.check_summary(&ids::resolve(ctx, &at, id)?)?;
            told(ctx, &at, &check, None)
        }),
        SummaryVerb::Verify { id, by, .. } => writing(ctx, |ctx, ledger| {
            let id = single(ctx, ledger, id)?;
            let (check, outcome) = ledger.verify_summary(&id, &act_of(by.as_ref(), None))?;
            let now = ledger.snapshot(&memledger::Question::now(ledger.zone()))?;
            told(ctx, &now, &check, Some(outcome.seq.0))
        }),
        SummaryVerb::Rollback { id, to, reason, by } => {
            reason_given("summary rollback", Some(reason))?;
            let act = act_of(by.as_ref(), Some(reason));
            writing(ctx, |ctx, ledger| {
                let id = single(ctx, ledger, id)?;
                let to = to.as_deref().map(|to| single(ctx, ledger, to)).transpose()?;
                rolled_back(ctx, &ledger.rollback_summary(&id, to, &act)?)
            })
        }
        SummaryVerb::Expand { id } => reading(ctx, |ctx, opened| expand(ctx, opened, id)),
        SummaryVerb::Grep { text } => reading(ctx, |ctx, opened| grep(ctx, opened, text)),
    }
}

fn single(
    ctx: &Context<'_>,
    ledger: &Ledger,
    id: &str,
) -> Result<memledger::format::MemoryId, Failure> {
    ids::resolve_all(ctx, ledger, &[id])?.pop().ok_or_else(Failure::internal)
}

fn told(ctx: &Context<'_>, at: &Snapshot<'_>, check: &SummaryCheck, seq: Option<u64>) -> Done {
    let sound = check.drift.is_empty();
    if ctx.json() {
        let drift: Vec<Value> = check.drift.iter().map(drift_object).collect();
        let answer = json!({
            "id": check.item.id.hyphenated(),
            "generation": check.item.generation,
            "status": check.item.status.name(),
            "stale": check.item.stale,
            "phase": check.phase.map(|phase| phase.name()),
            "covered": check.covered,
            "pinned": check.pinned,
            "sound": sound,
            "drift": drift,
            "seq": seq,
        });
        ctx.out.object(&object::with_basis(object::into_map(answer), at.basis()))?;
    } else {
        for one in &check.drift {
            let item = at.get(&one.id)?;
            let name = item.as_ref().map_or_else(|| one.id.hyphenated(), human::short_name);
            let text = item.map(|item| human::brief(&item.text, 60)).unwrap_or_default();
            let pinned = if one.pinned { "pinned, " } else { "" };
            ctx.out.line(&format!("{name}  {pinned}{}  {text}", one.what.name()))?;
        }
        let covered = human::count(check.covered as u64, "memory", "memories");
        let verdict = if sound { "all of them stand" } else { "see above for what does not stand" };
        ctx.out.line(&format!(
            "{} generation {} covers {covered}: {verdict}",
            human::short_name(&check.item),
            check.item.generation
        ))?;
    }
    Ok(if sound { Code::Ok } else { Code::Conflict })
}

fn drift_object(one: &Drift) -> Value {
    json!({
        "id": one.id.hyphenated(),
        "what": one.what.name(),
        "pinned": one.pinned,
        "superseded_by": one.by.as_ref().map(memledger::format::MemoryId::hyphenated),
    })
}

fn rolled_back(ctx: &Context<'_>, done: &memledger::body::SummaryChange) -> Done {
    let in_force = done.in_force.as_ref().map(memledger::format::MemoryId::hyphenated);
    if ctx.json() {
        ctx.out.object(&json!({
            "withdrawn": done.withdrawn.hyphenated(),
            "in_force": in_force,
            "results": done.outcomes.iter().map(|one| object::outcome(one, None)).collect::<Vec<_>>(),
        }))?;
        return Ok(Code::Ok);
    }
    let seq = done.outcomes.first().map(|one| format!("#{}  ", one.seq)).unwrap_or_default();
    let now = in_force.map_or_else(
        || "no earlier generation is in force".to_owned(),
        |id| format!("in force: {id}"),
    );
    ctx.out.line(&format!("{seq}withdrawn {}  {now}", done.withdrawn.hyphenated()))?;
    Ok(Code::Ok)
}

fn expand(ctx: &Context<'_>, opened: &Opened, id: &str) -> Done {
    let at = ctx.snapshot(opened)?;
    let id = ids::resolve(ctx, &at, id)?;
    ctx.announce(at.basis())?;
    let found = at.expand(&id)?;
    if found.leaves.is_empty() {
        return Err(Failure::not_found("it names nothing that it was made from"));
    }
    if found.cut {
        ctx.out.note("there is more than one answer holds: expand one of the parts");
    }
    if ctx.json() {
        for leaf in &found.leaves {
            let mut item = object::item(&leaf.item, at.basis().valid_at);
            item.insert("depth".to_owned(), leaf.depth.into());
            item.insert("raw".to_owned(), leaf.raw.into());
            ctx.out.object(&Value::Object(item))?;
        }
        return Ok(Code::Ok);
    }
    let items: Vec<Item> = found.leaves.into_iter().map(|leaf| leaf.item).collect();
    lines(ctx, &at, &items)
}

fn grep(ctx: &Context<'_>, opened: &Opened, text: &str) -> Done {
    let at = ctx.snapshot(opened)?;
    ctx.announce(at.basis())?;
    let filter = Filter {
        scope: ctx.scope.clone(),
        body: Some(BodyType::Message),
        grep: Some(text.to_owned()),
        // A session's end stops the use of its messages, not their archive.
        include_history: true,
        after: ctx.cursor()?,
        limit: ctx.limit(PAGE),
        ..Filter::default()
    };
    let page = at.list(&filter)?;
    if page.items.is_empty() {
        return Err(Failure::not_found(format!("no message known here holds {text:?}"))
            .hint("the text is compared as it is, upper and lower case differ"));
    }
    if ctx.json() {
        for item in &page.items {
            ctx.out.object(&Value::Object(object::item(item, at.basis().valid_at)))?;
        }
        if let Some(next) = page.next {
            ctx.out.object(&object::next(next))?;
        }
        return Ok(Code::Ok);
    }
    if let Some(next) = page.next {
        ctx.out.note(&format!("there are more: go on with --cursor {next}"));
    }
    lines(ctx, &at, &page.items)
}

fn lines(ctx: &Context<'_>, at: &Snapshot<'_>, items: &[Item]) -> Done {
    let table = human::table(items, at.basis().valid_at, &at.basis().zone);
    table.iter().try_for_each(|line| ctx.out.line(line))?;
    Ok(Code::Ok)
}
