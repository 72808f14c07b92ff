//! Owns what each verb does: one function for each, from what was meant to what is printed.
//!
//! Invariants: every ledger that was opened is closed, and a failure to close is a failure. May
//! not: read the environment or write to the streams except through `Out`.

mod archive;
mod backup;
mod compact;
mod context;
pub(crate) mod diff;
mod doctor;
mod forget;
mod ids;
mod init;
mod life;
mod lifecycle;
mod poison;
mod policy;
mod proof;
mod prove;
mod read;
mod repair;
mod result;
mod scheduled;
mod since;
mod skill;
mod source;
mod state;
mod stats;
mod summary;
mod tiles;
mod times;
mod transfer;
mod verify;
mod whereabouts;
mod witness;
mod witnessed;
mod write;

pub(crate) use whereabouts::whereabouts;

use memledger::{Command, Ledger, Submission};

use crate::args::{ExportVerb, TermsArgs, Verb};
use crate::context::{Context, Opened, Step};
use crate::exit::{Code, Failure};
use crate::output::{human, json};

/// What a verb comes to.
pub(crate) type Done = Result<Code, Failure>;

/// Does what was asked.
///
/// # Errors
/// Why it was not done.
pub(crate) fn run(ctx: &Context<'_>, verb: &Verb) -> Done {
    match verb {
        Verb::Init(args) => init::init(ctx, args),
        Verb::Demo(args) => crate::demo::run(ctx, args.dir.clone()),
        Verb::Status => reading(ctx, state::status),
        // Answered without a context, which may be what is wrong.
        Verb::Where => Err(Failure::internal()),
        Verb::Key(args) => state::key(ctx, args),
        Verb::Write(args) => write::write(ctx, args),
        Verb::Forget(args) => forget::forget(ctx, args),
        Verb::Close(_)
        | Verb::Reopen(_)
        | Verb::Confirm(_)
        | Verb::Use(_)
        | Verb::Pushdown(_)
        | Verb::Lift(_)
        | Verb::Contest(_)
        | Verb::Resolve(_)
        | Verb::Pin(_)
        | Verb::Unpin(_)
        | Verb::Promote(_)
        | Verb::Demote(_) => lifecycle::run(ctx, verb),
        Verb::Task(args) => life::task(ctx, args),
        Verb::Sweep(args) => life::sweep(ctx, args),
        Verb::Undo(args) => life::undo(ctx, args),
        Verb::Revoke(args) => life::revoke(ctx, args),
        Verb::Pending(args) => life::pending(ctx, args),
        Verb::Review => reading(ctx, life::review),
        Verb::Get(args) => reading(ctx, |ctx, opened| read::get(ctx, opened, args)),
        Verb::List(args) => reading(ctx, |ctx, opened| read::list(ctx, opened, args)),
        Verb::History(args) => reading(ctx, |ctx, opened| read::history(ctx, opened, args)),
        Verb::Diff(args) => reading(ctx, |ctx, opened| diff::diff(ctx, opened, args)),
        Verb::Blame(args) => reading(ctx, |ctx, opened| read::blame(ctx, opened, args)),
        Verb::Source(args) => source::source(ctx, args),
        Verb::Skill(args) => skill::skill(ctx, args),
        Verb::Summary(args) => summary::summary(ctx, args),
        Verb::Policy(args) => policy::policy(ctx, args),
        Verb::Context(args) => context::context(ctx, args),
        Verb::Compact(args) => compact::compact(ctx, args),
        Verb::Poison(args) => poison::poison(ctx, args),
        Verb::Stats => reading(ctx, stats::stats),
        Verb::Log(args) => reading(ctx, |ctx, opened| archive::log(ctx, opened, args)),
        Verb::Show(args) => reading(ctx, |ctx, opened| archive::show(ctx, opened, args)),
        Verb::Verify(args) => verify::verify(ctx, args),
        Verb::Doctor => doctor::doctor(ctx),
        Verb::Repair(args) => repair::repair(ctx, args),
        Verb::Checkpoint(args) => proof::checkpoint(ctx, args),
        Verb::Prove(args) => prove::prove(ctx, args),
        Verb::Witness(args) => witness::witness(ctx, args),
        Verb::Rebuild => verify::rebuild(ctx),
        Verb::Import(import) => transfer::import(ctx, import),
        Verb::Backup(args) => backup::backup(ctx, args),
        Verb::Restore(args) => backup::restore(ctx, args),
        Verb::Export(ExportVerb::Jsonl(args)) => {
            reading(ctx, |ctx, opened| transfer::export(ctx, opened, args.sealed))
        }
        Verb::Export(ExportVerb::Tiles(args)) => {
            reading(ctx, |ctx, opened| tiles::export(ctx, opened, args))
        }
    }
}

/// Opens for reading, does, closes.
fn reading(ctx: &Context<'_>, work: impl FnOnce(&Context<'_>, &Opened) -> Done) -> Done {
    let opened = ctx.open_to_read()?;
    let done = work(ctx, &opened);
    close(ctx, opened.ledger, done)
}

/// Opens for writing, does, closes.
fn writing<T>(
    ctx: &Context<'_>,
    work: impl FnOnce(&Context<'_>, &Ledger) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let ledger = ctx.open()?;
    let done = work(ctx, &ledger);
    close(ctx, ledger, done)
}

/// Closes, and remembers the head that was reached. What went wrong first is what is said.
fn close<T>(ctx: &Context<'_>, ledger: Ledger, done: Result<T, Failure>) -> Result<T, Failure> {
    let (id, head) = (ledger.id(), ledger.head_to_keep("the head"));
    let closed = ledger.close();
    // Not before: a head that is remembered is one that the anchor covers.
    if closed.is_ok() {
        ctx.remember(id, head);
    }
    let done = done?;
    closed?;
    Ok(done)
}

/// Submits commands with the same terms and prints what they led to. `verb` says it in the past
/// tense; `step` is who chose the scope, where it was chosen and not that of the memory.
fn submit(
    ctx: &Context<'_>,
    ledger: &Ledger,
    commands: Vec<Command>,
    terms: &TermsArgs,
    (verb, step): (&str, Option<Step>),
) -> Done {
    let outcomes = ledger.submit(Submission { commands, terms: terms.to_terms() })?;
    let mut code = Code::Ok;
    for outcome in &outcomes {
        if ctx.json() {
            ctx.out.object(&json::outcome(outcome, step))?;
        } else {
            ctx.out.line(&human::outcome(outcome, verb, step))?;
        }
        if outcome.verdict == memledger::format::Verdict::Refused {
            code = Code::Refused;
        }
    }
    Ok(code)
}

impl TermsArgs {
    /// The terms that these flags mean.
    fn to_terms(&self) -> memledger::Terms {
        memledger::Terms {
            by: self.by.clone(),
            idempotency_key: self.idempotency_key.clone(),
            expected_head: self.expected_head.map(memledger::format::Seq),
            expected_version: self.expected_version.map(memledger::format::Seq),
            ..memledger::Terms::default()
        }
    }
}
