//! Owns `diff`: what changed between two moments.
//!
//! A date on the left means its first instant and one on the right its end, so that `D..D` is that
//! day and a wider range never shows less than a narrower one.

use memledger::answer::{Difference, Item};
use memledger::civil::{When, Zone, day_bounds};
use memledger::format::{Micros, Seq};
use memledger::{Basis, Question};

use super::{Done, read};
use crate::args::DiffArgs;
use crate::context::{Context, Opened};
use crate::exit::Failure;
use crate::output::{human, json};

/// Prints the differences.
pub(crate) fn diff(ctx: &Context<'_>, opened: &Opened, args: &DiffArgs) -> Done {
    let base = ctx.question(opened)?;
    let (from, to) = moments(ctx, &args.range, &base.zone)?;
    let (a, b) = questions(ctx, args.valid, &base, from, to)?;
    let (before, after, mut differences) =
        opened.ledger.diff(&a, &b, &read::filter(ctx, &args.filter))?;
    if !ctx.json() {
        announce(ctx, args, &before, &after)?;
    }
    let done = ctx.cursor()?.map_or(0, |cursor| cursor.0);
    let left = differences.len() as u64;
    differences.drain(..usize::try_from(done.min(left)).unwrap_or_default());
    if differences.is_empty() {
        return Err(Failure::not_found("nothing changed between the two moments")
            .at(json::bases(&before, &after)));
    }
    let limit = ctx.limit(0);
    let cut = limit > 0 && differences.len() > limit;
    if cut {
        differences.truncate(limit);
    }
    if ctx.json() {
        for one in &differences {
            ctx.out.object(&json::difference(one, change(one).1, &before, &after))?;
        }
    } else {
        let rows: Vec<Vec<String>> =
            differences.iter().map(|one| human::difference(one, change(one))).collect();
        for line in human::aligned(&rows) {
            ctx.out.line(&line)?;
        }
    }
    let next = cut.then(|| Seq(done.saturating_add(limit as u64)));
    read::more(ctx, "more", next)
}

/// Both bases, the earlier question first.
fn announce(
    ctx: &Context<'_>,
    args: &DiffArgs,
    before: &Basis,
    after: &Basis,
) -> Result<(), Failure> {
    let (a, b) = args.range.split_once("..").unwrap_or_default();
    for (basis, typed) in [(before, a), (after, b)] {
        ctx.out.line(&basis.line())?;
        if args.valid {
            ctx.out.line(&human::valid(basis, typed))?;
        } else {
            ctx.announce_valid(basis)?;
        }
    }
    Ok(())
}

/// The two sides of `A..B`.
fn moments(ctx: &Context<'_>, range: &str, zone: &Zone) -> Result<(When, When), Failure> {
    let usage = || {
        Failure::usage(format!("{range:?} is no range")).hint(
            "write two moments with two dots between, such as 2026-03-01..2026-03-03 or #12..head",
        )
    };
    let (a, b) = range.split_once("..").ok_or_else(usage)?;
    if a.is_empty() || b.is_empty() {
        return Err(usage());
    }
    Ok((ctx.parse_when("A", a, zone)?, ctx.parse_when("B", b, zone)?))
}

/// The two questions: along the known axis, or with `--valid` along the valid one.
fn questions(
    ctx: &Context<'_>,
    valid: bool,
    base: &Question,
    from: When,
    to: When,
) -> Result<(Question, Question), Failure> {
    let from = start(from, &base.zone);
    if valid {
        if ctx.reading.valid_at.is_some() {
            return Err(Failure::usage(
                "--valid compares two valid times, --valid-at names a third",
            )
            .hint("leave one of them out"));
        }
        let at = |when| Question { valid: Some(when), ..base.clone() };
        return Ok((at(from), at(to)));
    }
    if ctx.reading.as_of.is_some() {
        return Err(Failure::usage("A..B names what was known when, --as-of names a third moment")
            .hint("leave out --as-of, or compare valid times with --valid"));
    }
    let at = |when| Question { known: when, ..base.clone() };
    Ok((at(from), at(to)))
}

/// A day on the left counts from its first instant: what the day before ended with.
fn start(when: When, zone: &Zone) -> When {
    let When::Date(day) = when else { return when };
    match day.previous() {
        Some(previous) => When::Date(previous),
        None => When::Instant(Micros(day_bounds(day, zone).0.0 - 1)),
    }
}

/// What happened to a memory: `+` came into force, `-` went out of it, `~` changed otherwise.
pub(crate) fn change(one: &Difference) -> (char, &'static str) {
    let in_force = |side: &Option<Item>| side.as_ref().is_some_and(|item| item.status.in_force());
    let after = one.after.as_ref().map(|item| item.status.name());
    match (in_force(&one.before), in_force(&one.after)) {
        (false, true) if one.before.is_none() => ('+', "written"),
        (false, true) => ('+', "in force"),
        (true, false) => ('-', after.unwrap_or("gone")),
        (true, true) if one.before.as_ref().map(|item| item.status.name()) != after => {
            ('~', after.unwrap_or("changed"))
        }
        (true, true) => ('~', "changed"),
        (false, false) => ('~', after.unwrap_or("gone")),
    }
}
