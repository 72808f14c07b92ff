//! Owns how far erasures are. A row is replaced whenever its erasure advances.

use ledger_format::JobId;
use ledger_replay::Erasure;

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::rows::Rows;
use crate::source::Source;
use crate::squeeze::{squeeze, stretch};

fn key(id: JobId) -> Key {
    Key::new(Kind::Erasure).job(id)
}

pub(crate) fn put<S: Source>(
    rows: &mut Rows<'_, S>,
    id: JobId,
    erasure: &Erasure,
) -> Result<(), ViewError> {
    let mut value = Vec::new();
    squeeze(&mut value, &erasure.encode());
    rows.replace(key(id), value)
}

/// An erasure as it stands now.
pub(crate) fn get<S: Source>(source: &S, id: JobId) -> Result<Option<Erasure>, ViewError> {
    source.get(key(id).as_slice(), decode)
}

fn decode(value: &[u8]) -> Result<Erasure, Broken> {
    Ok(Erasure::decode(&stretch(value)?)?)
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let mut reader = KeyReader::new(Kind::Erasure, key)?;
    reader.array::<16>()?;
    reader.end()?;
    decode(value).map(|_| ())
}
