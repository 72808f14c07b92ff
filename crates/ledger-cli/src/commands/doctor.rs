//! Owns `doctor`.

use memledger::Ledger;
use memledger::doctor::{Diagnosis, FileMap, Region, RegionState};
use memledger::verify::VerifyReport;
use serde_json::{Value, json};

use super::Done;
use super::verify::{code_of, show_progress, verdict};
use crate::context::Context;
use crate::output::human;

/// Says what every file is, and of files that are not as they should be what every byte is.
pub(crate) fn doctor(ctx: &Context<'_>) -> Done {
    let found = Ledger::doctor(&ctx.dir, &|what, done, total| {
        show_progress(ctx, what, done, total);
    });
    ctx.out.progress_done();
    let found = found?;
    if ctx.json() {
        for file in &found.files {
            ctx.out.object(&as_object(file))?;
        }
        ctx.out.object(&summary(&found))?;
    } else {
        for line in lines(&found) {
            ctx.out.line(&line)?;
        }
    }
    Ok(code_of(found.verdict()))
}

fn lines(found: &Diagnosis) -> Vec<String> {
    let ledger = found.ledger.map_or_else(|| "unknown".to_owned(), |ledger| ledger.to_string());
    let held = if found.held { ", held by another process: up to its anchor" } else { "" };
    let mut lines = vec![format!(
        "ledger {ledger} · {} · {} bytes accounted for{held}",
        human::count(found.files.len() as u64, "file", "files"),
        human::grouped(found.bytes())
    )];
    for file in &found.files {
        lines.push(format!(
            "{}  {} bytes  {}",
            file.file,
            human::grouped(file.length),
            state(file)
        ));
        let whole = [RegionState::Whole, RegionState::Zeros, RegionState::Outside];
        if file.regions.iter().all(|region| whole.contains(&region.state)) {
            continue;
        }
        lines.extend(file.regions.iter().map(|region| format!("  {}", line(region))));
    }
    let findings = found.report.iter().flat_map(findings);
    lines.extend(findings.map(|finding| format!("verify: {finding}")));
    for advice in &found.advice {
        lines.push(format!("{}: {}", advice.what, advice.next));
    }
    let last = match found.verdict() {
        memledger::verify::CheckVerdict::Ok => "nothing is damaged".to_owned(),
        worse => format!("verdict: {worse}"),
    };
    lines.push(last);
    lines
}

fn findings(report: &VerifyReport) -> impl Iterator<Item = &String> {
    report.checks.iter().flat_map(|check| &check.findings)
}

/// One word, or several, for a file as a whole.
fn state(file: &FileMap) -> String {
    if let Some(reason) = &file.unread {
        return format!("CANNOT BE READ: {reason}");
    }
    match (file.worst(), file.regions.as_slice()) {
        (Some(RegionState::Damaged), _) => "DAMAGED".to_owned(),
        (_, [only]) => only.what.clone(),
        (Some(RegionState::Unknown | RegionState::Unfinished), _) => "in parts".to_owned(),
        (None, _) => "empty".to_owned(),
        _ => "whole".to_owned(),
    }
}

fn line(region: &Region) -> String {
    let records = match region.records {
        Some((first, last)) if first == last => format!(" · record {first}"),
        Some((first, last)) => format!(" · records {first} to {last}"),
        None => String::new(),
    };
    let word = region.state.word();
    let word =
        if region.state == RegionState::Damaged { word.to_uppercase() } else { word.to_owned() };
    format!("bytes {} to {}  {word}  {}{records}", region.from, region.to, region.what)
}

fn as_object(file: &FileMap) -> Value {
    let regions: Value = file
        .regions
        .iter()
        .map(|region| {
            json!({
                "from": region.from,
                "to": region.to,
                "state": region.state.word(),
                "what": region.what,
                "first_seq": region.records.map(|(first, _)| first.0),
                "last_seq": region.records.map(|(_, last)| last.0),
            })
        })
        .collect();
    json!({
        "file": file.file.as_str(),
        "bytes": file.length,
        "state": file.worst().map(RegionState::word),
        "unread": file.unread,
        "regions": regions,
    })
}

fn summary(found: &Diagnosis) -> Value {
    let advice: Value = found
        .advice
        .iter()
        .map(|advice| json!({ "what": advice.what, "next": advice.next }))
        .collect();
    json!({
        "verdict": verdict(found.verdict()),
        "ledger": found.ledger.map(|ledger| ledger.to_string()),
        "held": found.held,
        "files": found.files.len(),
        "bytes": found.bytes(),
        "findings": found.report.iter().flat_map(findings).collect::<Vec<_>>(),
        "advice": advice,
    })
}
