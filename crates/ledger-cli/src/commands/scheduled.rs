//! Owns verification by a timer: what one run writes for the next, which runs read everything, and what
//! `status` says about them.
//!
//! Invariants: what the next run begins with is signed by the ledger's key; a run that found damage is
//! followed by one that reads everything; an unfinished run is gone on with. May not: run by itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memledger::civil::format_utc;
use memledger::format::{LedgerId, Micros};
use memledger::proof::ResultSigner;
use memledger::verify::Reached;
use serde_json::{Value, json};

use super::result;
use super::since::{Since, UNFINISHED};
use crate::args::{LevelWord, VerifyArgs};
use crate::context::{Context, state_file};
use crate::exit::{Code, Failure};

/// Bytes gone over before what was reached is written down again.
const PART: u64 = 64 << 20;
/// How often the timer runs, unless it is said.
const USUAL: Duration = Duration::from_secs(86_400);
/// Of so many runs one reads everything, unless it is said.
const WHOLE_EVERY: u32 = 7;
/// A run may be late by a quarter of the time between two.
const GRACE: i64 = 4;

/// Where a run begins, and what it is to the next.
#[derive(Debug)]
pub(super) struct Plan {
    /// What it begins with; none: it reads everything.
    pub(super) since: Option<Since>,
    /// Where its result goes.
    pub(super) file: PathBuf,
    /// Why it reads everything, or what it goes on with.
    pub(super) why: String,
    /// When everything was read last, in microseconds since 1970.
    whole_at: Option<i64>,
    /// Runs since then.
    since_whole: u64,
    every: u64,
}

impl Plan {
    /// Decides where a scheduled run begins.
    ///
    /// # Errors
    /// A usage failure where there is no place for its result.
    pub(super) fn make(
        ctx: &Context<'_>,
        args: &VerifyArgs,
        ledger: LedgerId,
        level: LevelWord,
    ) -> Result<Self, Failure> {
        let file = args.result.clone().or_else(|| kept(ledger)).ok_or_else(|| {
            Failure::usage("there is no place to remember the result of a scheduled run")
                .hint("name a file with --result FILE, or set MEMLEDGER_STATE_DIR")
        })?;
        let every = args.every.unwrap_or(USUAL).as_secs();
        let whole_every = args.whole_every.unwrap_or(WHOLE_EVERY);
        let fresh = |why: String| Self {
            since: None,
            file: file.clone(),
            why,
            whole_at: None,
            since_whole: 0,
            every,
        };
        let load = |path: &Path| Since::load(ctx, path, ledger, &args.against.key);
        let deep = |since: &Since| since.level.is_some_and(|known| known as u8 >= level as u8);
        let part = part(&file);
        if part.exists()
            && let Ok(since) = load(&part)
            && deep(&since)
        {
            let (whole_at, since_whole) = times(since.schedule.as_ref());
            let why = "the run before was interrupted".to_owned();
            return Ok(Self { since: Some(since), whole_at, since_whole, ..fresh(why) });
        }
        if !file.exists() {
            return Ok(fresh("it is the first run".to_owned()));
        }
        let since = match load(&file) {
            Ok(since) if deep(&since) => since,
            Ok(_) => return Ok(fresh("the run before did not look as deep".to_owned())),
            Err(failure) => return Ok(fresh(failure.message().to_owned())),
        };
        let (whole_at, since_whole) = times(since.schedule.as_ref());
        let Some(at) = whole_at else { return Ok(fresh("no run read everything".to_owned())) };
        if since_whole + 1 >= u64::from(whole_every) {
            return Ok(fresh(format!("one run in {whole_every} reads everything")));
        }
        let why = format!("everything was read at {}", format_utc(Micros(at)));
        Ok(Self { since: Some(since), whole_at, since_whole: since_whole + 1, ..fresh(why) })
    }

    /// What the next run needs to know of this one.
    pub(super) fn as_object(&self, ctx: &Context<'_>) -> Value {
        let now = ctx.now().0;
        let begun_whole = self.since.is_none();
        json!({
            "at": now,
            "every_seconds": self.every,
            "whole_at": if begun_whole { Some(now) } else { self.whole_at },
            "since_whole": if begun_whole { 0 } else { self.since_whole },
            "why": self.why,
        })
    }

    /// Takes away what an unfinished run left, once one is finished.
    pub(super) fn finished(&self) {
        // One that stays is gone on with for nothing, and harms nobody.
        let _ = fs::remove_file(part(&self.file));
    }
}

