//! Owns `verify` and `rebuild`.

use memledger::proof::compare;
use memledger::verify::{CheckVerdict, VerifyLevel, VerifyReport, VerifyRequest};
use memledger::{Ledger, MasterEnv};
use serde_json::{Value, json};

use super::proof::heads;
use super::{Done, result};
use crate::args::{LevelWord, VerifyArgs};
use crate::context::Context;
use crate::exit::Code;
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
    // Before the work: whoever asked for a signed result does not wait for none.
    let signer = args.result.as_ref().map(|_| result::signer(ctx)).transpose()?;
    let archive = ctx.reading.from_archive;
    let usual = if archive { LevelWord::Content } else { LevelWord::Views };
    let word = args.level.unwrap_or(usual);
    let asked = if archive && word == LevelWord::Views { LevelWord::Content } else { word };
    let request = VerifyRequest { level: level(asked), remembered: args.remembered.clone() };
    let report =
        Ledger::verify_dir(&ctx.dir, &MasterEnv::from_process(), request, &|what, done, total| {
            show_progress(ctx, what, done, total);
        });
    ctx.out.progress_done();
    let mut report = report?;
    let compared = compare(&ctx.dir, &heads(ctx, report.ledger, &args.against)?)?;
    report.checks.extend(compared.checks);
    let mut against = compared.against;
    against.extend(args.remembered.iter().map(|(size, _)| {
        format!("a head of {} that was kept elsewhere", human::count(*size, "record", "records"))
    }));
    let views = report.checks.iter().find(|check| check.name == "views");
    let left_out = views.is_none_or(|views| views.verdict == CheckVerdict::NotChecked);
    let code = match code(&report) {
        Code::Ok if args.level == Some(LevelWord::Views) && left_out => Code::Unproven,
        code => code,
    };
    let object = as_object(&report, &against, word);
    if let (Some(path), Some(signer)) = (&args.result, signer) {
        result::write(ctx, path, &signer, (report.ledger, code), &object)?;
    }
    if ctx.json() {
        ctx.out.object(&object)?;
        return Ok(code);
    }
    let head = report.head.map_or_else(|| "none".to_owned(), |seq| seq.to_string());
    ctx.out.line(&format!("ledger {} · head seq {head}", report.ledger))?;
    for line in human::verify(&report) {
        ctx.out.line(&line)?;
    }
    ctx.out.line(&completeness(&report, &against))?;
    Ok(code)
}

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
        "level": format!("{level:?}").to_lowercase(),
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
