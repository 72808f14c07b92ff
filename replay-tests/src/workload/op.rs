//! Owns the small steps a history is made from, and the form in which a failure prints them.

use std::fmt;

use ledger_format::Kind;

/// What a step is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verb {
    Known(Kind),
    /// A kind or kind version that this code does not know.
    Unknown,
    /// The same, and state cannot be told without it.
    UnknownCritical,
}

impl From<Kind> for Verb {
    fn from(kind: Kind) -> Self {
        Self::Known(kind)
    }
}

/// One step. Numbers mean nothing by themselves: each is taken modulo what there is to choose from,
/// and 0 is always the plainest choice.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Op {
    pub verb: Verb,
    /// How far the clock moves.
    pub tick: u8,
    /// Which memory, alias or record.
    pub pick: u8,
    /// How many more of them.
    pub more: u8,
    /// Ends of the valid time.
    pub from: u8,
    pub until: u8,
    /// Ends of what is taken from superseded memories.
    pub cut_from: u8,
    pub cut_until: u8,
    /// Choices of the kind.
    pub x: u8,
    pub y: u8,
    pub z: u8,
    /// When a foreign system says it knew; 0: not an import.
    pub claimed: u8,
    /// What is wrong with the step; 0: nothing.
    pub odd: u8,
}

impl Op {
    /// How many numbers a step has.
    pub const NUMBERS: usize = 12;

    #[must_use]
    pub const fn numbers(&self) -> [u8; Self::NUMBERS] {
        [
            self.tick,
            self.pick,
            self.more,
            self.from,
            self.until,
            self.cut_from,
            self.cut_until,
            self.x,
            self.y,
            self.z,
            self.claimed,
            self.odd,
        ]
    }
}

/// A step from its numbers, in the order of the fields. Missing ones are 0.
#[must_use]
pub fn op<const N: usize>(verb: impl Into<Verb>, numbers: [u8; N]) -> Op {
    let n = |at: usize| numbers.get(at).copied().unwrap_or(0);
    Op {
        verb: verb.into(),
        tick: n(0),
        pick: n(1),
        more: n(2),
        from: n(3),
        until: n(4),
        cut_from: n(5),
        cut_until: n(6),
        x: n(7),
        y: n(8),
        z: n(9),
        claimed: n(10),
        odd: n(11),
    }
}

impl fmt::Debug for Op {
    /// As source text, so that a failure can be pasted into a test.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.numbers();
        let used = numbers.iter().rposition(|number| *number != 0).map_or(0, |last| last + 1);
        match self.verb {
            Verb::Known(kind) => write!(f, "op(Kind::{kind:?}, {:?})", &numbers[..used]),
            verb => write!(f, "op(Verb::{verb:?}, {:?})", &numbers[..used]),
        }
    }
}

/// The steps as a test that can be pasted into `tests/cases/pasted.rs`.
#[must_use]
pub fn paste(name: &str, ops: &[Op]) -> String {
    let lines: Vec<String> = ops.iter().map(|op| format!("        {op:?},\n")).collect();
    format!("#[test]\nfn {name}() {{\n    agree(&[\n{}    ]);\n}}\n", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_prints_as_the_call_that_makes_it() {
        let step = op(Kind::Close, [1, 2, 0, 4]);
        assert_eq!(format!("{step:?}"), "op(Kind::Close, [1, 2, 0, 4])");
        assert_eq!(format!("{:?}", op(Verb::Unknown, [])), "op(Verb::Unknown, [])");
        assert_eq!(op(step.verb, step.numbers()), step);
    }
}
