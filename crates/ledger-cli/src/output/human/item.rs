//! Owns how memories look: one as a card, many as a table.

use memledger::civil::{Zone, format_in};
use memledger::format::{MemoryId, Micros};
use memledger::{Item, Text};

use super::super::json::held;
use super::super::width::{one_line, padded, visible};
use super::{block, fields, short_ids, short_time, spans, words};

/// Columns for text in a table.
const TEXT: usize = 60;

/// One memory with everything needed to judge it.
pub(crate) fn card(item: &Item, zone: &Zone) -> String {
    let time = |at: Micros| format_in(at, zone);
    let mut pairs = vec![
        ("status", status(item, zone)),
        ("layer", format!("{} · {}", item.layer, item.body_type)),
        ("level", level(item)),
        ("trust", format!("{} · authority {}", item.trust, item.authority)),
        ("source", source(item)),
    ];
    pairs.push(("by", item.by.as_ref().map_or_else(|| item.actor_kind.to_string(), |by| visible(&by.to_string()))));
    pairs.push(("scope", item.scope.to_string()));
    pairs.push(("valid", spans(&item.validity, zone)));
    pairs.push(("recorded", format!("{} · seq {}", time(item.recorded_at), item.seq)));
    let times = [
        ("claimed", item.claimed_at),
        ("observed", item.observed_at),
        ("expires", item.ttl_until),
        ("review by", item.review_by),
        ("confirmed", item.last_confirmed),
        ("used", item.last_used),
    ];
    pairs.extend(times.into_iter().filter_map(|(label, at)| Some((label, time(at?)))));
    let names = [("key", item.key.clone()), ("domain", item.domain.clone())];
    pairs.extend(names.into_iter().filter_map(|(label, name)| Some((label, visible(&name?)))));
    let lists = [("tags", &item.tags), ("subjects", &item.subjects)];
    pairs.extend(
        lists.into_iter().filter(|(_, list)| !list.is_empty()).map(|(l, list)| (l, visible(&list.join(", ")))),
    );
    if let Some(parts) = item.confidence {
        pairs.push(("confidence", format!("{}", f64::from(parts) / 10_000.0)));
    }
    let ids = [("supersedes", &item.supersedes), ("derived from", &item.derived_from)];
    pairs.extend(
        ids.into_iter().filter(|(_, list)| !list.is_empty()).map(|(l, list)| (l, short_ids(list).join(", "))),
    );
    pairs.extend(marks(item));
    pairs.push(("hash", item.hash.to_string()));
    format!("{}\n{}\n{}", item.id.hyphenated(), block(&words(&item.text)), fields(&pairs))
}

/// The status with when, why and by what it came to it.
fn status(item: &Item, zone: &Zone) -> String {
    let mut text = item.status.to_string();
    if let Some(closed) = &item.closed {
        if let Some(at) = closed.at {
            text.push_str(&format!(" since {}", format_in(at, zone)));
        }
        if let Some(seq) = closed.seq {
            text.push_str(&format!(" ({}, seq {seq})", closed.kind));
        }
        if let Some(by) = &closed.superseded_by {
            text.push_str(&format!(" superseded by {}", by.hyphenated()));
        }
        if let Some(reason) = &closed.reason {
            text.push_str(&format!(": {}", visible(reason)));
        }
    }
    if let Some(seq) = item.erased_at {
        text.push_str(&format!(" at seq {seq}"));
    }
    text
}

fn level(item: &Item) -> String {
    match &item.hint {
        Some(hint) => format!("{}: {}", item.level.name(), visible(hint)),
        None => item.level.name().to_owned(),
    }
}

fn source(item: &Item) -> String {
    match &item.source {
        Some(source) => visible(source),
        None => item.source_kind.to_string(),
    }
}

fn marks(item: &Item) -> Vec<(&'static str, String)> {
    let mut marks = Vec::new();
    if let Some(seq) = item.conflict_group {
        marks.push(("contested", format!("seq {seq}")));
    }
    if item.stale {
        marks.push(("stale", "what it was made from has changed".to_owned()));
    }
    if item.pinned {
        marks.push(("pinned", "yes".to_owned()));
    }
    marks
}

/// Many memories, one a line, then their places where they differ.
pub(crate) fn table(items: &[Item], valid_at: Micros, zone: &Zone) -> Vec<String> {
    let ids: Vec<MemoryId> = items.iter().map(|item| item.id).collect();
    let rows: Vec<Vec<String>> = items
        .iter()
        .zip(short_ids(&ids))
        .map(|(item, id)| {
            vec![
                id,
                item.status.to_string(),
                item.layer.to_string(),
                item.trust.to_string(),
                brief(&item.text, TEXT),
                since(item, valid_at, zone),
                one_line(&source(item), 40),
            ]
        })
        .collect();
    aligned(&rows)
}

/// Columns as wide as their widest cell; the last one is not filled.
pub(crate) fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let wide: Vec<usize> = (0..columns)
        .map(|at| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            cells.map(|cell| super::super::width::width(cell)).max().unwrap_or_default()
        })
        .collect();
    rows.iter()
        .map(|row| {
            let cells = row.iter().zip(&wide).map(|(cell, wide)| padded(cell, *wide));
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}

/// The words in one line, or why there are none.
pub(super) fn brief(text: &Text, columns: usize) -> String {
    one_line(&words(text), columns)
}

/// Since when it holds, else when it was recorded.
fn since(item: &Item, valid_at: Micros, zone: &Zone) -> String {
    match held(&item.validity, valid_at).map(|one| one.from) {
        Some(from) if from != Micros::MIN => format!("since {}", short_time(from, zone)),
        _ => format!("recorded {}", short_time(item.recorded_at, zone)),
    }
}
