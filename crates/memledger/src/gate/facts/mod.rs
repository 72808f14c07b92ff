//! Owns what facts are compared by: one slot per scope, subject and predicate, with the values in it.
//!
//! Subject, predicate, value and qualifiers are digests under the ledger's key, taken in the caller's
//! thread before the words are sealed: no word is kept here, and none of this enters the chain. Values are
//! the same when their normal forms and their units are.
//!
//! Invariants: an entry is never changed; whether its memory still stands is for the state to say. May
//! not: decide who is right.

mod contest;
mod settle;

use std::collections::HashMap;

use ledger_format::bytes::{Reader, Writer};
use ledger_format::{AliasId, FormatError, MemoryId, hash};
use ledger_signals::normal_form;
use serde_json::Value;

pub(crate) use self::contest::{Contested, Standings, contested};
pub(crate) use self::settle::{Ranked, Settled, settle};

/// Part of the keyed digest that facts are compared by.
const FACT: u8 = 8;
/// Nobody.
const NONE: u32 = u32::MAX;
/// How many qualifiers a fact has at most.
pub(crate) const QUALIFIERS: usize = 16;

/// A fact without its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FactClaim {
    /// Subject and predicate.
    slot: u64,
    /// The predicate alone, so that the policy can be asked about it.
    predicate: u64,
    /// The value with its unit.
    value: u64,
    /// Name and value of each qualifier, ascending.
    qualifiers: Vec<(u64, u64)>,
}

/// The digest of a predicate, as the policy names it.
pub(crate) fn predicate_digest(predicate: &str, key: &[u8; 32]) -> u64 {
    digest(key, &[&normal_form(predicate)])
}

fn digest(key: &[u8; 32], parts: &[&str]) -> u64 {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    let [a, b, c, d, e, f, g, h, ..] = hash::idempotency(key, FACT, &bytes).0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

impl FactClaim {
    /// The claim of a fact's body; none for what is no fact.
    pub(crate) fn of_body(body: &Value, key: &[u8; 32]) -> Option<Self> {
        let plain = |value: &Value| match value {
            Value::String(text) => normal_form(text),
            other => normal_form(&other.to_string()),
        };
        let field = |name: &str| body.get(name).map(plain);
        let (subject, predicate) = (field("subject")?, field("predicate")?);
        let value = digest(key, &[&field("object")?, &field("unit").unwrap_or_default()]);
        let named = body.get("qualifiers").and_then(Value::as_object);
        let mut qualifiers: Vec<_> = named
            .into_iter()
            .flatten()
            .map(|(name, value)| {
                (digest(key, &[&normal_form(name)]), digest(key, &[&plain(value)]))
            })
            .collect();
        qualifiers.sort_unstable();
        Some(Self {
            slot: digest(key, &[&subject, &predicate]),
            predicate: digest(key, &[&predicate]),
            value,
            qualifiers,
        })
    }

    /// The claim of a fact given by its three parts.
    pub(crate) fn of_parts(subject: &str, predicate: &str, object: &str, key: &[u8; 32]) -> Self {
        let (subject, predicate) = (normal_form(subject), normal_form(predicate));
        Self {
            slot: digest(key, &[&subject, &predicate]),
            predicate: digest(key, &[&predicate]),
            value: digest(key, &[&normal_form(object), ""]),
            qualifiers: Vec::new(),
        }
    }

    /// Whether two facts of one slot cannot both hold at one time. A qualifier that only one of them has
    /// keeps nothing apart: what is said without a place is said of every place.
    fn contradicts(&self, other: &Self) -> bool {
        let apart = self.qualifiers.iter().any(|(name, value)| {
            other.qualifiers.iter().any(|(theirs, found)| theirs == name && found != value)
        });
        self.slot == other.slot && self.value != other.value && !apart
    }

    pub(in crate::gate) fn put(&self, out: &mut Writer) {
        out.u64(self.slot).u64(self.predicate).u64(self.value);
        out.u32(u32::try_from(self.qualifiers.len()).unwrap_or(0));
        for (name, value) in &self.qualifiers {
            out.u64(*name).u64(*value);
        }
    }

    pub(in crate::gate) fn take(from: &mut Reader<'_>) -> Result<Self, FormatError> {
        let (slot, predicate, value) = (from.u64()?, from.u64()?, from.u64()?);
        let mut qualifiers = Vec::new();
        for _ in 0..from.u32()? {
            qualifiers.push((from.u64()?, from.u64()?));
        }
        Ok(Self { slot, predicate, value, qualifiers })
    }
}

#[derive(Debug)]
struct Entry {
    memory: MemoryId,
    scope: AliasId,
    claim: FactClaim,
    /// The entry before this one in the same slot.
    before: u32,
}

/// The facts of a ledger.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    entries: Vec<Entry>,
    newest: HashMap<(AliasId, u64), u32>,
    of: HashMap<MemoryId, u32>,
}

