//! Owns groups: a number for each, given in the order of appearance, because it is shorter than an
//! alias everywhere else; and who was ever a member, in the order of births. The members of groups
//! with live sets are not kept here: being born is a change of the live set.

use ledger_format::bytes::Reader;
use ledger_format::{AliasId, Seq};

use crate::error::{Broken, ViewError};
use crate::group::Group;
use crate::key::{Key, KeyReader, Kind};
use crate::number::{put_short, take_short};
use crate::recent::Recent;
use crate::rows::{Rows, empty};
use crate::source::{Go, Source};

/// A group's number, and whether it was given just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbered {
    pub(crate) number: u64,
    pub(crate) new: bool,
}

/// The number of a group, if anything was ever in it.
pub(crate) fn number<S: Source>(source: &S, group: Group) -> Result<Option<u64>, ViewError> {
    source.get(&group.key(), decode)
}

/// The number of a group; gives one to a new group.
pub(crate) fn number_or_new<S: Source>(
    rows: &mut Rows<'_, S>,
    recent: &mut Recent<Group, u64>,
    group: Group,
) -> Result<Numbered, ViewError> {
    if let Some(number) = recent.get(&group) {
        return Ok(Numbered { number, new: false });
    }
    if let Some(number) = number(&rows.over(), group)? {
        recent.insert(group, number);
        return Ok(Numbered { number, new: false });
    }
    let number = rows.meta.groups;
    rows.meta.groups += 1;
    let mut value = Vec::new();
    put_short(&mut value, number);
    let key = group.key();
    // The same kind and alias, the other way round.
    let name = key.get(1..).unwrap_or_default().to_vec();
    rows.swap(key, None, value);
    rows.put(Key::new(Kind::Name).number(number), name);
    recent.insert(group, number);
    Ok(Numbered { number, new: true })
}

/// The alias behind a number.
pub(crate) fn alias<S: Source>(source: &S, number: u64) -> Result<AliasId, ViewError> {
    let key = Key::new(Kind::Name).number(number);
    let found = source.get(key.as_slice(), |value| Ok(name(value)?.1))?;
    found.ok_or_else(|| Broken("a number without a name").at(key.as_slice()))
}

fn name(value: &[u8]) -> Result<(u8, AliasId), Broken> {
    let mut reader = Reader::new("a name", value);
    let kind = reader.u8()?;
    let alias = AliasId(reader.array()?);
    reader.end()?;
    if (1..=7).contains(&kind) {
        Ok((kind, alias))
    } else {
        Err(Broken("a group of no known kind"))
    }
}

/// Puts a member.
pub(crate) fn join<S: Source>(rows: &mut Rows<'_, S>, number: u64, born: Seq) {
    rows.put(Key::new(Kind::Member).number(number).number(born.0), Vec::new());
}

/// Some members born within a range, in order, at most `most`.
pub(crate) fn members<S: Source>(
    source: &S,
    number: u64,
    from: Seq,
    to: Seq,
    most: usize,
) -> Result<Vec<Seq>, ViewError> {
    let mut members = Vec::new();
    let key = Key::new(Kind::Member).number(number);
    let (first, last) = (key.clone().number(from.0), key.number(to.0));
    source.each(first.as_slice(), last.as_slice(), |key, _| {
        members.push(member(key)?);
        Ok(if members.len() < most { Go::On } else { Go::Stop })
    })?;
    Ok(members)
}

fn member(key: &[u8]) -> Result<Seq, Broken> {
    let mut reader = KeyReader::new(Kind::Member, key)?;
    reader.number()?;
    Ok(Seq(reader.last_number()?))
}

fn decode(value: &[u8]) -> Result<u64, Broken> {
    let mut reader = Reader::new("a group", value);
    let number = take_short(&mut reader)?;
    reader.end()?;
    Ok(number)
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let mut reader = KeyReader::new(Kind::Group, key)?;
    name(&reader.array::<17>()?)?;
    reader.end()?;
    decode(value).map(|_| ())
}

pub(crate) fn check_name(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    KeyReader::new(Kind::Name, key)?.last_number()?;
    name(value).map(|_| ())
}

pub(crate) fn check_member(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    member(key)?;
    empty(value)
}
