//! Owns the life of one memory: every event that touched it, and where it came from.

use ledger_format::{MemoryId, Role, Seq};

use crate::answer::{HistoryEntry, Item, Lineage};
use crate::error::Result;
use crate::read::assemble::Assembler;
use crate::read::describe::event_name;

/// Generations of sources that a lineage follows.
const DEPTH: usize = 8;
/// Most items on either side of a lineage.
const WIDTH: usize = 1_000;

/// Events that touched a memory, up to the basis.
pub(crate) fn history(assembler: &Assembler<'_>, id: &MemoryId) -> Result<Vec<HistoryEntry>> {
    let Some(birth) = assembler.past.birth(id)? else { return Ok(Vec::new()) };
    let erased = assembler.past.erased(birth.seq)?;
    let mut entries = Vec::new();
    for life in assembler.past.versions(birth.seq)? {
        let loaded = assembler.vault.load(life.since)?;
        // Words about an erased memory may repeat what was erased.
        let reason = match erased {
            Some(_) => None,
            None => assembler.plain(&loaded, Role::Reason)?,
        };
        entries.push(HistoryEntry {
            seq: life.since,
            hash: loaded.stored.hash,
            recorded_at: loaded.event.header.recorded_at,
            claimed_at: loaded.event.claimed_at,
            event: event_name(&loaded.event.event, id),
            by: assembler.actor(loaded.event.header.actor)?,
            reason,
            status: life.status(assembler.at),
            validity: life.validity.intervals().to_vec(),
        });
    }
    Ok(entries)
}

/// Where a memory comes from and what came from it.
pub(crate) fn lineage(assembler: &Assembler<'_>, id: &MemoryId) -> Result<Option<Lineage>> {
    let Some(birth) = assembler.past.birth(id)? else { return Ok(None) };
    let Some(life) = assembler.past.version(birth.seq)? else { return Ok(None) };
    let item = assembler.item(&birth, &life)?;
    let mut sources = Vec::new();
    let mut frontier = birth.derived_from.clone();
    let mut seen: Vec<MemoryId> = vec![*id];
    for _ in 0..DEPTH {
        let mut further = Vec::new();
        for source in frontier {
            if seen.contains(&source) || sources.len() >= WIDTH {
                continue;
            }
            seen.push(source);
            if let Some((item, from)) = one(assembler, &source)? {
                sources.push(item);
                further.extend(from);
            }
        }
        frontier = further;
    }
    let mut derived = Vec::new();
    for born in assembler.past.derived(id)?.into_iter().take(WIDTH) {
        derived.extend(at(assembler, born)?);
    }
    let mut replaced = Vec::new();
    for target in &birth.supersedes {
        replaced.extend(one(assembler, target)?.map(|(item, _)| item));
    }
    Ok(Some(Lineage { history: history(assembler, id)?, item, sources, derived, replaced }))
}

fn one(assembler: &Assembler<'_>, id: &MemoryId) -> Result<Option<(Item, Vec<MemoryId>)>> {
    let Some(birth) = assembler.past.birth(id)? else { return Ok(None) };
    let from = birth.derived_from.clone();
    Ok(at(assembler, birth.seq)?.map(|item| (item, from)))
}

fn at(assembler: &Assembler<'_>, born: Seq) -> Result<Option<Item>> {
    let Some(birth) = assembler.past.birth_at(born)? else { return Ok(None) };
    let Some(life) = assembler.past.version(born)? else { return Ok(None) };
    assembler.item(&birth, &life).map(Some)
}
