//! Owns the check of payload files outside their ranges: headers, and zeros everywhere else.

use ledger_format::limits;
use ledger_format::payload_file::{HEADER_BYTES, PayloadFileHeader};

use super::findings::{Excuse, Found, Topic};
use super::payloads::Place;
use super::tail;
use super::work::Work;
use crate::error::StoreError;
use crate::layout;

const BEGIN: u64 = HEADER_BYTES as u64;

/// The longest payload file that is read to its end: a file may be a hole of any size.
pub(crate) const LONGEST: u64 = limits::PAYLOAD_FILE_BYTES;

/// Where the first range of a ledger may begin.
pub(super) const START: Place = Place { file: 0, offset: BEGIN };

/// Checks that only zeros lie between the end of one range and the beginning of the next.
pub(super) fn between(work: &Work<'_>, from: Place, to: Place) {
    if to < from {
        let file = layout::payload_file(to.file);
        let expected = format!("file {} from byte {}", from.file, from.offset);
        let found = format!("file {} from byte {}", to.file, to.offset);
        let what = "a payload range that overlaps the one before";
        work.add(Found::damage(Topic::PayloadFiles, &file, what, expected, found).at(to.offset));
        return;
    }
    if from.file == to.file {
        return zeros(work, from.file, from.offset, to.offset, Excuse::None);
    }
    zeros(work, from.file, from.offset, u64::MAX, Excuse::None);
    for file in work.payload_files.iter().filter(|file| (from.file + 1..to.file).contains(file)) {
        zeros(work, *file, BEGIN, u64::MAX, Excuse::None);
    }
    zeros(work, to.file, BEGIN, to.offset, Excuse::None);
}

/// Checks that only zeros follow the last range of the log. An unclean stop leaves the payloads of
/// a batch that was not finished there.
pub(super) fn end(work: &Work<'_>, from: Place) {
    zeros(work, from.file, from.offset, u64::MAX, Excuse::UncleanStop);
    beyond(work, from.file);
}

/// Reports payload files after `last`. One at most can have been begun for a batch that was not
/// finished; nothing explains another.
pub(super) fn beyond(work: &Work<'_>, last: u32) {
    for number in work.payload_files.iter().filter(|file| **file > last) {
        let file = layout::payload_file(*number);
        let what = "a payload file";
        let found = "one after the last that the log uses";
        let finding = Found::damage(Topic::PayloadFiles, &file, what, "no such file", found);
        let begun = number.checked_sub(1) == Some(last);
        work.add(finding.unless(if begun { Excuse::UncleanStop } else { Excuse::None }));
    }
}

/// Checks the headers of the files up to `last`. `in_use` says that a range lies in the last one,
/// so that it must be there.
pub(super) fn headers(work: &Work<'_>, last: u32, in_use: bool) {
    let begin = work.extent.payload_file;
    let must = if in_use { u64::from(last) + 1 } else { u64::from(last) };
    let expected = must.saturating_sub(u64::from(begin));
    work.counts.expected(Topic::PayloadFiles, expected);
    let mut there = 0;
    let due = |file: &&u32| u64::from(**file) < must && **file >= begin;
    for number in work.payload_files.iter().filter(due) {
        there += 1;
        if header(work, *number) {
            work.counts.checked(Topic::PayloadFiles, 1);
        }
    }
    if there < expected {
        let file = layout::PAYLOADS;
        let found = format!("{there} of them");
        let expected = format!("payload files {begin} to {}", must.saturating_sub(1));
        work.add(Found::damage(Topic::PayloadFiles, &file, "the payload files", expected, found));
    }
    // Made for a batch that was not finished; nothing may be in it but its header.
    if !in_use && work.payload_files.contains(&last) {
        work.counts.expected(Topic::PayloadFiles, 1);
        work.counts.checked(Topic::PayloadFiles, u64::from(header(work, last)));
    }
}

fn header(work: &Work<'_>, number: u32) -> bool {
    let file = layout::payload_file(number);
    let mut bytes = [0; HEADER_BYTES];
    let read = work.storage.open_read(&file).and_then(|open| {
        let length = open.len()?;
        open.read_exact_at(&mut bytes, 0)?;
        Ok(length)
    });
    if let Ok(length) = read
        && length > LONGEST
    {
        let expected = format!("at most {LONGEST} bytes");
        let found = format!("{length} bytes; those beyond were not read");
        let what = "the length of a payload file";
        let found = Found::damage(Topic::PayloadFiles, &file, what, expected, found);
        work.add(found.at(LONGEST));
    }
    if let Err(error) = read {
        work.add(Found::obstacle(Topic::PayloadFiles, &file, &StoreError::Storage(error)));
        return false;
    }
    let found = match PayloadFileHeader::decode(&bytes) {
        Ok(header) if header.ledger == work.ledger && header.file == number => return true,
        Ok(header) => format!("that of file {} of ledger {}", header.file, header.ledger),
        Err(error) => error.to_string(),
    };
    let expected = format!("that of file {number} of ledger {}", work.ledger);
    let what = "a payload file header";
    work.add(Found::damage(Topic::PayloadFiles, &file, what, expected, found).at(0));
    false
}

/// Checks that a part of a file is zero. A file that is missing has a finding of its own.
fn zeros(work: &Work<'_>, number: u32, from: u64, to: u64, excuse: Excuse) {
    if from >= to || !work.payload_files.contains(&number) {
        return;
    }
    let file = layout::payload_file(number);
    let place = work
        .storage
        .open_read(&file)
        .and_then(|open| tail::not_zero(&*open, from, to.min(LONGEST)));
    match place {
        Ok(None) => {}
        Ok(Some(place)) => {
            let what = "a byte outside every payload range";
            let finding = Found::damage(Topic::PayloadFiles, &file, what, "zero", "another value");
            work.add(finding.at(place).unless(excuse));
        }
        Err(error) => {
            work.add(Found::obstacle(Topic::PayloadFiles, &file, &StoreError::Storage(error)));
        }
    }
}
