//! Owns how the archive looks: records, status, verification.

use memledger::civil::{Zone, format_in};
use memledger::{LogEntry, StatusReport, VerifyReport};

use super::super::json::hex;
use super::super::width::{one_line, visible};
use super::{fields, grouped, short_ids, size, words};

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
    let mut pairs = vec![
        ("hash", entry.hash.to_string()),
        ("prev", entry.prev.to_string()),
        ("recorded", format_in(entry.recorded_at, zone)),
    ];
    pairs.extend(entry.claimed_at.map(|at| ("claimed", format_in(at, zone))));
    pairs.push(("by", entry.by.as_ref().map_or_else(|| "the ledger".to_owned(), |by| visible(&by.to_string()))));
    pairs.push(("scope", entry.scope.to_string()));
    let ids: Vec<String> = entry.memories.iter().map(memledger::format::MemoryId::hyphenated).collect();
    pairs.extend(ids.into_iter().map(|id| ("memory", id)));
    for (role, number, text) in &entry.payloads {
        pairs.push(("payload", format!("{number} {role}: {}", visible(&words(text)))));
    }
    pairs.push(("bytes", entry.bytes.len().to_string()));
    if raw {
        pairs.push(("raw", hex(&entry.bytes)));
    }
    let detail = super::block(&entry.detail);
    format!("#{}  {}\n{}\n{detail}", entry.seq, entry.event, fields(&pairs))
}

/// Size, head, anchor, lag.
pub(crate) fn status(report: &StatusReport, dir: &str, zone: &Zone) -> String {
    let head = report.head.as_ref().map_or_else(
        || "none".to_owned(),
        |(seq, hash)| format!("seq {seq} · {hash}"),
    );
    let behind = |seq: Option<memledger::format::Seq>| match (seq, &report.head) {
        (None, _) => "nothing yet".to_owned(),
        (Some(seq), Some((head, _))) if seq < *head => {
            format!("through seq {seq}, {} behind", grouped(head.0 - seq.0))
        }
        (Some(seq), _) => format!("through seq {seq}"),
    };
    let pairs = [
        ("ledger", format!("{} ({dir})", report.id)),
        ("origin", report.origin.clone()),
        ("zone", report.zone.clone()),
        ("clock", if report.clock_declared { "declared by its writer" } else { "the machine's" }.to_owned()),
        ("size", format!("{} records · epoch {}", grouped(report.size), report.epoch)),
        ("head", head),
        ("root", report.root.map_or_else(|| "none".to_owned(), |root| root.to_string())),
        ("last record", report.last_recorded_at.map_or_else(|| "none".to_owned(), |at| format_in(at, zone))),
        ("memories", report.memories.map_or_else(|| "not counted without views".to_owned(), grouped)),
        ("anchored", behind(report.anchored)),
        ("views", behind(report.views_applied)),
        ("on disk", format!(
            "log {} in {} · views {}",
            size(report.log_bytes),
            super::count(usize::try_from(report.segments).unwrap_or(usize::MAX), "segment", "segments"),
            report.view_bytes.map_or_else(|| "not counted".to_owned(), size)
        )),
        ("key slots", grouped(report.key_slots)),
        ("master key", report.master.clone()),
        ("writable", if report.writable { "yes" } else { "no: reading the raw archive" }.to_owned()),
    ];
    let wide = pairs.iter().map(|(label, _)| label.len()).max().unwrap_or_default();
    let lines: Vec<String> =
        pairs.iter().map(|(label, value)| format!("{label:wide$}  {value}")).collect();
    lines.join("\n")
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
