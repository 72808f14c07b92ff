//! A small generator of chance with a seed, and strings made from a regular expression.

use std::collections::HashMap;
use std::rc::Rc;

use regex_syntax::hir::{Class, Hir, HirKind};

/// xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016).
/// The ASCII members of a class that print, and those with white space.
type Members = (Rc<[u8]>, Rc<[u8]>);

pub struct Chance {
    state: u64,
    members: HashMap<usize, Members>,
}

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, members: HashMap::new() }
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let word = self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        word as usize % bound
    }
}

/// The most repetitions of what has no upper bound, beyond the least.
const MORE: usize = 24;

/// A string that the expression matches, if its anchors allow it where they stand. Printable characters
/// only where the expression leaves a choice.
pub fn speak(hir: &Hir, chance: &mut Chance, out: &mut Vec<u8>) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.extend_from_slice(&literal.0),
        HirKind::Class(class) => out.push(member(class, chance)),
        HirKind::Repetition(repetition) => {
            let least = repetition.min as usize;
            let most = repetition.max.map_or(least + MORE, |most| most as usize);
            // Short gaps and long ones: half of all choices take the least or the most.
            let count = match chance.below(4) {
                0 => least,
                1 => most,
                _ => least + chance.below(most - least + 1),
            };
            for _ in 0..count {
                speak(&repetition.sub, chance, out);
            }
        }
        HirKind::Capture(capture) => speak(&capture.sub, chance, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| speak(part, chance, out)),
        HirKind::Alternation(parts) => {
            let part = chance.below(parts.len());
            speak(&parts[part], chance, out);
        }
    }
}

fn member(class: &Class, chance: &mut Chance) -> u8 {
    // A node of the expression keeps its place while it is spoken.
    let (printable, all) = chance
        .members
        .entry(std::ptr::from_ref(class) as usize)
        .or_insert_with(|| members(class))
        .clone();
    // Line ends and tabs now and then, where they are allowed.
    let from = if printable.is_empty() || chance.below(40) == 0 { all } else { printable };
    from[chance.below(from.len())]
}

fn members(class: &Class) -> Members {
    let holds = |byte: u8| match class {
        Class::Unicode(class) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&char::from(byte)))
        }
        Class::Bytes(class) => {
            class.iter().any(|range| (range.start()..=range.end()).contains(&byte))
        }
    };
    let printable = (0x20..0x7F).filter(|byte| holds(*byte));
    let all = (0..0x7F).filter(|byte| {
        holds(*byte) && (*byte >= 0x20 || matches!(byte, b'\n' | b'\r' | b'\t' | 0x0C))
    });
    (printable.collect(), all.collect())
}
