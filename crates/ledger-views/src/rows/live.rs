//! Owns who was live in a group at any record: a set that remembers all its states.
//!
//! Each record that changes the set puts one row with what began and ceased. A birth is always in it,
//! live or not, so the rows tell who was ever a member too. When as many changes
//! as the set has members, and 64 at least, have come since the last snapshot, the whole set is put
//! as a snapshot. The set at a record is the last snapshot before it and the changes since: about
//! twice its size and 64 steps, at any depth of history; and a change costs about two members'
//! worth of snapshot, whatever the size.

mod sets;

use ledger_format::Seq;
use ledger_format::bytes::Reader;

use self::sets::{Count, Detail};
use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::number::{put_short, take_short};
use crate::rows::Rows;
use crate::source::{Go, Source};

pub(crate) use self::sets::Sets;

/// Changes between snapshots of a small set.
const SMALL: u64 = 64;
/// Members in one row of a snapshot.
const CHUNK: usize = 1_024;

/// A memory that began or ceased to be live, or was born without being live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    pub(crate) born: u64,
    pub(crate) began: bool,
}

/// The set at a record.
#[derive(Debug)]
struct Set {
    members: Vec<u64>,
    since: u64,
}

/// Puts what a record changed in one set, and a snapshot when one is due.
pub(crate) fn put<S: Source>(
    rows: &mut Rows<'_, S>,
    sets: &mut Sets,
    group: u64,
    seq: Seq,
    turns: &[Turn],
) -> Result<(), ViewError> {
    if !sets.knows(group) {
        let Set { members, since } = read(&rows.over(), group, Seq(u64::MAX))?;
        sets.learn(group, Count { size: members.len() as u64, since }, members);
    }
    rows.put(turns_key(group).number(seq.0), encode_turns(seq, turns));
    if sets.add(group, seq.0, turns) {
        let members = match sets.take_members(group) {
            Some(members) => members,
            None => read(&rows.over(), group, seq)?.members,
        };
        snapshot(rows, group, seq, &members);
        sets.snapshot(group, members);
    }
    Ok(())
}

/// A set that is known to be empty, because its group is new.
pub(crate) fn begin(sets: &mut Sets, group: u64) {
    sets.learn(group, Count::default(), Vec::new());
}

/// Who was live at a record, in the order of births.
pub(crate) fn at<S: Source>(source: &S, group: u64, seq: Seq) -> Result<Vec<Seq>, ViewError> {
    Ok(read(source, group, seq)?.members.into_iter().map(Seq).collect())
}

/// Some members born within a range, in order, at most `most`.
pub(crate) fn members<S: Source>(
    source: &S,
    group: u64,
    from: Seq,
    to: Seq,
    most: usize,
) -> Result<Vec<Seq>, ViewError> {
    let mut members = Vec::new();
    let (first, last) = (turns_key(group).number(from.0), turns_key(group).number(to.0));
    source.each(first.as_slice(), last.as_slice(), |key, value| {
        let (seq, turns) = decode_turns(key, value)?;
        members.extend(turns.iter().map(|turn| Seq(turn.born)).filter(|born| *born == seq));
        Ok(if members.len() < most { Go::On } else { Go::Stop })
    })?;
    Ok(members)
}

fn turns_key(group: u64) -> Key {
    Key::new(Kind::Live).number(group)
}

fn snapshot_key(group: u64) -> Key {
    Key::new(Kind::Snapshot).number(group)
}

fn snapshot<S: Source>(rows: &mut Rows<'_, S>, group: u64, seq: Seq, members: &[u64]) {
    let key = snapshot_key(group).number(seq.0);
    if members.is_empty() {
        rows.put(key.number(0), Vec::new());
        return;
    }
    for (chunk, members) in (0u64..).zip(members.chunks(CHUNK)) {
        rows.put(key.clone().number(chunk), pack(members));
    }
}

