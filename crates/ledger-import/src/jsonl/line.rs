//! Owns the lines of an export.
//!
//! Invariant: fields have one spelling; what is missing, unknown or misspelled is an error that names
//! it.

use memledger::format::{BatchNo, LedgerId, PayloadId, RecordHash, Role, Seq};
use memledger::transfer::{RawPayload, RawRecord};
use serde_json::{Map, Value, json};

use crate::encoding::{hex, unhex};

/// Names the format and its version.
const FORMAT: &str = "memledger export 1";

type Decoded<T> = Result<T, String>;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) ledger: LedgerId,
    pub(crate) origin: String,
    pub(crate) records: u64,
    pub(crate) head: Option<RecordHash>,
    pub(crate) sealed: bool,
}

impl Header {
    pub(crate) fn encode(&self) -> Value {
        json!({
            "format": FORMAT,
            "ledger": hex(&self.ledger.0),
            "origin": self.origin,
            "records": self.records,
            "head": self.head.map(|hash| hex(&hash.0)),
            "sealed": self.sealed,
        })
    }

    pub(crate) fn decode(line: &[u8]) -> Decoded<Self> {
        let mut fields = Fields::parse(line)?;
        let format = fields.text("format").map_err(|_| format!("no header of {FORMAT:?}"))?;
        if format != FORMAT {
            return Err(format!("the format is {format:?}, this program reads {FORMAT:?}"));
        }
        let head = match fields.take("head")? {
            Value::Null => None,
            Value::String(text) => Some(RecordHash(fixed("head", &text)?)),
            _ => return Err("\"head\" is no hash".to_owned()),
        };
        let header = Self {
            ledger: LedgerId(fixed("ledger", &fields.text("ledger")?)?),
            origin: fields.text("origin")?,
            records: fields.number("records")?,
            head,
            sealed: fields
                .take("sealed")?
                .as_bool()
                .ok_or("\"sealed\" is neither true nor false")?,
        };
        fields.finish()?;
        Ok(header)
    }
}

/// The line of a record.
pub(crate) fn encode(record: &RawRecord) -> Value {
    let payloads: Vec<Value> = record.payloads.iter().map(payload).collect();
    json!({
        "seq": record.seq.0,
        "hash": hex(&record.hash.0),
        "kind": record.kind,
        "record": hex(&record.bytes),
        "batch": record.batch.0,
        "payloads": payloads,
    })
}

fn payload(payload: &RawPayload) -> Value {
    let mut value = json!({
        "id": payload.id.0,
        "role": payload.role.name(),
        "stored": hex(&payload.stored),
    });
    if let (Some(key), Some(fields)) = (&payload.key, value.as_object_mut()) {
        fields.insert("key".to_owned(), hex(key.as_slice()).into());
    }
    value
}

/// The record of a line.
pub(crate) fn decode(line: &[u8]) -> Decoded<RawRecord> {
    let mut fields = Fields::parse(line)?;
    let payloads = match fields.take("payloads")? {
        Value::Array(list) => list.into_iter().map(decode_payload).collect::<Decoded<_>>()?,
        _ => return Err("\"payloads\" is no list".to_owned()),
    };
    let record = RawRecord {
        seq: Seq(fields.number("seq")?),
        hash: RecordHash(fixed("hash", &fields.text("hash")?)?),
        kind: fields.text("kind")?,
        bytes: bytes("record", &fields.text("record")?)?,
        batch: BatchNo(fields.number("batch")?),
        payloads,
    };
    fields.finish()?;
    Ok(record)
}

fn decode_payload(value: Value) -> Decoded<RawPayload> {
    let Value::Object(object) = value else { return Err("a payload is no object".to_owned()) };
    let mut fields = Fields(object);
    let role = fields.text("role")?;
    let key = match fields.0.shift_remove("key") {
        None => None,
        Some(Value::String(text)) => Some(fixed::<32>("key", &text)?.into()),
        Some(_) => return Err("\"key\" is no text".to_owned()),
    };
    let payload = RawPayload {
        id: PayloadId(fields.number("id")?),
        role: Role::from_name(&role).ok_or_else(|| format!("{role:?} is no role of a payload"))?,
        stored: bytes("stored", &fields.text("stored")?)?,
        key,
    };
    fields.finish()?;
    Ok(payload)
}

