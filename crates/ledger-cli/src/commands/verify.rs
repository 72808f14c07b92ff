//! Owns `verify` and `rebuild`.

use std::path::Path;

use memledger::civil::format_utc;
use memledger::format::{LedgerId, Seq};
use memledger::proof::{Heads, ResultSigner, compare};
use memledger::verify::{CheckVerdict, VerifyLevel, VerifyReport, VerifyRequest, ledger_in};
use memledger::{Ledger, MasterEnv};
use serde_json::{Value, json};

use super::proof::heads;
use super::scheduled::{self, Parts, Plan};
use super::since::{Since, mark_object};
use super::{Done, result};
use crate::args::{LevelWord, VerifyArgs};
use crate::context::Context;
use crate::exit::{Code, Failure};
use crate::output::{human, json as object};

/// What no local check can say.
const LOCAL: &str = "completeness was checked against the local anchor only: a log that was cut \
     or forked together with its anchor shows only against a head that somebody else kept";

/// Checks what is stored as it lies there, one line for each claim. Nothing is opened for writing,
/// so nothing is mended before it was seen. Views that are not there, or not open to this process,
/// are said to be unchecked; whoever asks for them by name is told that they could not be.
pub(crate) fn verify(ctx: &Context<'_>, args: &VerifyArgs) -> Done {
    if let Some(path) = &args.check_result {
        return result::check(ctx, path, &args.against.key);
    }
    let run = Run::prepare(ctx, args)?;
    let request = run.request();
    let parts = run.plan.as_ref().zip(run.signer.as_ref());
    let parts = parts.map(|parts| Parts::new(ctx, parts, run.ledger, run.level));
    let places = MasterEnv::from_process();
    let watch = |what: &str, done, total| show_progress(ctx, what, done, total);
    let reached = |at| {
        if let Some(parts) = &parts {
            parts.reached(at);
        }
    };
    let report = Ledger::verify_dir_reaching(&ctx.dir, &places, &request, &watch, &reached);
    ctx.out.progress_done();
    run.finish(report?)
}

/// One verification: what it begins with, and where its result goes.
struct Run<'a> {
    ctx: &'a Context<'a>,
    args: &'a VerifyArgs,
    ledger: LedgerId,
    level: LevelWord,
    signer: Option<ResultSigner>,
    plan: Option<Plan>,
    since: Option<Since>,
}

impl<'a> Run<'a> {
    /// What can fail does so before the work: whoever asked for a signed result does not wait for none.
    fn prepare(ctx: &'a Context<'a>, args: &'a VerifyArgs) -> Result<Self, Failure> {
        let signed = args.result.is_some() || args.scheduled;
        let signer = if signed { Some(result::signer(ctx)?) } else { None };
        let usual = if ctx.reading.from_archive || args.scheduled || args.since.is_some() {
            LevelWord::Content
        } else {
            LevelWord::Views
        };
        let level = args.level.unwrap_or(usual);
        if args.scheduled && level == LevelWord::Views {
            return Err(Failure::usage(
                "--scheduled leaves the ledger to those who write, and its views with it",
            )
            .hint(
                "take --level content, and compare the views with a `memledger verify` of its own",
            ));
        }
        let ledger = ledger_in(&ctx.dir)?;
        let plan = args.scheduled.then(|| Plan::make(ctx, args, ledger, level)).transpose()?;
        let given = args.since.as_deref();
        let given =
            given.map(|path| Since::load(ctx, path, ledger, &args.against.key)).transpose()?;
        let since = given.or_else(|| plan.as_ref()?.since.clone());
        Ok(Self { ctx, args, ledger, level, signer, plan, since })
    }

