//! Owns finding the memory of a scope that says the same, or nearly the same, as a proposal.
//!
//! Words are compared by their sketches, which are keyed by the ledger's pepper: no word is kept here.
//! Near ones are found by bands of their SimHash: texts that differ in up to three of 64 bits share one
//! of four bands, always; with six bits about two in three do. Only shapes that make a claim are kept.
//!
//! Invariants: an entry is never changed; whether its memory still stands is for the state to say. A near
//! text with other figures or with a negation more is another claim, however similar it is. May not: decide.

mod saved;

use std::collections::HashMap;

use ledger_format::{AliasId, BodyType, MemoryId};

pub(crate) use self::saved::{load, save_if_worthwhile};
use crate::gate::facts::Facts;
use crate::gate::seen::Comparable;

/// Nobody.
const NONE: u32 = u32::MAX;
const BANDS: usize = 4;
/// How many of one band are looked at, newest first: a text of which there are more is a template.
const LOOKED_AT: usize = 64;

/// Whether memories of this shape make a claim that another can repeat.
pub(crate) const fn is_claim(body: BodyType) -> bool {
    matches!(
        body,
        BodyType::Note
            | BodyType::Fact
            | BodyType::Decision
            | BodyType::Instruction
            | BodyType::Failure
            | BodyType::Summary
    )
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    memory: MemoryId,
    scope: u32,
    words: Comparable,
    /// The entry before this one that has the same words, then those of each band.
    same: u32,
    bands: [u32; BANDS],
}

/// Sketches of the claims of a ledger.
#[derive(Debug, Default)]
pub(crate) struct Neighbours {
    entries: Vec<Entry>,
    scopes: HashMap<AliasId, u32>,
    same: HashMap<u32, u32>,
    bands: HashMap<u32, u32>,
    /// The facts among them, by their slots.
    pub(crate) facts: Facts,
}

/// A memory and how similar it is, in parts of 10,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Near {
    pub(crate) memory: MemoryId,
    pub(crate) similarity: u16,
}

impl Neighbours {
    /// Adds a claim.
    pub(crate) fn insert(&mut self, memory: MemoryId, scope: AliasId, words: Comparable) {
        let Ok(at) = u32::try_from(self.entries.len()) else { return };
        let next = u32::try_from(self.scopes.len()).unwrap_or(NONE);
        let scope = *self.scopes.entry(scope).or_insert(next);
        let link = |map: &mut HashMap<u32, u32>, place| map.insert(place, at).unwrap_or(NONE);
        let same = link(&mut self.same, same_place(scope, &words));
        let bands = band_places(scope, &words).map(|place| link(&mut self.bands, place));
        self.entries.push(Entry { memory, scope, words, same, bands });
    }

    /// Claims of the scope, those with the same words first, then near ones, newest first.
    pub(crate) fn of(&self, scope: AliasId, words: &Comparable) -> impl Iterator<Item = Near> {
        let scope = self.scopes.get(&scope).copied();
        let mut found: Vec<(u32, Near)> = Vec::new();
        if let Some(scope) = scope {
            self.walk(
                self.same.get(&same_place(scope, words)),
                scope,
                words,
                |one| one.same,
                &mut found,
            );
            for (band, place) in band_places(scope, words).into_iter().enumerate() {
                let next = |one: &Entry| one.bands.get(band).copied().unwrap_or(NONE);
                self.walk(self.bands.get(&place), scope, words, next, &mut found);
            }
        }
        found
            .sort_by_key(|(at, near)| (std::cmp::Reverse(near.similarity), std::cmp::Reverse(*at)));
        found.dedup_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, near)| near)
    }

    fn walk(
        &self,
        from: Option<&u32>,
        scope: u32,
        words: &Comparable,
        next: impl Fn(&Entry) -> u32,
        found: &mut Vec<(u32, Near)>,
    ) {
        let mut at = from.copied().unwrap_or(NONE);
        for _ in 0..LOOKED_AT {
            let Some(entry) = self.entries.get(at as usize) else { return };
            if entry.scope == scope {
                let similarity = entry.words.similarity(words);
                if similarity > 0 {
                    found.push((at, Near { memory: entry.memory, similarity }));
                }
            }
            at = next(entry);
        }
    }
}

/// Where claims with the same words are found. Different ones that meet here are told apart by their
/// entries.
fn same_place(scope: u32, words: &Comparable) -> u32 {
    let [a, b, c, d, ..] = words.sketch.exact;
    u32::from_le_bytes([a, b, c, d]) ^ scope.wrapping_mul(0x9e37_79b1)
}

fn band_places(scope: u32, words: &Comparable) -> [u32; BANDS] {
    let [a, b, c, d, e, f, g, h] = words.sketch.similar.to_le_bytes();
    let place = |band: u32, low, high| {
        let bits = u32::from(u16::from_le_bytes([low, high]));
        (bits | band << 16) ^ scope.wrapping_mul(0x9e37_79b1)
    };
    [place(1, a, b), place(2, c, d), place(3, e, f), place(4, g, h)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: [u8; 32] = [7; 32];
    const HERE: AliasId = AliasId([1; 16]);

    fn words(text: &str) -> Comparable {
        Comparable::of(text, &KEY)
    }

    fn with(texts: &[&str]) -> Neighbours {
        let mut neighbours = Neighbours::default();
        for (at, text) in texts.iter().enumerate() {
            let id = MemoryId([u8::try_from(at).unwrap(); 16]);
            neighbours.insert(id, HERE, words(text));
        }
        neighbours
    }

    fn best(neighbours: &Neighbours, text: &str) -> Option<(u8, u16)> {
        let found = neighbours.of(HERE, &words(text)).next();
        found.map(|near| (near.memory.0[0], near.similarity))
    }

    #[test]
    fn the_same_words_are_found_whatever_their_case_and_spaces() {
        let neighbours = with(&["Use pnpm in this project.", "The office closes at six."]);
        assert_eq!(best(&neighbours, "use  PNPM in this project"), Some((0, 10_000)));
        assert_eq!(best(&neighbours, "Flights leave from gate four."), None);
    }

    #[test]
    fn the_newest_of_the_same_comes_first() {
        let neighbours = with(&["Use pnpm.", "Use pnpm.", "Use yarn."]);
        let all: Vec<_> = neighbours.of(HERE, &words("use pnpm")).collect();
        assert_eq!(all.iter().map(|near| near.memory.0[0]).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn another_scope_is_another_matter() {
        let mut neighbours = with(&["Use pnpm."]);
        let there = AliasId([2; 16]);
        assert_eq!(neighbours.of(there, &words("use pnpm")).count(), 0);
        neighbours.insert(MemoryId([9; 16]), there, words("Use pnpm."));
        assert_eq!(best(&neighbours, "use pnpm"), Some((0, 10_000)));
    }

    #[test]
    fn near_words_are_found_and_other_figures_are_another_claim() {
        let long = "When a customer asks for a refund of a group booking, check first whether the fare \
            was changed after the ticket had been issued, then look up the airline's own waiver, and \
            only then open a case with the settlement desk, naming the ticket and the leg concerned, \
            because the desk rejects cases that name the booking alone and answers within 3 days.";
        let neighbours = with(&[long]);
        let reworded = long.replace("rejects", "refuses");
        let near = best(&neighbours, &reworded).expect("one word of sixty");
        assert!(near.1 >= 9_800 && near.1 < 10_000, "{near:?}");
        assert_eq!(best(&neighbours, &long.replace("3 days", "5 days")), None);
        assert_eq!(best(&neighbours, &long.replace("rejects", "never rejects")), None);
    }
}
