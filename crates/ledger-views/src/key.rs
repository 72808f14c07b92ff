//! Owns the keys of all rows: one byte for the kind, then fixed ids and ordered numbers.
//!
//! Invariant: within a kind, byte order is the order of the numbers. May not: hold text.

use ledger_format::bytes::Reader;
use ledger_format::{AliasId, AliasKind, JobId, MemoryId, Micros};

use crate::error::Broken;
use crate::number::{put_ordered, take_ordered};

/// The kinds of rows, in the order in which they lie in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `A alias` -> an alias as it stands.
    Alias,
    /// `C parent, alias kind, bound` -> alias.
    Child,
    /// `D source memory, child` -> nothing.
    Derived,
    /// `E erasure` -> an erasure as it stands.
    Erasure,
    /// `G group kind, alias` -> group number.
    Group,
    /// `H group number` -> group kind, alias.
    Name,
    /// `I memory` -> birth.
    Id,
    /// `J job` -> when a recurring job ran and is due.
    Schedule,
    /// `L group number, seq` -> who began and ceased to be live.
    Live,
    /// `N group number, birth` -> nothing: every member there ever was of a group without live sets.
    Member,
    /// `P task seq` -> a task as it stood from that record on.
    Task,
    /// `S group number, seq, chunk` -> who was live then.
    Snapshot,
    /// `T time, first seq` -> the times of up to 64 records.
    Time,
    /// `V birth, seq` -> a version; the first one holds the birth too.
    Version,
}

impl Kind {
    const ALL: [Self; 14] = [
        Self::Alias,
        Self::Child,
        Self::Derived,
        Self::Erasure,
        Self::Group,
        Self::Name,
        Self::Id,
        Self::Schedule,
        Self::Live,
        Self::Member,
        Self::Task,
        Self::Snapshot,
        Self::Time,
        Self::Version,
    ];

    const fn byte(self) -> u8 {
        match self {
            Self::Alias => b'A',
            Self::Child => b'C',
            Self::Derived => b'D',
            Self::Erasure => b'E',
            Self::Group => b'G',
            Self::Name => b'H',
            Self::Id => b'I',
            Self::Schedule => b'J',
            Self::Live => b'L',
            Self::Member => b'N',
            Self::Task => b'P',
            Self::Snapshot => b'S',
            Self::Time => b'T',
            Self::Version => b'V',
        }
    }

    /// The kind of a stored key.
    pub(crate) fn of(key: &[u8]) -> Option<Self> {
        let first = key.first()?;
        Self::ALL.into_iter().find(|kind| kind.byte() == *first)
    }

    /// Whether rows of this kind are replaced, so that their old form is needed: only they are kept
    /// where nobody reads.
    pub(crate) const fn is_replaced(self) -> bool {
        matches!(self, Self::Alias | Self::Erasure | Self::Schedule)
    }
}

/// A key under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(Vec<u8>);

impl Key {
    pub(crate) fn new(kind: Kind) -> Self {
        let mut bytes = Vec::with_capacity(40);
        bytes.push(kind.byte());
        Self(bytes)
    }

    pub(crate) fn number(mut self, number: u64) -> Self {
        put_ordered(&mut self.0, number);
        self
    }

    pub(crate) fn alias(self, alias: AliasId) -> Self {
        self.put(&alias.0)
    }

    pub(crate) fn memory(self, memory: MemoryId) -> Self {
        self.put(&memory.0)
    }

    pub(crate) fn job(self, job: JobId) -> Self {
        self.put(&job.0)
    }

    pub(crate) fn alias_kind(self, kind: AliasKind) -> Self {
        self.put(&[kind.number()])
    }

    /// The sign bit is turned, so that times before 1970 lie before those after.
    pub(crate) fn time(self, time: Micros) -> Self {
        self.put(&(time.0 ^ i64::MIN).to_be_bytes())
    }

    pub(crate) fn byte(self, byte: u8) -> Self {
        self.put(&[byte])
    }

    /// Behind every key that begins like this one.
    pub(crate) fn end(self) -> Self {
        self.put(&[0xff])
    }

    fn put(mut self, bytes: &[u8]) -> Self {
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn into_vec(self) -> Vec<u8> {
        self.0
    }
}

/// Walks over a stored key.
#[derive(Clone, Debug)]
pub(crate) struct KeyReader<'a>(Reader<'a>);

impl<'a> KeyReader<'a> {
    /// Starts behind the kind, which must be this one.
    pub(crate) fn new(kind: Kind, key: &'a [u8]) -> Result<Self, Broken> {
        let mut reader = Reader::new("a key", key);
        if reader.u8()? == kind.byte() {
            Ok(Self(reader))
        } else {
            Err(Broken("a key of another kind"))
        }
    }

    pub(crate) fn number(&mut self) -> Result<u64, Broken> {
        take_ordered(&mut self.0)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], Broken> {
        Ok(self.0.array()?)
    }

    pub(crate) fn time(&mut self) -> Result<Micros, Broken> {
        Ok(Micros(i64::from_be_bytes(self.0.array()?) ^ i64::MIN))
    }

    /// The last number of a key.
    pub(crate) fn last_number(mut self) -> Result<u64, Broken> {
        let number = self.number()?;
        self.end()?;
        Ok(number)
    }

    pub(crate) fn end(self) -> Result<(), Broken> {
        Ok(self.0.end()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn kinds_have_their_own_byte_and_are_found_by_it() {
        let bytes: BTreeSet<u8> = Kind::ALL.into_iter().map(Kind::byte).collect();
        assert_eq!(bytes.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert_eq!(Kind::of(Key::new(kind).as_slice()), Some(kind));
        }
        assert_eq!(Kind::of(b"z"), None);
        assert_eq!(Kind::of(b""), None);
    }

    #[test]
    fn times_before_1970_lie_before_those_after() {
        let key = |time| Key::new(Kind::Time).time(Micros(time)).into_vec();
        let times = [i64::MIN, -1, 0, 1, i64::MAX];
        assert!(times.map(key).is_sorted());
        let bytes = key(-1);
        let mut reader = KeyReader::new(Kind::Time, &bytes).expect("a time");
        assert_eq!(reader.time(), Ok(Micros(-1)));
    }
}
