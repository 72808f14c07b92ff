//! Owns the key file: a header page and pages of 126 masked keys, both 4,096 bytes.
//!
//! Invariants: each page is kept in two files, and the valid copy of the higher generation counts;
//! a slot of zero bytes holds no key; a key is stored masked, so that replacing the master rewrites
//! pages and nothing else. May not: make keys.

use alloc::vec::Vec;

use zeroize::Zeroizing;

use crate::bytes::{Reader, Writer};
use crate::{Digest16, FormatError, LedgerId, PayloadId, Seq, hash, limits};

/// First bytes of the header page.
pub const HEADER_MAGIC: [u8; 8] = *b"MLKEYHD1";
/// First bytes of a key page.
pub const PAGE_MAGIC: [u8; 8] = *b"MLKEYPG1";
/// Bytes of a page before its slots.
pub const PAGE_HEADER_BYTES: usize = 64;
/// Bytes of one slot.
pub const SLOT_BYTES: usize = 32;

/// First page of a key file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFileHeader {
    /// The ledger.
    pub ledger: LedgerId,
    /// Counts the rewrites of this page.
    pub generation: u64,
    /// Tells the right master key from a wrong one.
    pub key_check: Digest16,
    /// Erasures up to this record are carried out in this file.
    pub erasures_through: Option<Seq>,
}

impl KeyFileHeader {
    /// Encodes the page with its check.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Writer::with_capacity(limits::PAGE_BYTES);
        out.put(&HEADER_MAGIC).put(&self.ledger.0).u64(self.generation).put(&self.key_check.0);
        out.u64(self.erasures_through.map_or(u64::MAX, |seq| seq.0));
        out.pad_to(limits::PAGE_BYTES - 16);
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    /// Decodes the page from exactly its bytes.
    ///
    /// # Errors
    /// Any [`FormatError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::new("a key file header", bytes);
        reader.magic(&HEADER_MAGIC)?;
        checked_page("key file header check", bytes)?;
        let ledger = LedgerId(reader.array()?);
        let generation = reader.u64()?;
        let key_check = Digest16(reader.array()?);
        let erasures_through = match reader.u64()? {
            u64::MAX => None,
            seq => Some(Seq(seq)),
        };
        reader.zeros(limits::PAGE_BYTES - 16 - 56)?;
        Ok(Self { ledger, generation, key_check, erasures_through })
    }
}

/// One page of masked keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyPage {
    /// The ledger.
    pub ledger: LedgerId,
    /// Number of the page; the first is 0 and holds slots 0 to 125.
    pub page: u64,
    /// Counts the rewrites of this page.
    pub generation: u64,
    /// First bytes of the key check of the master that masks it.
    pub master: [u8; 8],
    slots: Vec<[u8; SLOT_BYTES]>,
}

impl KeyPage {
    /// A page without keys.
    #[must_use]
    pub fn empty(ledger: LedgerId, page: u64, master: [u8; 8]) -> Self {
        let slots = alloc::vec![[0; SLOT_BYTES]; limits::PAGE_SLOTS];
        Self { ledger, page, generation: 0, master, slots }
    }

    /// Number of the page that holds a slot.
    #[must_use]
    pub const fn page_of(slot: PayloadId) -> u64 {
        slot.0 / limits::PAGE_SLOTS as u64
    }

    /// First slot of this page.
    #[must_use]
    pub const fn first_slot(&self) -> PayloadId {
        PayloadId(self.page.saturating_mul(limits::PAGE_SLOTS as u64))
    }

    /// The masked key in a slot; none when the slot is zero or not on this page.
    #[must_use]
    pub fn masked(&self, slot: PayloadId) -> Option<&[u8; SLOT_BYTES]> {
        self.slots.get(self.index(slot)?).filter(|masked| **masked != [0; SLOT_BYTES])
    }

    /// The key in a slot.
    #[must_use]
    pub fn key(&self, slot: PayloadId, master: &[u8; 32]) -> Option<Zeroizing<[u8; 32]>> {
        let masked = self.masked(slot)?;
        Some(Zeroizing::new(xor(masked, &hash::slot_mask(master, &self.ledger, slot))))
    }

    /// Puts a key into a slot. Returns whether the slot is on this page.
    pub fn set_key(&mut self, slot: PayloadId, key: &[u8; 32], master: &[u8; 32]) -> bool {
        let masked = xor(key, &hash::slot_mask(master, &self.ledger, slot));
        self.put(slot, masked)
    }

    /// Destroys the key in a slot. Returns whether the slot is on this page.
    pub fn erase(&mut self, slot: PayloadId) -> bool {
        self.put(slot, [0; SLOT_BYTES])
    }

    /// Encodes the page with its check.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut tail = Writer::with_capacity(limits::PAGE_BYTES);
        tail.put(&PAGE_MAGIC).put(&self.ledger.0).u64(self.page).u64(self.generation);
        tail.put(&self.master);
        let head = tail.as_slice().to_vec();
        for slot in &self.slots {
            tail.put(slot);
        }
        let check = hash::check(tail.as_slice());
        let mut out = Writer::with_capacity(limits::PAGE_BYTES);
        out.put(&head).put(&check.0);
        for slot in &self.slots {
            out.put(slot);
        }
        out.into_vec()
    }

    /// Decodes a page from exactly its bytes.
    ///
    /// # Errors
    /// Any [`FormatError`].
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::new("a key page", bytes);
        reader.magic(&PAGE_MAGIC)?;
        let ledger = LedgerId(reader.array()?);
        let page = reader.u64()?;
        let generation = reader.u64()?;
        let master = reader.array()?;
        let check = Digest16(reader.array()?);
        let mut slots = Vec::with_capacity(limits::PAGE_SLOTS);
        for _ in 0..limits::PAGE_SLOTS {
            slots.push(reader.array()?);
        }
        reader.end()?;
        if page > Self::page_of(PayloadId(u64::MAX)) {
            return Err(FormatError::BadValue { what: "a key page beyond the last slot" });
        }
        let decoded = Self { ledger, page, generation, master, slots };
        let mut checked = Writer::with_capacity(limits::PAGE_BYTES);
        checked.put(bytes.get(..PAGE_HEADER_BYTES - 16).unwrap_or_default());
        checked.put(bytes.get(PAGE_HEADER_BYTES..).unwrap_or_default());
        if hash::check(checked.as_slice()) == check {
            Ok(decoded)
        } else {
            Err(FormatError::CheckMismatch { what: "key page check" })
        }
    }

    fn index(&self, slot: PayloadId) -> Option<usize> {
        let offset = slot.0.checked_sub(self.first_slot().0)?;
        usize::try_from(offset).ok().filter(|index| *index < limits::PAGE_SLOTS)
    }

    fn put(&mut self, slot: PayloadId, masked: [u8; SLOT_BYTES]) -> bool {
        match self.index(slot).and_then(|index| self.slots.get_mut(index)) {
            Some(place) => {
                *place = masked;
                true
            }
            None => false,
        }
    }
}

fn checked_page(what: &'static str, bytes: &[u8]) -> Result<(), FormatError> {
    let mut whole = Reader::new(what, bytes);
    let checked = whole.take(limits::PAGE_BYTES - 16)?;
    let check = whole.array::<16>()?;
    whole.end()?;
    if hash::check(checked).0 == check { Ok(()) } else { Err(FormatError::CheckMismatch { what }) }
}

fn xor(a: &[u8; 32], b: &[u8; 32]) -> [u8; 32] {
    let mut out = [0; 32];
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a ^ b;
    }
    out
}
