//! Owns how the life of memories looks: results of writes, events, lineage, differences.

use memledger::Outcome;
use memledger::answer::{Difference, HistoryEntry, Item, Lineage};
use memledger::civil::{Zone, format_in};
use memledger::format::{MemoryId, Verdict};

use super::super::width::{one_line, visible};
use super::item::{aligned, brief};
use super::{card, short_ids, short_name, short_time, spans};
use crate::context::Step;

/// What one command led to. `verb` says it in the past tense.
pub(crate) fn outcome(outcome: &Outcome, verb: &str, step: Option<Step>) -> String {
    let id = outcome.id.as_ref().map(MemoryId::hyphenated).unwrap_or_default();
    let done = match outcome.verdict {
        Verdict::Committed => verb.to_owned(),
        other => other.to_string(),
    };
    let mut parts = vec![format!("#{}", outcome.seq), done];
    if outcome.trust.is_some() {
        // Only a write gives trust: the memory is named after its record.
        parts.push(format!("m{}", outcome.seq));
    }
    parts.extend((!id.is_empty()).then_some(id));
    parts.extend(outcome.trust.map(|trust| trust.to_string()));
    parts.push(match step {
        Some(step) => format!("scope {} ({})", outcome.scope, step.name()),
        None => format!("scope {}", outcome.scope),
    });
    let mut text = parts.join("  ");
    if outcome.repeated {
        text.push_str("  first result of this idempotency key, given again");
    }
    if let Some(reason) = &outcome.reason {
        text.push_str(&format!("\n  {}", visible(reason)));
    }
    if !outcome.superseded.is_empty() {
        text.push_str(&format!("\n  closes {}", short_ids(&outcome.superseded).join(", ")));
    }
    text
}

/// The life of a memory, one event a line.
pub(crate) fn events(entries: &[HistoryEntry], zone: &Zone) -> Vec<String> {
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            vec![
                format!("#{}", entry.seq),
                format_in(entry.recorded_at, zone),
                entry.event.clone(),
                entry.by.as_ref().map(|by| one_line(&by.to_string(), 32)).unwrap_or_default(),
                entry.status.to_string(),
                spans(&entry.validity, zone),
                note(entry, zone),
            ]
        })
        .collect();
    aligned(&rows)
}

fn note(entry: &HistoryEntry, zone: &Zone) -> String {
    let claimed =
        entry.claimed_at.map(|at| format!("claimed known {}, not witnessed", short_time(at, zone)));
    let reason = entry.reason.as_ref().map(|reason| one_line(reason, 80));
    claimed.into_iter().chain(reason).collect::<Vec<_>>().join(" · ")
}

/// Where a memory comes from and what came from it.
pub(crate) fn lineage(lineage: &Lineage, zone: &Zone) -> Vec<String> {
    let mut lines = vec![card(&lineage.item, zone)];
    lines.push("life".to_owned());
    lines.extend(indented(events(&lineage.history, zone)));
    let groups = [
        ("made from", &lineage.sources),
        ("replaced", &lineage.replaced),
        ("made from it", &lineage.derived),
    ];
    for (title, items) in groups.into_iter().filter(|(_, items)| !items.is_empty()) {
        lines.push(title.to_owned());
        let rows: Vec<Vec<String>> = items.iter().map(row).collect();
        lines.extend(indented(aligned(&rows)));
    }
    lines
}

fn row(item: &Item) -> Vec<String> {
    vec![
        short_name(item),
        item.status.to_string(),
        item.trust.to_string(),
        brief(&item.text, 60),
        item.source.as_ref().map(|source| one_line(source, 40)).unwrap_or_default(),
    ]
}

fn indented(lines: Vec<String>) -> impl Iterator<Item = String> {
    lines.into_iter().map(|line| format!("  {line}"))
}

/// One difference, with its sign and its word.
pub(crate) fn difference(one: &Difference, (sign, change): (char, &str)) -> Vec<String> {
    let Some(shown) = one.after.as_ref().or(one.before.as_ref()) else {
        return Vec::new();
    };
    vec![
        sign.to_string(),
        short_name(shown),
        change.to_owned(),
        shown.layer.to_string(),
        brief(&shown.text, 60),
        shown.scope.to_string(),
    ]
}
