//! Owns `log` and `show`: records as they are stored.

use memledger::answer::LogEntry;
use memledger::format::Seq;
use memledger::{Basis, Ledger};

use super::{Done, read};
use crate::args::{LogArgs, Position, ShowArgs};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::{human, json};

/// How many records `log` shows unless told otherwise.
const PAGE: usize = 20;
/// Records that are looked at in one step.
const STEP: usize = 256;

/// The last records up to the basis, newest last.
pub(crate) fn log(ctx: &Context<'_>, opened: &Opened, args: &LogArgs) -> Done {
    let at = ctx.snapshot(opened)?;
    let basis = at.basis();
    ctx.announce(basis)?;
    let end = match ctx.cursor()? {
        Some(cursor) => Some(cursor.0),
        None => basis.seq.map(|seq| seq.0.saturating_add(1)),
    };
    let limit = args.count.unwrap_or_else(|| ctx.limit(PAGE));
    let (entries, next) = before(ctx, &opened.ledger, end.unwrap_or(0), limit)?;
    if entries.is_empty() {
        return Err(read::nothing(basis, "no record is in this answer"));
    }
    if ctx.json() {
        for entry in &entries {
            ctx.out.object(&json::with_basis(json::record(entry, false), basis))?;
        }
    } else {
        let rows: Vec<Vec<String>> =
            entries.iter().map(|entry| human::log_line(entry, &basis.zone)).collect();
        for line in human::aligned(&rows) {
            ctx.out.line(&line)?;
        }
    }
    read::more(ctx, "older", next)
}

/// The last `limit` records before `end` that lie in the scope asked for, and where the page
/// before them ends.
fn before(
    ctx: &Context<'_>,
    ledger: &Ledger,
    end: u64,
    limit: usize,
) -> Result<(Vec<LogEntry>, Option<Seq>), Failure> {
    let mut newest_first = Vec::new();
    let mut end = end;
    while end > 0 && (limit == 0 || newest_first.len() < limit) {
        let start = end.saturating_sub(STEP as u64);
        let count = usize::try_from(end - start).unwrap_or(STEP);
        for entry in ledger.log(Seq(start), count)?.into_iter().rev() {
            if limit > 0 && newest_first.len() == limit {
                break;
            }
            end = entry.seq.0;
            if entry.scope.within(&ctx.scope) {
                newest_first.push(entry);
            }
        }
        if limit == 0 || newest_first.len() < limit {
            end = start;
        }
    }
    newest_first.reverse();
    Ok((newest_first, (end > 0).then_some(Seq(end))))
}

/// One record.
pub(crate) fn show(ctx: &Context<'_>, opened: &Opened, args: &ShowArgs) -> Done {
    let at = ctx.snapshot(opened)?;
    let basis = at.basis();
    ctx.announce(basis)?;
    let seq = match args.seq {
        Position::Head => basis.seq,
        Position::At(seq) => Some(Seq(seq)).filter(|seq| Some(*seq) <= basis.seq),
    };
    let entry = match seq {
        Some(seq) => opened.ledger.show(seq)?,
        None => None,
    };
    let entry = entry.ok_or_else(|| no_record(basis, args.seq))?;
    if ctx.json() {
        ctx.out.object(&json::with_basis(json::record(&entry, args.raw), basis))?;
    } else {
        ctx.out.line(&human::record(&entry, &basis.zone, args.raw))?;
    }
    Ok(Code::Ok)
}

fn no_record(basis: &Basis, asked: Position) -> Failure {
    let ends = basis.seq.map_or_else(
        || "no record is known at this basis".to_owned(),
        |last| format!("the last one at this basis is {last}"),
    );
    let what = match asked {
        Position::At(seq) => format!("there is no such record: {seq} ({ends})"),
        Position::Head => format!("there is no such record ({ends})"),
    };
    read::nothing(basis, &what).hint("`memledger log` lists records")
}
