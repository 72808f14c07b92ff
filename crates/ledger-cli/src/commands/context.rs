//! Owns `context` and `context flush`: what a model gets to work with, and what it keeps before its window
//! is cut.

use std::io::Read as _;

use memledger::answer::context::{WorkingContext, Zone};
use memledger::{Basis, Command};
use serde_json::{Value, json};

use super::write::parse_line;
use super::{Done, reading, submit, writing};
use crate::args::{ContextArgs, ContextVerb, TermsArgs};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::{human, json as out};

/// Most bytes of one flush: it is one submission.
const MOST: u64 = 16 * 1_048_576;

/// Shows the context of the scope, or keeps what is flushed.
pub(crate) fn context(ctx: &Context<'_>, args: &ContextArgs) -> Done {
    match &args.verb {
        None => reading(ctx, |ctx, opened| show(ctx, opened, args.budget)),
        Some(ContextVerb::Flush(terms)) => flush(ctx, terms),
    }
}

fn show(ctx: &Context<'_>, opened: &Opened, budget: u64) -> Done {
    let at = ctx.snapshot(opened)?;
    let found = at.context(&ctx.scope, budget)?;
    ctx.announce(at.basis())?;
    if ctx.json() {
        ctx.out.object(&object(&found, at.basis()))?;
    } else {
        lines(&found, at.basis()).iter().try_for_each(|line| ctx.out.line(line))?;
    }
    if found.exceeds() > 0 {
        ctx.out.note(&format!(
            "what binds takes about {} tokens, {} more than the budget; it is whole all the same, and nothing else fits",
            human::grouped(found.binding.tokens),
            human::grouped(found.exceeds())
        ));
    }
    Ok(Code::Ok)
}

fn object(found: &WorkingContext, basis: &Basis) -> Value {
    let zone = |zone: &Zone| {
        let items = zone.items.iter().map(|item| Value::Object(out::item(item, basis.valid_at)));
        json!({
            "items": items.collect::<Value>(), "tokens": zone.tokens, "left_out": zone.left_out,
        })
    };
    let mut whole = out::into_map(json!({
        "budget": found.budget, "tokens": found.tokens(), "exceeds": found.exceeds(),
    }));
    for (name, one) in found.zones() {
        whole.insert(name.to_owned(), zone(one));
    }
    out::with_basis(whole, basis)
}

fn lines(found: &WorkingContext, basis: &Basis) -> Vec<String> {
    let titles = ["goal and constraints", "state summary", "recent events", "recalled memories"];
    let mut lines = Vec::new();
    for ((_, zone), title) in found.zones().into_iter().zip(titles) {
        let left = match zone.left_out {
            0 => String::new(),
            more => format!(", {} left out", human::grouped(more)),
        };
        let tokens = human::grouped(zone.tokens);
        lines.push(format!("{title} (about {tokens} tokens{left})"));
        let rows = human::table(&zone.items, basis.valid_at, &basis.zone);
        lines.extend(rows.into_iter().map(|row| format!("  {row}")));
    }
    lines
}

/// Everything on stdin becomes one submission: a window that is about to be cut is kept whole, or the
/// client is told why not.
fn flush(ctx: &Context<'_>, terms: &TermsArgs) -> Done {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MOST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure::file(format!("stdin cannot be read: {error}")))?;
    if bytes.len() as u64 > MOST {
        return Err(Failure::usage(format!(
            "more than {} bytes on stdin; one flush is one submission, so make it several",
            human::grouped(MOST)
        )));
    }
    let mut commands = Vec::new();
    for (at, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if !line.iter().all(u8::is_ascii_whitespace) {
            commands.push(proposed(ctx, line, at + 1)?);
        }
    }
    if commands.is_empty() {
        return Err(Failure::usage("nothing on stdin; give one JSON object a line"));
    }
    writing(ctx, |ctx, ledger| submit(ctx, ledger, commands, terms, ("kept", Some(ctx.scope_step))))
}

fn proposed(ctx: &Context<'_>, line: &[u8], number: usize) -> Result<Command, Failure> {
    let (proposal, has_terms) = parse_line(ctx, line)
        .map_err(|why| Failure::usage(format!("line {number}: {why}; nothing was recorded")))?;
    if has_terms {
        return Err(Failure::usage(format!(
            "line {number}: a flush is recorded as a whole, so a line has no idempotency_key; give --idempotency-key; nothing was recorded"
        )));
    }
    Ok(Command::Write(Box::new(proposal)))
}
