//! Owns the verbs that change how one or few memories stand. Each is one event.

use memledger::civil::Zone;
use memledger::format::{CloseKind, Seq};
use memledger::{Command, Ledger};

use super::{Done, ids, submit, times, writing};
use crate::args::{CloseArgs, RankArgs, ReopenArgs, TermsArgs, Verb};
use crate::context::Context;
use crate::exit::Failure;

/// One change: the command, its terms, and what it is called once done.
type Change<'a> = (Command, &'a TermsArgs, &'static str);

/// Makes the change that a verb asks for.
pub(crate) fn run(ctx: &Context<'_>, verb: &Verb) -> Done {
    writing(ctx, |ctx, ledger| {
        let (command, terms, done) = change(ctx, ledger, verb)?;
        submit(ctx, ledger, vec![command], terms, (done, None))
    })
}

fn change<'a>(ctx: &Context<'_>, ledger: &Ledger, verb: &'a Verb) -> Result<Change<'a>, Failure> {
    let zone = ctx.zone(ledger);
    Ok(match verb {
        Verb::Close(args) => (close(ctx, ledger, args, &zone)?, &args.terms, "closed"),
        Verb::Reopen(args) => (reopen(ctx, ledger, args, &zone)?, &args.terms, "reopened"),
        Verb::Promote(args) => (rank(ctx, ledger, args, true)?, &args.terms, "promoted"),
        Verb::Demote(args) => (rank(ctx, ledger, args, false)?, &args.terms, "demoted"),
        Verb::Pushdown(_) | Verb::Lift(_) | Verb::Pin(_) | Verb::Unpin(_) => {
            single(ctx, ledger, verb)?
        }
        _ => several(ctx, ledger, verb, &zone)?,
    })
}

/// Changes of one memory that need no time.
fn single<'a>(ctx: &Context<'_>, ledger: &Ledger, verb: &'a Verb) -> Result<Change<'a>, Failure> {
    let one = |id: &str| ids::resolve_all(ctx, ledger, &[id]).and_then(first);
    Ok(match verb {
        Verb::Pushdown(args) => {
            reason_given("pushdown", Some(&args.reason))?;
            let command = Command::PushDown {
                memory: one(&args.id)?,
                query: args.query.clone(),
                evidence: args.evidence.clone(),
                reason: Some(args.reason.clone()),
            };
            (command, &args.terms, "pushed down")
        }
        Verb::Lift(args) => {
            let (memory, reason) = (one(&args.id)?, args.reason.clone());
            (Command::Lift { memory, reason }, &args.terms, "lifted")
        }
        Verb::Pin(args) => {
            let memory = one(&args.id)?;
            (Command::Pin { memory, set: true }, &args.terms, "pinned")
        }
        Verb::Unpin(args) => {
            let memory = one(&args.id)?;
            (Command::Pin { memory, set: false }, &args.terms, "unpinned")
        }
        other => return Err(no_change(other)),
    })
}

/// Changes that can name several memories.
fn several<'a>(
    ctx: &Context<'_>,
    ledger: &Ledger,
    verb: &'a Verb,
    zone: &Zone,
) -> Result<Change<'a>, Failure> {
    let all = |texts: &[String]| ids::resolve_all(ctx, ledger, texts);
    Ok(match verb {
        Verb::Confirm(args) => {
            let ttl_until = times::lifetime("--ttl", args.ttl.as_deref(), zone)?;
            let (memories, reason) = (all(&args.ids)?, args.reason.clone());
            let command = Command::Confirm { memories, ttl_until, reason };
            (command, &args.terms, "confirmed")
        }
        Verb::Use(args) => {
            let (memories, reason) = (all(&args.ids)?, args.reason.clone());
            (Command::Use { memories, reason }, &args.terms, "used")
        }
        Verb::Contest(args) => {
            let (memories, reason) = (all(&args.ids)?, args.reason.clone());
            (Command::Contest { memories, reason }, &args.terms, "contested")
        }
        Verb::Resolve(args) => {
            let (kept, reason) = (all(&args.keep)?, args.reason.clone());
            let contest = Seq(args.contest);
            (Command::Resolve { contest, kept, reason }, &args.terms, "resolved")
        }
        other => return Err(no_change(other)),
    })
}

fn no_change(verb: &Verb) -> Failure {
    Failure::usage(format!("`{}` changes no memory", verb.name()))
}

fn first<T>(list: Vec<T>) -> Result<T, Failure> {
    list.into_iter().next().ok_or_else(Failure::internal)
}

fn close(
    ctx: &Context<'_>,
    ledger: &Ledger,
    args: &CloseArgs,
    zone: &Zone,
) -> Result<Command, Failure> {
    reason_given("close", Some(&args.reason))?;
    let mut named = vec![args.id.as_str()];
    named.extend(args.replaced_by.as_deref());
    let mut found = ids::resolve_all(ctx, ledger, &named)?.into_iter();
    Ok(Command::Close {
        memory: found.next().ok_or_else(Failure::internal)?,
        kind: if args.wrong { CloseKind::Wrong } else { CloseKind::Changed },
        from: times::point("--at", args.at.as_deref(), zone)?,
        until: times::point("--until", args.until.as_deref(), zone)?,
        replaced_by: found.next(),
        reason: Some(args.reason.clone()),
    })
}

fn reopen(
    ctx: &Context<'_>,
    ledger: &Ledger,
    args: &ReopenArgs,
    zone: &Zone,
) -> Result<Command, Failure> {
    Ok(Command::Reopen {
        memory: ids::resolve_all(ctx, ledger, &[&args.id]).and_then(first)?,
        from: times::point("--from", args.from.as_deref(), zone)?,
        until: times::point("--until", args.until.as_deref(), zone)?,
        reason: args.reason.clone(),
    })
}

fn rank(ctx: &Context<'_>, ledger: &Ledger, args: &RankArgs, up: bool) -> Result<Command, Failure> {
    if !up {
        reason_given("demote", args.reason.as_deref())?;
    }
    Ok(Command::Rank {
        memory: ids::resolve_all(ctx, ledger, &[&args.id]).and_then(first)?,
        trust: args.trust,
        layer: args.layer,
        up,
        reason: args.reason.clone(),
    })
}

/// What takes weight from a memory says why.
pub(super) fn reason_given(verb: &str, reason: Option<&str>) -> Result<(), Failure> {
    if reason.is_some_and(|reason| !reason.trim().is_empty()) {
        return Ok(());
    }
    Err(Failure::usage(format!("`{verb}` needs a reason")).hint("say why with --reason '…'"))
}
