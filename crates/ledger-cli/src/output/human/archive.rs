//! Owns how the archive looks: records, status, verification.

use memledger::StatusReport;
use memledger::answer::LogEntry;
use memledger::civil::{Zone, format_in};
use memledger::format::{Micros, Seq};
use memledger::life::Schedule;
use memledger::verify::VerifyReport;

use super::super::json::hex;
use super::super::width::{one_line, visible};
use super::{Fields, count, grouped, short_ids, size, words};

/// One record as a row.
pub(crate) fn log_line(entry: &LogEntry, zone: &Zone) -> Vec<String> {
    let words = entry.payloads.iter().map(|(_, _, text)| words(text)).find(|text| !text.is_empty());
    vec![
        format!("#{}", entry.seq),
        format_in(entry.recorded_at, zone),
        entry.event.clone(),
        entry.by.as_ref().map(|by| one_line(&by.to_string(), 32)).unwrap_or_default(),
        short_ids(&entry.memories).first().cloned().unwrap_or_default(),
        words.map(|text| one_line(&text, 60)).unwrap_or_default(),
    ]
}

/// One record in full.
pub(crate) fn record(entry: &LogEntry, zone: &Zone, raw: bool) -> String {
    let by = entry.by.as_ref().map(|by| visible(&by.to_string()));
    let mut fields = Fields::default();
    fields
        .put("hash", entry.hash)
        .put("prev", entry.prev)
        .put("recorded", format_in(entry.recorded_at, zone))
        .maybe("claimed", entry.claimed_at.map(|at| format_in(at, zone)))
        .or("by", by, "the ledger")
        .put("scope", &entry.scope);
    for id in &entry.memories {
        fields.put("memory", id.hyphenated());
    }
    for (role, number, text) in &entry.payloads {
        fields.put("payload", format!("{number} {role}: {}", visible(&words(text))));
    }
    fields.put("bytes", entry.bytes.len()).maybe("raw", raw.then(|| hex(&entry.bytes)));
    let detail = super::block(&entry.detail);
    format!("#{}  {}\n{}\n{detail}", entry.seq, entry.event, fields.show("  "))
}

/// Size, head, anchor, lag.
pub(crate) fn status(report: &StatusReport, dir: &str, now: Micros, zone: &Zone) -> String {
    let clock = if report.clock_declared { "declared by its writer" } else { "the machine's" };
    let writable = if report.writable { "yes" } else { "no: reading the raw archive" };
    let head = report.head.as_ref();
    let views = report.views_applied.map(|seq| behind(report, Some(seq)));
    let mut fields = Fields::default();
    fields
        .put("ledger", format!("{} ({dir})", report.id))
        .put("origin", &report.origin)
        .put("zone", &report.zone)
        .put("clock", clock)
        .put("size", format!("{} records · epoch {}", grouped(report.size), report.epoch))
        .or("head", head.map(|(seq, hash)| format!("seq {seq} · {hash}")), "none")
        .or("root", report.root, "none")
        .or("last record", report.last_recorded_at.map(|at| format_in(at, zone)), "none")
        .or("memories", report.memories.map(grouped), "not counted without views")
        .put("anchored", behind(report, report.anchored))
        .or("views", views, "not opened")
        .put("on disk", on_disk(report))
        .put("key slots", grouped(report.key_slots))
        .put("master key", &report.master)
        .or("sweep", report.sweep.as_ref().map(|one| sweep(one, now, zone)), "not scheduled")
        .put("writable", writable);
    fields.show("")
}

/// When the sweep ran, and when it is due.
fn sweep(sweep: &Schedule, now: Micros, zone: &Zone) -> String {
    let ran = match sweep.done {
        Some((seq, at)) => format!("ran {} (#{seq})", format_in(at, zone)),
        None => "never ran".to_owned(),
    };
    match sweep.next {
        None => format!("{ran} · not scheduled"),
        Some(next) if next <= now => {
            format!("{ran} · OVERDUE since {}: run `memledger sweep`", format_in(next, zone))
        }
        Some(next) => format!("{ran} · next {}", format_in(next, zone)),
    }
}

/// How far something is, and how far behind the head.
fn behind(report: &StatusReport, seq: Option<Seq>) -> String {
    match (seq, &report.head) {
        (None, _) => "nothing yet".to_owned(),
        (Some(seq), Some((head, _))) if seq < *head => {
            format!("through seq {seq}, {} behind", grouped(head.0 - seq.0))
        }
        (Some(seq), _) => format!("through seq {seq}"),
    }
}

fn on_disk(report: &StatusReport) -> String {
    let log = size(report.log_bytes);
    let segments = count(report.segments, "segment", "segments");
    let views = report.view_bytes.map_or_else(|| "not counted".to_owned(), size);
    format!("log {log} in {segments} · views {views}")
}

/// One line for each claim, its findings below it.
pub(crate) fn verify(report: &VerifyReport) -> Vec<String> {
    let rows: Vec<Vec<String>> = report
        .checks
        .iter()
        .map(|check| {
            vec![
                check.name.clone(),
                check.verdict.to_string(),
                format!("{} of {}", grouped(check.checked), grouped(check.expected)),
            ]
        })
        .collect();
    let mut lines = Vec::new();
    for (line, check) in super::item::aligned(&rows).into_iter().zip(&report.checks) {
        lines.push(line);
        lines.extend(check.findings.iter().map(|finding| format!("  {}", visible(finding))));
    }
    lines
}
