//! Owns the note beside a copy in quarantine: a few lines that people can read too.
//!
//! Invariant: what is rendered parses to the same, and no beginning of it parses.

use std::fmt::Write as _;

use ledger_format::Seq;

use crate::storage::RelPath;

/// What bytes were to the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakenAs {
    /// A batch that was never acknowledged.
    Tail,
    /// A copy of the head anchor that was written anew.
    Anchor,
}

impl TakenAs {
    const fn word(self) -> &'static str {
        match self {
            Self::Tail => "tail",
            Self::Anchor => "anchor",
        }
    }
}

/// Something that recovery or repair took out of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// What it was.
    pub kind: TakenAs,
    /// The file it was in.
    pub file: RelPath,
    /// Where it began.
    pub offset: u64,
    /// How many bytes; none of a file that was missing.
    pub bytes: u64,
    /// The number of the next record at that time.
    pub next: Seq,
    /// The counter of the newest anchor at that time.
    pub anchor: u64,
    /// What was wrong with it.
    pub reason: String,
}

const FIRST: &str = "taken out of a ledger, kept as it was";
const LAST: &str = "end";

impl Taken {
    /// Whether both are the traces of one recovery, interrupted and begun again: a recovery that was
    /// finished has written an anchor.
    pub(super) fn is_same_work(&self, other: &Self) -> bool {
        let key = |one: &Self| (one.kind, one.offset, one.anchor);
        key(self) == key(other) && self.file == other.file
    }

    pub(super) fn render(&self) -> String {
        let reason: String =
            self.reason.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut text = format!("{FIRST}\n");
        let lines = [
            ("what", self.kind.word().to_owned()),
            ("file", self.file.to_string()),
            ("offset", self.offset.to_string()),
            ("bytes", self.bytes.to_string()),
            ("next record", self.next.0.to_string()),
            ("anchor", self.anchor.to_string()),
            ("reason", reason),
        ];
        for (name, value) in lines {
            writeln!(text, "{name}: {value}").expect("a string takes everything");
        }
        text.push_str(LAST);
        text.push('\n');
        text
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        let rest = text.strip_prefix(FIRST)?.strip_prefix('\n')?;
        let rest = rest.strip_suffix('\n')?.strip_suffix(LAST)?.strip_suffix('\n')?;
        let mut lines = rest.split('\n');
        let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(": ");
        let kind = match value("what")? {
            "tail" => TakenAs::Tail,
            "anchor" => TakenAs::Anchor,
            _ => return None,
        };
        let taken = Self {
            kind,
            file: RelPath::new(value("file")?).ok()?,
            offset: value("offset")?.parse().ok()?,
            bytes: value("bytes")?.parse().ok()?,
            next: Seq(value("next record")?.parse().ok()?),
            anchor: value("anchor")?.parse().ok()?,
            reason: value("reason")?.to_owned(),
        };
        lines.next().is_none().then_some(taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_what_it_was_made_of_and_no_part_of_it_does() {
        for (kind, reason) in [(TakenAs::Tail, "torn: x"), (TakenAs::Anchor, "")] {
            let taken = Taken {
                kind,
                file: RelPath::from_static("log/0000000003.seg"),
                offset: 4_096,
                bytes: u64::MAX,
                next: Seq(17),
                anchor: 9,
                reason: reason.to_owned(),
            };
            let text = taken.render();
            assert_eq!(Taken::parse(&text), Some(taken.clone()));
            for cut in 0..text.len() {
                let part = text.get(..cut).expect("all of it is ASCII");
                assert_eq!(Taken::parse(part), None, "cut at {cut}");
            }
            let odd = Taken { reason: "two\nlines".to_owned(), ..taken };
            assert_eq!(Taken::parse(&odd.render()).unwrap().reason, "two lines");
        }
    }
}