impl Facts {
    /// Adds a fact.
    pub(crate) fn insert(&mut self, memory: MemoryId, scope: AliasId, claim: FactClaim) {
        let Ok(at) = u32::try_from(self.entries.len()) else { return };
        let before = self.newest.insert((scope, claim.slot), at).unwrap_or(NONE);
        self.of.insert(memory, at);
        self.entries.push(Entry { memory, scope, claim, before });
    }

    /// The claim of a memory, and its scope.
    pub(crate) fn claim(&self, memory: &MemoryId) -> Option<(AliasId, &FactClaim)> {
        let entry = self.entries.get(*self.of.get(memory)? as usize)?;
        Some((entry.scope, &entry.claim))
    }

    /// Facts of a slot, newest first.
    fn slot(&self, scope: AliasId, slot: u64) -> impl Iterator<Item = (MemoryId, &FactClaim)> {
        let first = self.newest.get(&(scope, slot)).copied();
        let entry = |at: u32| self.entries.get(at as usize);
        std::iter::successors(first.and_then(entry), move |one| entry(one.before))
            .map(|one| (one.memory, &one.claim))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: [u8; 32] = [7; 32];

    fn claim(object: &str, qualifiers: Value) -> FactClaim {
        let body = json!({ "subject": "Web shop", "predicate": "runs on", "object": object, "qualifiers": qualifiers });
        FactClaim::of_body(&body, &KEY).unwrap()
    }

    #[test]
    fn case_and_spaces_make_no_other_fact() {
        let (a, b) = (claim("Node 22", json!({})), claim(" node  22", json!({})));
        assert_eq!(a, b);
        assert_eq!(a, FactClaim::of_parts("web SHOP", "Runs on", "node 22", &KEY));
        assert!(a.contradicts(&claim("Node 24", json!({}))));
    }

    #[test]
    fn only_what_both_say_otherwise_keeps_them_apart() {
        let here = claim("1", json!({ "environment": "test", "place": "Kiel" }));
        let there = claim("2", json!({ "Environment": "production" }));
        let anywhere = claim("3", json!({}));
        assert!(!here.contradicts(&there));
        assert!(here.contradicts(&anywhere) && anywhere.contradicts(&there));
        assert!(here.contradicts(&claim("2", json!({ "environment": "TEST" }))));
    }

    #[test]
    fn another_unit_is_another_value() {
        let of = |unit: &str| {
            let body = json!({ "subject": "a", "predicate": "b", "object": 5, "unit": unit });
            FactClaim::of_body(&body, &KEY).unwrap()
        };
        assert!(of("km").contradicts(&of("mi")));
        assert!(!of("km").contradicts(&of("KM")));
    }

    #[test]
    fn a_claim_reads_back() {
        let claim = claim("1", json!({ "environment": "test", "place": "Kiel" }));
        let mut out = Writer::default();
        claim.put(&mut out);
        let mut reader = Reader::new("a claim", out.as_slice());
        assert_eq!(FactClaim::take(&mut reader).unwrap(), claim);
    }
}
