//! Owns rows on their way into new views: put in any order, handed out in the order of their keys,
//! each key once and in its last form.
//!
//! Rows are gathered in memory up to a bound. Beyond it they are sorted and written to a file, a
//! run; at the end all runs are merged in one pass. So memory is the bound and one block of every
//! run, whatever the number of rows, and every row reaches the table once.
//!
//! May not: know what rows mean. Runs are work in progress: nobody opens them after a crash.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::path::{Path, PathBuf};

use crate::error::ViewError;
use crate::guard::{RunReader, RunWriter, put_entry, remove_file, take_entry};

/// Runs that are merged at once. When there are as many, they become one: a bound on open files.
const FAN_IN: usize = 128;
/// Least and most bytes that may be gathered in memory: places in it are 32 bits wide.
const LEAST: usize = 1 << 10;
const MOST: usize = 1 << 30;

/// Gathers rows and gives them back in order.
#[derive(Debug)]
pub(crate) struct Sorter {
    dir: PathBuf,
    most: usize,
    gathered: Gathered,
    runs: Vec<PathBuf>,
    written: u64,
}

impl Sorter {
    /// `dir` takes the runs, `most` is how many bytes may be gathered in memory.
    pub(crate) fn new(dir: &Path, most: usize) -> Self {
        Self {
            dir: dir.to_owned(),
            most: most.clamp(LEAST, MOST),
            gathered: Gathered::default(),
            runs: Vec::new(),
            written: 0,
        }
    }

    /// Adds a row. One that has the key of an earlier row replaces it.
    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) {
        self.gathered.put(key, value);
    }

    /// Writes a run when it is time.
    pub(crate) fn settle(&mut self) -> Result<(), ViewError> {
        if self.gathered.bytes() < self.most {
            return Ok(());
        }
        self.write_gathered()?;
        if self.runs.len() < FAN_IN {
            return Ok(());
        }
        let old = std::mem::take(&mut self.runs);
        let mut writer = self.begin_run()?;
        merge(&old, |key, value| writer.put(key, value))?;
        self.runs.push(writer.end()?);
        old.iter().try_for_each(|path| remove_file(path))
    }

    /// Hands over all rows in order and removes the runs.
    pub(crate) fn drain(
        mut self,
        mut each: impl FnMut(&[u8], &[u8]) -> Result<(), ViewError>,
    ) -> Result<(), ViewError> {
        if self.runs.is_empty() {
            return self.gathered.take_sorted(each);
        }
        self.write_gathered()?;
        // The memory is needed elsewhere now.
        self.gathered = Gathered::default();
        merge(&self.runs, &mut each)?;
        self.runs.iter().try_for_each(|path| remove_file(path))
    }

    fn write_gathered(&mut self) -> Result<(), ViewError> {
        let mut writer = self.begin_run()?;
        self.gathered.take_sorted(|key, value| writer.put(key, value))?;
        self.runs.push(writer.end()?);
        Ok(())
    }

    fn begin_run(&mut self) -> Result<RunWriter, ViewError> {
        self.written += 1;
        RunWriter::create(self.dir.join(format!("run-{:06}", self.written)))
    }
}

/// Rows in memory: their bytes one behind the other, and where each begins.
#[derive(Debug, Default)]
struct Gathered {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// A row in memory. Most comparisons end at the first bytes of its key, which lie here.
#[derive(Clone, Copy, Debug)]
struct Place {
    prefix: u64,
    at: u32,
}

impl Gathered {
    fn bytes(&self) -> usize {
        self.bytes.len() + self.places.len() * size_of::<Place>()
    }

    fn put(&mut self, key: &[u8], value: &[u8]) {
        let mut prefix = [0; 8];
        prefix.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
        // The bound on what is gathered keeps places within 32 bits.
        let at = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        self.places.push(Place { prefix: u64::from_be_bytes(prefix), at });
        put_entry(&mut self.bytes, key, value);
    }

