//! What a model gets to work with: what binds it, where things stand, what happened, what is known.
//!
//! Owns the four zones and what fits into them. Invariants: every instruction and canonical clause in
//! force at the place asked about, above it and below it is included, whatever the budget, and the answer
//! says when that alone exceeds it; what was left out is counted. May not: rank by likeness to a question,
//! which needs an index.

use ledger_format::{BodyType, Layer, Micros};
use ledger_replay::Status;

use crate::answer::{Item, Text};
use crate::error::Result;
use crate::filter::Filter;
use crate::read::Snapshot;
use crate::scope::Scope;

/// One zone.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Zone {
    /// What is in it, in the order in which it should be read.
    pub items: Vec<Item>,
    /// Its estimated tokens.
    pub tokens: u64,
    /// How many more would belong here and did not fit.
    pub left_out: u64,
}

/// The working context of a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkingContext {
    /// Goal and constraints: instructions and canonical clauses in force. Always whole.
    pub binding: Zone,
    /// State summary: where today's work stands, and summaries.
    pub state: Zone,
    /// Recent events: the session and what happened, the newest first.
    pub recent: Zone,
    /// Recalled memories: what is held to be true here, by authority and recency.
    pub recalled: Zone,
    /// The budget in estimated tokens.
    pub budget: u64,
}

impl WorkingContext {
    /// The four zones with their names.
    #[must_use]
    pub const fn zones(&self) -> [(&'static str, &Zone); 4] {
        [
            ("binding", &self.binding),
            ("state", &self.state),
            ("recent", &self.recent),
            ("recalled", &self.recalled),
        ]
    }

    /// The estimated tokens of everything.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.zones().iter().fold(0, |sum, (_, zone)| sum.saturating_add(zone.tokens))
    }

    /// By how much what binds exceeds the budget on its own; 0: it does not.
    #[must_use]
    pub const fn exceeds(&self) -> u64 {
        self.binding.tokens.saturating_sub(self.budget)
    }
}

/// Tokens of an item beside its words: its id, source and level.
const FRAME: u64 = 12;
/// Shares of what the binding zone leaves: state and recent events in percent. The rest, and what these
/// two do not use, is for what is recalled.
const STATE_SHARE: u64 = 30;
const RECENT_SHARE: u64 = 40;

/// The estimated tokens of a text: a quarter for an ASCII character, one for any other. Tokenisers of
/// models differ; this errs on the high side for prose of most languages, and no model is asked.
#[must_use]
pub fn estimated_tokens(text: &str) -> u64 {
    let ascii = text.chars().filter(char::is_ascii).count() as u64;
    let others = text.chars().count() as u64 - ascii;
    ascii.div_ceil(4).saturating_add(others)
}

impl Snapshot<'_> {
    /// The working context of a scope within a budget of estimated tokens.
    ///
    /// # Errors
    /// When a record or payload it needs cannot be read.
    pub fn context(&self, scope: &Scope, budget: u64) -> Result<WorkingContext> {
        let mut gathered = Gathered::default();
        let here = Filter { scope: scope.clone(), ..Filter::default() };
        gathered.take(self.list(&here)?.items);
        for above in scope.above() {
            let filter = Filter { scope: above, alone: true, ..Filter::default() };
            gathered.take(self.list(&filter)?.items);
        }
        Ok(gathered.fitted(budget))
    }
}

/// Everything that belongs to each zone.
#[derive(Default)]
struct Gathered {
    binding: Vec<Item>,
    state: Vec<Item>,
    recent: Vec<Item>,
    recalled: Vec<Item>,
}

impl Gathered {
    fn take(&mut self, items: Vec<Item>) {
        for item in items {
            // What a client keeps here for itself is no claim, and what cannot be read helps nobody.
            let readable = matches!(item.text, Text::Words(_));
            if item.body_type == BodyType::State || !readable {
                continue;
            }
            match item.layer {
                Layer::Instruction | Layer::Canonical => self.binding.push(item),
                Layer::Day | Layer::Summary => self.state.push(item),
                Layer::Session | Layer::Episodic => self.recent.push(item),
                _ => self.recalled.push(item),
            }
        }
    }

    fn fitted(mut self, budget: u64) -> WorkingContext {
        self.binding.sort_by_key(|item| (item.authority, item.seq));
        self.state.sort_by_key(newest_first);
        self.recent.sort_by_key(newest_first);
        self.recalled.sort_by_key(|item| {
            let misled = item.status == Status::PushedDown;
            (misled, item.authority, std::cmp::Reverse(item.trust), newest_first(item))
        });
        let binding = whole(self.binding);
        let left = budget.saturating_sub(binding.tokens);
        let state = fit(self.state, left.saturating_mul(STATE_SHARE) / 100);
        let recent = fit(self.recent, left.saturating_mul(RECENT_SHARE) / 100);
        let used = state.tokens.saturating_add(recent.tokens);
        let recalled = fit(self.recalled, left.saturating_sub(used));
        WorkingContext { binding, state, recent, recalled, budget }
    }
}

fn newest_first(item: &Item) -> std::cmp::Reverse<(Option<Micros>, ledger_format::Seq)> {
    let touched = [item.last_used, item.last_confirmed].into_iter().flatten().max();
    std::cmp::Reverse((touched.or(Some(item.recorded_at)), item.seq))
}

fn cost(item: &Item) -> u64 {
    let words = match &item.text {
        Text::Words(words) => estimated_tokens(words),
        _ => 0,
    };
    words.saturating_add(FRAME)
}

fn whole(items: Vec<Item>) -> Zone {
    let tokens = items.iter().fold(0, |sum: u64, item| sum.saturating_add(cost(item)));
    Zone { items, tokens, left_out: 0 }
}

/// In order, as long as it fits; what is too long makes room for what comes behind it.
fn fit(items: Vec<Item>, budget: u64) -> Zone {
    let mut zone = Zone::default();
    for item in items {
        let more = zone.tokens.saturating_add(cost(&item));
        if more > budget {
            zone.left_out += 1;
            continue;
        }
        zone.tokens = more;
        zone.items.push(item);
    }
    zone
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_estimated_by_characters() {
        assert_eq!(estimated_tokens(""), 0);
        assert_eq!(estimated_tokens("abcd"), 1);
        assert_eq!(estimated_tokens("abcde"), 2);
        assert_eq!(estimated_tokens("每天"), 2);
        assert_eq!(estimated_tokens("ab天"), 2);
    }
}
