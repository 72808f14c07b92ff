//! Owns the way from the id of a memory to its birth: every other row names a memory by the record
//! that wrote it, which is shorter and in order.

use ledger_format::bytes::Reader;
use ledger_format::{MemoryId, Seq};

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::number::{put_short, take_short};
use crate::rows::Rows;
use crate::source::{Go, Source};

fn key(id: MemoryId) -> Key {
    Key::new(Kind::Id).memory(id)
}

pub(crate) fn put<S: Source>(rows: &mut Rows<'_, S>, id: MemoryId, born: Seq) {
    let mut value = Vec::new();
    put_short(&mut value, born.0);
    rows.put(key(id), value);
}

/// The birth of a memory.
pub(crate) fn birth<S: Source>(source: &S, id: MemoryId) -> Result<Option<Seq>, ViewError> {
    source.get(key(id).as_slice(), decode)
}

/// Memories from `first` on in the order of their ids, with their births; at most `limit`.
pub(crate) fn from<S: Source>(
    source: &S,
    first: MemoryId,
    limit: usize,
) -> Result<Vec<(MemoryId, Seq)>, ViewError> {
    let mut found = Vec::new();
    let last = key(MemoryId([0xff; 16]));
    source.each(key(first).as_slice(), last.as_slice(), |key, value| {
        let mut reader = KeyReader::new(Kind::Id, key)?;
        found.push((MemoryId(reader.array()?), decode(value)?));
        Ok(if found.len() < limit { Go::On } else { Go::Stop })
    })?;
    Ok(found)
}

fn decode(value: &[u8]) -> Result<Seq, Broken> {
    let mut reader = Reader::new("a birth", value);
    let born = take_short(&mut reader)?;
    reader.end()?;
    Ok(Seq(born))
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let mut reader = KeyReader::new(Kind::Id, key)?;
    reader.array::<16>()?;
    reader.end()?;
    decode(value).map(|_| ())
}
