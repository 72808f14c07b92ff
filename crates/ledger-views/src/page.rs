//! Owns pages: neighbouring rows in one value of sled.
//!
//! A row of sled costs about eighty bytes beside its content and is written four times before it
//! rests; most of our rows are shorter than that. So rows in order are packed until a page is full.
//! A page is found by a key at or before its first row, and holds every row up to the next page.
//! Rows are never removed, so pages only grow and split.
//!
//! In a page, each row is: how many bytes of its key the row before shares, how many follow, the
//! length of its value, then both.

use ledger_format::bytes::Reader;

use crate::error::Broken;
use crate::number::{put_short, take_short};

/// Bytes of rows that a page may hold before it is split.
pub(crate) const FULL: usize = 2_048;

/// A key and its value.
pub(crate) type Row = (Vec<u8>, Vec<u8>);
/// The same, lent.
pub(crate) type Pair<'a> = (&'a [u8], &'a [u8]);
/// A row that was looked for, its value still in the page.
type Found<'a> = Option<(Vec<u8>, &'a [u8])>;

/// Walks over the rows of a page.
#[derive(Debug)]
pub(crate) struct Rows<'a> {
    reader: Reader<'a>,
    key: Vec<u8>,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(page: &'a [u8]) -> Self {
        Self { reader: Reader::new("a page", page), key: Vec::with_capacity(40) }
    }

    /// The value of the next row, whose key is [`Self::key`] then.
    pub(crate) fn next(&mut self) -> Result<Option<&'a [u8]>, Broken> {
        if self.reader.rest().is_empty() {
            return Ok(None);
        }
        let shared = length(&mut self.reader)?;
        let own = length(&mut self.reader)?;
        let value = length(&mut self.reader)?;
        if shared > self.key.len() {
            return Err(Broken("a key shares more than there is"));
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(self.reader.take(own)?);
        Ok(Some(self.reader.take(value)?))
    }

    pub(crate) fn key(&self) -> &[u8] {
        &self.key
    }
}

fn length(reader: &mut Reader<'_>) -> Result<usize, Broken> {
    usize::try_from(take_short(reader)?).map_err(|_| Broken("a length out of range"))
}

/// The value under a key.
pub(crate) fn find<'a>(page: &'a [u8], key: &[u8]) -> Result<Option<&'a [u8]>, Broken> {
    let mut rows = Rows::new(page);
    while let Some(value) = rows.next()? {
        if rows.key() >= key {
            return Ok((rows.key() == key).then_some(value));
        }
    }
    Ok(None)
}

/// The last row at or before a key.
pub(crate) fn find_last<'a>(page: &'a [u8], to: &[u8]) -> Result<Found<'a>, Broken> {
    let mut rows = Rows::new(page);
    let mut key = Vec::new();
    let mut found = None;
    while let Some(value) = rows.next()? {
        if rows.key() > to {
            break;
        }
        key.clear();
        key.extend_from_slice(rows.key());
        found = Some(value);
    }
    Ok(found.map(|value| (key, value)))
}

