//! Decodes and encodes event bodies by the type words of `SPEC.md` alone: nothing here knows the
//! structs of the crate. 64-bit numbers become decimal strings, byte strings become hex.

use serde_json::{Map, Value, json};

use super::hex;
use super::spec::Spec;

type Result<T> = std::result::Result<T, String>;

impl Spec {
    /// Decodes a whole body of a kind.
    pub(crate) fn decode_body(&self, kind: &str, bytes: &[u8]) -> Result<Value> {
        let mut rest = bytes;
        let value = self.decode_table(&format!("body:{kind}"), &mut rest)?;
        if rest.is_empty() { Ok(value) } else { Err(format!("{} bytes left", rest.len())) }
    }

    /// Encodes a whole body of a kind.
    pub(crate) fn encode_body(&self, kind: &str, value: &Value) -> Vec<u8> {
        let mut out = Vec::new();
        self.encode_table(&format!("body:{kind}"), value, &mut out);
        out
    }

    /// Fewest bytes that a type takes: every option none, every list empty.
    pub(crate) fn least(&self, ty: &str) -> usize {
        if let Some(size) = self.fixed(ty) {
            size
        } else if let Some(table) = ty.strip_prefix("struct:") {
            self.least_of_table(&format!("struct:{table}"))
        } else if ty.starts_with("option<") {
            1
        } else {
            8
        }
    }

    pub(crate) fn least_of_table(&self, table: &str) -> usize {
        self.table(table).column("type").into_iter().map(|ty| self.least(ty)).sum()
    }

    /// Size of a type whose size never varies.
    pub(crate) fn fixed(&self, ty: &str) -> Option<usize> {
        if let Some(word) = ty.strip_prefix("word:") {
            return Some(self.word_size(word));
        }
        let row = self.table("types").rows.iter().find(|row| row[0] == ty)?;
        row[1].parse().ok()
    }

    fn word_size(&self, word: &str) -> usize {
        if self.text.contains(&format!("\n`{word}`, u16: ")) {
            return 2;
        }
        assert!(self.text.contains(&format!("\n`{word}`, u8: ")), "no integer type of word {word}");
        1
    }

    fn decode_table(&self, table: &str, rest: &mut &[u8]) -> Result<Value> {
        let mut fields = Map::new();
        for (field, ty) in self.table(table).pairs("field", "type") {
            let value = self.decode(&ty, rest).map_err(|error| format!("{field}: {error}"))?;
            fields.insert(field, value);
        }
        Ok(Value::Object(fields))
    }

    fn decode(&self, ty: &str, rest: &mut &[u8]) -> Result<Value> {
        if let Some(inner) = inner(ty, "option") {
            return match take(rest, 1)?[0] {
                0 => Ok(Value::Null),
                1 => self.decode(inner, rest),
                other => Err(format!("option byte {other}")),
            };
        }
        if let Some(inner) = inner(ty, "list") {
            let count = number(take(rest, 8)?);
            return (0..count).map(|_| self.decode(inner, rest)).collect();
        }
        if ty.starts_with("struct:") {
            return self.decode_table(ty, rest);
        }
        if let Some(word) = ty.strip_prefix("word:") {
            let found = number(take(rest, self.word_size(word))?).to_string();
            let words = self.table(ty).pairs("number", "word");
            let known = words.into_iter().find(|(number, _)| *number == found);
            return known.map(|(_, word)| json!(word)).ok_or(format!("{found} is no {word}"));
        }
        self.decode_plain(ty, rest)
    }

    fn decode_plain(&self, ty: &str, rest: &mut &[u8]) -> Result<Value> {
        match ty {
            "bytes" | "string" => {
                let count = number(take(rest, 8)?);
                let bytes = take(rest, usize::try_from(count).map_err(|e| e.to_string())?)?;
                if ty == "bytes" {
                    return Ok(json!(hex::plain(bytes)));
                }
                String::from_utf8(bytes.to_vec()).map(|text| json!(text)).map_err(|e| e.to_string())
            }
            "bool" => match take(rest, 1)?[0] {
                byte @ (0 | 1) => Ok(json!(byte == 1)),
                other => Err(format!("bool {other}")),
            },
            "u8" | "u16" | "u32" => {
                let size = self.fixed(ty).expect("a fixed size");
                Ok(json!(number(take(rest, size)?)))
            }
            "u64" | "seq" | "payload" => Ok(json!(number(take(rest, 8)?).to_string())),
            "i64" | "micros" => Ok(json!(number(take(rest, 8)?).cast_signed().to_string())),
            _ => {
                let size = self.fixed(ty).unwrap_or_else(|| panic!("SPEC.md has no type {ty}"));
                Ok(json!(hex::plain(take(rest, size)?)))
            }
        }
    }

    fn encode_table(&self, table: &str, value: &Value, out: &mut Vec<u8>) {
        for (field, ty) in self.table(table).pairs("field", "type") {
            self.encode(&ty, &value[field], out);
        }
    }

    fn encode(&self, ty: &str, value: &Value, out: &mut Vec<u8>) {
        if let Some(inner) = inner(ty, "option") {
            out.push(u8::from(!value.is_null()));
            if !value.is_null() {
                self.encode(inner, value, out);
            }
        } else if let Some(inner) = inner(ty, "list") {
            let items = value.as_array().expect("a list");
            out.extend((items.len() as u64).to_le_bytes());
            items.iter().for_each(|item| self.encode(inner, item, out));
        } else if ty.starts_with("struct:") {
            self.encode_table(ty, value, out);
        } else if ty == "string" {
            let text = value.as_str().expect("a text");
            out.extend((text.len() as u64).to_le_bytes());
            out.extend(text.as_bytes());
        } else if ty == "bytes" {
            let bytes = hex::parse(value.as_str().expect("bytes"));
            out.extend((bytes.len() as u64).to_le_bytes());
            out.extend(bytes);
        } else {
            self.encode_fixed(ty, value, out);
        }
    }

    fn encode_fixed(&self, ty: &str, value: &Value, out: &mut Vec<u8>) {
        let size = self.fixed(ty).unwrap_or_else(|| panic!("SPEC.md has no type {ty}"));
        let number = if ty.starts_with("word:") {
            let words = self.table(ty).pairs("word", "number");
            let found = words.iter().find(|(word, _)| value == word.as_str()).expect("a word");
            found.1.parse::<u64>().expect("a number")
        } else if let Some(flag) = value.as_bool() {
            u64::from(flag)
        } else if let Some(number) = value.as_u64() {
            number
        } else if ["u64", "seq", "payload"].contains(&ty) {
            value.as_str().expect("a number").parse::<u64>().expect("a number")
        } else if ["i64", "micros"].contains(&ty) {
            value.as_str().expect("a number").parse::<i64>().expect("a number").cast_unsigned()
        } else {
            out.extend(hex::parse(value.as_str().expect("bytes")));
            return;
        };
        out.extend(&number.to_le_bytes()[..size]);
    }
}

fn inner<'a>(ty: &'a str, outer: &str) -> Option<&'a str> {
    ty.strip_prefix(outer)?.strip_prefix('<')?.strip_suffix('>')
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count).ok_or("too short")?;
    *rest = left;
    Ok(taken)
}

/// A little-endian number of up to 8 bytes.
pub(crate) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

impl Spec {
    /// Bytes that a value of a type takes.
    pub(crate) fn encoded_length(&self, ty: &str, value: &Value) -> usize {
        let mut out = Vec::new();
        self.encode(ty, value, &mut out);
        out.len()
    }
}
