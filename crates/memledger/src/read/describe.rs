//! Owns describing single records: which memories they name and how people read them.

use ledger_format::{Event, MemoryId, RecordView};

use crate::answer::{LogEntry, Text};
use crate::error::Result;
use crate::names::{AliasSource, Names};
use crate::vault::{Loaded, Vault};

/// The memories an event names, the one it is about first.
pub(crate) fn named(event: &Event) -> Vec<MemoryId> {
    match event {
        Event::Write(e) => {
            let mut ids = vec![e.memory];
            ids.extend(&e.supersedes);
            ids
        }
        Event::Close(e) => [Some(e.memory), e.replaced_by].into_iter().flatten().collect(),
        Event::Reopen(e) => vec![e.memory],
        Event::PushDown(e) => vec![e.memory],
        Event::Lift(e) => vec![e.memory],
        Event::Pin(e) => vec![e.memory],
        Event::Unpin(e) => vec![e.memory],
        Event::Promote(e) => vec![e.memory],
        Event::Demote(e) => vec![e.memory],
        Event::SkillState(e) => vec![e.memory],
        Event::SummaryState(e) => vec![e.memory],
        Event::Confirm(e) => e.memories.clone(),
        Event::Use(e) => e.memories.clone(),
        Event::Contest(e) => e.memories.clone(),
        Event::Resolve(e) => e.kept.clone(),
        Event::Forget(e) => e.memories.clone(),
        Event::Expire(e) => e.memories.clone(),
        Event::Restrict(e) => e.memories.clone(),
        Event::Unrestrict(e) => e.memories.clone(),
        Event::Stale(e) => e.memories.clone(),
        Event::EraseIntent(e) => e.memories.clone(),
        Event::Answer(e) => e.cited.clone(),
        Event::Verdict(e) => e.memory.into_iter().collect(),
        _ => Vec::new(),
    }
}

/// What happened, from the point of view of one memory.
pub(crate) fn event_name(event: &Event, id: &MemoryId) -> String {
    match event {
        Event::Write(write) if write.memory != *id => "superseded".to_owned(),
        Event::Unknown { kind, .. } => format!("unknown({kind})"),
        known => known.kind().map_or_else(String::new, |kind| kind.name().to_owned()),
    }
}

/// A record for people.
pub(crate) fn log_entry(
    vault: &Vault,
    names: &Names,
    source: &dyn AliasSource,
    loaded: &Loaded,
) -> Result<LogEntry> {
    let event = &loaded.event;
    let header = &event.header;
    let mut payloads = Vec::with_capacity(event.payloads.len());
    let mut offset = loaded.stored.payload_offset;
    for reference in &event.payloads {
        let opened = vault.open_at(&loaded.stored, reference, offset)?;
        payloads.push((reference.role.name().to_owned(), reference.id.0, opened.into_text(None)));
        offset = offset.saturating_add(u64::from(reference.length));
    }
    let by = if header.actor.is_zero() { None } else { names.name(vault, source, header.actor)? };
    let view = RecordView::decode(&loaded.stored.bytes)?;
    Ok(LogEntry {
        seq: header.seq,
        hash: loaded.stored.hash,
        prev: header.prev,
        recorded_at: header.recorded_at,
        claimed_at: event.claimed_at,
        event: match &event.event {
            Event::Unknown { kind, .. } => format!("unknown({kind})"),
            known => known.kind().map_or_else(String::new, |kind| kind.name().to_owned()),
        },
        by: by.and_then(|name| name.parse().ok()),
        scope: names.scope(vault, source, header.scope)?,
        memories: named(&event.event),
        payloads,
        detail: format!("{:#?}\n{:#?}\n{:#?}", view.header, event.event, view.extensions),
        bytes: loaded.stored.bytes.to_vec(),
    })
}

impl LogEntry {
    /// The first words of the record: text, reason or name.
    #[must_use]
    pub fn words(&self) -> Option<&str> {
        self.payloads.iter().find_map(|(_, _, text)| match text {
            Text::Words(words) => Some(words.as_str()),
            _ => None,
        })
    }
}
