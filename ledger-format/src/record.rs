//! Owns the layout of one record: fixed header, body, payload list, extension list.
//!
//! Invariants: at most [`limits::RECORD_BYTES`]; no text a person typed; what decodes re-encodes to
//! the same bytes. May not: look into the body (that is [`Event`]) or compute hashes.

use alloc::vec::Vec;

use crate::bytes::{Reader, Writer};
use crate::event::duty::Signal;
use crate::payload::PayloadRef;
use crate::{
    ActorKind, AliasId, Digest16, Event, Extension, FormatError, JobId, Kind, Micros, RecordHash,
    Seq, Tag, extension, limits,
};

/// Version of the record layout.
pub const RECORD_VERSION: u16 = 1;
/// Length of the fixed header.
pub const HEADER_BYTES: usize = 112;

/// What the writer knew about its clock when it stamped a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockFlags {
    /// The wall clock stood before the previous record: `recorded_at` was held back.
    pub behind: bool,
    /// A forward jump of more than a day was confirmed for this record.
    pub jump_confirmed: bool,
    /// The time was declared by the writer and not read from a clock.
    pub declared: bool,
}

impl ClockFlags {
    const BEHIND: u8 = 2;
    const JUMP: u8 = 4;
    const DECLARED: u8 = 8;

    const fn bits(self) -> u8 {
        (if self.behind { Self::BEHIND } else { 0 })
            | (if self.jump_confirmed { Self::JUMP } else { 0 })
            | (if self.declared { Self::DECLARED } else { 0 })
    }

    const fn from_bits(bits: u8) -> Self {
        Self {
            behind: bits & Self::BEHIND != 0,
            jump_confirmed: bits & Self::JUMP != 0,
            declared: bits & Self::DECLARED != 0,
        }
    }
}

const CRITICAL: u8 = 1;
const KNOWN_FLAGS: u8 = CRITICAL | ClockFlags::BEHIND | ClockFlags::JUMP | ClockFlags::DECLARED;

/// The fixed header of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordHeader {
    /// Number of the event kind.
    pub kind: u16,
    /// Version of the kind's body layout.
    pub kind_version: u16,
    /// Whether state cannot be told without knowing this kind.
    pub critical: bool,
    /// What was known about the clock.
    pub clock: ClockFlags,
    /// Who caused the record.
    pub actor_kind: ActorKind,
    /// Position in the log.
    pub seq: Seq,
    /// Hash of the record before; zero for record 0.
    pub prev: RecordHash,
    /// When the ledger recorded it; never goes backwards.
    pub recorded_at: Micros,
    /// What the wall clock said.
    pub wall_time: Micros,
    /// Who caused it; zero: nobody in particular.
    pub actor: AliasId,
    /// Last segment of the scope; zero: the ledger itself.
    pub scope: AliasId,
    /// Retention class; 0: the policy's default.
    pub retention: u16,
    /// Version of the policy in force; 0: the built-in one.
    pub policy: u32,
}

impl RecordHeader {
    /// A header of a known kind by the system itself; the caller sets what differs.
    #[must_use]
    pub const fn new(kind: Kind, seq: Seq, prev: RecordHash, recorded_at: Micros) -> Self {
        Self {
            kind: kind.number(),
            kind_version: kind.version(),
            critical: kind.critical(),
            clock: ClockFlags { behind: false, jump_confirmed: false, declared: false },
            actor_kind: ActorKind::System,
            seq,
            prev,
            recorded_at,
            wall_time: recorded_at,
            actor: AliasId::ZERO,
            scope: AliasId::ZERO,
            retention: 0,
            policy: 0,
        }
    }

    fn check(&self) -> Result<(), FormatError> {
        if self.kind == 0 {
            return Err(FormatError::UnknownNumber { what: "event kind", found: 0 });
        }
        if let Some(known) = Kind::from_number(self.kind)
            && known.version() == self.kind_version
            && known.critical() != self.critical
        {
            return Err(FormatError::BadValue { what: "a critical bit other than the kind's" });
        }
        if self.seq == Seq(u64::MAX) {
            return Err(FormatError::BadValue { what: "a sequence number beyond the last one" });
        }
        if (self.seq == Seq(0)) != self.prev.is_zero() {
            return Err(FormatError::BadValue { what: "only record 0 has no record before it" });
        }
        Ok(())
    }
}

