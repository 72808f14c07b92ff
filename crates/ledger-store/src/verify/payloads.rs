//! Owns the check of the payloads of batches: where they lie, what they are, whether erased ones
//! and their keys are gone.

use std::sync::Arc;

use ledger_format::batch::BatchHeader;
use ledger_format::{LedgerId, PayloadId, PayloadRef, Seq, hash, payload};
use zeroize::Zeroizing;

use super::VerifyLevel;
use super::findings::{Excuse, Found, Topic};
use super::payload_files;
use super::report::Severity;
use super::work::Work;
use crate::error::StoreError;
use crate::keys::KeyState;
use crate::layout;
use crate::storage::{RelPath, StorageError, StorageFile};

/// Findings of one batch that wait until it is known whether another batch follows.
const MOST_WAITING: usize = 1_000;

/// A place in the payload files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) file: u32,
    pub(super) offset: u64,
}

/// A walk over the payload ranges of one segment.
pub(super) struct Payloads<'a, 'w> {
    work: &'a Work<'w>,
    span: Option<(Place, Place)>,
    open: Option<(u32, Arc<dyn StorageFile>)>,
    range: Vec<u8>,
}

impl<'a, 'w> Payloads<'a, 'w> {
    pub(super) const fn new(work: &'a Work<'w>) -> Self {
        Self { work, span: None, open: None, range: Vec::new() }
    }

    /// Where the first range begins and the last one ends; none when there was none.
    pub(super) const fn span(&self) -> Option<(Place, Place)> {
        self.span
    }

    /// Checks the range of a batch and what its records name in it. The links of the batch were
    /// checked: the lengths of the payloads add up to that of the range.
    pub(super) fn batch(
        &mut self,
        batch: &BatchHeader,
        references: &[(Seq, PayloadRef)],
    ) -> Vec<Found> {
        let mut found = Vec::new();
        let counts = &self.work.counts;
        let count = references.len() as u64;
        counts.expected(Topic::Payloads, count);
        if self.work.level() >= VerifyLevel::Content {
            counts.expected(Topic::Content, count);
        }
        if batch.payload_length == 0 {
            return found;
        }
        let begin = Place { file: batch.payload_file, offset: batch.payload_offset };
        let end = Place { offset: begin.offset.saturating_add(batch.payload_length), ..begin };
        match &mut self.span {
            Some((_, last)) => {
                payload_files::between(self.work, *last, begin);
                *last = end;
            }
            None => self.span = Some((begin, end)),
        }
        let file = layout::payload_file(begin.file);
        if let Err(error) = self.read(&file, begin, batch.payload_length) {
            let error = StoreError::Storage(error);
            let what = Found::obstacle(Topic::Payloads, &file, &error);
            found.push(what.at(begin.offset).seq(batch.first));
            return found;
        }
        let mut at = 0usize;
        for (seq, reference) in references {
            let length = reference.length as usize;
            let stored = self.range.get(at..at.saturating_add(length)).unwrap_or_default();
            let one = One {
                work: self.work,
                file: &file,
                offset: begin.offset + at as u64,
                seq: *seq,
                reference,
                next: batch.next_payload,
            };
            if let Some(what) = one.check(stored)
                && found.len() < MOST_WAITING
            {
                found.push(what);
            }
            at = at.saturating_add(length);
        }
        found
    }

    fn read(&mut self, path: &RelPath, begin: Place, length: u64) -> Result<(), StorageError> {
        if self.open.as_ref().is_none_or(|(number, _)| *number != begin.file) {
            let file = self.work.storage.open_read(path)?;
            self.open = Some((begin.file, file.into()));
        }
        // A batch has at most 16 MiB, its payloads included, or its header does not decode.
        self.range.resize(usize::try_from(length).unwrap_or_default(), 0);
        match &self.open {
            Some((_, file)) => file.read_exact_at(&mut self.range, begin.offset),
            None => Ok(()),
        }
    }
}

/// What the slot of a payload holds.
enum Slot {
    Empty,
    Kept,
    Outside,
    Unknown(String),
}

/// One payload where its record says it is.
struct One<'a, 'w> {
    work: &'a Work<'w>,
    file: &'a RelPath,
    offset: u64,
    seq: Seq,
    reference: &'a PayloadRef,
    /// Payloads of this batch have lower numbers.
    next: PayloadId,
}

