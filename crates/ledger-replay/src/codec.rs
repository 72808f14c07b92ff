//! Owns the bytes of state: for digests, for saved states and for view rows. Not part of the log
//! format: whoever reads it checks [`SCHEMA`] first and replays when it differs.
//!
//! Invariants: one value has one encoding, so that equal states have equal digests; decoding is
//! total.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use ledger_format::bytes::{Reader, Writer};
use ledger_format::event::duty::PayloadRange;
use ledger_format::event::memory::FactKey;
use ledger_format::{
    ActorKind, AliasId, AliasKind, BodyType, CloseKind, FormatError, Layer, MemoryId, Micros,
    PayloadId, Reach, Seq, SourceKind, Trust,
};

use crate::lifecycle::{Closure, Lifecycle, PushedDown};
use crate::memory::{Birth, Memory};
use crate::validity::{Interval, Validity};
use crate::{Alias, Schedule, Task};

/// Version of these encodings. Changing any of them raises it and makes views rebuild.
pub const SCHEMA: u16 = 4;

/// Saved state or a view row that does not decode: it is thrown away and replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub(crate) &'static str);

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "saved state does not decode: {}", self.0)
    }
}

impl core::error::Error for DecodeError {}

impl From<FormatError> for DecodeError {
    fn from(error: FormatError) -> Self {
        Self(error.name())
    }
}

/// A value with one encoding.
pub(crate) trait Coded: Sized {
    fn put(&self, out: &mut Writer);
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError>;
}

macro_rules! coded_public {
    ($($name:ident),+) => {$(
        impl $name {
            /// The one encoding of this value.
            #[must_use]
            pub fn encode(&self) -> Vec<u8> {
                let mut out = Writer::default();
                self.put(&mut out);
                out.into_vec()
            }

            /// Decodes from exactly these bytes.
            ///
            /// # Errors
            /// [`DecodeError`] when they are not what [`Self::encode`] gives.
            pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
                let mut reader = Reader::new(stringify!($name), bytes);
                let value = Self::take(&mut reader)?;
                reader.end()?;
                Ok(value)
            }
        }
    )+};
}

coded_public!(Birth, Lifecycle, Memory, Alias, Task, Schedule);

macro_rules! coded_number {
    ($($name:ty),+) => {$(
        impl Coded for $name {
            fn put(&self, out: &mut Writer) { out.u8(self.number()); }
            fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Self::from_number(reader.u8()?).ok_or(DecodeError(stringify!($name)))
            }
        }
    )+};
}

coded_number!(Layer, Trust, CloseKind, Reach, BodyType, SourceKind, ActorKind, AliasKind);

macro_rules! coded_fields {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl Coded for $name {
            fn put(&self, out: &mut Writer) { $(self.$field.put(out);)+ }
            fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                Ok(Self { $($field: Coded::take(reader)?,)+ })
            }
        }
    };
}
pub(crate) use coded_fields;

impl Coded for u8 {
    fn put(&self, out: &mut Writer) {
        out.u8(*self);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(reader.u8()?)
    }
}

impl Coded for u16 {
    fn put(&self, out: &mut Writer) {
        out.u16(*self);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(reader.u16()?)
    }
}

impl Coded for u32 {
    fn put(&self, out: &mut Writer) {
        out.u32(*self);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(reader.u32()?)
    }
}

impl Coded for u64 {
    fn put(&self, out: &mut Writer) {
        out.u64(*self);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(reader.u64()?)
    }
}

impl Coded for bool {
    fn put(&self, out: &mut Writer) {
        out.u8(u8::from(*self));
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        match reader.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError("bool")),
        }
    }
}

impl Coded for Seq {
    fn put(&self, out: &mut Writer) {
        out.u64(self.0);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(reader.u64()?))
    }
}

impl Coded for PayloadId {
    fn put(&self, out: &mut Writer) {
        out.u64(self.0);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(reader.u64()?))
    }
}

