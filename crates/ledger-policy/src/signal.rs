//! Owns the numbers that a verdict is made from: what was seen in the words and around them. They
//! are recorded beside the write, or in the refusal, and never reused for another meaning.

use alloc::vec::Vec;

use ledger_format::event::duty::Signal;

/// What a signal is about. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Seen {
    /// How many secrets were found.
    Secrets = 1,
    /// How many pieces of personal data were found.
    Personal = 2,
    /// How much the words read as an order to whoever reads them, in parts of 10,000.
    InstructionLike = 3,
    /// Raw reasoning of a model was found.
    HiddenReasoning = 4,
    /// The record that wrote the most similar memory of the scope.
    Neighbour = 5,
    /// How similar that one is, in parts of 10,000.
    Similarity = 6,
    /// The source is known to be independent of the neighbour's.
    Independent = 7,
    /// How much the words repeat what they were made from, in parts of 10,000.
    Repeats = 8,
    /// The record that forgot, or by hand closed, the same words from the same lineage.
    Suppressed = 9,
    /// The caller has no right to this: number of the rule of the document, from 1.
    Denied = 10,
    /// The original message of a person is among the sources.
    PersonSaid = 11,
    /// How many memories it was made from.
    LineageCount = 12,
    /// The least trust among them.
    LineageTrust = 13,
    /// All of them are summaries, or the source is a recall.
    LineageCompressed = 14,
    /// It names what it supersedes.
    Corrects = 15,
    /// The record is about what a foreign system knew.
    Claimed = 16,
    /// Layer asked for, where another was given.
    AskedLayer = 20,
    /// Trust vouched for.
    AskedTrust = 21,
    /// End of life asked for.
    AskedTtl = 22,
    /// Review date asked for.
    AskedReview = 23,
    /// Shape of the content, for what was not stored.
    Body = 24,
    /// Kind of the source, for what was not stored.
    Source = 25,
    /// The writer's confidence in parts of 10,000, for what was not stored.
    Confidence = 26,
    /// End of the civil day, where the policy asked for it.
    DayEnd = 27,
    /// The rule that decided, where a write was let through otherwise than asked for.
    Rule = 28,
}

/// A list of signals, one of each kind at most, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signals(Vec<Signal>);

impl Signals {
    /// Signals as they were recorded. Of two of one kind the first counts.
    #[must_use]
    pub fn recorded(mut list: Vec<Signal>) -> Self {
        list.sort_by_key(|signal| signal.signal);
        list.dedup_by_key(|signal| signal.signal);
        Self(list)
    }

    /// Sets a count or a score, of which zero is the same as not seen.
    pub fn count(&mut self, seen: Seen, value: i64) {
        self.set(seen, (value != 0).then_some(value));
    }

    /// Sets a signal, or takes it out.
    pub fn set(&mut self, seen: Seen, value: Option<i64>) {
        let number = seen as u16;
        let at = self.0.binary_search_by_key(&number, |signal| signal.signal);
        match (at, value) {
            (Ok(at), None) => {
                self.0.remove(at);
            }
            (Ok(at), Some(value)) => {
                if let Some(signal) = self.0.get_mut(at) {
                    signal.value = value;
                }
            }
            (Err(_), None) => {}
            (Err(at), Some(value)) => self.0.insert(at, Signal { signal: number, value }),
        }
    }

    /// The value of a signal, if it was seen.
    #[must_use]
    pub fn get(&self, seen: Seen) -> Option<i64> {
        let at = self.0.binary_search_by_key(&(seen as u16), |signal| signal.signal).ok()?;
        self.0.get(at).map(|signal| signal.value)
    }

    /// Whether a signal was seen.
    #[must_use]
    pub fn has(&self, seen: Seen) -> bool {
        self.get(seen).is_some()
    }

    /// The signals in the order of their numbers.
    #[must_use]
    pub fn list(&self) -> &[Signal] {
        &self.0
    }
}
