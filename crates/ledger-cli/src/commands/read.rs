//! Owns `get`, `list`, `history`, `blame`: memories as they stood at a basis.

use memledger::answer::Item;
use memledger::format::Seq;
use memledger::{Basis, Filter, Snapshot};

use super::{Done, ids};
use crate::args::{GetArgs, IdArgs, ListArgs, ListingArgs};
use crate::context::{Context, Opened};
use crate::exit::{Code, Failure};
use crate::output::{human, json};

/// How many items a page has unless `--limit` says otherwise.
const PAGE: usize = 100;
/// How many items are read in one step.
const STEP: usize = 4_096;

/// One memory.
pub(crate) fn get(ctx: &Context<'_>, opened: &Opened, args: &GetArgs) -> Done {
    let at = ctx.snapshot(opened)?;
    let id = ids::resolve(ctx, &at, &args.id)?;
    ctx.announce(at.basis())?;
    let item = at.get(&id)?.ok_or_else(|| unknown(&at, &args.id))?;
    if ctx.json() {
        ctx.out.object(&json::with_basis(json::item(&item, at.basis().valid_at), at.basis()))?;
    } else {
        ctx.out.line(&human::card(&item, &at.basis().zone))?;
        if args.explain {
            ctx.out.line(&human::explanation(&item, &at.basis().zone))?;
        }
    }
    Ok(Code::Ok)
}

/// What is in force, or with history everything.
pub(crate) fn list(ctx: &Context<'_>, opened: &Opened, args: &ListingArgs) -> Done {
    let at = ctx.snapshot(opened)?;
    let mut filter = Filter { after: ctx.cursor()?, ..filter(ctx, &args.filter) };
    let mut left = match ctx.limit(PAGE) {
        0 => usize::MAX,
        limit => limit,
    };
    let mut shown = false;
    ctx.announce(at.basis())?;
    // In steps, so that a listing of everything neither fills the memory nor keeps a reader waiting.
    loop {
        filter.limit = left.min(STEP);
        let listing = at.list(&filter)?;
        print(ctx, at.basis(), &listing.items, args.explain)?;
        shown |= !listing.items.is_empty();
        left -= listing.items.len().min(left);
        match listing.next {
            Some(_) if left > 0 => filter.after = listing.next,
            next if shown => return more(ctx, "more", next),
            _ => break,
        }
    }
    Err(empty(ctx, at.basis()))
}

/// Why a listing shows nothing, and what would show something.
fn empty(ctx: &Context<'_>, basis: &Basis) -> Failure {
    let nothing_yet = basis.seq.is_none();
    if nothing_yet {
        return nothing(basis, "nothing was recorded by then, so this ledger knew nothing").hint(
            "`memledger log --limit 0` begins with the first record; --valid-at asks what held in the world",
        );
    }
    let hint = if ctx.reading.include_history {
        "widen --scope or the filters"
    } else {
        "widen --scope or the filters; --include-history also shows what is not in force"
    };
    nothing(basis, "no memory is in this answer").hint(hint)
}

fn print(ctx: &Context<'_>, basis: &Basis, items: &[Item], explain: bool) -> Result<(), Failure> {
    if ctx.json() {
        return items.iter().try_for_each(|item| {
            ctx.out.object(&json::with_basis(json::item(item, basis.valid_at), basis))
        });
    }
    let rows = human::table(items, basis.valid_at, &basis.zone);
    rows.iter().zip(items).try_for_each(|(row, item)| {
        ctx.out.line(row)?;
        if explain { ctx.out.line(&human::explanation(item, &basis.zone)) } else { Ok(()) }
    })
}

/// Says where the next page begins. `word` says for people what is on it.
pub(super) fn more(ctx: &Context<'_>, word: &str, next: Option<Seq>) -> Done {
    match next {
        Some(next) if ctx.json() => ctx.out.object(&json::next(next))?,
        Some(next) => ctx.out.line(&format!("{word}: --cursor {next}"))?,
        None => {}
    }
    Ok(Code::Ok)
}

/// The filter that flags mean.
pub(super) fn filter(ctx: &Context<'_>, args: &ListArgs) -> Filter {
    Filter {
        scope: ctx.scope.clone(),
        alone: false,
        layer: args.layer,
        body: args.body_type,
        key: args.key.clone(),
        subject: args.subject.clone(),
        fact_subject: args.fact_subject.clone(),
        predicate: args.predicate.clone(),
        tag: args.tag.clone(),
        domain: args.domain.clone(),
        source_kind: args.source_kind,
        grep: args.grep.clone(),
        include_history: ctx.reading.include_history,
        after: None,
        limit: 0,
    }
}

/// The life of one memory.
pub(crate) fn history(ctx: &Context<'_>, opened: &Opened, args: &IdArgs) -> Done {
    let at = ctx.snapshot(opened)?;
    let id = ids::resolve(ctx, &at, &args.id)?;
    ctx.announce(at.basis())?;
    let mut entries = at.history(&id)?;
    if entries.is_empty() {
        return Err(unknown(&at, &args.id));
    }
    let after = ctx.cursor()?;
    entries.retain(|entry| after.is_none_or(|after| entry.seq > after));
    let limit = ctx.limit(0);
    let cut = limit > 0 && entries.len() > limit;
    if cut {
        entries.truncate(limit);
    }
    if ctx.json() {
        for entry in &entries {
            ctx.out.object(&json::with_basis(json::event(entry), at.basis()))?;
        }
    } else {
        ctx.out.line(&id.hyphenated())?;
        for line in human::events(&entries, &at.basis().zone) {
            ctx.out.line(&format!("  {line}"))?;
        }
    }
    more(ctx, "more", entries.last().filter(|_| cut).map(|entry| entry.seq))
}

/// Where a memory comes from and what came from it.
pub(crate) fn blame(ctx: &Context<'_>, opened: &Opened, args: &IdArgs) -> Done {
    let at = ctx.snapshot(opened)?;
    let id = ids::resolve(ctx, &at, &args.id)?;
    ctx.announce(at.basis())?;
    let lineage = at.lineage(&id)?.ok_or_else(|| unknown(&at, &args.id))?;
    if ctx.json() {
        let object = json::lineage(&lineage, at.basis().valid_at);
        ctx.out.object(&json::with_basis(object, at.basis()))?;
    } else {
        for line in human::lineage(&lineage, &at.basis().zone) {
            ctx.out.line(&line)?;
        }
    }
    Ok(Code::Ok)
}

/// Nothing to show at this basis.
pub(super) fn nothing(basis: &Basis, what: &str) -> Failure {
    Failure::not_found(what).at(json::basis(basis))
}

fn unknown(at: &Snapshot<'_>, text: &str) -> Failure {
    nothing(at.basis(), &format!("there is no memory {text}"))
        .hint("`memledger list --include-history` shows what there is")
}
