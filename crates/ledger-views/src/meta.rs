//! Owns the one row about all others: whose they are, up to which record, how many, and their sum.
//!
//! It is written in the same sled batch as the rows it speaks of, stands beside them and is not part
//! of their digest, so it carries a check of its own.

use ledger_format::bytes::{Reader, Writer};
use ledger_format::{LedgerId, RecordHash, Seq, hash};

use crate::digest::{Sum, ViewDigest};
use crate::error::Broken;

/// Version of the rows of this crate. Changing any of them raises it and makes views rebuild.
pub(crate) const SCHEMA: u16 = 2;

const MAGIC: &[u8; 8] = b"MLVIEWS\n";

/// Up to where views are applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied {
    /// The last record.
    pub seq: Seq,
    /// Its hash: the caller compares it with the log before relying on the views.
    pub hash: RecordHash,
}

/// What the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    pub(crate) ledger: LedgerId,
    pub(crate) applied: Option<Applied>,
    pub(crate) rows: u64,
    /// Bytes of keys and values of all rows.
    pub(crate) bytes: u64,
    pub(crate) memories: u64,
    pub(crate) versions: u64,
    /// How many groups have a number.
    pub(crate) groups: u64,
    pub(crate) sum: Sum,
}

/// The two schemas that rows depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Schemas {
    pub(crate) views: u16,
    pub(crate) replay: u16,
}

impl Schemas {
    pub(crate) const NOW: Self = Self { views: SCHEMA, replay: ledger_replay::SCHEMA };
}

/// A stored row: of this program's schemas, or of others and then not looked into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    Here(Meta),
    Other(Schemas),
}

impl Meta {
    pub(crate) fn new(ledger: LedgerId) -> Self {
        Self {
            ledger,
            applied: None,
            rows: 0,
            bytes: 0,
            memories: 0,
            versions: 0,
            groups: 0,
            sum: Sum::default(),
        }
    }

    /// The record that comes next.
    pub(crate) fn next(&self) -> Seq {
        self.applied.map_or(Seq(0), |applied| applied.seq.next())
    }

    pub(crate) fn digest(&self) -> ViewDigest {
        self.sum.digest()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer::default();
        let applied = self.applied.unwrap_or(Applied { seq: Seq(0), hash: RecordHash::ZERO });
        out.put(MAGIC).u16(Schemas::NOW.views).u16(Schemas::NOW.replay);
        out.put(&self.ledger.0);
        out.u8(u8::from(self.applied.is_some())).u64(applied.seq.0).put(&applied.hash.0);
        out.u64(self.rows).u64(self.bytes).u64(self.memories).u64(self.versions).u64(self.groups);
        out.put(&self.digest().0);
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    pub(crate) fn decode(bytes: &[u8]) -> Result<Stored, Broken> {
        let split = bytes.len().checked_sub(16).ok_or(Broken("the meta row is too short"))?;
        let (body, check) = bytes.split_at(split);
        if hash::check(body).0.as_slice() != check {
            return Err(Broken("the check of the meta row does not match"));
        }
        let mut reader = Reader::new("the meta row", body);
        reader.magic(MAGIC)?;
        let schemas = Schemas { views: reader.u16()?, replay: reader.u16()? };
        if schemas != Schemas::NOW {
            return Ok(Stored::Other(schemas));
        }
        let ledger = LedgerId(reader.array()?);
        let some = reader.u8()? != 0;
        let applied = Applied { seq: Seq(reader.u64()?), hash: RecordHash(reader.array()?) };
        let meta = Self {
            ledger,
            applied: some.then_some(applied),
            rows: reader.u64()?,
            bytes: reader.u64()?,
            memories: reader.u64()?,
            versions: reader.u64()?,
            groups: reader.u64()?,
            sum: Sum::from_digest(&ViewDigest(reader.array()?)),
        };
        reader.end()?;
        Ok(Stored::Here(meta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_and_a_flipped_bit_shows() {
        let mut meta = Meta::new(LedgerId([3; 16]));
        meta.applied = Some(Applied { seq: Seq(9), hash: RecordHash([4; 32]) });
        meta.rows = 77;
        meta.sum.add(b"k", b"v");
        let bytes = meta.encode();
        assert_eq!(Meta::decode(&bytes), Ok(Stored::Here(meta)));
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(Meta::decode(&bad).is_err(), "byte {at}");
        }
        assert!(Meta::decode(&bytes[..9]).is_err());
    }

    #[test]
    fn another_schema_is_named_and_not_looked_into() {
        let mut out = Writer::default();
        out.put(MAGIC).u16(SCHEMA + 1).u16(7).put(b"whatever follows");
        let check = hash::check(out.as_slice());
        out.put(&check.0);
        let other = Schemas { views: SCHEMA + 1, replay: 7 };
        assert_eq!(Meta::decode(out.as_slice()), Ok(Stored::Other(other)));
    }
}
