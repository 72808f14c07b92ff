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

/// What the payloads of one batch look like, before it is known whether the batch is one.
#[derive(Debug, Default)]
pub(super) struct Looked {
    /// Why the range could not be read.
    unread: Option<Box<Found>>,
    /// For each payload what is wrong with it.
    each: Vec<Seen>,
}

/// One payload.
#[derive(Debug, Default)]
struct Seen {
    wrong: Option<Box<Found>>,
    payload: bool,
    content: bool,
}

/// Reads payload ranges, in any order.
pub(super) struct Ranges<'a, 'w> {
    work: &'a Work<'w>,
    open: Option<(u32, Arc<dyn StorageFile>)>,
    range: Vec<u8>,
}

impl<'a, 'w> Ranges<'a, 'w> {
    pub(super) const fn new(work: &'a Work<'w>) -> Self {
        Self { work, open: None, range: Vec::new() }
    }

    /// Looks at what lies where the header says that the payloads of a batch are. Their lengths
    /// add up to that of the range.
    pub(super) fn look(&mut self, batch: &BatchHeader, references: &[(Seq, PayloadRef)]) -> Looked {
        let mut looked = Looked::default();
        if batch.payload_length == 0 {
            return looked;
        }
        let begin = Place { file: batch.payload_file, offset: batch.payload_offset };
        let file = layout::payload_file(begin.file);
        if let Err(error) = self.read(&file, begin, batch.payload_length) {
            let error = StoreError::Storage(error);
            let what = Found::obstacle(Topic::Payloads, &file, &error);
            looked.unread = Some(Box::new(what.at(begin.offset).seq(batch.first)));
            return looked;
        }
        let mut at = 0usize;
        for (seq, reference) in references {
            let length = reference.length as usize;
            let stored = self.range.get(at..at.saturating_add(length)).unwrap_or_default();
            let offset = begin.offset + at as u64;
            let one = One { work: self.work, file: &file, offset, seq: *seq, reference };
            looked.each.push(one.look(stored));
            at = at.saturating_add(length);
        }
        looked
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

/// A walk over the payload ranges of one segment, in order.
pub(super) struct Payloads<'a, 'w> {
    work: &'a Work<'w>,
    span: Option<(Place, Place)>,
}

impl<'a, 'w> Payloads<'a, 'w> {
    pub(super) const fn new(work: &'a Work<'w>) -> Self {
        Self { work, span: None }
    }

    /// Where the first range begins and the last one ends; none when there was none.
    pub(super) const fn span(&self) -> Option<(Place, Place)> {
        self.span
    }

    /// Goes over the range of a batch whose links were checked, and counts what was looked at.
    pub(super) fn batch(
        &mut self,
        batch: &BatchHeader,
        references: &[(Seq, PayloadRef)],
        looked: Looked,
    ) -> Vec<Found> {
        let counts = &self.work.counts;
        let count = references.len() as u64;
        counts.expected(Topic::Payloads, count);
        if self.work.level() >= VerifyLevel::Content {
            counts.expected(Topic::Content, count);
        }
        if batch.payload_length == 0 {
            return Vec::new();
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
        if let Some(unread) = looked.unread {
            return vec![*unread];
        }
        let mut found = Vec::new();
        let file = layout::payload_file(begin.file);
        let mut offset = begin.offset;
        for ((seq, reference), seen) in references.iter().zip(looked.each) {
            let one = One { work: self.work, file: &file, offset, seq: *seq, reference };
            let wrong = match one.number(batch.next_payload) {
                Some(wrong) => Some(wrong),
                None => one.count(seen),
            };
            found.extend(wrong.filter(|_| found.len() < MOST_WAITING));
            offset = offset.saturating_add(u64::from(reference.length));
        }
        found
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
}

impl One<'_, '_> {
    /// What is wrong with its number. Payloads of a batch have numbers below `next`.
    fn number(&self, next: PayloadId) -> Option<Found> {
        let id = self.reference.id;
        let what = "the number of a payload";
        if id >= next {
            let expected = format!("a number below {next}");
            return Some(self.damage(Topic::Payloads, what, &expected, &id.to_string()));
        }
        if self.work.used.mark(id) {
            let found = format!("{id} a second time");
            return Some(self.damage(Topic::Payloads, what, "a number of its own", &found));
        }
        None
    }

    fn count(&self, seen: Seen) -> Option<Found> {
        self.work.counts.checked(Topic::Payloads, u64::from(seen.payload));
        self.work.counts.checked(Topic::Content, u64::from(seen.content));
        seen.wrong.map(|wrong| *wrong)
    }

    fn look(&self, stored: &[u8]) -> Seen {
        let erased = (self.work.erased)(self.reference.id);
        let wrong = if erased { self.erased(stored) } else { self.kept(stored) };
        let Some(wrong) = wrong else {
            let content = self.work.level() >= VerifyLevel::Content;
            return Seen { wrong: None, payload: true, content };
        };
        // The stored bytes are as they should be when only their content is not.
        let payload = wrong.topic() == Topic::Content;
        Seen { wrong: Some(Box::new(wrong)), payload, content: false }
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
                    None => None,
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
