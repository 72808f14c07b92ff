//! Owns `status` and `key check`.

use memledger::civil::format_utc;
use memledger::format::LedgerId;
use serde_json::json;

use super::{Done, scheduled};
use crate::args::{KeyArgs, KeyVerb};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::{human, json as object};

/// What the facade says in place of where a master key was found.
const NOT_FOUND: &str = "not found";

/// Prints size, head, anchor, lag.
pub(crate) fn status(ctx: &Context<'_>, opened: &Opened) -> Done {
    let report = opened.ledger.status()?;
    if !ctx.json() {
        ctx.out.line(&human::status(
            &report,
            &ctx.dir.display().to_string(),
            ctx.now(),
            &ctx.zone(&opened.ledger),
        ))?;
        ctx.out.line(&places(ctx))?;
        if let Some(line) = verified_line(ctx, report.id) {
            ctx.out.line(&line)?;
        }
        return Ok(Code::Ok);
    }
    let head = report.head.as_ref();
    ctx.out.object(&json!({
        "id": report.id.to_string(),
        "dir": ctx.dir.display().to_string(),
        "dir_step": ctx.dir_step.name(),
        "scope": ctx.scope.to_string(),
        "scope_step": ctx.scope_step.name(),
        "origin": report.origin,
        "zone": report.zone,
        "created_at": format_utc(report.created_at),
        "clock_declared": report.clock_declared,
        "size": report.size,
        "seq": head.map(|(seq, _)| seq.0),
        "head": head.map(|(_, hash)| hash.to_string()),
        "root": report.root.map(|root| root.to_string()),
        "epoch": report.epoch,
        "last_recorded_at": report.last_recorded_at.map(format_utc),
        "memories": report.memories,
        "versions": report.versions,
        "anchored": report.anchored.map(|seq| seq.0),
        "views_applied": report.views_applied.map(|seq| seq.0),
        "views_digest": report.views_digest.map(|digest| object::hex(&digest)),
        "segments": report.segments,
        "log_bytes": report.log_bytes,
        "view_bytes": report.view_bytes,
        "key_slots": report.key_slots,
        "master": report.master,
        "writable": report.writable,
        "sweep": report.sweep.map(|one| json!({
            "every_seconds": one.every / 1_000_000,
            "done_at": object::time(one.done.map(|(_, at)| at)),
            "count": one.count,
            "next_at": object::time(one.next),
            "overdue": one.next.is_some_and(|next| next <= ctx.now()),
        })),
        "verified": scheduled::last(ctx, report.id).map(|last| match last {
            Ok(last) => last.as_object(),
            Err(why) => json!({ "error": why }),
        }),
    }))?;
    Ok(Code::Ok)
}

/// Who chose the ledger, and which scope commands are about here.
fn places(ctx: &Context<'_>) -> String {
    let mut fields = human::Fields::default();
    fields
        .put("chosen by", ctx.dir_step.name())
        .put("scope", format!("{} ({})", ctx.scope, ctx.scope_step.name()));
    fields.show("")
}

/// What the last scheduled verification came to; nothing where there was none.
fn verified_line(ctx: &Context<'_>, ledger: LedgerId) -> Option<String> {
    let last = scheduled::last(ctx, ledger)?;
    let said = last.map_or_else(|why| format!("not to be believed: {why}"), |last| last.line());
    let mut fields = human::Fields::default();
    fields.put("verified", said);
    Some(fields.show(""))
}

/// Says whether the master key is at hand and belongs to this ledger: a ledger that opens has
/// compared it with the check value in its key file.
pub(crate) fn key(ctx: &Context<'_>, args: &KeyArgs) -> Done {
    match args.verb {
        KeyVerb::Check => super::reading(ctx, check),
        KeyVerb::Show => super::reading(ctx, super::proof::show_keys),
        KeyVerb::Rotate => super::writing(ctx, super::proof::rotate_key),
    }
}

fn check(ctx: &Context<'_>, opened: &Opened) -> Done {
    let report = opened.ledger.status()?;
    if report.master == NOT_FOUND {
        return Err(Failure::unproven("the master key was not found, so no content can be read")
            .hint("put the key file back, or set MEMLEDGER_MASTER_KEY_FILE"));
    }
    if ctx.json() {
        ctx.out.object(&json!({
            "id": report.id.to_string(),
            "master": report.master,
            "key_slots": report.key_slots,
            "fits": true,
        }))?;
    } else {
        let mut fields = human::Fields::default();
        fields
            .put("from", &report.master)
            .put("masks", format!("{} key slots", human::grouped(report.key_slots)));
        ctx.out.line(&format!("the master key fits ledger {}", report.id))?;
        ctx.out.line(&fields.show("  "))?;
    }
    Ok(Code::Ok)
}
