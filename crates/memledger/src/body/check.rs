//! Owns holding a JSON value against a shape.

use ledger_format::MemoryId;
use serde_json::Value;

use super::shape::{Field, Kind, names};
use crate::error::{Error, Result};
use crate::scope::check_name;

/// Items in one list.
const LIST: usize = 1_024;
/// How deep values of any shape may lie in one another.
const DEPTH: usize = 32;

/// Checks an object; `at` names it in what is said.
pub(super) fn object(at: &str, fields: &[Field], value: &Value) -> Result<()> {
    let Some(object) = value.as_object() else {
        return Err(Error::invalid(format!(
            "{at} is a JSON object with the fields {}",
            names(fields)
        )));
    };
    if let Some(stranger) =
        object.keys().find(|name| !fields.iter().any(|known| known.name == **name))
    {
        return Err(Error::invalid(format!(
            "{at} has no field {stranger:?}; accepted: {}",
            names(fields)
        )));
    }
    for known in fields {
        match object.get(known.name) {
            Some(value) => field(&format!("{at}.{}", known.name), known.kind, value)?,
            None if known.needed => {
                return Err(Error::invalid(format!(
                    "{at} needs the field {:?} (fields: {})",
                    known.name,
                    names(fields)
                )));
            }
            None => {}
        }
    }
    Ok(())
}

fn field(at: &str, kind: Kind, value: &Value) -> Result<()> {
    let wrong = || Error::invalid(format!("{at} is {}; found {}", kind.about(), found(value)));
    match kind {
        Kind::Text => text(at, value.as_str().ok_or_else(wrong)?),
        Kind::Word => check_name(at, value.as_str().ok_or_else(wrong)?),
        Kind::Choice(words) => {
            let word = value.as_str().ok_or_else(wrong)?;
            if words.contains(&word) { Ok(()) } else { Err(wrong()) }
        }
        Kind::Number => {
            let number = value.as_u64().filter(|number| (1..=u64::from(u32::MAX)).contains(number));
            number.map(|_| ()).ok_or_else(wrong)
        }
        Kind::Texts => each(at, list(at, value, LIST).ok_or_else(wrong)??, |at, one| {
            field(at, Kind::Text, one)
        }),
        Kind::Id => id(value).map(|_| ()).ok_or_else(wrong),
        Kind::Ids(most) => {
            let all = list(at, value, most).ok_or_else(wrong)??;
            each(at, all, |at, one| field(at, Kind::Id, one))?;
            let mut ids: Vec<MemoryId> = all.iter().filter_map(id).collect();
            ids.sort_unstable();
            if ids.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
                return Err(Error::invalid(format!("{at} names a memory twice")));
            }
            Ok(())
        }
        Kind::Object(fields) => object(at, fields, value),
        Kind::Objects(fields) => {
            each(at, list(at, value, LIST).ok_or_else(wrong)??, |at, one| object(at, fields, one))
        }
        Kind::Any if deeper(value, DEPTH) => {
            Err(Error::invalid(format!("{at} is nested more than {DEPTH} deep")))
        }
        Kind::Any => Ok(()),
    }
}

fn text(at: &str, text: &str) -> Result<()> {
    if text.trim().is_empty() {
        return Err(Error::invalid(format!("{at} is empty; say it, or leave the field out")));
    }
    Ok(())
}

/// None when it is no list.
fn list<'a>(at: &str, value: &'a Value, most: usize) -> Option<Result<&'a [Value]>> {
    let list = value.as_array()?;
    if list.len() > most {
        return Some(Err(Error::invalid(format!(
            "{at} has {} items, the limit is {most}",
            list.len()
        ))));
    }
    Some(Ok(list))
}

fn each(at: &str, all: &[Value], check: impl Fn(&str, &Value) -> Result<()>) -> Result<()> {
    all.iter().enumerate().try_for_each(|(number, one)| check(&format!("{at}[{number}]"), one))
}

/// An id as it is printed.
pub(super) fn id(value: &Value) -> Option<MemoryId> {
    let text = value.as_str().filter(|text| text.len() == 36)?;
    uuid::Uuid::try_parse(text).ok().map(|id| MemoryId(id.into_bytes()))
}

fn deeper(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else { return true };
    match value {
        Value::Array(list) => list.iter().any(|one| deeper(one, below)),
        Value::Object(map) => map.values().any(|one| deeper(one, below)),
        _ => false,
    }
}

fn found(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.len() <= 40 => format!("{text:?}"),
        Value::String(_) => "another text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