/// The fields of an object that were not looked at yet.
struct Fields(Map<String, Value>);

impl Fields {
    fn parse(line: &[u8]) -> Decoded<Self> {
        match serde_json::from_slice(line) {
            Ok(Value::Object(object)) => Ok(Self(object)),
            Ok(_) => Err("a line of an export is a JSON object".to_owned()),
            Err(error) => Err(format!("no JSON: {error}")),
        }
    }

    fn take(&mut self, name: &str) -> Decoded<Value> {
        self.0.shift_remove(name).ok_or_else(|| format!("the field {name:?} is missing"))
    }

    fn text(&mut self, name: &str) -> Decoded<String> {
        match self.take(name)? {
            Value::String(text) => Ok(text),
            _ => Err(format!("{name:?} is no text")),
        }
    }

    fn number(&mut self, name: &str) -> Decoded<u64> {
        self.take(name)?.as_u64().ok_or_else(|| format!("{name:?} is no whole number"))
    }

    fn finish(self) -> Decoded<()> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(other) => Err(format!("the field {other:?} is not known")),
        }
    }
}

fn bytes(name: &str, text: &str) -> Decoded<Vec<u8>> {
    unhex(text).ok_or_else(|| format!("{name:?} is not written in lower-case hex digits"))
}

fn fixed<const N: usize>(name: &str, text: &str) -> Decoded<[u8; N]> {
    let bytes = bytes(name, text)?;
    bytes
        .try_into()
        .map_err(|bytes: Vec<u8>| format!("{name:?} has {} bytes instead of {N}", bytes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> RawRecord {
        let payload = |id, key: Option<[u8; 32]>| RawPayload {
            id: PayloadId(id),
            role: Role::Text,
            stored: vec![1, 2, 255],
            key: key.map(Into::into),
        };
        RawRecord {
            seq: Seq(7),
            hash: RecordHash([9; 32]),
            batch: BatchNo(3),
            kind: "write".to_owned(),
            bytes: vec![0, 171],
            payloads: vec![payload(1, Some([8; 32])), payload(2, None)],
        }
    }

    #[test]
    fn lines_round_trip() {
        let line = encode(&record()).to_string();
        assert_eq!(decode(line.as_bytes()).unwrap(), record());
        assert!(!line.contains("null"), "a key that is not there is absent: {line}");
        let header = Header {
            ledger: LedgerId([5; 16]),
            origin: "a \"b\"\u{2028}".to_owned(),
            records: 8,
            head: Some(RecordHash([1; 32])),
            sealed: true,
        };
        assert_eq!(Header::decode(header.encode().to_string().as_bytes()).unwrap(), header);
    }

    #[test]
    fn a_misspelled_line_says_what_is_wrong() {
        let line = encode(&record()).to_string();
        for (from, to, reason) in [
            ("\"seq\":7", "\"seq\":-7", "\"seq\""),
            ("\"seq\":7", "\"seq\":\"7\"", "\"seq\""),
            ("\"seq\":7,", "", "\"seq\" is missing"),
            ("\"seq\":7", "\"seq\":7,\"more\":1", "\"more\" is not known"),
            ("00ab", "00AB", "lower-case"),
            ("00ab", "00a", "lower-case"),
            ("\"text\"", "\"words\"", "no role"),
            ("0909", "09", "31 bytes instead of 32"),
            ("{\"seq\"", "[{\"seq\"", "no JSON"),
        ] {
            let wrong = line.replacen(from, to, 1);
            assert_ne!(wrong, line, "{from}");
            let error = decode(wrong.as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
        assert!(decode(b"[]").is_err() && decode(b"\xff").is_err());
        assert!(Header::decode(line.as_bytes()).unwrap_err().contains("no header"));
        let newer = line.replacen("\"seq\":7", "\"format\":\"memledger export 2\"", 1);
        assert!(Header::decode(newer.as_bytes()).unwrap_err().contains("export 2"));
    }
}