    fn take_sorted(
        &mut self,
        mut each: impl FnMut(&[u8], &[u8]) -> Result<(), ViewError>,
    ) -> Result<(), ViewError> {
        let mut places = std::mem::take(&mut self.places);
        let bytes = std::mem::take(&mut self.bytes);
        let entry = |place: &Place| {
            let from = bytes.get(place.at as usize..).unwrap_or_default();
            take_entry(from).map_or_else(Default::default, |(key, value, _)| (key, value))
        };
        places.sort_unstable_by(|a, b| {
            let keys = || entry(a).0.cmp(entry(b).0);
            // Of equal keys the row that was put last comes last.
            a.prefix.cmp(&b.prefix).then_with(keys).then(a.at.cmp(&b.at))
        });
        let mut next = places.iter().map(entry).peekable();
        while let Some((key, value)) = next.next() {
            if next.peek().is_none_or(|(after, _)| *after != key) {
                each(key, value)?;
            }
        }
        // Both keep their memory for the rows that come.
        (self.places, self.bytes) = (places, bytes);
        self.places.clear();
        self.bytes.clear();
        Ok(())
    }
}

/// The next row of a run.
struct Head {
    reader: RunReader,
    age: Reverse<usize>,
}

impl Ord for Head {
    /// The heap gives the greatest: the smallest key, and of equal ones the newest run.
    fn cmp(&self, other: &Self) -> Ordering {
        other.reader.key().cmp(self.reader.key()).then_with(|| other.age.cmp(&self.age))
    }
}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Head {}

/// Hands over the rows of all runs, oldest run first in `runs`.
fn merge(
    runs: &[PathBuf],
    mut each: impl FnMut(&[u8], &[u8]) -> Result<(), ViewError>,
) -> Result<(), ViewError> {
    let mut heads = BinaryHeap::with_capacity(runs.len());
    for (age, path) in runs.iter().enumerate() {
        let mut reader = RunReader::open(path)?;
        if reader.advance()? {
            heads.push(Head { reader, age: Reverse(age) });
        }
    }
    let mut last: Option<Vec<u8>> = None;
    while let Some(mut head) = heads.peek_mut() {
        let key = head.reader.key();
        // An older form of a row that was handed over already is left out.
        if last.as_deref() != Some(key) {
            each(key, head.reader.value())?;
            let last = last.get_or_insert_default();
            last.clear();
            last.extend_from_slice(key);
        }
        if !head.reader.advance()? {
            PeekMut::pop(head);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn drained(sorter: Sorter) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut rows = Vec::new();
        let each = |key: &[u8], value: &[u8]| {
            rows.push((key.to_vec(), value.to_vec()));
            Ok(())
        };
        sorter.drain(each).expect("reads");
        rows
    }

    proptest! {
        #[test]
        fn it_gives_what_a_map_gives(
            rows in prop::collection::vec((prop::collection::vec(0u8..3, 0..12), any::<u8>(), 0usize..90), 0..300),
            most in 0usize..40_000,
        ) {
            let dir = tempfile::tempdir().expect("a directory");
            let mut sorter = Sorter::new(dir.path(), most);
            let mut map = BTreeMap::new();
            for (key, byte, length) in rows {
                let value = vec![byte; length];
                sorter.put(&key, &value);
                sorter.settle().expect("writes");
                map.insert(key, value);
            }
            prop_assert_eq!(drained(sorter), map.into_iter().collect::<Vec<_>>());
            prop_assert_eq!(std::fs::read_dir(dir.path()).expect("lists").count(), 0);
        }
    }

    /// More runs than are merged at once, the same keys in most of them.
    #[test]
    fn many_runs_become_one_and_the_last_form_counts() {
        let dir = tempfile::tempdir().expect("a directory");
        let mut sorter = Sorter::new(dir.path(), 0);
        let mut map = BTreeMap::new();
        let mut most_files = 0;
        for number in 0..12_000u32 {
            let key = (number.wrapping_mul(2_654_435_761) % 700).to_be_bytes();
            sorter.put(&key, &number.to_be_bytes());
            sorter.settle().expect("writes");
            map.insert(key.to_vec(), number.to_be_bytes().to_vec());
            most_files = most_files.max(sorter.runs.len());
        }
        assert_eq!(most_files, FAN_IN - 1);
        assert_eq!(drained(sorter), map.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_run_that_was_changed_does_not_read() {
        for at in [0, 3, 9, 25, 60] {
            let dir = tempfile::tempdir().expect("a directory");
            let mut sorter = Sorter::new(dir.path(), 0);
            (0..40u8).for_each(|key| sorter.put(&[key], &[key; 30]));
            sorter.settle().expect("writes");
            let path = sorter.runs[0].clone();
            let mut bytes = std::fs::read(&path).expect("reads");
            bytes[at] ^= 1;
            std::fs::write(&path, bytes).expect("writes");
            let drained = sorter.drain(|_, _| Ok(()));
            assert!(matches!(drained, Err(ViewError::File { .. })), "byte {at}: {drained:?}");
        }
    }
}
