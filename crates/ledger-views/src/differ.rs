//! Owns finding the rows in which stored views differ from a replay, in bounded memory.
//!
//! Rows fall into buckets by a digest of their key. A first replay sums each bucket, as the stored rows
//! are summed; a second one keeps the rows of the buckets that differ, and only they are compared.
//! Invariant: whatever differs, some row is named. May not: decide which side is right; the log is.

use std::collections::BTreeMap;
use std::fmt;

use ledger_format::hash;

use crate::digest::Sum;
use crate::error::{Broken, ViewError, hex};
use crate::fold::Fold;
use crate::key::{KeyReader, Kind};
use crate::source::{Go, Source};
use crate::views::Views;

const BUCKETS: usize = 1 << 12;
/// Rows that are kept at most, of all buckets that differ.
const MOST: usize = 100_000;

/// Sums of the rows of each bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSums(Vec<Sum>);

/// Which buckets are looked at row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubtful(Vec<bool>);

/// A row that is stored otherwise than a replay makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowDifference {
    key: Vec<u8>,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Missing,
    Extra,
    Changed,
}

impl Default for RowSums {
    fn default() -> Self {
        Self(vec![Sum::default(); BUCKETS])
    }
}

impl RowSums {
    pub(crate) fn add(&mut self, key: &[u8], value: &[u8]) {
        if let Some(sum) = self.0.get_mut(bucket(key)) {
            sum.add(key, value);
        }
    }

    /// The buckets in which these rows are not those.
    #[must_use]
    pub fn doubtful(&self, other: &Self) -> Doubtful {
        Doubtful(self.0.iter().zip(&other.0).map(|(one, other)| one != other).collect())
    }
}

/// The rows of the buckets in doubt.
#[derive(Clone, Debug)]
pub(crate) struct Picked {
    doubtful: Doubtful,
    pub(crate) rows: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Picked {
    pub(crate) const fn new(doubtful: Doubtful) -> Self {
        Self { doubtful, rows: BTreeMap::new() }
    }

    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) {
        let wanted = self.doubtful.0.get(bucket(key)).is_some_and(|doubt| *doubt);
        if wanted && (self.rows.len() < MOST || self.rows.contains_key(key)) {
            self.rows.insert(key.to_vec(), value.to_vec());
        }
    }
}

impl Views {
    /// Sums all stored rows.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn row_sums(&self) -> Result<RowSums, ViewError> {
        let mut sums = RowSums::default();
        self.each_row(|key, value| sums.add(key, value))?;
        Ok(sums)
    }

    /// What differs from the rows of a fold that was begun with [`Fold::picking`], in the order of the
    /// keys, `most` at most.
    ///
    /// # Errors
    /// When the rows cannot be read.
    pub fn differences(&self, fold: Fold, most: usize) -> Result<Vec<RowDifference>, ViewError> {
        let Some(replayed) = fold.into_picked() else { return Ok(Vec::new()) };
        let mut stored = Picked::new(replayed.doubtful.clone());
        self.each_row(|key, value| stored.put(key, value))?;
        let mut found = Vec::new();
        for (key, value) in &replayed.rows {
            match stored.rows.remove(key) {
                Some(same) if same == *value => {}
                Some(_) => found.push(RowDifference { key: key.clone(), how: How::Changed }),
                None => found.push(RowDifference { key: key.clone(), how: How::Missing }),
            }
        }
        let extra = stored.rows.into_keys().map(|key| RowDifference { key, how: How::Extra });
        found.extend(extra);
        found.sort_by(|one, other| one.order().cmp(&other.order()));
        found.truncate(most);
        Ok(found)
    }

    fn each_row(&self, mut each: impl FnMut(&[u8], &[u8])) -> Result<(), ViewError> {
        let mut still = self.writer();
        self.spill(&mut still)?;
        self.table.each(&[], &[0xff], |key, value| {
            each(key, value);
            Ok(Go::On)
        })
    }
}

impl RowDifference {
    /// What people ask for first: the memories, then the rest.
    fn order(&self) -> (bool, &[u8]) {
        (Kind::of(&self.key) != Some(Kind::Version), &self.key)
    }
}

impl fmt::Display for RowDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match words(&self.key) {
            Ok(words) => f.write_str(&words)?,
            Err(_) => write!(f, "the row with the key {}", hex(&self.key))?,
        }
        f.write_str(match self.how {
            How::Missing => " is missing",
            How::Extra => " is not what the log says: there is no such row",
            How::Changed => " does not hold what the log says",
        })
    }
}

/// What a row is about.
fn words(key: &[u8]) -> Result<String, Broken> {
    let kind = Kind::of(key).ok_or(Broken("a row of no known kind"))?;
    let mut reader = KeyReader::new(kind, key)?;
    Ok(match kind {
        Kind::Version => {
            let (born, seq) = (reader.number()?, reader.last_number()?);
            format!("memory m{born}: the row of what record {seq} made of it")
        }
        Kind::Alias => format!("the row of the name {}", hex(&reader.array::<16>()?)),
        Kind::Child => format!("the row of names under {}", hex(&reader.array::<16>()?)),
        Kind::Derived => format!("the row of what derives from {}", hex(&reader.array::<16>()?)),
        Kind::Erasure => format!("the row of the erasure {}", hex(&reader.array::<16>()?)),
        Kind::Id => format!("the row of the memory with the id {}", hex(&reader.array::<16>()?)),
        Kind::Task => {
            let task = hex(&reader.array::<16>()?);
            format!("the row of the task {task} from record {} on", reader.number()?)
        }
        Kind::Schedule => format!("the row of the recurring job {}", reader.number()?),
        Kind::Group => "a row of groups of memories".to_owned(),
        Kind::Name => format!("the row of group {}", reader.number()?),
        Kind::Live | Kind::Snapshot | Kind::Member => {
            format!("group {}: a row of its members", reader.number()?)
        }
        Kind::Time => format!("the row of the times from {} on", reader.time()?.0),
    })
}

fn bucket(key: &[u8]) -> usize {
    let digest = hash::check(key);
    let [low, high, ..] = digest.0;
    usize::from(u16::from_le_bytes([low, high])) % BUCKETS
}