fn read<S: Source>(source: &S, group: u64, seq: Seq) -> Result<Set, ViewError> {
    let key = snapshot_key(group);
    let end = key.clone().number(seq.0).end();
    let last = source
        .last(key.as_slice(), end.as_slice(), |key, value| Ok((place(key)?, unpack(value)?)))?;
    let mut members = Vec::new();
    let mut from = 0;
    if let Some(((at, chunk), mut tail)) = last {
        if chunk > 0 {
            members = earlier_chunks(source, key.number(at), chunk)?;
        }
        members.append(&mut tail);
        from = at.saturating_add(1);
    }
    let mut turns = Vec::new();
    let key = turns_key(group);
    let (first, end) = (key.clone().number(from), key.number(seq.0));
    source.each(first.as_slice(), end.as_slice(), |key, value| {
        turns.append(&mut decode_turns(key, value)?.1);
        Ok(Go::On)
    })?;
    let since = turns.len() as u64;
    Ok(Set { members: Detail { members, turns }.into_members(), since })
}

/// The members in all chunks of a snapshot before its last one.
fn earlier_chunks<S: Source>(source: &S, key: Key, last: u64) -> Result<Vec<u64>, ViewError> {
    let mut members = Vec::new();
    let mut next = 0;
    let (from, to) = (key.clone().number(0), key.number(last.saturating_sub(1)));
    source.each(from.as_slice(), to.as_slice(), |key, value| {
        if place(key)?.1 != next {
            return Err(Broken("a chunk of a snapshot is missing"));
        }
        next += 1;
        members.append(&mut unpack(value)?);
        Ok(Go::On)
    })?;
    if next == last {
        Ok(members)
    } else {
        Err(Broken("a chunk of a snapshot is missing").at(from.as_slice()))
    }
}

/// Record and chunk of a snapshot row.
fn place(key: &[u8]) -> Result<(u64, u64), Broken> {
    let mut reader = KeyReader::new(Kind::Snapshot, key)?;
    reader.number()?;
    Ok((reader.number()?, reader.last_number()?))
}

/// Each birth as its distance from the record, doubled; odd: it began.
fn encode_turns(seq: Seq, turns: &[Turn]) -> Vec<u8> {
    let mut value = Vec::new();
    for turn in turns {
        let back = seq.0.saturating_sub(turn.born);
        put_short(&mut value, back.saturating_mul(2) | u64::from(turn.began));
    }
    value
}

fn decode_turns(key: &[u8], value: &[u8]) -> Result<(Seq, Vec<Turn>), Broken> {
    let mut reader = KeyReader::new(Kind::Live, key)?;
    reader.number()?;
    let seq = reader.last_number()?;
    let mut reader = Reader::new("live changes", value);
    let mut turns = Vec::new();
    while !reader.rest().is_empty() {
        let turn = take_short(&mut reader)?;
        let born = seq.checked_sub(turn / 2).ok_or(Broken("a change of an unborn memory"))?;
        turns.push(Turn { born, began: turn % 2 == 1 });
    }
    Ok((Seq(seq), turns))
}

/// Births in order, each as the distance from the one before.
fn pack(members: &[u64]) -> Vec<u8> {
    let mut value = Vec::with_capacity(members.len() * 2);
    let mut before = 0;
    for member in members {
        put_short(&mut value, member - before);
        before = *member;
    }
    value
}

fn unpack(value: &[u8]) -> Result<Vec<u64>, Broken> {
    let mut reader = Reader::new("a snapshot", value);
    let mut members: Vec<u64> = Vec::with_capacity(value.len());
    while !reader.rest().is_empty() {
        let step = take_short(&mut reader)?;
        let member = match members.last() {
            None => Some(step),
            Some(before) => before.checked_add(step).filter(|_| step > 0),
        };
        members.push(member.ok_or(Broken("a snapshot is not in order"))?);
    }
    Ok(members)
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    decode_turns(key, value).map(|_| ())
}

pub(crate) fn check_snapshot(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    place(key)?;
    unpack(value).map(|_| ())
}