/// Merges newer rows, which are in order, into a page. Gives one page or, when it is over full,
/// several, each with the key of its first row. The page is walked twice, first for its weight:
/// that is cheaper than holding its rows one by one in between.
pub(crate) fn merge(page: &[u8], newer: &[Pair<'_>]) -> Result<Vec<Row>, Broken> {
    let mut total = 0;
    let appended = each_merged(page, newer, |key, value| total += weight(key, value))?;
    // What grows at its end is packed full; what grows in its middle will grow there again.
    let most = if appended { FULL } else { total.div_ceil(total.div_ceil(FULL).max(1)) };
    let mut packer = Packer::new(most);
    let mut pages = Vec::new();
    each_merged(page, newer, |key, value| pages.extend(packer.put(key, value)))?;
    pages.extend(packer.end());
    Ok(pages)
}

/// Hands over all rows in order; of two with one key the newer one. Says whether all rows that are
/// new lie behind those of the page.
fn each_merged(
    page: &[u8],
    newer: &[Pair<'_>],
    mut each: impl FnMut(&[u8], &[u8]),
) -> Result<bool, Broken> {
    let mut newer = newer.iter().peekable();
    let mut old = Rows::new(page);
    let mut appended = true;
    while let Some(value) = old.next()? {
        while let Some((key, value)) = newer.next_if(|(key, _)| *key < old.key()) {
            appended = false;
            each(key, value);
        }
        if newer.peek().is_none_or(|(key, _)| *key != old.key()) {
            each(old.key(), value);
        }
    }
    newer.for_each(|(key, value)| each(key, value));
    Ok(appended)
}

/// Packs rows that come in order.
#[derive(Debug)]
pub(crate) struct Packer {
    page: Writer,
    most: usize,
}

impl Packer {
    pub(crate) fn new(most: usize) -> Self {
        Self { page: Writer::sized(most), most }
    }

    /// Adds a row; gives the page before it, when that is full.
    pub(crate) fn put(&mut self, key: &[u8], value: &[u8]) -> Option<Row> {
        let full = self.page.weight > 0 && self.page.weight + weight(key, value) > self.most;
        let before =
            full.then(|| std::mem::replace(&mut self.page, Writer::sized(self.most)).end());
        self.page.put(key, value);
        before
    }

    /// The last page, if there is one.
    pub(crate) fn end(self) -> Option<Row> {
        (self.page.weight > 0).then(|| self.page.end())
    }
}

const fn weight(key: &[u8], value: &[u8]) -> usize {
    key.len() + value.len() + 3
}

#[derive(Debug)]
struct Writer {
    first: Vec<u8>,
    before: Vec<u8>,
    out: Vec<u8>,
    weight: usize,
}

impl Writer {
    fn sized(most: usize) -> Self {
        Self { first: Vec::new(), before: Vec::new(), out: Vec::with_capacity(most), weight: 0 }
    }

    fn put(&mut self, key: &[u8], value: &[u8]) {
        let shared = key.iter().zip(&self.before).take_while(|(a, b)| a == b).count();
        let own = key.get(shared..).unwrap_or_default();
        for length in [shared, own.len(), value.len()] {
            put_short(&mut self.out, length as u64);
        }
        self.out.extend_from_slice(own);
        self.out.extend_from_slice(value);
        if self.weight == 0 {
            self.first = key.to_vec();
        }
        self.weight += weight(key, value);
        self.before.truncate(shared);
        self.before.extend_from_slice(own);
    }

    fn end(self) -> Row {
        (self.first, self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn rows() -> impl Strategy<Value = BTreeMap<Vec<u8>, Vec<u8>>> {
        let key = prop::collection::vec(0u8..4, 0..6);
        let value = (any::<u8>(), 0usize..400).prop_map(|(byte, length)| vec![byte; length]);
        prop::collection::btree_map(key, value, 0..40)
    }

    fn unpack(pages: &[Row]) -> BTreeMap<Vec<u8>, Vec<u8>> {
        let mut all = BTreeMap::new();
        for (first, page) in pages {
            let mut rows = Rows::new(page);
            let mut count = 0;
            while let Some(value) = rows.next().expect("reads") {
                assert!(count > 0 || rows.key() == first, "the first row names the page");
                all.insert(rows.key().to_vec(), value.to_vec());
                count += 1;
            }
            assert!(count > 0, "no page is empty");
        }
        all
    }

    fn pack(rows: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<Row> {
        merge(&[], &lent(rows)).expect("reads")
    }

    fn lent(rows: &BTreeMap<Vec<u8>, Vec<u8>>) -> Vec<Pair<'_>> {
        rows.iter().map(|(key, value)| (key.as_slice(), value.as_slice())).collect()
    }

    proptest! {
        #[test]
        fn merging_equals_a_map(old in rows(), new in rows(), probe in prop::collection::vec(0u8..4, 0..6)) {
            let pages = pack(&old);
            prop_assert_eq!(&unpack(&pages), &old);
            let mut expected = unpack(pages.get(..1).unwrap_or_default());
            let (_, page) = pages.into_iter().next().unwrap_or_default();
            expected.extend(new.clone());
            let merged = merge(&page, &lent(&new)).expect("reads");
            prop_assert!(merged.is_sorted_by(|a, b| a.0 < b.0));
            prop_assert_eq!(&unpack(&merged), &expected);
            let home = merged.iter().rev().find(|(first, _)| *first <= probe);
            let found = home.and_then(|(_, page)| find(page, &probe).expect("reads"));
            prop_assert_eq!(found, expected.get(&probe).map(Vec::as_slice));
            let last = home.and_then(|(_, page)| find_last(page, &probe).expect("reads"));
            let last = last.map(|(key, value)| (key, value.to_vec()));
            let before = expected.range(..=probe).next_back();
            prop_assert_eq!(last, before.map(|(key, value)| (key.clone(), value.clone())));
        }
    }

    #[test]
    fn cut_pages_do_not_read() {
        let rows = [(b"key".to_vec(), b"value".to_vec()), (b"keys".to_vec(), b"more".to_vec())];
        let (_, page) = pack(&rows.into_iter().collect()).remove(0);
        let reads = |page: &[u8]| {
            let mut rows = Rows::new(page);
            let mut count = 0;
            loop {
                match rows.next() {
                    Ok(Some(_)) => count += 1,
                    Ok(None) => return Ok(count),
                    Err(broken) => return Err(broken),
                }
            }
        };
        assert_eq!(reads(&page), Ok(2));
        for length in 1..page.len() {
            assert!(reads(&page[..length]).is_err() || reads(&page[..length]) == Ok(1), "{length}");
        }
        assert!(reads(&[9, 1, 0, b'x']).is_err(), "shares more than there is");
    }
}
