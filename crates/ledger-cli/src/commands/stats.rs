//! Owns `stats`: what a ledger did, counted from its records.

use std::collections::BTreeMap;

use memledger::answer::stats::{Counts, Share, Stats};
use serde_json::{Map, Value, json};

use super::Done;
use crate::context::{Context, Opened};
use crate::exit::Code;
use crate::output::{human, json as out};

const NO_RECEIPTS: &str = "no receipt is recorded yet";

/// The counts at a basis.
pub(crate) fn stats(ctx: &Context<'_>, opened: &Opened) -> Done {
    let (basis, stats) = opened.ledger.stats(&ctx.question(opened)?)?;
    ctx.announce(&basis)?;
    if ctx.json() {
        ctx.out.object(&out::with_basis(object(&stats), &basis))?;
    } else {
        human::aligned(&rows(&stats)).iter().try_for_each(|line| ctx.out.line(line))?;
    }
    Ok(Code::Ok)
}

fn object(stats: &Stats) -> Map<String, Value> {
    let Stats { verdicts, memories, conflicts, reads, erasures, .. } = stats;
    let seconds = |micros: Option<u64>| micros.map(|micros| micros / 1_000_000);
    let suites: BTreeMap<String, Value> = stats
        .suites
        .iter()
        .map(|(suite, (passed, failed))| {
            (suite.to_string(), json!({ "passed": passed, "failed": failed }))
        })
        .collect();
    let read = |value: Value| if reads.receipts == 0 { Value::Null } else { value };
    out::into_map(json!({
        "records": stats.records,
        "events": stats.events,
        "verdicts": {
            "proposals": verdicts.proposals, "by_verdict": verdicts.by_verdict,
            "by_rule": verdicts.by_rule, "marked": verdicts.marked, "decided": verdicts.decided,
        },
        "memories": {
            "written": memories.written, "by_status": memories.by_status,
            "open_by_layer": memories.open_by_layer, "open_by_trust": memories.open_by_trust,
            "from_tools": share(memories.from_tools), "stale": share(memories.stale),
        },
        "conflicts": {
            "contests": conflicts.contests, "resolved": conflicts.resolved,
            "contested": share(conflicts.contested),
        },
        "interventions": stats.interventions,
        "recoveries": stats.recoveries,
        "reads": {
            "receipts": reads.receipts, "hits": read(share(reads.hits)),
            "stale_hits": read(share(reads.stale_hits)), "answers": reads.answers,
            "feedback": reads.feedback,
        },
        "erasures": {
            "requested": erasures.requested, "done": erasures.done,
            "median_seconds": seconds(erasures.median_micros),
            "longest_seconds": seconds(erasures.longest_micros),
        },
        "suites": suites,
    }))
}

fn share(share: Share) -> Value {
    json!({ "part": share.part, "of": share.of, "share": share.fraction() })
}

fn rows(stats: &Stats) -> Vec<Vec<String>> {
    let Stats { verdicts, memories, conflicts, reads, erasures, .. } = stats;
    let mut rows = Vec::new();
    let mut put = |label: &str, value: String| rows.push(vec![label.to_owned(), value]);
    put("records", human::grouped(stats.records));
    put("memories written", human::grouped(memories.written));
    put("by status", listed(&memories.by_status));
    put("open by layer", listed(&memories.open_by_layer));
    put("open by trust", listed(&memories.open_by_trust));
    put("open and stale", of(memories.stale));
    put("from tools and pages", of(memories.from_tools));
    put("proposals", human::grouped(verdicts.proposals));
    put("by verdict", listed(&verdicts.by_verdict));
    put("by rule", listed(&verdicts.by_rule));
    put("marked", listed(&verdicts.marked));
    put("decided by persons", listed(&verdicts.decided));
    put("contests", format!("{}, {} resolved", conflicts.contests, conflicts.resolved));
    put("memories contested", of(conflicts.contested));
    put("done by hand", listed(&stats.interventions));
    put("mended", listed(&stats.recoveries));
    let receipts = |text: String| if reads.receipts == 0 { NO_RECEIPTS.to_owned() } else { text };
    put("reads", receipts(human::grouped(reads.receipts)));
    put("reads with a hit", receipts(of(reads.hits)));
    put("stale hits", receipts(of(reads.stale_hits)));
    put("feedback", listed(&reads.feedback));
    put("erasures", format!("{} asked for, {} done", erasures.requested, erasures.done));
    if let (Some(median), Some(longest)) = (erasures.median_micros, erasures.longest_micros) {
        let seconds = |micros: u64| human::grouped(micros / 1_000_000);
        put("their time", format!("{} s, {} s at most", seconds(median), seconds(longest)));
    }
    for (suite, (passed, failed)) in &stats.suites {
        put(&format!("suite {suite}"), format!("{passed} passed, {failed} failed"));
    }
    rows
}

fn listed(counts: &Counts) -> String {
    if counts.is_empty() {
        return "none".to_owned();
    }
    let one = |(name, count): (&String, &u64)| format!("{name} {}", human::grouped(*count));
    counts.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn of(share: Share) -> String {
    let percent = share.fraction().map(|fraction| format!(" ({:.1} %)", fraction * 100.0));
    format!(
        "{} of {}{}",
        human::grouped(share.part),
        human::grouped(share.of),
        percent.unwrap_or_default()
    )
}
