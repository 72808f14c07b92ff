//! Owns the saved sketches: they shorten the first write after an opening, and nothing else.
//!
//! A shortcut and never a truth, like the index of names: a keyed check covers all of it, it counts only
//! if the log holds its record with its hash, claims written later are read from the log, and it lies
//! among the views, so that whoever deletes those deletes it too. What was erased is left out when it is
//! loaded and when it is saved.

use ledger_format::bytes::{Reader as Bytes, Writer};
use ledger_format::{
    AliasId, BodyType, Event, FormatError, LedgerId, MemoryId, RecordHash, Role, Seq, hash,
};
use ledger_replay::State;
use ledger_signals::Sketch;
use ledger_store::storage::{RelPath, Storage, StorageError};
use ledger_store::{Check, StoreError};
use serde_json::Value;

use super::{Comparable, Neighbours, is_claim};
use crate::error::Result;
use crate::gate::facts::FactClaim;
use crate::ledger::is_far_behind;
use crate::vault::{Loaded, Opened, Vault, decode, kind_of};

const DIR: RelPath = RelPath::from_static("views");
const SAVED: RelPath = RelPath::from_static("views/sketches");
const FRESH: RelPath = RelPath::from_static("views/sketches.new");
const MAGIC: &[u8; 8] = b"MLSKTCH\n";
const VERSION: u16 = 2;
const CHECK_BYTES: usize = 16;
/// Part of the keyed digest that covers the file.
const CHECK: u8 = 7;

/// The sketches of all claims at a state, and the record that the saved ones end with.
pub(crate) fn load(
    storage: &dyn Storage,
    vault: &Vault,
    state: &State,
    key: &[u8; 32],
) -> Result<(Neighbours, Option<Seq>)> {
    let mut neighbours = Neighbours::default();
    let saved = read_saved(storage, vault, key);
    let upto = saved.as_ref().map(|saved| saved.seq);
    for SavedEntry { memory, scope, words, fact } in saved.into_iter().flat_map(|one| one.entries) {
        if !is_erased(state, &memory) {
            neighbours.insert(memory, scope, words);
            fact.into_iter().for_each(|fact| neighbours.facts.insert(memory, scope, fact));
        }
    }
    let from = upto.map_or(Seq(0), Seq::next);
    for stored in vault.reader().stream(from, Check::Chain) {
        let stored = stored?;
        if kind_of(&stored.bytes) != Some(ledger_format::Kind::Write) {
            continue;
        }
        let event = decode(&stored)?;
        let Event::Write(write) = &event.event else { continue };
        let (memory, scope, body) = (write.memory, event.header.scope, write.body);
        if !is_claim(body) || is_erased(state, &memory) {
            continue;
        }
        let found = words(vault, &Loaded { stored, event }, body)?;
        if let Some(text) = found.text {
            neighbours.insert(memory, scope, Comparable::of(&text, key));
        }
        if let Some(fact) = found.fact.and_then(|body| FactClaim::of_body(&body, key)) {
            neighbours.facts.insert(memory, scope, fact);
        }
    }
    Ok((neighbours, upto))
}

fn is_erased(state: &State, memory: &MemoryId) -> bool {
    state.memory(memory).is_none_or(|memory| memory.lifecycle.erased.is_some())
}

#[derive(Default)]
struct Words {
    /// What a claim is compared by: its text, or the text of its typed body.
    text: Option<String>,
    /// The typed body of a fact.
    fact: Option<Value>,
}

fn words(vault: &Vault, loaded: &Loaded, body: BodyType) -> Result<Words> {
    if let Some(Opened::Plain(bytes)) = vault.open(loaded, Role::Text)? {
        return Ok(Words { text: String::from_utf8(bytes).ok(), fact: None });
    }
    let Some(Opened::Plain(bytes)) = vault.open(loaded, Role::Body)? else {
        return Ok(Words::default());
    };
    let Ok(value) = serde_json::from_slice::<Value>(&bytes) else { return Ok(Words::default()) };
    let text = Some(crate::read::body_text(body, &value));
    Ok(Words { text, fact: (body == BodyType::Fact).then_some(value) })
}

