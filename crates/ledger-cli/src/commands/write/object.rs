//! Owns reading one JSON object whose fields are known: duplicates and strangers are refused.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

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
                return Err(twice(&name));
            }
            *self.0 = Some(name.clone());
            fields.push((name, map.next_value_seed(Strict)?));
            *self.0 = None;
        }
        Ok(Fields(fields))
    }
}

/// Any JSON value in which no object has a field twice: of two, one would be lost without a word.
struct Strict;

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element_seed(Self)? {
            list.push(value);
        }
        Ok(list.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(Self)?;
            if object.insert(name.clone(), value).is_some() {
                return Err(twice(&name));
            }
        }
        Ok(object.into())
    }
}

fn twice<E: serde::de::Error>(name: &str) -> E {
    E::custom(format!("the field {name:?} stands there twice"))
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
    if !text.trim_start().starts_with('{') {
        let reason = "not a JSON object; each line is one, such as {\"text\":\"…\"}".to_owned();
        return Err(Refused { field: None, reason });
    }
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
        for line in [r#"{"text":"a","text":"b"}"#, r#"{"body":[{"a":1,"b":{"c":1,"c":2}}]}"#] {
            let error = read(line.as_bytes()).err().expect("refused");
            assert!(error.reason.contains("twice"), "{error:?}");
        }
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
