//! Owns aliases and the way from an alias down to those bound under it.
//!
//! The row of an alias is replaced when its name is erased; the past then answers with the erasure,
//! as it must.

use ledger_format::{AliasId, AliasKind, Seq};
use ledger_replay::Alias;

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::rows::Rows;
use crate::source::{Go, Source};
use crate::squeeze::{squeeze, stretch};

fn key(id: AliasId) -> Key {
    Key::new(Kind::Alias).alias(id)
}

fn under(parent: AliasId, kind: AliasKind) -> Key {
    Key::new(Kind::Child).alias(parent).alias_kind(kind)
}

/// Puts an alias as it stands after a record.
pub(crate) fn put<S: Source>(
    rows: &mut Rows<'_, S>,
    seq: Seq,
    id: AliasId,
    alias: &Alias,
) -> Result<(), ViewError> {
    let mut value = Vec::new();
    squeeze(&mut value, &alias.encode());
    if alias.bound != seq {
        return rows.replace(key(id), value);
    }
    // Bound just now, so there is no row of it. Those without a parent lie under the ledger itself:
    // whoever looks for a person, a label or a term by name has nothing but this list.
    rows.put(key(id), value);
    let parent = alias.parent.unwrap_or(AliasId::ZERO);
    rows.put(under(parent, alias.kind).number(alias.bound.0), id.0.to_vec());
    Ok(())
}

/// An alias as it stands now.
pub(crate) fn get<S: Source>(source: &S, id: AliasId) -> Result<Option<Alias>, ViewError> {
    source.get(key(id).as_slice(), decode)
}

/// Aliases of one kind bound under a parent from one record until another, in the order in which
/// they were bound.
pub(crate) fn children<S: Source>(
    source: &S,
    parent: AliasId,
    kind: AliasKind,
    from: Seq,
    until: Seq,
) -> Result<Vec<AliasId>, ViewError> {
    if from > until {
        return Ok(Vec::new());
    }
    let mut children = Vec::new();
    let bound = |seq: Seq| under(parent, kind).number(seq.0);
    let (from, to) = (bound(from), bound(until));
    source.each(from.as_slice(), to.as_slice(), |_, value| {
        children.push(child(value)?);
        Ok(Go::On)
    })?;
    Ok(children)
}

fn decode(value: &[u8]) -> Result<Alias, Broken> {
    Ok(Alias::decode(&stretch(value)?)?)
}

fn child(value: &[u8]) -> Result<AliasId, Broken> {
    value.try_into().map(AliasId).map_err(|_| Broken("an alias has 16 bytes"))
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let mut reader = KeyReader::new(Kind::Alias, key)?;
    reader.array::<16>()?;
    reader.end()?;
    decode(value).map(|_| ())
}

pub(crate) fn check_child(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let mut reader = KeyReader::new(Kind::Child, key)?;
    reader.array::<16>()?;
    let [kind] = reader.array::<1>()?;
    AliasKind::from_number(kind).ok_or(Broken("an alias of no known kind"))?;
    reader.last_number()?;
    child(value).map(|_| ())
}
