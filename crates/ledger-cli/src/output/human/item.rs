//! Owns how memories look: one as a card, many as a table.

use memledger::answer::{Item, Text};
use memledger::civil::{Zone, format_in};
use memledger::format::Micros;

use super::super::json::held;
use super::super::width::{one_line, padded, visible};
use super::{Fields, block, short_ids, short_name, short_time, spans, words};

/// Columns for text in a table.
const TEXT: usize = 60;

/// One memory with everything needed to judge it.
pub(crate) fn card(item: &Item, zone: &Zone) -> String {
    let time = |at: Micros| format_in(at, zone);
    let mut fields = Fields::default();
    fields
        .put("status", status(item, zone))
        .put("layer", format!("{} · {}", item.layer, item.body_type))
        .put("level", level(item))
        .put("trust", format!("{} · authority {}", item.trust, item.authority))
        .put("source", source(item))
        .or("by", name(item.by.as_ref()), item.actor_kind.name())
        .put("scope", &item.scope)
        .put("valid", spans(&item.validity, zone))
        .put("recorded", format!("{} · seq {}", time(item.recorded_at), item.seq))
        .maybe("claimed", item.claimed_at.map(time))
        .maybe("observed", item.observed_at.map(time))
        .maybe("expires", item.ttl_until.map(time))
        .maybe("review by", item.review_by.map(time))
        .maybe("confirmed", item.last_confirmed.map(time))
        .maybe("used", item.last_used.map(time))
        .maybe("key", name(item.key.as_ref()))
        .maybe("task", name(item.task.as_ref()))
        .maybe("domain", name(item.domain.as_ref()))
        .maybe("tags", list(&item.tags))
        .maybe("subjects", list(&item.subjects))
        .maybe("confidence", item.confidence.map(|parts| f64::from(parts) / 10_000.0))
        .maybe("supersedes", list(&short_ids(&item.supersedes)))
        .maybe("derived from", list(&short_ids(&item.derived_from)))
        .maybe("contested", item.conflict_group.map(|seq| format!("seq {seq}")))
        .maybe("generation", Some(item.generation).filter(|generation| *generation > 0))
        .maybe("contradicts", list(&short_ids(&item.contradicts)))
        .maybe("failed in", list(&short_ids(&item.contradicted_by)))
        .maybe("stale", item.stale.then_some("what it was made from has changed"))
        .maybe("pinned", item.pinned.then_some("yes"))
        .put("hash", item.hash);
    let id = item.id.hyphenated();
    format!("{} · {id}\n{}\n{}", short_name(item), block(&words(&item.text)), fields.show("  "))
}

/// A name that people gave, harmless.
fn name(name: Option<&impl ToString>) -> Option<String> {
    name.map(|name| visible(&name.to_string()))
}

fn list(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| visible(&names.join(", ")))
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

/// Many memories, one a line, then their places where they differ.
pub(crate) fn table(items: &[Item], valid_at: Micros, zone: &Zone) -> Vec<String> {
    let rows: Vec<Vec<String>> = items
        .iter()
        .map(|item| {
            let mut row = vec![
                short_name(item),
                item.status.to_string(),
                item.layer.to_string(),
                item.trust.to_string(),
                brief(&item.text, TEXT),
                since(item, valid_at, zone),
                one_line(&source(item), 40),
            ];
            row.extend(beside(item));
            row
        })
        .collect();
    aligned(&rows)
}

/// What a failure says against it, or what it says itself against others.
fn beside(item: &Item) -> Option<String> {
    let named = |word: &str, ids: &[memledger::format::MemoryId]| {
        (!ids.is_empty()).then(|| format!("{word} {}", short_ids(ids).join(" ")))
    };
    named("failed in", &item.contradicted_by).or_else(|| named("contradicts", &item.contradicts))
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
pub(crate) fn brief(text: &Text, columns: usize) -> String {
    one_line(&words(text), columns)
}

/// Since when it holds, else when it was recorded.
fn since(item: &Item, valid_at: Micros, zone: &Zone) -> String {
    match held(&item.validity, valid_at).map(|one| one.from) {
        Some(from) if from != Micros::MIN => format!("since {}", short_time(from, zone)),
        _ => format!("recorded {}", short_time(item.recorded_at, zone)),
    }
}