/// A record to be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The fixed header.
    pub header: RecordHeader,
    /// The body as [`Event::encode`] gives it.
    pub body: Vec<u8>,
    /// Payloads, in the order in which their bytes lie in the payload range of the batch.
    pub payloads: Vec<PayloadRef>,
    /// Extensions, sorted by tag.
    pub extensions: Vec<Extension>,
}

impl Record {
    /// A record without payloads and extensions.
    #[must_use]
    pub const fn new(header: RecordHeader, body: Vec<u8>) -> Self {
        Self { header, body, payloads: Vec::new(), extensions: Vec::new() }
    }

    /// The bytes that are stored and hashed.
    ///
    /// # Errors
    /// Any [`FormatError`] that a reader would give: what is encoded decodes.
    pub fn encode(&self) -> Result<Vec<u8>, FormatError> {
        self.header.check()?;
        self.payloads.iter().try_for_each(PayloadRef::check)?;
        let extensions = extension::encode(&self.extensions)?;
        if self.payloads.len() > limits::RECORD_PAYLOADS {
            return Err(FormatError::TooLarge {
                what: "payloads of a record",
                found: self.payloads.len() as u64,
                limit: limits::RECORD_PAYLOADS as u64,
            });
        }
        let total = HEADER_BYTES
            + self.body.len()
            + self.payloads.len() * PayloadRef::BYTES
            + extensions.len();
        let too_large = FormatError::TooLarge {
            what: "record length",
            found: total as u64,
            limit: limits::RECORD_BYTES as u64,
        };
        if total > limits::RECORD_BYTES {
            return Err(too_large);
        }
        let body_length = u16::try_from(self.body.len()).map_err(|_| too_large.clone())?;
        let extension_length = u16::try_from(extensions.len()).map_err(|_| too_large.clone())?;
        let payload_count = u8::try_from(self.payloads.len()).map_err(|_| too_large)?;
        let mut out = Writer::with_capacity(total);
        encode_header(&self.header, &mut out);
        out.u16(body_length).u16(extension_length).u8(payload_count).zeros(3);
        out.put(&self.body);
        for payload in &self.payloads {
            payload.encode(&mut out);
        }
        out.put(&extensions);
        Ok(out.into_vec())
    }
}

fn encode_header(header: &RecordHeader, out: &mut Writer) {
    let flags = u8::from(header.critical) | header.clock.bits();
    out.u16(RECORD_VERSION).u16(header.kind).u16(header.kind_version).u8(flags);
    out.u8(header.actor_kind.number());
    out.u64(header.seq.0).put(&header.prev.0);
    out.i64(header.recorded_at.0).i64(header.wall_time.0);
    out.put(&header.actor.0).put(&header.scope.0);
    out.u16(header.retention).zeros(2).u32(header.policy);
}

/// A decoded record over its stored bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordView<'a> {
    /// The fixed header.
    pub header: RecordHeader,
    /// The body as stored.
    pub body: &'a [u8],
    /// Payloads, in the order of their bytes.
    pub payloads: Vec<PayloadRef>,
    /// Extensions, sorted by tag.
    pub extensions: Vec<Extension>,
}

