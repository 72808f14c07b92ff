//! Owns what was made from a memory. Sources are named by id, because a write may name one that does
//! not exist (yet). What took a memory's place is in its versions.

use ledger_format::{MemoryId, Seq};
use ledger_replay::Birth;

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::rows::{Rows, empty};
use crate::source::{Go, Source};

fn derived(source: MemoryId) -> Key {
    Key::new(Kind::Derived).memory(source)
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

/// Births of the memories made from `source` until a record.
pub(crate) fn made_from<S: Source>(
    rows: &S,
    source: MemoryId,
    seq: Seq,
) -> Result<Vec<Seq>, ViewError> {
    let mut found = Vec::new();
    let (from, to) = (derived(source), derived(source).number(seq.0));
    rows.each(from.as_slice(), to.as_slice(), |key, _| {
        found.push(child(key)?);
        Ok(Go::On)
    })?;
    Ok(found)
}

fn child(key: &[u8]) -> Result<Seq, Broken> {
    let mut reader = KeyReader::new(Kind::Derived, key)?;
    reader.array::<16>()?;
    Ok(Seq(reader.last_number()?))
}

pub(crate) fn check_derived(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    child(key)?;
    empty(value)
}
