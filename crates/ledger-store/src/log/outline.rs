//! Owns the few fields of a record that the log itself needs: where it stands, what it continues,
//! and how many payload bytes belong to it. Reads them without allocating.
//!
//! May not: look into the body. Whether a record decodes as a whole is for those who use it.

use ledger_format::bytes::Reader;
use ledger_format::record::{HEADER_BYTES, RECORD_VERSION};
use ledger_format::{FormatError, Micros, PayloadRef, RecordHash, Seq};

/// What the log needs to know of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outline {
    pub(crate) seq: Seq,
    pub(crate) prev: RecordHash,
    pub(crate) recorded_at: Micros,
    /// Bytes of all its payloads together.
    pub(crate) payload_bytes: u64,
}

impl Outline {
    /// Reads the outline of stored bytes. A test holds it against the full decoder.
    pub(crate) fn of(record: &[u8]) -> Result<Self, FormatError> {
        let mut reader = Reader::new("a record", record);
        let version = reader.u16()?;
        if version != RECORD_VERSION {
            return Err(FormatError::UnsupportedVersion { what: "a record", found: version });
        }
        // Kind, kind version, flags, actor kind.
        reader.take(6)?;
        let seq = Seq(reader.u64()?);
        let prev = RecordHash(reader.array()?);
        let recorded_at = Micros(reader.i64()?);
        let mut tail = Reader::new("a record", record);
        tail.take(HEADER_BYTES - 8)?;
        let body = usize::from(tail.u16()?);
        tail.u16()?;
        let payloads = tail.u8()?;
        tail.take(3)?;
        let mut payload_bytes = 0;
        if payloads > 0 {
            tail.take(body)?;
            for _ in 0..payloads {
                payload_bytes += u64::from(PayloadRef::decode(&mut tail)?.length);
            }
        }
        Ok(Self { seq, prev, recorded_at, payload_bytes })
    }
}

#[cfg(test)]
mod tests {
    use ledger_format::{Extension, Kind, PayloadId, Record, RecordHeader, RecordView, Role};

    use super::*;

    #[test]
    fn an_outline_says_what_the_full_decoder_says() {
        for payloads in [0, 1, 8] {
            let header = RecordHeader::new(Kind::Write, Seq(9), RecordHash([7; 32]), Micros(-5));
            let reference = |number| PayloadRef {
                id: PayloadId(number),
                role: Role::Text,
                suite: 1,
                commitment: [1; 32],
                digest: [2; 32],
                length: 104 + u32::try_from(number).unwrap(),
            };
            let record = Record {
                header,
                body: vec![3; 77],
                payloads: (0..payloads).map(reference).collect(),
                extensions: vec![Extension::claimed_at(Micros(1))],
            };
            let bytes = record.encode().unwrap();
            let view = RecordView::decode(&bytes).unwrap();
            let outline = Outline::of(&bytes).unwrap();
            assert_eq!(outline.seq, view.header.seq);
            assert_eq!(outline.prev, view.header.prev);
            assert_eq!(outline.recorded_at, view.header.recorded_at);
            let total: u64 = view.payloads.iter().map(|payload| u64::from(payload.length)).sum();
            assert_eq!(outline.payload_bytes, total);
            for end in 0..HEADER_BYTES {
                assert!(Outline::of(&bytes[..end]).is_err(), "{end}");
            }
        }
    }
}
