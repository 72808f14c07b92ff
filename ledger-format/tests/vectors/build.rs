//! How a file of vectors is put together.

use serde_json::{Map, Value, json};

use crate::support::hex;

/// A table of cases, one a line: a name, what is done, and what must come of it.
macro_rules! table {
    ($($name:literal: $value:expr => $($word:expr),+;)+) => {
        vec![$(($name, $value, $($word),+)),+]
    };
}
pub(crate) use table;

/// One file: what it is about, then its cases.
pub(crate) struct Vectors {
    structure: &'static str,
    about: &'static str,
    shared: Map<String, Value>,
    valid: Vec<Value>,
    invalid: Vec<Value>,
}

impl Vectors {
    pub(crate) fn new(structure: &'static str, about: &'static str) -> Self {
        Self { structure, about, shared: Map::new(), valid: Vec::new(), invalid: Vec::new() }
    }

    /// A value that all cases share.
    pub(crate) fn shared(&mut self, name: &str, value: Value) {
        self.shared.insert(name.to_owned(), value);
    }

    /// A valid case with what it must decode to.
    pub(crate) fn valid(&mut self, name: impl Into<String>, bytes: &[u8], more: Value) {
        self.valid.push(case(name.into(), bytes, more));
    }

    /// An invalid case with the error it must give.
    pub(crate) fn invalid(&mut self, name: impl Into<String>, bytes: &[u8], error: &str) {
        self.invalid_with(name, bytes, error, json!({}));
    }

    /// Invalid cases with the errors they must give.
    pub(crate) fn all_invalid(&mut self, cases: Vec<(&'static str, Vec<u8>, &'static str)>) {
        for (name, bytes, error) in cases {
            self.invalid(name, &bytes, error);
        }
    }

    /// An invalid case that needs more than its bytes.
    pub(crate) fn invalid_with(
        &mut self,
        name: impl Into<String>,
        bytes: &[u8],
        error: &str,
        more: Value,
    ) {
        let mut case = case(name.into(), bytes, more);
        case["error"] = json!(error);
        self.invalid.push(case);
    }

    pub(crate) fn finish(self) -> Value {
        let mut file = Map::new();
        file.insert("format".to_owned(), json!(1));
        file.insert("structure".to_owned(), json!(self.structure));
        file.insert("about".to_owned(), json!(self.about));
        file.extend(self.shared);
        file.insert("valid".to_owned(), json!(self.valid));
        file.insert("invalid".to_owned(), json!(self.invalid));
        Value::Object(file)
    }
}

fn case(name: String, bytes: &[u8], more: Value) -> Value {
    let mut case = Map::new();
    case.insert("name".to_owned(), json!(name));
    case.insert("hex".to_owned(), json!(hex::short(bytes)));
    if let Value::Object(more) = more {
        case.extend(more);
    }
    Value::Object(case)
}

/// `bytes` with other bytes at an offset.
pub(crate) fn with(bytes: &[u8], offset: usize, other: &[u8]) -> Vec<u8> {
    let mut changed = bytes.to_vec();
    changed[offset..offset + other.len()].copy_from_slice(other);
    changed
}

/// `bytes` and more behind them.
pub(crate) fn longer(bytes: &[u8], more: &[u8]) -> Vec<u8> {
    [bytes, more].concat()
}
