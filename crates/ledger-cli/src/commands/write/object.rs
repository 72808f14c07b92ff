//! Owns reading one JSON object whose fields are known: duplicates and strangers are refused.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

/// The fields of an object in their order, each name once.
pub(super) struct Fields(pub(super) Vec<(String, Value)>);

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields: Vec<(String, Value)> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(A::Error::custom(format!("the field {name:?} stands there twice")));
            }
            fields.push((name, map.next_value()?));
        }
        Ok(Fields(fields))
    }
}

/// Reads a line.
///
/// # Errors
/// What is wrong, and at which byte.
pub(super) fn read(bytes: &[u8]) -> Result<Fields, String> {
    if let Err(error) = std::str::from_utf8(bytes) {
        return Err(format!("not valid UTF-8: byte {} begins no character", error.valid_up_to()));
    }
    serde_json::from_slice(bytes).map_err(|error| {
        let text = error.to_string();
        // There is one line only, so its number says nothing.
        let what = text.split(" at line ").next().unwrap_or(&text);
        format!("{what} at column {}", error.column())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_same_field_is_refused() {
        let error = read(br#"{"text":"a","text":"b"}"#).err().expect("refused");
        assert!(error.contains("twice"), "{error}");
    }

    #[test]
    fn lone_surrogates_and_other_shapes_are_refused() {
        for text in [r#"{"text":"\ud800"}"#, "[]", "\"text\"", "1", "{", r#"{"a":1}x"#, ""] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read("{\"text\":\"a\u{2028}b\"}".as_bytes()).is_ok());
    }
}
