//! Owns the weighing of orders: which cues a text has, how they stand to each other, and what that adds up
//! to. One pass over the line of words; only the latest place of each cue is kept, so time is linear.

mod cues;
mod words;

use alloc::boxed::Box;
use alloc::vec::Vec;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use once_cell::race::OnceBox;

use crate::view::View;
use cues::{CUES, Cue, KINDS, Kind};
use words::Line;

/// From here on a text counts as instruction-like, in parts of 10,000.
pub const INSTRUCTION_MARK: u16 = 5_000;

/// The whole of a chance.
const WHOLE: u32 = 10_000;

/// All cues in one automaton; the number of a pattern is its place in `cues`.
struct Vocabulary {
    search: AhoCorasick,
    cues: Vec<Cue>,
}

impl Vocabulary {
    fn get() -> Option<&'static Vocabulary> {
        static WORDS: OnceBox<Option<Vocabulary>> = OnceBox::new();
        WORDS.get_or_init(|| Box::new(Vocabulary::make())).as_ref()
    }

    fn make() -> Option<Vocabulary> {
        let each = |(cue, words): &'static (Cue, &'static str)| {
            words.split('|').map(move |word| (word, *cue))
        };
        let (patterns, cues): (Vec<&str>, Vec<Cue>) = CUES.iter().flat_map(each).unzip();
        let build = AhoCorasick::builder().kind(Some(AhoCorasickKind::DFA)).build(patterns);
        build.ok().map(|search| Vocabulary { search, cues })
    }
}

/// How much the text orders its reader about, in parts of 10,000.
pub(crate) fn score(view: &View<'_>) -> u16 {
    let line = Line::of(view.text());
    let bytes = line.text.as_bytes();
    let mut weighing = Weighing::default();
    let Some(vocabulary) = Vocabulary::get() else { return 0 };
    for hit in vocabulary.search.find_overlapping_iter(bytes) {
        let Some(cue) = vocabulary.cues.get(hit.pattern().as_usize()) else { continue };
        let before = hit.start().checked_sub(1).and_then(|at| bytes.get(at));
        let separate = |byte: Option<&u8>| matches!(byte, None | Some(b' ' | b'\n'));
        let chinese = bytes.get(hit.start()).is_some_and(|byte| *byte >= 0xE0);
        if chinese || separate(before) && separate(bytes.get(hit.end())) {
            if *cue == Cue::Task && noun(bytes, hit.end()) {
                continue;
            }
            let place =
                Place { start: hit.start(), end: hit.end(), first: line.starts(hit.start()) };
            weighing.take(*cue, place);
        }
    }
    weighing.sum()
}

/// Whether the word that ends here is a noun after all: "use of", "the list is".
fn noun(line: &[u8], end: usize) -> bool {
    let behind = line.get(end..).unwrap_or_default();
    [" of ", " is ", " are ", " by ", " was "]
        .iter()
        .any(|word| behind.starts_with(word.as_bytes()))
}

/// Where a cue stands in the line.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    /// At the start of a sentence.
    first: bool,
}

/// The latest place of each cue that others look back at, as the end of the cue plus one; 0 for none.
#[derive(Default)]
struct Weighing {
    weights: [u16; KINDS],
    drop: usize,
    prior: usize,
    your: usize,
    order: usize,
    task: usize,
    code: usize,
    send: usize,
    destroy: usize,
    ever: usize,
    always: usize,
    when: usize,
    ask: usize,
}

/// Distances in bytes of the line: about eight words, a sentence, the next word.
const NEAR: usize = 60;
const SENTENCE: usize = 160;
const NEXT: usize = 2;

impl Weighing {
    fn take(&mut self, cue: Cue, place: Place) {
        let end = place.end + 1;
        let near = |then: usize, reach: usize| then > 0 && place.start < then + reach;
        // An order begins a sentence, or follows "you must" and its like.
        let ordered = place.first || near(self.order, NEXT);
        match cue {
            Cue::Tells(kind, weight) => self.weigh(kind, weight),
            Cue::Drop => self.drop = end,
            Cue::Prior => self.prior = end,
            Cue::Rules if near(self.drop, NEAR) => {
                self.weigh(Kind::Override, if self.prior > self.drop { 9_500 } else { 6_000 });
            }
            Cue::Your => self.your = end,
            Cue::Answer => {
                if near(self.your, 2 * NEXT + 16) && near(self.task, SENTENCE) {
                    self.weigh(Kind::Answer, 7_000);
                } else if near(self.your, NEXT) {
                    self.weigh(Kind::Answer, 1_500);
                }
            }
            Cue::Code => {
                let told = near(self.task, SENTENCE) || near(self.order, SENTENCE);
                self.weigh(Kind::Code, if told { 7_000 } else { 3_500 });
                self.code = end;
            }
            Cue::Order => self.order = end,
            Cue::Task if ordered => {
                self.task = end;
                let asked = !place.first && near(self.ask, NEAR);
                self.weigh(Kind::Task, if asked { 4_500 } else { 5_000 });
            }
            Cue::Send if ordered => self.send = end,
            Cue::Guarded if near(self.send, NEAR) => self.weigh(Kind::Send, 8_000),
            Cue::Target if near(self.send, NEAR) => self.weigh(Kind::Send, 6_000),
            Cue::Destroy if ordered => self.destroy = end,
            Cue::Ever => self.ever = end,
            Cue::Store if near(self.destroy, NEAR) && self.ever > self.destroy => {
                self.weigh(Kind::Destroy, 7_000);
            }
            Cue::Always if ordered => self.always = end,
            Cue::Say if near(self.always, NEXT) => self.weigh(Kind::Rule, 7_000),
            Cue::Say if near(self.when, SENTENCE) => self.weigh(Kind::Rule, 6_500),
            Cue::When => self.when = end,
            Cue::Ask if place.first => self.ask = end,
            Cue::Mark if near(self.ask, SENTENCE) => self.weigh(Kind::Question, 2_000),
            _ => {}
        }
    }

    fn weigh(&mut self, kind: Kind, weight: u16) {
        if let Some(kept) = self.weights.get_mut(kind as usize) {
            *kept = weight.max(*kept);
        }
    }

    /// The chance that at least one kind is right, were they independent.
    fn sum(&self) -> u16 {
        let wrong = self
            .weights
            .iter()
            .fold(WHOLE, |rest, weight| rest * (WHOLE - u32::from(*weight).min(WHOLE)) / WHOLE);
        u16::try_from(WHOLE - wrong).unwrap_or(u16::MAX)
    }
}
