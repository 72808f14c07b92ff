//! Owns `demo`: a guided real run in a fresh directory. Everything it prints comes from the ledger
//! it made; only the story is given.

mod story;
mod tamper;
mod tell;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memledger::civil::{Day, When, Zone, parse_instant};
use memledger::format::MemoryId;
use memledger::{
    Command, DeclaredClock, Filter, InitOptions, Ledger, OpenOptions, Question, Submission, Terms,
    VerifyLevel,
};

use crate::commands::diff::change;
use crate::context::{Context, whole};
use crate::exit::{Code, Failure};
use crate::output::human;

/// The directory used when none is named.
const DIR: &str = "memledger-demo";

/// Runs the demonstration.
pub(crate) fn run(ctx: &Context<'_>, dir: Option<PathBuf>) -> Result<Code, Failure> {
    let dir = whole(&dir.unwrap_or_else(|| PathBuf::from(DIR)))?;
    let clock = Arc::new(DeclaredClock::new(
        parse_instant("2026-01-05T08:00:00Z").map_err(memledger::Error::from)?,
    ));
    let options = InitOptions {
        clock: clock.clone(),
        origin: Some("demo.local".to_owned()),
        ..InitOptions::default()
    };
    let created = Ledger::init(&dir, options).map_err(|error| {
        let failure = Failure::from(error);
        failure.hint(format!(
            "name another directory: memledger demo DIR (this one was {})",
            dir.display()
        ))
    })?;
    let ledger = created.ledger;
    let told = tell::tell(&ledger, &clock).map_err(Failure::from).and_then(|size| {
        ctx.out.line(&format!(
            "a ledger in {}: two agents, January to June 2026, {size} records, times declared by the story",
            dir.display()
        ))?;
        show(ctx, &ledger)
    });
    ledger.close()?;
    told?;
    changed(ctx, &dir)?;
    let newest = hand_over(&dir)?;
    next(ctx, &dir, &newest)?;
    Ok(Code::Ok)
}

/// What was known on March 3, and what became of it.
fn show(ctx: &Context<'_>, ledger: &Ledger) -> Result<(), Failure> {
    let third = Day::new(2026, 3, 3).map_err(memledger::Error::from)?;
    let march = Question { known: When::Date(third), ..Question::now(Zone::UTC) };
    let today = Question::now(Zone::UTC);
    heading(ctx, "What did the agents know on March 3?   memledger list --as-of 2026-03-03")?;
    let snapshot = ledger.snapshot(&march)?;
    ctx.out.line(&snapshot.basis().line())?;
    let listing = snapshot.list(&Filter::default())?;
    for line in human::table(&listing.items, snapshot.basis().valid_at, &Zone::UTC) {
        ctx.out.line(&line)?;
    }
    let archive = ledger.snapshot(&Question { from_archive: true, ..march.clone() })?;
    let same = archive.list(&Filter::default())?.items == listing.items;
    ctx.out.line(if same {
        "the same answer, replayed from the raw archive without the views: yes"
    } else {
        "the raw archive answers differently: NO, run `memledger verify`"
    })?;

    heading(ctx, "What became of it by the end?   memledger diff 2026-03-03..head")?;
    let (_, after, differences) = ledger.diff(&march, &today, &Filter::default())?;
    ctx.out.line(&after.line())?;
    let rows: Vec<Vec<String>> =
        differences.iter().map(|one| human::difference(one, change(one))).collect();
    for line in human::aligned(&rows) {
        ctx.out.line(&line)?;
    }

    heading(ctx, "Is it all still there, and unchanged?   memledger verify")?;
    let report = ledger.verify(VerifyLevel::Views, &|_, _, _| {})?;
    for line in human::verify(&report) {
        ctx.out.line(&line)?;
    }
    Ok(())
}

/// One flipped bit in a copy.
fn changed(ctx: &Context<'_>, dir: &Path) -> Result<(), Failure> {
    heading(ctx, "And if somebody changes the files?")?;
    for line in tamper::tamper(dir)? {
        ctx.out.line(&line)?;
    }
    Ok(())
}

/// From here on times come from the machine's clock: the jump is confirmed and on record.
fn hand_over(dir: &Path) -> Result<Vec<(String, MemoryId)>, Failure> {
    let options = OpenOptions { confirm_clock: true, ..OpenOptions::default() };
    let ledger = Ledger::open(dir, options)?;
    let used = used(&ledger);
    ledger.close()?;
    used
}

fn used(ledger: &Ledger) -> Result<Vec<(String, MemoryId)>, Failure> {
    let now = ledger.snapshot(&Question::now(Zone::UTC))?;
    let items = now.list(&Filter { scope: story::WEB.parse()?, ..Filter::default() })?.items;
    let named: Vec<_> = items.iter().map(|item| (human::short_name(item), item.id)).collect();
    if let Some((_, newest)) = named.last() {
        let reason = Some("shown at the end of the demonstration".to_owned());
        let command = Command::Use { memories: vec![*newest], reason };
        ledger.submit(Submission::of(command, Terms::default()))?;
    }
    Ok(named)
}

fn next(ctx: &Context<'_>, dir: &Path, named: &[(String, MemoryId)]) -> Result<(), Failure> {
    let newest = named.last().map_or("m6", |(name, _)| name.as_str());
    let first = named.first().map_or("m6", |(name, _)| name.as_str());
    heading(ctx, "The ledger stays. Try next:")?;
    let dir = dir.display();
    ctx.out.line(&format!("  memledger -C {dir} blame {newest}"))?;
    ctx.out.line(&format!("  memledger -C {dir} history {first}"))?;
    ctx.out.line(&format!("  memledger -C {dir} list --as-of 2026-05-01 --valid-at 2026-03-03"))?;
    Ok(())
}

fn heading(ctx: &Context<'_>, text: &str) -> Result<(), Failure> {
    ctx.out.line("")?;
    ctx.out.line(text)
}