    fn request(&self) -> VerifyRequest {
        let archive = self.ctx.reading.from_archive;
        let asked = match self.level {
            LevelWord::Views if archive => LevelWord::Content,
            word => word,
        };
        let since = self.since.as_ref();
        VerifyRequest {
            remembered: self.args.remembered.clone(),
            since: since.map(|since| (since.size, since.root)),
            mark: since.and_then(|since| since.mark),
            digest: self.signer.is_some(),
            beside: self.args.scheduled,
            ..VerifyRequest::from(level(asked))
        }
    }

    /// Compares with heads from elsewhere, writes the result and prints it.
    fn finish(&self, mut report: VerifyReport) -> Done {
        let (ctx, args) = (self.ctx, self.args);
        let given = Heads { from: report.from, ..heads(ctx, report.ledger, &args.against)? };
        let compared = compare(&ctx.dir, &given)?;
        report.checks.extend(compared.checks);
        let mut against = compared.against;
        against.extend(args.remembered.iter().map(|(size, _)| {
            let records = human::count(*size, "record", "records");
            format!("a head of {records} that was kept elsewhere")
        }));
        against.extend(self.since.as_ref().map(|since| since.name.clone()));
        let views = report.checks.iter().find(|check| check.name == "views");
        let left_out = views.is_none_or(|views| views.verdict == CheckVerdict::NotChecked);
        let code = match code(&report) {
            Code::Ok if args.level == Some(LevelWord::Views) && left_out => Code::Unproven,
            code => code,
        };
        let object = self.as_object(&report, &against);
        self.write(&report, code, &object)?;
        if ctx.json() {
            ctx.out.object(&object)?;
            return Ok(code);
        }
        let head =
            report.head.map_or_else(|| "no whole head".to_owned(), |seq| format!("head seq {seq}"));
        ctx.out.line(&format!("ledger {} · {head}", report.ledger))?;
        for line in self.extent(&report) {
            ctx.out.line(&line)?;
        }
        for line in human::verify(&report) {
            ctx.out.line(&line)?;
        }
        ctx.out.line(&completeness(&report, &against))?;
        Ok(code)
    }

    fn write(&self, report: &VerifyReport, code: Code, object: &Value) -> Result<(), Failure> {
        let Some(signer) = &self.signer else { return Ok(()) };
        let about = (report.ledger, code);
        let schedule = self.plan.as_ref().map(|plan| plan.as_object(self.ctx));
        let write =
            |path: &Path| result::write(self.ctx, path, signer, about, object, schedule.as_ref());
        if let Some(plan) = &self.plan {
            scheduled::make_place(&plan.file)?;
            write(&plan.file)?;
            scheduled::keep(self.ctx, report.ledger, &plan.file);
            plan.finished();
        } else if let Some(path) = &self.args.result {
            write(path)?;
        }
        Ok(())
    }

    /// What the counts do not say: what was not read, on whose word, and what the level leaves out.
    fn extent(&self, report: &VerifyReport) -> Vec<String> {
        let mut lines = Vec::new();
        if self.level == LevelWord::Fast {
            lines.push(FAST.to_owned());
        }
        if let (Some(since), Some(before)) = (&self.since, report.from.0.checked_sub(1)) {
            let recorded = report.since_recorded_at.map(format_utc);
            let until = recorded.map_or_else(String::new, |at| format!(", recorded until {at}"));
            let records = human::grouped(before);
            lines.push(format!(
                "records 0 to {records} were not read: taken from {}{until}",
                since.name
            ));
        }
        if let Some(plan) = &self.plan {
            let what = if report.from == Seq(0) { "everything" } else { "what came since" };
            lines.push(format!("scheduled run over {what}: {}", plan.why));
        }
        lines
    }

    fn as_object(&self, report: &VerifyReport, against: &[String]) -> Value {
        let mut object = as_object(report, against, self.level);
        if let Some(fields) = object.as_object_mut() {
            let since = self.since.as_ref();
            let since = since.map(|since| since.as_object(report.since_recorded_at));
            fields.insert("from".to_owned(), report.from.0.into());
            fields.insert("since".to_owned(), since.into());
            fields.insert("mark".to_owned(), report.mark.as_ref().map(mark_object).into());
        }
        object
    }
}