impl<'a> RecordView<'a> {
    /// Decodes a record from exactly its bytes. The body is not looked into.
    ///
    /// # Errors
    /// Any [`FormatError`] that names what is wrong.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FormatError> {
        if bytes.len() > limits::RECORD_BYTES {
            return Err(FormatError::TooLarge {
                what: "record length",
                found: bytes.len() as u64,
                limit: limits::RECORD_BYTES as u64,
            });
        }
        let mut reader = Reader::new("a record", bytes);
        let header = decode_header(&mut reader)?;
        let body_length = usize::from(reader.u16()?);
        let extension_length = usize::from(reader.u16()?);
        let payload_count = usize::from(reader.u8()?);
        reader.zeros(3)?;
        if payload_count > limits::RECORD_PAYLOADS {
            return Err(FormatError::TooLarge {
                what: "payloads of a record",
                found: payload_count as u64,
                limit: limits::RECORD_PAYLOADS as u64,
            });
        }
        let body = reader.take(body_length)?;
        let mut payloads = Vec::with_capacity(payload_count);
        for _ in 0..payload_count {
            payloads.push(PayloadRef::decode(&mut reader)?);
        }
        let extensions = extension::decode(reader.take(extension_length)?)?;
        reader.end()?;
        Ok(Self { header, body, payloads, extensions })
    }

    /// Decodes the body.
    ///
    /// # Errors
    /// [`FormatError`] when the body of a known kind does not decode. A record with an unknown
    /// critical extension gives [`Event::Unknown`].
    pub fn event(&self) -> Result<Event, FormatError> {
        let header = &self.header;
        if self.extensions.iter().any(|e| e.critical && e.known().is_none()) {
            return Ok(Event::Unknown {
                kind: header.kind,
                version: header.kind_version,
                critical: true,
                body: self.body.to_vec(),
            });
        }
        Event::decode(header.kind, header.kind_version, header.critical, self.body)
    }

    /// When a foreign system says it knew, if the record is an import.
    #[must_use]
    pub fn claimed_at(&self) -> Option<Micros> {
        self.fixed::<8>(Tag::ClaimedAt).map(|bytes| Micros(i64::from_le_bytes(bytes)))
    }

    /// The digests of the idempotency key and of the proposal under it.
    #[must_use]
    pub fn idempotency(&self) -> Option<(Digest16, Digest16)> {
        let both = self.fixed::<32>(Tag::Idempotency)?;
        let (mut key, mut proposal) = ([0; 16], [0; 16]);
        key.copy_from_slice(both.get(..16)?);
        proposal.copy_from_slice(both.get(16..)?);
        Some((Digest16(key), Digest16(proposal)))
    }

    /// The job this record is part of.
    #[must_use]
    pub fn job(&self) -> Option<JobId> {
        self.fixed(Tag::Job).map(JobId)
    }

    /// The alias under one of the alias tags.
    #[must_use]
    pub fn alias(&self, tag: Tag) -> Option<AliasId> {
        self.fixed(tag).map(AliasId)
    }

    /// What the gate looked at, where it was more than nothing.
    #[must_use]
    pub fn gate(&self) -> Vec<Signal> {
        let mut found = self.extensions.iter().filter(|ext| ext.tag == Tag::Gate.number());
        let bytes = found.next().map_or(&[][..], |extension| &extension.bytes);
        let (signals, _) = bytes.as_chunks::<{ Signal::BYTES }>();
        signals.iter().map(|bytes| Signal::from_bytes(*bytes)).collect()
    }

    fn fixed<const N: usize>(&self, tag: Tag) -> Option<[u8; N]> {
        let found = self.extensions.iter().find(|extension| extension.tag == tag.number())?;
        found.bytes.as_slice().try_into().ok()
    }
}

fn decode_header(reader: &mut Reader<'_>) -> Result<RecordHeader, FormatError> {
    let version = reader.u16()?;
    if version != RECORD_VERSION {
        return Err(FormatError::UnsupportedVersion { what: "a record", found: version });
    }
    let kind = reader.u16()?;
    let kind_version = reader.u16()?;
    let flags = reader.u8()?;
    if flags & !KNOWN_FLAGS != 0 {
        return Err(FormatError::ReservedNotZero { what: "record flags" });
    }
    let actor_number = reader.u8()?;
    let actor_kind = ActorKind::from_number(actor_number)
        .ok_or(FormatError::UnknownNumber { what: "actor kind", found: u64::from(actor_number) })?;
    let critical = flags & CRITICAL != 0;
    let seq = Seq(reader.u64()?);
    let prev = RecordHash(reader.array()?);
    let recorded_at = Micros(reader.i64()?);
    let wall_time = Micros(reader.i64()?);
    let actor = AliasId(reader.array()?);
    let scope = AliasId(reader.array()?);
    let retention = reader.u16()?;
    reader.zeros(2)?;
    let header = RecordHeader {
        kind,
        kind_version,
        critical,
        clock: ClockFlags::from_bits(flags),
        actor_kind,
        seq,
        prev,
        recorded_at,
        wall_time,
        actor,
        scope,
        retention,
        policy: reader.u32()?,
    };
    header.check()?;
    Ok(header)
}
