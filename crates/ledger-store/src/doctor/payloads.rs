//! Owns the map of the payload files: where the batches of the log say that payloads lie.

use std::collections::BTreeMap;
use std::sync::Arc;

use ledger_format::batch::BatchHeader;
use ledger_format::payload_file::{HEADER_BYTES, PayloadFileHeader};
use ledger_format::{RecordView, Seq, hash};

use super::Ward;
use super::batch::Health;
use super::region::{FileMap, RegionState};
use crate::layout;
use crate::storage::{RelPath, StorageError, StorageFile};
use crate::verify::payload_files::LONGEST;
use crate::verify::tail;

/// One payload file.
struct Account {
    file: Arc<dyn StorageFile>,
    map: FileMap,
    stopped: Option<StorageError>,
}

/// All payload files.
pub(super) struct Accounts<'a> {
    ward: &'a Ward<'a>,
    files: BTreeMap<u32, Account>,
    others: Vec<FileMap>,
    /// A batch could not be read, so that the ranges of its payloads are not known.
    blind: bool,
    next: Seq,
}

impl<'a> Accounts<'a> {
    pub(super) fn open(ward: &'a Ward<'a>, paths: &[RelPath]) -> Self {
        let (files, others) = (BTreeMap::new(), Vec::new());
        let mut all = Self { ward, files, others, blind: false, next: Seq(0) };
        for path in paths {
            match (
                ward.storage.open_read(path).and_then(|file| Ok((file.len()?, file))),
                number(path),
            ) {
                (Ok((length, _)), Some(_)) if length > LONGEST => {
                    let mut map = FileMap::new(path.clone(), length);
                    let what = "a payload file longer than any can be, which was not read";
                    map.push(0, length, RegionState::Damaged, what, None);
                    all.others.push(map);
                }
                (Ok((length, file)), Some(number)) => {
                    let (file, map) = (file.into(), FileMap::new(path.clone(), length));
                    let mut account = Account { file, map, stopped: None };
                    account.stopped = account.header(ward, number).err();
                    all.files.insert(number, account);
                }
                (Ok((length, _)), None) => {
                    let mut map = FileMap::new(path.clone(), length);
                    map.push(0, length, RegionState::Damaged, "a name that is not a number", None);
                    all.others.push(map);
                }
                (Err(error), _) => all.others.push(FileMap::unread(path, &error)),
            }
        }
        all
    }

    /// The ranges of a batch are not known.
    pub(super) const fn lose(&mut self) {
        self.blind = true;
    }

    /// Goes over the payloads of a batch.
    pub(super) fn batch(
        &mut self,
        ward: &Ward<'_>,
        header: &BatchHeader,
        bytes: &[u8],
        health: &Health,
    ) {
        self.blind = self.blind || header.first > self.next;
        self.next = Seq(header.first.0.saturating_add(u64::from(header.count)));
        let blind = self.blind;
        let Some(account) = self.files.get_mut(&header.payload_file) else {
            return;
        };
        if header.payload_length == 0 || account.stopped.is_some() {
            return;
        }
        let done = account.range(ward, header, bytes, health, blind);
        account.stopped = done.err();
    }

    /// What lies behind the last ranges.
    pub(super) fn finish(self) -> Vec<FileMap> {
        let Self { ward, files, mut others, blind, .. } = self;
        let last = files.iter().rev().find(|(_, account)| account.is_used()).map(|(last, _)| *last);
        for (number, mut account) in files {
            if account.stopped.is_none() {
                let used = last.is_some_and(|last| number <= last);
                account.stopped = account.rest(ward, number, used, last, blind).err();
            }
            others.push(match account.stopped {
                None => account.map,
                Some(error) => account.map.stopped(&error),
            });
        }
        others
    }
}

fn number(path: &RelPath) -> Option<u32> {
    layout::payload_number(path.file_name().unwrap_or_default()).and_then(Result::ok)
}

impl Account {
    fn is_used(&self) -> bool {
        self.map.end() > HEADER_BYTES as u64
    }