impl Coded for String {
    fn put(&self, out: &mut Writer) {
        self.as_bytes().to_vec().put(out);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Self::from_utf8(Vec::take(reader)?).map_err(|_| DecodeError("text"))
    }
}

impl Coded for Micros {
    fn put(&self, out: &mut Writer) {
        out.i64(self.0);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self(reader.i64()?))
    }
}

macro_rules! coded_bytes {
    ($($name:ty),+) => {$(
        impl Coded for $name {
            fn put(&self, out: &mut Writer) { out.put(&self.0); }
            fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> { Ok(Self(reader.array()?)) }
        }
    )+};
}

coded_bytes!(
    AliasId,
    MemoryId,
    ledger_format::LedgerId,
    ledger_format::RecordHash,
    ledger_format::Digest16,
    ledger_format::JobId
);

impl<T: Coded> Coded for Option<T> {
    fn put(&self, out: &mut Writer) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        if bool::take(reader)? { Ok(Some(T::take(reader)?)) } else { Ok(None) }
    }
}

impl<T: Coded> Coded for Vec<T> {
    fn put(&self, out: &mut Writer) {
        out.u32(u32::try_from(self.len()).unwrap_or(u32::MAX));
        self.iter().for_each(|item| item.put(out));
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        // The count is not trusted with an allocation: items arrive one by one or bytes run out.
        let count = reader.u32()?;
        let mut list = Self::new();
        for _ in 0..count {
            list.push(T::take(reader)?);
        }
        Ok(list)
    }
}

impl<K: Coded + Ord, V: Coded> Coded for alloc::collections::BTreeMap<K, V> {
    fn put(&self, out: &mut Writer) {
        out.u64(self.len() as u64);
        for (key, value) in self {
            key.put(out);
            value.put(out);
        }
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.u64()?;
        let mut map = Self::new();
        for _ in 0..count {
            let key = K::take(reader)?;
            if map.last_key_value().is_some_and(|(last, _)| *last >= key) {
                return Err(DecodeError("order"));
            }
            map.insert(key, V::take(reader)?);
        }
        Ok(map)
    }
}

coded_fields!(Interval { from, until });
coded_fields!(Closure { seq, kind, by });
coded_fields!(PushedDown { seq, reach });
coded_fields!(FactKey { subject, predicate });
coded_fields!(PayloadRange { first, last });
coded_fields!(Alias { kind, parent, bound, name, erased });
coded_fields!(Task { started, parent, ended });
coded_fields!(Schedule { every, next, done, count });
coded_fields!(Memory { born, scope, body, source, actor_kind, key, task, live, lifecycle });
coded_fields!(Birth {
    id,
    seq,
    recorded_at,
    claimed_at,
    body,
    source,
    actor_kind,
    scope,
    key,
    fact,
    domain,
    subjects,
    tags,
    task,
    derived_from,
    supersedes,
});

impl<A: Coded, B: Coded> Coded for (A, B) {
    fn put(&self, out: &mut Writer) {
        self.0.put(out);
        self.1.put(out);
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok((A::take(reader)?, B::take(reader)?))
    }
}

impl Coded for Validity {
    fn put(&self, out: &mut Writer) {
        out.u32(u32::try_from(self.intervals().len()).unwrap_or(u32::MAX));
        self.intervals().iter().for_each(|interval| interval.put(out));
    }
    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Self::restore(Vec::take(reader)?).ok_or(DecodeError("validity"))
    }
}

/// Which optional parts of a version follow, in the order in which they follow.
mod present {
    pub(super) const PENDING: u16 = 1;
    pub(super) const REJECTED: u16 = 1 << 1;
    pub(super) const EXPIRED: u16 = 1 << 2;
    pub(super) const RESTRICTED: u16 = 1 << 3;
    pub(super) const PINNED: u16 = 1 << 4;
    pub(super) const STALE: u16 = 1 << 5;
    pub(super) const TTL: u16 = 1 << 6;
    pub(super) const REVIEW: u16 = 1 << 7;
    pub(super) const CONFIRMED: u16 = 1 << 8;
    pub(super) const USED: u16 = 1 << 9;
    pub(super) const CLOSED: u16 = 1 << 10;
    pub(super) const CONTEST: u16 = 1 << 11;
    pub(super) const FORGOTTEN: u16 = 1 << 12;
    pub(super) const ERASED: u16 = 1 << 13;
    pub(super) const PUSHED: u16 = 1 << 14;
    /// The validity is not the one interval without ends.
    pub(super) const VALIDITY: u16 = 1 << 15;
}

