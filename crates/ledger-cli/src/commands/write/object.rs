//! Owns reading one JSON object whose fields are known: duplicates and strangers are refused.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::Value;

use super::line::Refused;

/// The fields of an object in their order, each name once.
pub(super) struct Fields(pub(super) Vec<(String, Value)>);

/// Reads the fields and notes which one is being read, for a refusal.
struct Reading<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for Reading<'_> {
    type Value = Fields;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_> {
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
            *self.0 = Some(name.clone());
            fields.push((name, map.next_value()?));
            *self.0 = None;
        }
        Ok(Fields(fields))
    }
}

/// Reads one object.
///
/// # Errors
/// What is wrong, at which byte, and in which field.
pub(super) fn read(bytes: &[u8]) -> Result<Fields, Refused> {
    let text = std::str::from_utf8(bytes).map_err(|error| Refused {
        field: None,
        reason: format!("not valid UTF-8: byte {} begins no character", error.valid_up_to()),
    })?;
    let mut field = None;
    let mut json = serde_json::Deserializer::from_str(text);
    let fields = Reading(&mut field).deserialize(&mut json);
    let read = fields.and_then(|fields| json.end().map(|()| fields));
    read.map_err(|error| Refused { reason: reason(&error), field })
}

fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    let what = if what.contains("hex escape") || what.contains("surrogate") {
        "a \\u escape is no character: a lone surrogate, or not four hex digits"
    } else {
        what
    };
    match (error.line(), error.column()) {
        (0, _) => what.to_owned(),
        (1, column) => format!("{what} (column {column})"),
        (line, column) => format!("{what} (line {line}, column {column})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twice_the_same_field_is_refused() {
        let error = read(br#"{"text":"a","text":"b"}"#).err().expect("refused");
        assert!(error.reason.contains("twice"), "{error:?}");
    }

    #[test]
    fn the_field_is_named() {
        let error = read(br#"{"by":"a","text":"\ud800"}"#).err().expect("refused");
        assert_eq!(error.field.as_deref(), Some("text"));
        assert!(error.reason.contains("surrogate"), "{error:?}");
        let error = read(br#"{"by":"a" "text":"b"}"#).err().expect("refused");
        assert_eq!(error.field, None);
    }

    #[test]
    fn lone_surrogates_and_other_shapes_are_refused() {
        for text in [r#"{"text":"\ud800"}"#, "[]", "\"text\"", "1", "{", r#"{"a":1}x"#, ""] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
        assert!(read("{\"text\":\"a\u{2028}b\"}".as_bytes()).is_ok());
    }
}
