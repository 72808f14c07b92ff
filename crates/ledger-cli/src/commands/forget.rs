//! Owns `forget`: the plan, the question, and the events.
//!
//! Invariant: nothing is forgotten before the plan was printed and answered.

use memledger::answer::Item;
use memledger::format::{MemoryId, limits};
use memledger::{Command, Ledger, Question, Snapshot, Status};
use serde_json::json;

use super::{Done, ids, lifecycle, submit, writing};
use crate::args::ForgetArgs;
use crate::context::Context;
use crate::exit::{Code, Failure};
use crate::output::{human, json as object};

/// Takes memories out of every ordinary read.
pub(crate) fn forget(ctx: &Context<'_>, args: &ForgetArgs) -> Done {
    lifecycle::reason_given("forget", Some(&args.reason))?;
    writing(ctx, |ctx, ledger| {
        let plan = plan(ctx, ledger, args)?;
        print(ctx, ledger, &plan)?;
        if !args.yes && !agreed(ctx, plan.len())? {
            ctx.out.note("nothing was forgotten");
            return Ok(Code::NotFound);
        }
        let all: Vec<MemoryId> = plan.iter().map(|item| item.id).collect();
        let commands = all.chunks(limits::TARGETS).map(|part| Command::Forget {
            memories: part.to_vec(),
            subject: args.subject.clone(),
            reason: Some(args.reason.clone()),
        });
        submit(ctx, ledger, commands.collect(), &args.terms, ("forgotten", None))
    })
}

/// Which memories it is about, as they stand.
fn plan(ctx: &Context<'_>, ledger: &Ledger, args: &ForgetArgs) -> Result<Vec<Item>, Failure> {
    let now = ledger.snapshot(&Question::now(ctx.zone(ledger)))?;
    let Some(subject) = &args.subject else {
        let ids = args.ids.iter().map(|text| ids::resolve(ctx, &now, text));
        let items = ids.map(|id| id.and_then(|id| item(&now, id)));
        return items.collect();
    };
    let mut plan = Vec::new();
    for id in ledger.subject_memories(subject)? {
        let item = item(&now, id)?;
        let gone = matches!(item.status, Status::Forgotten | Status::Erased);
        if !gone && ctx.scope_limit().is_none_or(|scope| item.scope.within(scope)) {
            plan.push(item);
        }
    }
    if plan.is_empty() {
        return Err(Failure::not_found(format!("no memory about {subject:?} is left to forget"))
            .hint("`memledger list --subject NAME --include-history` shows what there is"));
    }
    Ok(plan)
}

fn item(now: &Snapshot<'_>, id: MemoryId) -> Result<Item, Failure> {
    now.get(&id)?.ok_or_else(|| {
        Failure::not_found(format!("there is no memory {}", id.hyphenated()))
            .hint("`memledger list --include-history` shows what there is")
    })
}

/// The plan goes where messages go with `--json`, because stdout holds the results.
fn print(ctx: &Context<'_>, ledger: &Ledger, plan: &[Item]) -> Result<(), Failure> {
    let ids: Vec<MemoryId> = plan.iter().map(|item| item.id).collect();
    if ctx.json() {
        ctx.out.plan(&json!({ "plan": { "forget": object::ids(&ids) } }));
        return Ok(());
    }
    let title = human::count(plan.len() as u64, "memory", "memories");
    ctx.out.line(&format!("plan: forget {title}; the archive keeps what it says"))?;
    for line in human::table(plan, ctx.now(), &ctx.zone(ledger)) {
        ctx.out.line(&format!("  {line}"))?;
    }
    ctx.out.flush()
}

fn agreed(ctx: &Context<'_>, count: usize) -> Result<bool, Failure> {
    let question = format!("forget {}?", human::count(count as u64, "memory", "memories"));
    ctx.out.ask(&question).ok_or_else(|| {
        Failure::usage("there is no terminal to ask on, and nothing was forgotten")
            .hint("look at the plan, then add --yes")
    })
}
