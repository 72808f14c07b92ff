//! Owns `demo`: a guided real run in a fresh directory. Everything it prints comes from the ledger
//! it made; only the story is given.

mod show;
mod story;
mod tamper;
mod tell;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use memledger::civil::parse_instant;
use memledger::clock::DeclaredClock;
use memledger::transfer::RawRecord;
use memledger::{Command, Created, InitOptions, Ledger, OpenOptions, Submission, Terms};

use crate::context::{Context, whole};
use crate::exit::{Code, Failure};
use tell::Told;

/// The directory used when none is named.
const DIR: &str = "memledger-demo";
/// When the ledger of the story is made.
const BEGIN: &str = "2026-01-05T08:00:00Z";

/// Runs the demonstration.
pub(crate) fn run(ctx: &Context<'_>, dir: Option<PathBuf>) -> Result<Code, Failure> {
    if ctx.json() {
        return Err(Failure::usage("the demonstration is for people and has no JSON form")
            .hint("leave out --json; every verb that it names has one"));
    }
    let dir = whole(&dir.unwrap_or_else(|| PathBuf::from(DIR)))?;
    refuse_used(&dir)?;
    let clock = Arc::new(DeclaredClock::new(parse_instant(BEGIN).map_err(memledger::Error::from)?));
    let options = InitOptions {
        clock: clock.clone(),
        origin: Some("demo.local".to_owned()),
        ..InitOptions::default()
    };
    let Created { ledger, master_location, .. } = Ledger::init(&dir, options)?;
    show::opening(ctx, &dir, &master_location)?;
    let done = live(ctx, &ledger, &clock);
    ledger.close()?;
    let (told, rule) = done?;
    show::changed(ctx, &tamper::tamper(&dir, &rule)?, &rule)?;
    let seq = hand_over(&dir)?;
    show::next(ctx, &dir, &told, seq)?;
    Ok(Code::Ok)
}

/// Tells the story and asks about it. Gives the record that changed the refund rule too.
fn live(
    ctx: &Context<'_>,
    ledger: &Ledger,
    clock: &DeclaredClock,
) -> Result<(Told, RawRecord), Failure> {
    let told = tell::tell(ledger, clock)?;
    show::told(ctx, &told)?;
    show::march(ctx, ledger)?;
    show::became(ctx, ledger)?;
    show::verified(ctx, ledger)?;
    let rule = told.record(story::RULE);
    let record = ledger.records(rule, false).next();
    let record = record.ok_or_else(|| Failure::not_found(format!("there is no record {rule}")))?;
    Ok((told, record?))
}

/// A directory that holds something is somebody's.
fn refuse_used(dir: &Path) -> Result<(), Failure> {
    let empty = match std::fs::read_dir(dir) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    };
    if empty {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "'{}' is there already and is not an empty directory",
        dir.display()
    ))
    .hint("name another one: `memledger demo DIR`"))
}

/// From here on times come from the machine's clock: the jump is confirmed, and on record.
fn hand_over(dir: &Path) -> Result<memledger::format::Seq, Failure> {
    let options = OpenOptions { confirm_clock: true, ..OpenOptions::default() };
    let ledger = Ledger::open(dir, options)?;
    let done = mark(&ledger);
    ledger.close()?;
    done
}

fn mark(ledger: &Ledger) -> Result<memledger::format::Seq, Failure> {
    let now = ledger.snapshot(&memledger::Question::now(ledger.zone()))?;
    let filter = memledger::Filter { scope: story::WEB.parse()?, ..memledger::Filter::default() };
    let newest = now.list(&filter)?.items.last().map(|item| item.id);
    let newest = newest.ok_or_else(|| Failure::not_found("the story left no memory"))?;
    let reason = Some("shown at the end of the demonstration".to_owned());
    let command = Command::Use { memories: vec![newest], reason };
    let outcomes = ledger.submit(Submission::of(command, Terms::default()))?;
    Ok(outcomes.first().map(|outcome| outcome.seq).unwrap_or_default())
}