    fn header(&mut self, ward: &Ward<'_>, number: u32) -> Result<(), StorageError> {
        let length = self.map.length.min(HEADER_BYTES as u64);
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        self.file.read_exact_at(&mut bytes, 0)?;
        let (state, what) = match PayloadFileHeader::decode(&bytes) {
            Ok(header)
                if header.file == number && ward.ledger.is_none_or(|id| id == header.ledger) =>
            {
                (RegionState::Whole, "payload file header".to_owned())
            }
            Ok(header) => {
                let what =
                    format!("the header of file {} of ledger {}", header.file, header.ledger);
                (RegionState::Damaged, what)
            }
            Err(error) => (RegionState::Damaged, format!("a payload file header: {error}")),
        };
        self.map.push(0, length, state, what, None);
        Ok(())
    }

    /// The range of one batch: what lies before it, and each of its payloads.
    fn range(
        &mut self,
        ward: &Ward<'_>,
        header: &BatchHeader,
        bytes: &[u8],
        health: &Health,
        blind: bool,
    ) -> Result<(), StorageError> {
        self.gap(header.payload_offset, blind)?;
        let end = header.payload_offset.saturating_add(header.payload_length);
        let last = Seq(header.first.0.saturating_add(u64::from(header.count.max(1)) - 1));
        if !health.bad.is_empty() {
            let what = "payloads of a damaged batch";
            let records = Some((header.first, last));
            self.map.push(header.payload_offset, end, RegionState::Unknown, what, records);
            return Ok(());
        }
        let mut at = header.payload_offset;
        for (from, to) in &health.records {
            let Ok(record) = RecordView::decode(bytes.get(*from..*to).unwrap_or_default()) else {
                continue;
            };
            let records = Some((record.header.seq, record.header.seq));
            for payload in record.payloads {
                let to = at.saturating_add(u64::from(payload.length));
                let present = to.min(self.map.length).saturating_sub(at);
                let mut stored = vec![0; usize::try_from(present).unwrap_or_default()];
                self.file.read_exact_at(&mut stored, at)?;
                let erased = (ward.erased)(payload.id);
                let zero = stored.iter().all(|byte| *byte == 0);
                let fits = hash::ciphertext(&stored) == payload.digest;
                let (state, what) = match (fits, zero, erased) {
                    (true, _, false) => (RegionState::Whole, "payloads"),
                    (_, true, true) => (RegionState::Zeros, "erased payloads"),
                    (_, _, true) => (RegionState::Unfinished, "payloads whose erasure goes on"),
                    (false, _, false) => {
                        (RegionState::Damaged, "a payload that is not the record's")
                    }
                };
                self.map.push(at, to, state, what, records);
                at = to;
            }
        }
        Ok(())
    }

    /// Bytes up to `to` that no range is in.
    fn gap(&mut self, to: u64, blind: bool) -> Result<(), StorageError> {
        let from = self.map.end();
        let to = to.min(self.map.length);
        let Some(place) = tail::not_zero(&*self.file, from, to)? else {
            self.map.push(from, to, RegionState::Zeros, "between payloads", None);
            return Ok(());
        };
        self.map.push(from, place, RegionState::Zeros, "between payloads", None);
        let (state, what) = if blind {
            (RegionState::Unknown, "bytes of payloads whose records cannot be read")
        } else {
            (RegionState::Damaged, "bytes that belong to no payload")
        };
        self.map.push(place, to, state, what, None);
        Ok(())
    }

    fn rest(
        &mut self,
        ward: &Ward<'_>,
        number: u32,
        used: bool,
        last: Option<u32>,
        blind: bool,
    ) -> Result<(), StorageError> {
        let (from, length) = (self.map.end(), self.map.length);
        if ward.upto.is_some() && last.is_none_or(|last| number >= last) {
            let what = "beyond the durable head, where the holder writes";
            self.map.push(from, length, RegionState::Outside, what, None);
            return Ok(());
        }
        if used && last != Some(number) {
            return self.gap(length, blind);
        }
        let content = tail::last_not_zero(&*self.file, from, length)?.map_or(from, |at| at + 1);
        // Behind the last range, or in the file after it, a batch may have been begun.
        let begun = used || number == last.map_or(0, |last| last.saturating_add(1));
        let (state, what) = match (blind, begun) {
            (true, _) => (RegionState::Unknown, "bytes of payloads whose records cannot be read"),
            (false, true) => (RegionState::Unfinished, "payloads of a batch that was not finished"),
            (false, false) => (RegionState::Damaged, "a payload file that no batch uses"),
        };
        self.map.push(from, content, state, what, None);
        self.map.push(content, length, RegionState::Zeros, "written ahead", None);
        Ok(())
    }
}
