//! Owns what came of a memory: what was made from it, and what took its place.
//!
//! Sources are named by id, because a write may name one that does not exist (yet). Being superseded
//! is put where it takes effect: a write that waits for approval supersedes nothing until then.

use ledger_format::{MemoryId, Seq};
use ledger_replay::Birth;

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::rows::{Rows, empty, id, version};
use crate::source::{Go, Source};

fn derived(source: MemoryId) -> Key {
    Key::new(Kind::Derived).memory(source)
}

fn superseded(born: Seq) -> Key {
    Key::new(Kind::Superseded).number(born.0)
}

/// Puts what a memory was made from.
pub(crate) fn put_derived<S: Source>(rows: &mut Rows<'_, S>, birth: &Birth) {
    let mut sources = birth.derived_from.clone();
    sources.sort_unstable();
    sources.dedup();
    for source in sources {
        rows.put(derived(source).number(birth.seq.0), Vec::new());
    }
}

/// Puts that the version of a memory at this record was closed in favour of another memory.
pub(crate) fn put_superseded<S: Source>(rows: &mut Rows<'_, S>, born: Seq, seq: Seq) {
    rows.put(superseded(born).number(seq.0), Vec::new());
}

/// Births of the memories made from `source` until a record.
pub(crate) fn made_from<S: Source>(
    rows: &S,
    source: MemoryId,
    seq: Seq,
) -> Result<Vec<Seq>, ViewError> {
    numbers(rows, derived(source), seq, child)
}

/// Births of the memories that took a memory's place until a record, each once.
pub(crate) fn superseded_by<S: Source>(
    rows: &S,
    born: Seq,
    seq: Seq,
) -> Result<Vec<Seq>, ViewError> {
    let mut found = Vec::new();
    for at in numbers(rows, superseded(born), seq, closing)? {
        let by = version::at(rows, born, at)?.and_then(|version| version.closed?.by);
        let Some(by) = by else {
            return Err(Broken("the version it speaks of names no successor")
                .at(superseded(born).number(at.0).as_slice()));
        };
        // A closure may name a memory that does not exist, or did not then.
        found.extend(id::birth(rows, by)?.filter(|by| *by <= seq));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn numbers<S: Source>(
    rows: &S,
    key: Key,
    until: Seq,
    read: fn(&[u8]) -> Result<Seq, Broken>,
) -> Result<Vec<Seq>, ViewError> {
    let mut found = Vec::new();
    let to = key.clone().number(until.0);
    rows.each(key.as_slice(), to.as_slice(), |key, _| {
        found.push(read(key)?);
        Ok(Go::On)
    })?;
    Ok(found)
}

fn child(key: &[u8]) -> Result<Seq, Broken> {
    let mut reader = KeyReader::new(Kind::Derived, key)?;
    reader.array::<16>()?;
    Ok(Seq(reader.last_number()?))
}

fn closing(key: &[u8]) -> Result<Seq, Broken> {
    let mut reader = KeyReader::new(Kind::Superseded, key)?;
    reader.number()?;
    Ok(Seq(reader.last_number()?))
}

pub(crate) fn check_derived(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    child(key)?;
    empty(value)
}

pub(crate) fn check_superseded(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    closing(key)?;
    empty(value)
}
