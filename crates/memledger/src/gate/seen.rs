//! Owns looking at words once, in the caller's thread, before they are sealed: what the rules see in
//! them, and what is kept to compare them by.

use std::borrow::Cow;

use ledger_format::{BodyType, hash};
use ledger_policy::{Seen, Signals};
use ledger_signals::{Sketch, normal_form, scan, secrets};

use super::facts::FactClaim;
use super::neighbours::is_claim;
use crate::command::{Content, Proposal};
use crate::read::body_text;
use crate::writer::body_and_layer;

/// Parts of the keyed digest that the key of sketches is made of; names use 3 and 4.
const KEY_PARTS: (u8, u8) = (5, 6);
/// Words that turn a claim into its opposite, in the languages that agents mostly write.
const NEGATIONS: [&str; 28] = [
    "no", "not", "never", "none", "without", "cannot", "cant", "dont", "doesnt", "isnt", "wont",
    "nicht", "nie", "kein", "keine", "keinen", "ohne", "pas", "jamais", "sans", "nunca", "sin",
    "não", "nao", "non", "не", "нет", "ない",
];

/// What the rules of `ledger-signals` see in a text.
#[must_use]
pub fn seen_in(text: &str) -> Signals {
    let scan = scan(text);
    let count = |found: usize| i64::try_from(found).unwrap_or(i64::MAX);
    let mut signals = Signals::default();
    signals.count(Seen::Secrets, count(scan.secrets.len()));
    signals.count(Seen::Personal, count(scan.personal.len()));
    signals.count(Seen::InstructionLike, scan.instruction_like.into());
    signals.count(Seen::HiddenReasoning, scan.hidden_reasoning.into());
    signals
}

/// What was seen in the words of a proposal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looked {
    pub(crate) signals: Signals,
    /// What they are compared by, where they make a claim.
    pub(crate) words: Option<Comparable>,
    /// What it is compared by as a fact.
    pub(crate) fact: Option<FactClaim>,
}

/// Looks at the words of a proposal. Bytes that a client keeps here are its own business.
pub(crate) fn look(proposal: &Proposal, key: &[u8; 32]) -> Looked {
    let (body, _) = body_and_layer(proposal);
    let text: Cow<'_, str> = match &proposal.content {
        Content::Text(text) => text.into(),
        Content::Body(value) => body_text(body, value).into(),
        Content::Fact { subject, predicate, object } => {
            format!("{subject} {predicate} {object}").into()
        }
        Content::Bytes(_) => return Looked::default(),
    };
    let signals = match &proposal.content {
        // Whatever else a typed body holds is read too.
        Content::Body(value) => seen_in(&value.to_string()),
        _ => seen_in(&text),
    };
    let signals = with_names(signals, proposal);
    let words = is_claim(body).then(|| Comparable::of(&text, key));
    let fact = match &proposal.content {
        Content::Fact { subject, predicate, object } => {
            Some(FactClaim::of_parts(subject, predicate, object, key))
        }
        Content::Body(value) if body == BodyType::Fact => FactClaim::of_body(value, key),
        _ => None,
    };
    Looked { signals, words, fact }
}

/// Secrets count wherever they stand: labels and addresses are kept as long as words are.
fn with_names(mut signals: Signals, proposal: &Proposal) -> Signals {
    let Proposal { source, subjects, tags, domain, key, .. } = proposal;
    let names = subjects.iter().chain(tags).chain(domain).chain(key).map(String::as_str);
    let names = names.chain(source.as_ref().map(|source| source.uri.as_str()));
    let found: usize = names.map(|name| secrets(name).len()).sum();
    let in_words = signals.get(Seen::Secrets).unwrap_or(0);
    signals.count(Seen::Secrets, in_words.saturating_add(i64::try_from(found).unwrap_or(i64::MAX)));
    signals
}

/// What words are compared by when they are gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Comparable {
    pub(crate) sketch: Sketch,
    /// Digest of the figures and negations, in their order.
    pub(crate) figures: u32,
}

impl Comparable {
    pub(crate) fn of(text: &str, key: &[u8; 32]) -> Self {
        Self { sketch: Sketch::of(text, key), figures: figures(text, key) }
    }

    /// How alike two texts are, in parts of 10,000; 0 when their figures differ.
    pub(crate) fn similarity(&self, other: &Self) -> u16 {
        let similarity = self.sketch.similarity(&other.sketch);
        if self.figures == other.figures { similarity } else { 0 }
    }
}

/// The key of the sketches of a ledger.
pub(crate) fn sketch_key(pepper: &[u8; 32]) -> [u8; 32] {
    let half = |part| hash::idempotency(pepper, part, b"sketches").0;
    let mut key = [0; 32];
    let both = half(KEY_PARTS.0).into_iter().chain(half(KEY_PARTS.1));
    key.iter_mut().zip(both).for_each(|(to, from)| *to = from);
    key
}

fn figures(text: &str, key: &[u8; 32]) -> u32 {
    let plain = normal_form(text);
    let telling = plain.split(' ').filter(|word| {
        word.chars().any(char::is_numeric) || NEGATIONS.contains(word) || word.ends_with("n't")
    });
    let list = telling.collect::<Vec<_>>().join(" ");
    let [a, b, c, d, ..] = hash::idempotency(key, KEY_PARTS.0, list.as_bytes()).0;
    u32::from_le_bytes([a, b, c, d])
}
