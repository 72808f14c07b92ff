//! Owns `write`: one memory from flags, or many from lines.

mod field;
mod flags;
mod line;
mod object;
mod stream;
mod text;

use memledger::{Command, Proposal};

use super::{Done, submit, writing};
use crate::args::WriteArgs;
use crate::context::Context;

/// Proposes memories.
pub(crate) fn write(ctx: &Context<'_>, args: &WriteArgs) -> Done {
    if args.stdin {
        return writing(ctx, stream::run);
    }
    // What was typed is read before the ledger is touched.
    let typed = flags::typed(args)?;
    writing(ctx, |ctx, ledger| {
        let proposal = flags::proposal(ctx, ledger, args, typed)?;
        let command = Command::Write(Box::new(proposal));
        submit(ctx, ledger, vec![command], &args.terms, ("written", Some(ctx.scope_step)))
    })
}

/// What a line of JSON proposes, and whether it asks for terms of its own.
///
/// # Errors
/// Why it is refused, in words.
pub(super) fn parse_line(ctx: &Context<'_>, bytes: &[u8]) -> Result<(Proposal, bool), String> {
    let read = line::parse(ctx, bytes).map_err(|refused| refused.message())?;
    let has_terms = read.terms.idempotency_key.is_some();
    Ok((read.proposal, has_terms))
}
