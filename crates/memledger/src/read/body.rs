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
        let parts = ["subject", "predicate", "object"].into_iter().filter_map(field);
        return parts.collect::<Vec<_>>().join(" ");
    }
    field("text").unwrap_or_else(|| body.to_string())
}
