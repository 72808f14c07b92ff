//! Owns result files: what a verification came to, signed, for whoever reads it later and elsewhere.
//!
//! Invariants: a file is there as a whole or not at all; nothing of it is believed before a signature
//! was found to be by a key that the caller or the log names.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use memledger::civil::format_utc;
use memledger::format::LedgerId;
use memledger::proof::{ResultSigner, Statement, VERIFICATION, VerifierKey};
use memledger::{Ledger, MasterEnv};
use serde_json::{Value, json};

use super::Done;
use super::proof::{in_file, keys, read};
use crate::context::Context;
use crate::exit::{Code, Failure};

/// What fits into a signed note, with its signatures.
const LONGEST: usize = 48 * 1024;

/// Whoever signs results of this ledger.
pub(super) fn signer(ctx: &Context<'_>) -> Result<ResultSigner, Failure> {
    Ok(ResultSigner::load(&ctx.dir, &MasterEnv::from_process())?)
}

/// Writes what a verification came to.
pub(super) fn write(
    ctx: &Context<'_>,
    path: &Path,
    signer: &ResultSigner,
    (ledger, code): (LedgerId, Code),
    report: &Value,
    schedule: Option<&Value>,
) -> Result<(), Failure> {
    let body = |report: &Value| {
        let mut body = json!({
            "at": format_utc(ctx.now()),
            "program": concat!("memledger ", env!("CARGO_PKG_VERSION")),
            "ledger": ledger.to_string(),
            "exit": code.number(),
            "report": report,
        });
        if let (Some(schedule), Some(fields)) = (schedule, body.as_object_mut()) {
            fields.insert("schedule".to_owned(), schedule.clone());
        }
        body.to_string()
    };
    let whole = body(report);
    let line = if whole.len() <= LONGEST { whole } else { body(&shortened(report)) };
    let signed = signer.sign(&line)?;
    replace(path, signed.to_string().as_bytes()).map_err(|error| in_file(path, &error))
}

/// The first finding of each check, and how many were left out.
fn shortened(report: &Value) -> Value {
    let mut report = report.clone();
    let checks = report.get_mut("checks").and_then(Value::as_array_mut);
    for check in checks.into_iter().flatten() {
        let Some(findings) = check.get_mut("findings").and_then(Value::as_array_mut) else {
            continue;
        };
        let left_out = findings.len().saturating_sub(1);
        findings.truncate(1);
        if let Some(check) = check.as_object_mut() {
            check.insert("findings_left_out".to_owned(), left_out.into());
        }
    }
    report
}

/// Puts a file in its place in one step.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut fresh = path.as_os_str().to_owned();
    fresh.push(format!(".{}.new", std::process::id()));
    let mut file = fs::File::create(&fresh)?;
    let done = file.write_all(bytes).and_then(|()| file.sync_all());
    let done = done.and_then(|()| fs::rename(&fresh, path));
    if done.is_err() {
        // The first failure is the one that is told.
        let _ = fs::remove_file(&fresh);
    }
    done
}

/// What a result file says, once a signature on it was found to be right.
pub(super) fn body(ctx: &Context<'_>, path: &Path, typed: &[String]) -> Result<Value, Failure> {
    signed_body(ctx, path, typed).map(|(body, _)| body)
}

fn signed_body(
    ctx: &Context<'_>,
    path: &Path,
    typed: &[String],
) -> Result<(Value, VerifierKey), Failure> {
    let signed = Statement::parse(VERIFICATION, &read(path)?)
        .map_err(|error| Failure::broken(format!("'{}': {error}", path.display())))?;
    let trusted = if typed.is_empty() { named(ctx)? } else { keys(typed)? };
    let key = signed.verify(&trusted).map_err(|error| {
        Failure::broken(format!("'{}': {error}", path.display()))
            .hint("nothing in it is proven; `memledger key show` names the keys of the ledger")
    })?;
    let body = serde_json::from_str(signed.body()).map_err(|_| Failure::internal())?;
    Ok((body, key.clone()))
}

/// Checks a result file, and says what it says. The exit code is the one of the verification.
pub(super) fn check(ctx: &Context<'_>, path: &Path, typed: &[String]) -> Done {
    let (body, key) = signed_body(ctx, path, typed)?;
    let exit = body.get("exit").and_then(Value::as_u64);
    let code = match exit {
        Some(0) => Code::Ok,
        Some(3) => Code::Damaged,
        _ => Code::Unproven,
    };
    if ctx.json() {
        ctx.out.object(&json!({ "signed_by": key.to_string(), "result": body }))?;
        return Ok(code);
    }
    let text = |name: &str| body.get(name).and_then(Value::as_str).unwrap_or("unknown").to_owned();
    let report = |name: &str| body.get("report").and_then(|report| report.get(name));
    let verdict = report("verdict").and_then(Value::as_str).unwrap_or("unknown");
    ctx.out.line(&format!("verified at {} by {}: {verdict}", text("at"), text("program")))?;
    ctx.out.line(&format!("  ledger  {}", text("ledger")))?;
    for check in report("checks").and_then(Value::as_array).into_iter().flatten() {
        let word = |name: &str| check.get(name).and_then(Value::as_str).unwrap_or_default();
        let number = |name: &str| check.get(name).and_then(Value::as_u64).unwrap_or_default();
        ctx.out.line(&format!(
            "  {}  {}  {} of {}",
            word("name"),
            word("verdict"),
            number("checked"),
            number("expected")
        ))?;
    }
    if let Some(head) = report("remember").and_then(Value::as_str) {
        ctx.out.line(&format!("  head    {head}"))?;
    }
    ctx.out.line(&format!("  signed by {key}"))?;
    Ok(code)
}

/// The keys that the log names.
pub(super) fn named(ctx: &Context<'_>) -> Result<Vec<VerifierKey>, Failure> {
    let opened = ctx.open_archive()?;
    let keys = Ledger::signing_keys(&opened.ledger)?;
    opened.ledger.close()?;
    Ok(keys.into_iter().map(|key| key.key).collect())
}
