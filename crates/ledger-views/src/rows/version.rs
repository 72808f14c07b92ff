//! Owns births and versions.
//!
//! A version is known from its record until the next one's: no end is stored, so nothing is ever
//! overwritten, and the version at a record is one seek. The birth of a memory lies in the row of
//! its first version, which exists as long as it does.

use ledger_format::bytes::Reader;
use ledger_format::{MemoryId, Seq};
use ledger_replay::{Birth, Lifecycle};

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::number::{put_short, take_short};
use crate::rows::birth::{self, Numbers};
use crate::rows::{Rows, id};
use crate::source::{Go, Source};
use crate::squeeze::{squeeze, stretch};

fn of(born: Seq) -> Key {
    Key::new(Kind::Version).number(born.0)
}

/// Puts the birth and the first version of a memory.
pub(crate) fn put_first<S: Source>(
    rows: &mut Rows<'_, S>,
    birth: &Birth,
    numbers: &Numbers,
    first: &Lifecycle,
) {
    let mut short = Vec::new();
    squeeze(&mut short, &first.encode());
    let mut value = Vec::new();
    put_short(&mut value, short.len() as u64);
    value.extend(short);
    birth::encode(&mut value, birth, numbers);
    rows.put(of(birth.seq).number(birth.seq.0), value);
    rows.meta.memories += 1;
    rows.meta.versions += 1;
}

/// Puts a later version.
pub(crate) fn put<S: Source>(rows: &mut Rows<'_, S>, born: Seq, seq: Seq, version: &Lifecycle) {
    let mut value = Vec::new();
    squeeze(&mut value, &version.encode());
    rows.put(of(born).number(seq.0), value);
    rows.meta.versions += 1;
}

/// The fixed part of a memory.
pub(crate) fn birth<S: Source>(source: &S, born: Seq) -> Result<Option<Birth>, ViewError> {
    let key = of(born).number(born.0);
    let short = source.get(key.as_slice(), |value| birth::decode(split(value)?.1, born))?;
    short.map(|short| short.name(source)).transpose()
}

/// The version that was known at a record.
pub(crate) fn at<S: Source>(
    source: &S,
    born: Seq,
    seq: Seq,
) -> Result<Option<Lifecycle>, ViewError> {
    source.last(of(born).as_slice(), of(born).number(seq.0).as_slice(), decode)
}

/// All versions up to a record, oldest first.
pub(crate) fn until<S: Source>(
    source: &S,
    born: Seq,
    seq: Seq,
) -> Result<Vec<Lifecycle>, ViewError> {
    let mut versions = Vec::new();
    source.each(of(born).as_slice(), of(born).number(seq.0).as_slice(), |key, value| {
        versions.push(decode(key, value)?);
        Ok(Go::On)
    })?;
    Ok(versions)
}

/// Births of the memories that took a memory's place until a record, each once and in order.
///
/// Every version that is closed in favour of another memory says so; nothing else is kept about it. A
/// write that waits for approval supersedes nothing until then.
pub(crate) fn superseded_by<S: Source>(
    source: &S,
    born: Seq,
    seq: Seq,
) -> Result<Vec<Seq>, ViewError> {
    let versions = until(source, born, seq)?.into_iter();
    let mut ids: Vec<MemoryId> = versions.filter_map(|version| version.closed?.by).collect();
    ids.sort_unstable();
    ids.dedup();
    let mut found = Vec::new();
    for by in ids {
        // A closure may name a memory that does not exist, or did not then.
        found.extend(id::birth(source, by)?.filter(|by| *by <= seq));
    }
    found.sort_unstable();
    Ok(found)
}

fn decode(key: &[u8], value: &[u8]) -> Result<Lifecycle, Broken> {
    let mut reader = KeyReader::new(Kind::Version, key)?;
    let born = reader.number()?;
    let seq = reader.last_number()?;
    let short = if born == seq { split(value)?.0 } else { value };
    let version = Lifecycle::decode(&stretch(short)?)?;
    if version.since == Seq(seq) { Ok(version) } else { Err(Broken("a version of another record")) }
}

/// First version and birth, both in short form.
fn split(value: &[u8]) -> Result<(&[u8], &[u8]), Broken> {
    let mut reader = Reader::new("a birth", value);
    let length = usize::try_from(take_short(&mut reader)?).map_err(|_| Broken("a long version"))?;
    Ok((reader.take(length)?, reader.rest()))
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let version = decode(key, value)?;
    let born = Seq(KeyReader::new(Kind::Version, key)?.number()?);
    if version.since == born {
        birth::decode(split(value)?.1, born)?;
    }
    Ok(())
}
