//! Owns the line of text that a typed body comes to.

use ledger_format::BodyType;
use serde_json::Value;

/// A line of text for a typed body.
pub(crate) fn body_text(shape: BodyType, body: &Value) -> String {
    let field = |name: &str| {
        body.get(name).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    if shape == BodyType::Fact {
        let parts = ["subject", "predicate", "object", "unit"].into_iter().filter_map(field);
        let mut text = parts.collect::<Vec<_>>().join(" ");
        let qualifiers = body.get("qualifiers").and_then(Value::as_object);
        for (name, value) in qualifiers.into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            text.push_str(&format!(" ({name}: {value})"));
        }
        return text;
    }
    field("text").unwrap_or_else(|| body.to_string())
}
