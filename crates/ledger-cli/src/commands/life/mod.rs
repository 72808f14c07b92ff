//! Owns the verbs about work as it goes on: tasks, and what is planned before it is done.

mod pending;
mod planned;
mod task;

use memledger::Ledger;

use memledger::life::{RevokeHow, RevokeWhat};

use super::lifecycle::reason_given;
use super::{Done, writing};
use crate::args::{RevokeArgs, SweepArgs, UndoArgs};
use crate::context::Context;
use crate::exit::{Code, Failure};

pub(super) use pending::{pending, review};
pub(super) use task::task;

/// Records what ran out.
pub(super) fn sweep(ctx: &Context<'_>, args: &SweepArgs) -> Done {
    writing(ctx, |ctx, ledger: &Ledger| {
        let plan = ledger.plan_sweep(args.every)?;
        if plan.is_empty() {
            ctx.out.note("nothing ran out that is not on record");
            return Ok(Code::Ok);
        }
        planned::run(ctx, ledger, &plan, &args.plan, None)
    })
}

/// Takes a submission back.
pub(super) fn undo(ctx: &Context<'_>, args: &UndoArgs) -> Done {
    reason_given("undo", Some(&args.reason))?;
    writing(ctx, |ctx, ledger| {
        let plan = ledger.plan_undo(args.batch)?;
        planned::run(ctx, ledger, &plan, &args.plan, Some(&args.reason))
    })
}

/// Withdraws what came from a source, or was let in under a policy.
pub(super) fn revoke(ctx: &Context<'_>, args: &RevokeArgs) -> Done {
    reason_given("revoke", Some(&args.reason))?;
    let how = match (args.forget, args.wrong) {
        (true, _) => RevokeHow::Forget,
        (_, true) => RevokeHow::Wrong,
        _ => RevokeHow::Close,
    };
    let what = match (&args.source, args.policy) {
        (Some(source), _) => RevokeWhat::Source(source.to_string()),
        (None, Some(version)) => RevokeWhat::Policy(version),
        (None, None) => return Err(Failure::usage("name a source, or a policy with --policy V")),
    };
    writing(ctx, |ctx, ledger| {
        let plan = ledger.plan_revoke(&what, how)?;
        planned::run(ctx, ledger, &plan, &args.plan, Some(&args.reason))
    })
}
