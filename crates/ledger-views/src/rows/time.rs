//! Owns the way from an instant to a record: the last one recorded at or before it.
//!
//! One row holds the times of 64 records, keyed by the first of them, so the answer is one seek and
//! exact. The last row grows until it is full and is replaced as it grows.
//!
//! Time never goes backwards in a log. Where a log breaks that rule, a record counts as recorded when
//! the latest record before it was, so that the records up to an instant are always a prefix.

use ledger_format::bytes::Reader;
use ledger_format::{Micros, Seq};

use crate::error::{Broken, ViewError};
use crate::key::{Key, KeyReader, Kind};
use crate::number::{put_short, take_short};
use crate::rows::Rows;
use crate::source::Source;

/// Records in one row.
const BLOCK: usize = 64;

/// The row that is not full yet.
#[derive(Debug)]
pub(crate) struct Tail {
    first: Seq,
    times: Vec<Micros>,
    /// The latest time there ever was.
    latest: Micros,
    /// The row's form so far.
    stored: Option<Vec<u8>>,
}

impl Tail {
    pub(crate) const fn new() -> Self {
        Self { first: Seq(0), times: Vec::new(), latest: Micros::MIN, stored: None }
    }

    /// Continues where stored rows end; `next` is the record that comes next.
    pub(crate) fn load<S: Source>(source: &S, next: Seq) -> Result<Self, ViewError> {
        let (from, to) = (Key::new(Kind::Time), Key::new(Kind::Time).end());
        let last = source.last(from.as_slice(), to.as_slice(), |key, value| {
            Ok((decode(key, value)?, value.to_vec()))
        })?;
        let Some(((first, times), value)) = last else {
            return if next == Seq(0) { Ok(Self::new()) } else { Err(no_times(next)) };
        };
        if first.0.checked_add(times.len() as u64) != Some(next.0) {
            return Err(no_times(next));
        }
        let latest = times.last().copied().unwrap_or(Micros::MIN);
        if times.len() < BLOCK {
            Ok(Self { first, times, latest, stored: Some(value) })
        } else {
            Ok(Self { first: next, times: Vec::new(), latest, stored: None })
        }
    }

    /// Adds the time of a record.
    pub(crate) fn push<S: Source>(&mut self, rows: &mut Rows<'_, S>, seq: Seq, time: Micros) {
        if self.times.is_empty() {
            self.first = seq;
        }
        self.latest = self.latest.max(time);
        self.times.push(self.latest);
        if self.times.len() >= BLOCK {
            self.settle(rows);
            self.times.clear();
            self.stored = None;
        }
    }

    /// Brings the row up to date.
    pub(crate) fn settle<S: Source>(&mut self, rows: &mut Rows<'_, S>) {
        let Some(earliest) = self.times.first() else { return };
        let value = encode(&self.times);
        if self.stored.as_ref() != Some(&value) {
            let key = Key::new(Kind::Time).time(*earliest).number(self.first.0);
            // A row of one record has no value, so its presence is what tells it from none.
            let old = self.stored.replace(value.clone());
            rows.swap(key.into_vec(), old, value);
        }
    }
}

fn no_times(next: Seq) -> ViewError {
    ViewError::doubt("loading times", format!("they do not reach record {next}"))
}

/// The last record at or before an instant.
pub(crate) fn seq_at<S: Source>(source: &S, time: Micros) -> Result<Option<Seq>, ViewError> {
    let (from, to) = (Key::new(Kind::Time), Key::new(Kind::Time).time(time).end());
    let found = source.last(from.as_slice(), to.as_slice(), |key, value| {
        let (first, times) = decode(key, value)?;
        let until = times.partition_point(|at| *at <= time) as u64;
        Ok(first.0.checked_add(until).and_then(|end| end.checked_sub(1)).map(Seq))
    })?;
    Ok(found.flatten())
}

/// All times but the first, which is in the key, each as the distance from the one before.
fn encode(times: &[Micros]) -> Vec<u8> {
    let mut value = Vec::new();
    for (before, after) in times.iter().zip(times.iter().skip(1)) {
        put_short(&mut value, after.0.wrapping_sub(before.0).cast_unsigned());
    }
    value
}

fn decode(key: &[u8], value: &[u8]) -> Result<(Seq, Vec<Micros>), Broken> {
    let mut reader = KeyReader::new(Kind::Time, key)?;
    let mut at = reader.time()?;
    let first = Seq(reader.last_number()?);
    let mut times = vec![at];
    let mut reader = Reader::new("times", value);
    while !reader.rest().is_empty() {
        let step = take_short(&mut reader)?;
        let next = at.0.wrapping_add(step.cast_signed());
        if next < at.0 {
            return Err(Broken("times run over"));
        }
        at = Micros(next);
        times.push(at);
    }
    Ok((first, times))
}

pub(crate) fn check(key: &[u8], value: &[u8]) -> Result<(), Broken> {
    let (_, times) = decode(key, value)?;
    if times.len() <= BLOCK { Ok(()) } else { Err(Broken("a row with too many times")) }
}