impl One<'_, '_> {
    fn check(&self, stored: &[u8]) -> Option<Found> {
        let id = self.reference.id;
        if id >= self.next {
            let expected = format!("a number below {}", self.next);
            let what = "the number of a payload";
            return Some(self.damage(Topic::Payloads, what, &expected, &id.to_string()));
        }
        if self.work.used.mark(id) {
            let what = "the number of a payload";
            let found = format!("{id} a second time");
            return Some(self.damage(Topic::Payloads, what, "a number of its own", &found));
        }
        if (self.work.erased)(id) { self.erased(stored) } else { self.kept(stored) }
    }

    fn erased(&self, stored: &[u8]) -> Option<Found> {
        let what = format!("erased payload {}", self.reference.id);
        let failed = |found: &str| {
            let finding = self.damage(Topic::Payloads, &what, "nothing but zeros", found);
            Some(finding.unless(Excuse::ErasureGoesOn))
        };
        if stored.iter().any(|byte| *byte != 0) {
            return failed("bytes that are not zero");
        }
        match self.slot() {
            Slot::Kept => return failed("zeros, and its key is still there"),
            Slot::Empty => {}
            slot => return self.no_slot(&slot),
        }
        self.count(&[Topic::Payloads, Topic::Content]);
        None
    }

    fn kept(&self, stored: &[u8]) -> Option<Found> {
        let what = format!("payload {}", self.reference.id);
        if hash::ciphertext(stored) != self.reference.digest {
            let found = if stored.iter().all(|byte| *byte == 0) {
                "nothing but zeros, and no erasure"
            } else {
                "bytes with another digest"
            };
            let expected = "the bytes that its record names";
            return Some(self.damage(Topic::Payloads, &what, expected, found));
        }
        match self.slot() {
            Slot::Kept => {}
            Slot::Empty => {
                let found = "an empty slot, and no erasure";
                return Some(self.damage(Topic::Payloads, &what, "a key", found));
            }
            slot => return self.no_slot(&slot),
        }
        self.count(&[Topic::Payloads]);
        if self.work.level() >= VerifyLevel::Content { self.content(stored) } else { None }
    }

    fn content(&self, stored: &[u8]) -> Option<Found> {
        let what = format!("the content of payload {}", self.reference.id);
        let cannot = |found: &str| {
            let finding = self.damage(Topic::Content, &what, "a key to open it with", found);
            Some(finding.severity(Severity::CannotCheck))
        };
        let Some(keys) = self.work.keys else {
            return cannot("no key files");
        };
        match keys.key(self.reference.id) {
            Ok(KeyState::Key(key)) => {
                match opens(&self.work.ledger, self.reference, stored, &key) {
                    None => {
                        self.count(&[Topic::Content]);
                        None
                    }
                    Some(found) => {
                        let expected = "what its record commits to";
                        Some(self.damage(Topic::Content, &what, expected, &found))
                    }
                }
            }
            Ok(KeyState::NoMaster) => cannot("no master key"),
            Ok(_) => cannot("an empty slot"),
            Err(error) => cannot(&error.to_string()),
        }
    }

    fn slot(&self) -> Slot {
        let Some(keys) = self.work.keys else {
            return Slot::Unknown("key files that cannot be opened".to_owned());
        };
        match keys.is_zero(self.reference.id) {
            Ok(Some(true)) => Slot::Empty,
            Ok(Some(false)) => Slot::Kept,
            Ok(None) => Slot::Outside,
            Err(error) => Slot::Unknown(error.to_string()),
        }
    }

    /// Damage of the key files has findings of its own: here it only stands in the way.
    fn no_slot(&self, slot: &Slot) -> Option<Found> {
        let what = format!("the key of payload {}", self.reference.id);
        match slot {
            Slot::Empty | Slot::Kept => None,
            Slot::Outside => {
                let found = "key files that end before it";
                Some(self.damage(Topic::Payloads, &what, "its slot", found))
            }
            Slot::Unknown(found) => {
                let finding = self.damage(Topic::Payloads, &what, "its slot", found);
                Some(finding.severity(Severity::CannotCheck))
            }
        }
    }

    fn count(&self, topics: &[Topic]) {
        for topic in topics {
            if *topic != Topic::Content || self.work.level() >= VerifyLevel::Content {
                self.work.counts.checked(*topic, 1);
            }
        }
    }

    fn damage(&self, topic: Topic, what: &str, expected: &str, found: &str) -> Found {
        let finding = Found::damage(topic, self.file, what, expected, found);
        finding.at(self.offset).seq(self.seq)
    }
}

/// Opens a payload and checks its commitment. What is wrong, if anything is.
fn opens(
    ledger: &LedgerId,
    reference: &PayloadRef,
    stored: &[u8],
    key: &[u8; 32],
) -> Option<String> {
    let opened = payload::open(ledger, reference, stored, key).map(Zeroizing::new);
    opened.err().map(|error| error.to_string())
}
