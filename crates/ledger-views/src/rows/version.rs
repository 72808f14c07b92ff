//! Owns births and versions.
//!
//! A version is known from its record until the next one's: no end is stored, so nothing is ever
//! overwritten, and the version at a record is one seek. The birth of a memory lies in the row of
//! its first version, which exists as long as it does.

use ledger_format::Seq;
use ledger_format::bytes::Reader;
use ledger_replay::{Birth, Lifecycle};

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::number::{put_short, take_short};
use crate::rows::Rows;
use crate::source::{Go, Source};
use crate::squeeze::{squeeze, stretch};

fn of(born: Seq) -> Key {
    Key::new(Kind::Version).number(born.0)
}

/// Puts the birth and the first version of a memory.
pub(crate) fn put_first<S: Source>(rows: &mut Rows<'_, S>, birth: &Birth, first: &Lifecycle) {
    let mut plain = first.encode();
    let mut value = Vec::new();
    put_short(&mut value, plain.len() as u64);
    plain.extend(birth.encode());
    squeeze(&mut value, &plain);
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
    source.get(key.as_slice(), |value| split(value).and_then(|(_, birth)| decode_birth(&birth, born)))
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

fn decode(key: &[u8], value: &[u8]) -> Result<Lifecycle, Broken> {
    let mut reader = KeyReader::new(Kind::Version, key)?;
    let born = reader.number()?;
    let seq = reader.last_number()?;
    let plain = if born == seq { split(value)?.0 } else { stretch(value)? };
    let version = Lifecycle::decode(&plain)?;
    if version.since == Seq(seq) { Ok(version) } else { Err(Broken("a version of another record")) }
}

/// First version and birth, both encoded.
fn split(value: &[u8]) -> Result<(Vec<u8>, Vec<u8>), Broken> {
    let mut reader = Reader::new("a birth", value);
    let length = take_short(&mut reader)?;
    let mut plain = stretch(reader.rest())?;
    match usize::try_from(length) {
        Ok(length) if length <= plain.len() => {
            let birth = plain.split_off(length);
            Ok((plain, birth))
        }
        _ => Err(Broken("a birth is too short")),
    }
}

fn decode_birth(plain: &[u8], born: Seq) -> Result<Birth, Broken> {
    let birth = Birth::decode(plain)?;
    if birth.seq == born { Ok(birth) } else { Err(Broken("a birth of another record")) }
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let version = decode(key, value)?;
    let born = Seq(KeyReader::new(Kind::Version, key)?.number()?);
    if version.since == born {
        decode_birth(&split(value)?.1, born)?;
    }
    Ok(())
}