struct Saved {
    seq: Seq,
    hash: RecordHash,
    entries: Vec<SavedEntry>,
}

struct SavedEntry {
    memory: MemoryId,
    scope: AliasId,
    words: Comparable,
    fact: Option<FactClaim>,
}

fn read_saved(storage: &dyn Storage, vault: &Vault, key: &[u8; 32]) -> Option<Saved> {
    let file = storage.open_read(&SAVED).ok()?;
    let mut bytes = vec![0; usize::try_from(file.len().ok()?).ok()?];
    file.read_exact_at(&mut bytes, 0).ok()?;
    let reader = vault.reader();
    let saved = decode_saved(&bytes, reader.ledger(), key)?;
    let record = reader.record(saved.seq).ok()?;
    (record.hash == saved.hash).then_some(saved)
}

fn decode_saved(bytes: &[u8], ledger: LedgerId, key: &[u8; 32]) -> Option<Saved> {
    let (body, check) = bytes.split_at_checked(bytes.len().checked_sub(CHECK_BYTES)?)?;
    if hash::idempotency(key, CHECK, body).0.as_slice() != check {
        return None;
    }
    entries(body, ledger).ok().flatten()
}

fn entries(body: &[u8], ledger: LedgerId) -> std::result::Result<Option<Saved>, FormatError> {
    let mut reader = Bytes::new("the saved sketches", body);
    reader.magic(MAGIC)?;
    if reader.u16()? != VERSION || LedgerId(reader.array()?) != ledger {
        return Ok(None);
    }
    let (seq, hash) = (Seq(reader.u64()?), RecordHash(reader.array()?));
    let mut entries = Vec::new();
    while !reader.rest().is_empty() {
        let (memory, scope) = (MemoryId(reader.array()?), AliasId(reader.array()?));
        let sketch = Sketch { exact: reader.array()?, similar: reader.u64()? };
        let words = Comparable { sketch, figures: reader.u32()? };
        let fact = if reader.u8()? == 0 { None } else { Some(FactClaim::take(&mut reader)?) };
        entries.push(SavedEntry { memory, scope, words, fact });
    }
    Ok(Some(Saved { seq, hash, entries }))
}

/// Saves the sketches at a state when reading what came since would take long enough to matter.
pub(crate) fn save_if_worthwhile(
    storage: &dyn Storage,
    neighbours: &Neighbours,
    state: &State,
    saved: Option<Seq>,
    key: &[u8; 32],
) -> Result<()> {
    let Some(head) = state.head() else { return Ok(()) };
    if !is_far_behind(saved, head.seq) {
        return Ok(());
    }
    let mut out = Writer::default();
    out.put(MAGIC).u16(VERSION).put(&state.ledger().0).u64(head.seq.0).put(&head.hash.0);
    let mut scopes = vec![AliasId::ZERO; neighbours.scopes.len()];
    for (scope, at) in &neighbours.scopes {
        if let Some(place) = scopes.get_mut(*at as usize) {
            *place = *scope;
        }
    }
    for entry in neighbours.entries.iter().filter(|entry| !is_erased(state, &entry.memory)) {
        let scope = scopes.get(entry.scope as usize).copied().unwrap_or(AliasId::ZERO);
        let Comparable { sketch, figures } = entry.words;
        out.put(&entry.memory.0).put(&scope.0).put(&sketch.exact).u64(sketch.similar).u32(figures);
        match neighbours.facts.claim(&entry.memory) {
            Some((_, fact)) => fact.put(out.u8(1)),
            None => drop(out.u8(0)),
        }
    }
    let check = hash::idempotency(key, CHECK, out.as_slice());
    out.put(&check.0);
    put(storage, out.as_slice()).map_err(StoreError::from)?;
    Ok(())
}

fn put(storage: &dyn Storage, bytes: &[u8]) -> std::result::Result<(), StorageError> {
    if storage.exists(&FRESH)? {
        storage.remove_file(&FRESH)?;
    }
    storage.create_dir(&DIR)?;
    let file = storage.create_exclusive(&FRESH)?;
    file.write_all_at(bytes, 0)?;
    file.sync_all()?;
    storage.rename(&FRESH, &SAVED)?;
    storage.sync_dir(&DIR)
}