fn part(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

/// Where `status` finds the result of the last scheduled run.
fn kept(ledger: LedgerId) -> Option<PathBuf> {
    state_file("verified", ledger, "note")
}

/// Makes the directory of the file that this program chose itself.
pub(super) fn make_place(file: &Path) -> Result<(), Failure> {
    let chosen = file.parent().filter(|dir| dir.ends_with("verified"));
    chosen.map_or(Ok(()), fs::create_dir_all).map_err(|error| super::proof::in_file(file, &error))
}

/// Keeps a copy of a result where `status` looks for it.
pub(super) fn keep(ctx: &Context<'_>, ledger: LedgerId, file: &Path) {
    let Some(kept) = kept(ledger).filter(|kept| kept != file) else { return };
    let made = kept.parent().map_or(Ok(()), fs::create_dir_all);
    if let Err(error) =
        made.and_then(|()| fs::read(file)).and_then(|all| result::replace(&kept, &all))
    {
        let kept = kept.display();
        ctx.out.note(&format!("`status` will not know of this run: '{kept}': {error}"));
    }
}

fn times(schedule: Option<&Value>) -> (Option<i64>, u64) {
    let field = |name: &str| schedule.and_then(|schedule| schedule.get(name));
    let whole_at = field("whole_at").and_then(Value::as_i64);
    (whole_at, field("since_whole").and_then(Value::as_u64).unwrap_or(0))
}

/// Writes down how far a long run has come, so that an interrupted one can be gone on with.
pub(super) struct Parts<'a> {
    pub(super) ctx: &'a Context<'a>,
    pub(super) plan: &'a Plan,
    pub(super) signer: &'a ResultSigner,
    pub(super) ledger: LedgerId,
    pub(super) level: LevelWord,
    written: std::cell::Cell<u64>,
}

impl<'a> Parts<'a> {
    pub(super) fn new(
        ctx: &'a Context<'a>,
        (plan, signer): (&'a Plan, &'a ResultSigner),
        ledger: LedgerId,
        level: LevelWord,
    ) -> Self {
        Self { ctx, plan, signer, ledger, level, written: std::cell::Cell::new(0) }
    }

    /// Takes note of what was reached, when enough was gone over since the last time.
    pub(super) fn reached(&self, at: Reached) {
        if at.bytes.saturating_sub(self.written.get()) < PART {
            return;
        }
        self.written.set(at.bytes);
        let report = json!({
            "verdict": UNFINISHED,
            "level": self.level.word(),
            "remember": format!("{}:{}", at.size, at.root),
        });
        // An unfinished whole run makes a whole one once it is gone on with.
        let schedule = self.plan.as_object(self.ctx);
        let about = (self.ledger, Code::Unproven);
        let file = part(&self.plan.file);
        let done = result::write(self.ctx, &file, self.signer, about, &report, Some(&schedule));
        if let Err(failure) = done {
            let why = failure.message();
            self.ctx.out.note(&format!("if this run is interrupted the next begins anew: {why}"));
        }
    }
}

/// What `status` says about the last scheduled run.
pub(super) struct Last {
    at: String,
    verdict: String,
    due: Option<Micros>,
    whole_at: Option<i64>,
    overdue: bool,
}

/// The last scheduled run; none where none is known, and why not where its result is not to be
/// believed.
pub(super) fn last(ctx: &Context<'_>, ledger: LedgerId) -> Option<Result<Last, String>> {
    let file = kept(ledger).filter(|file| file.exists())?;
    Some(read(ctx, &file).map_err(|failure| failure.message().to_owned()))
}

fn read(ctx: &Context<'_>, file: &Path) -> Result<Last, Failure> {
    let body = result::body(ctx, file, &[])?;
    let schedule = body.get("schedule");
    let number = |name: &str| schedule.and_then(|s| s.get(name)).and_then(Value::as_i64);
    let verdict = body.get("report").and_then(|report| report.get("verdict"));
    let due = number("at").zip(number("every_seconds")).map(|(at, every)| {
        let every = every.saturating_mul(1_000_000);
        Micros(at.saturating_add(every).saturating_add(every / GRACE))
    });
    Ok(Last {
        at: body.get("at").and_then(Value::as_str).unwrap_or("unknown").to_owned(),
        verdict: verdict.and_then(Value::as_str).unwrap_or("unknown").to_owned(),
        overdue: due.is_some_and(|due| due < ctx.now()),
        due,
        whole_at: number("whole_at"),
    })
}

impl Last {
    /// For people.
    pub(super) fn line(&self) -> String {
        let due = self.due.map(format_utc).unwrap_or_default();
        let next = if self.overdue { "OVERDUE since" } else { "next by" };
        let whole = self.whole_at.map_or_else(|| "never".to_owned(), |at| format_utc(Micros(at)));
        format!("{} at {} · whole at {whole} · {next} {due}", self.verdict, self.at)
    }

    /// For programs.
    pub(super) fn as_object(&self) -> Value {
        json!({
            "at": self.at,
            "verdict": self.verdict,
            "whole_at": self.whole_at.map(|at| format_utc(Micros(at))),
            "due": self.due.map(format_utc),
            "overdue": self.overdue,
        })
    }
}