/// What the fast level claims.
const FAST: &str = "fast: headers, links between batches, and of each batch its first and last record; \
     no other record, no tree, no key and no payload was checked";

/// Against what it was checked that nothing is missing at the end, and what to keep for the next
/// time.
fn completeness(report: &VerifyReport, against: &[String]) -> String {
    let against = if against.is_empty() {
        LOCAL.to_owned()
    } else {
        format!(
            "completeness was checked against {}; what was recorded after it, against the local \
             anchor only",
            against.join(", ")
        )
    };
    match head_to_keep(report) {
        Some(head) => format!("{against}; keep this one elsewhere: {head}"),
        None => against,
    }
}

fn head_to_keep(report: &VerifyReport) -> Option<String> {
    let (seq, root) = (report.head?, report.root?);
    Some(format!("{}:{root}", seq.0.saturating_add(1)))
}

const fn level(word: LevelWord) -> VerifyLevel {
    match word {
        LevelWord::Fast => VerifyLevel::Fast,
        LevelWord::Log => VerifyLevel::Log,
        LevelWord::Payloads => VerifyLevel::Payloads,
        LevelWord::Content => VerifyLevel::Content,
        LevelWord::Views => VerifyLevel::Views,
    }
}

/// Throws the views away and builds them from the log.
pub(crate) fn rebuild(ctx: &Context<'_>) -> Done {
    let ledger = ctx.open_to_rebuild()?;
    let done = rebuilt(ctx, &ledger);
    super::close(ctx, ledger, done)
}

fn rebuilt(ctx: &Context<'_>, ledger: &Ledger) -> Done {
    let report = ledger.status()?;
    let digest = report.views_digest.map(|digest| object::hex(&digest));
    if ctx.json() {
        ctx.out.object(&json!({ "records": report.size, "digest": digest }))?;
    } else {
        ctx.out.line(&format!(
            "views rebuilt from {}\n  digest  {}",
            human::count(report.size, "record", "records"),
            digest.unwrap_or_else(|| "none".to_owned())
        ))?;
    }
    Ok(Code::Ok)
}

pub(super) fn show_progress(ctx: &Context<'_>, what: &str, done: u64, total: u64) {
    ctx.out.progress(&format!("{what}: {} of {}", human::grouped(done), human::grouped(total)));
}

fn as_object(report: &VerifyReport, against: &[String], level: LevelWord) -> Value {
    let checks: Value = report
        .checks
        .iter()
        .map(|check| {
            json!({
                "name": check.name,
                "verdict": verdict(check.verdict),
                "checked": check.checked,
                "expected": check.expected,
                "findings": check.findings,
            })
        })
        .collect();
    json!({
        "verdict": verdict(report.verdict()),
        "level": level.word(),
        "seq": report.head.map(|seq| seq.0),
        "checks": checks,
        "completeness": if against.is_empty() { "local_anchor" } else { "remembered_head" },
        "against": against,
        "remember": head_to_keep(report),
    })
}

fn code(report: &VerifyReport) -> Code {
    code_of(report.verdict())
}

/// The exit code of a verdict.
pub(super) const fn code_of(verdict: CheckVerdict) -> Code {
    match verdict {
        CheckVerdict::Ok | CheckVerdict::NotChecked => Code::Ok,
        CheckVerdict::Damaged => Code::Damaged,
        CheckVerdict::CannotCheck => Code::Unproven,
    }
}

/// The word used in JSON.
pub(super) const fn verdict(verdict: CheckVerdict) -> &'static str {
    match verdict {
        CheckVerdict::Ok => "ok",
        CheckVerdict::NotChecked => "not_checked",
        CheckVerdict::CannotCheck => "cannot_check",
        CheckVerdict::Damaged => "damaged",
    }
}