/// Versions are the most frequent rows, so their flags share one word and absent parts take none.
impl Coded for Lifecycle {
    fn put(&self, out: &mut Writer) {
        let always = Validity::of(Interval::new(None, None));
        let flags = [
            (self.pending, present::PENDING),
            (self.rejected, present::REJECTED),
            (self.expired, present::EXPIRED),
            (self.restricted, present::RESTRICTED),
            (self.pinned, present::PINNED),
            (self.stale, present::STALE),
            (self.ttl_until.is_some(), present::TTL),
            (self.review_by.is_some(), present::REVIEW),
            (self.last_confirmed.is_some(), present::CONFIRMED),
            (self.last_used.is_some(), present::USED),
            (self.closed.is_some(), present::CLOSED),
            (self.contest.is_some(), present::CONTEST),
            (self.forgotten.is_some(), present::FORGOTTEN),
            (self.erased.is_some(), present::ERASED),
            (!self.pushed_down.is_empty(), present::PUSHED),
            (self.validity != always, present::VALIDITY),
        ];
        out.u16(flags.iter().filter(|(set, _)| *set).fold(0, |all, (_, bit)| all | bit));
        self.since.put(out);
        self.layer.put(out);
        self.trust.put(out);
        for time in [self.ttl_until, self.review_by, self.last_confirmed, self.last_used] {
            time.iter().for_each(|time| time.put(out));
        }
        self.closed.iter().for_each(|closure| closure.put(out));
        for seq in [self.contest, self.forgotten, self.erased] {
            seq.iter().for_each(|seq| seq.put(out));
        }
        if !self.pushed_down.is_empty() {
            self.pushed_down.put(out);
        }
        if self.validity != always {
            self.validity.put(out);
        }
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let flags = reader.u16()?;
        let has = |bit: u16| flags & bit != 0;
        let always = Validity::of(Interval::new(None, None));
        Ok(Self {
            since: Coded::take(reader)?,
            layer: Coded::take(reader)?,
            trust: Coded::take(reader)?,
            ttl_until: when(has(present::TTL), reader)?,
            review_by: when(has(present::REVIEW), reader)?,
            last_confirmed: when(has(present::CONFIRMED), reader)?,
            last_used: when(has(present::USED), reader)?,
            closed: when(has(present::CLOSED), reader)?,
            contest: when(has(present::CONTEST), reader)?,
            forgotten: when(has(present::FORGOTTEN), reader)?,
            erased: when(has(present::ERASED), reader)?,
            pushed_down: present_unless(Vec::new(), has(present::PUSHED), reader)?,
            validity: present_unless(always, has(present::VALIDITY), reader)?,
            pending: has(present::PENDING),
            rejected: has(present::REJECTED),
            expired: has(present::EXPIRED),
            restricted: has(present::RESTRICTED),
            pinned: has(present::PINNED),
            stale: has(present::STALE),
        })
    }
}

fn when<T: Coded>(present: bool, reader: &mut Reader<'_>) -> Result<Option<T>, DecodeError> {
    present.then(|| T::take(reader)).transpose()
}

/// A part that is left out when it has its usual value, and then may not be there.
fn present_unless<T: Coded + PartialEq>(
    usual: T,
    present: bool,
    reader: &mut Reader<'_>,
) -> Result<T, DecodeError> {
    match when(present, reader)? {
        None => Ok(usual),
        Some(value) if value == usual => Err(DecodeError("a part that says nothing")),
        Some(value) => Ok(value),
    }
}
