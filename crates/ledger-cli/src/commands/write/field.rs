//! Owns reading single fields of a line: each either has its type or the line is refused with the
//! field and the reason.

use std::str::FromStr;

use memledger::civil::parse_instant;
use memledger::format::{BodyType, Layer, MemoryId, Micros};
use memledger::{Content, Deadline};
use serde_json::Value;

use crate::args::{body_type, confidence_parts, layer};
use crate::commands::times;

/// What a field came to, or why not.
pub(super) type Field<T> = Result<T, String>;

/// The name of a JSON type, with its article.
const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn wrong(wanted: &str, found: &Value) -> String {
    format!("wanted {wanted}, found {}", kind(found))
}

pub(super) fn string(value: Value) -> Field<String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong("a string", &other)),
    }
}

/// The words of a memory. Empty ones are refused with the memory, these here.
pub(super) fn words(value: Value) -> Field<String> {
    let text = string(value)?;
    if !text.is_empty() && text.trim().is_empty() {
        return Err("nothing but white space; a memory needs words".to_owned());
    }
    Ok(text)
}

pub(super) fn strings(value: Value) -> Field<Vec<String>> {
    match value {
        Value::Array(list) => list.into_iter().map(string).collect(),
        other => Err(wrong("an array of strings", &other)),
    }
}

/// Anything that is written as one word or path.
pub(super) fn word<T: FromStr<Err = memledger::Error>>(value: Value) -> Field<T> {
    string(value)?.parse().map_err(|error: memledger::Error| error.to_string())
}

pub(super) fn layer_name(value: Value) -> Field<Layer> {
    layer(&string(value)?)
}

pub(super) fn body_name(value: Value) -> Field<BodyType> {
    body_type(&string(value)?)
}

pub(super) fn ids(value: Value) -> Field<Vec<MemoryId>> {
    strings(value)?
        .iter()
        .map(|text| {
            MemoryId::parse(text)
                .ok_or_else(|| format!("{text:?} is no whole memory id; prefixes are for people"))
        })
        .collect()
}

pub(super) fn instant(value: Value) -> Field<Micros> {
    parse_instant(&string(value)?).map_err(|error| error.to_string())
}

pub(super) fn lifetime(value: Value) -> Field<Deadline> {
    times::lifetime_strict(&string(value)?)
}

pub(super) fn confidence(value: Value) -> Field<u16> {
    match value.as_f64() {
        Some(number) => {
            confidence_parts(number).ok_or_else(|| "a number from 0 to 1 is wanted".to_owned())
        }
        None => Err(wrong("a number from 0 to 1", &value)),
    }
}

/// `["subject", "predicate", "object"]`, or the same with names, and then perhaps unit and qualifiers.
pub(super) fn fact(value: Value) -> Field<(Content, Option<BodyType>)> {
    if let Value::Object(object) = &value
        && object.contains_key("qualifiers") | object.contains_key("unit")
    {
        let known = ["subject", "predicate", "object", "unit", "qualifiers"];
        if let Some(name) = object.keys().find(|name| !known.contains(&name.as_str())) {
            return Err(crate::args::unknown_word("field of a fact", name, &known));
        }
        return Ok((Content::Body(value), Some(BodyType::Fact)));
    }
    let [subject, predicate, object] = triple(value)?;
    Ok((Content::Fact { subject, predicate, object }, None))
}

fn triple(value: Value) -> Field<[String; 3]> {
    let shape = "a fact is [\"subject\", \"predicate\", \"object\"], or an object with these three fields and perhaps unit and qualifiers";
    let parts: Vec<String> = match value {
        Value::Array(parts) => parts.into_iter().map(string).collect::<Field<_>>()?,
        Value::Object(mut object) => {
            let named = ["subject", "predicate", "object"].map(|name| object.remove(name));
            if !object.is_empty() || named.iter().any(Option::is_none) {
                return Err(shape.to_owned());
            }
            named.into_iter().flatten().map(string).collect::<Field<_>>()?
        }
        other => return Err(format!("{shape}; found {}", kind(&other))),
    };
    parts.try_into().map_err(|_| shape.to_owned())
}
