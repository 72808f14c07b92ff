//! Reading a text from the left, one piece at a time.
//!
//! Owns the position in the text; knows digits and single characters, and nothing about time.
//! Only ASCII digits count: other scripts' digits and typographic minus signs are left standing.

use super::error::shortened;
use super::{CivilError, Problem};

/// The text being read, what is left of it, and which forms to name when it cannot be read.
pub(super) struct Cursor<'t> {
    text: &'t str,
    rest: &'t str,
    forms: &'static str,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, forms: &'static str) -> Self {
        Self { text, rest: text, forms }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    /// Consumes one of `wanted` and returns it, if it comes next.
    pub(super) fn take(&mut self, wanted: &[char]) -> Option<char> {
        let next = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = self.rest.strip_prefix(next)?;
        Some(next)
    }

    /// Consumes the digits that come next, possibly none.
    pub(super) fn digits(&mut self) -> &'t str {
        let after = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let run = self.rest.strip_suffix(after).unwrap_or_default();
        self.rest = after;
        run
    }

    /// Consumes a field of exactly two digits within `range`.
    pub(super) fn two_digits(
        &mut self,
        what: &'static str,
        range: (u32, u32),
    ) -> Result<u32, CivilError> {
        let run = self.digits();
        if run.is_empty() {
            let before = self.text.strip_suffix(self.rest).unwrap_or_default();
            return Err(self.unrecognised(format!("{:?}", shortened(before))));
        }
        if run.len() != 2 {
            let found = shortened(run);
            return Err(self.refuse(Problem::Digits { what, width: 2, found }));
        }
        match run.parse::<u32>() {
            Ok(value) if (range.0..=range.1).contains(&value) => Ok(value),
            _ => Err(self.refuse(Problem::Range { what, found: run.to_owned(), range })),
        }
    }

    /// The error that this text is not of an accepted form, after `read` was understood.
    pub(super) fn unrecognised(&self, read: impl Into<String>) -> CivilError {
        self.refuse(Problem::Unrecognised {
            read: read.into(),
            rest: shortened(self.rest),
            forms: self.forms,
        })
    }

    pub(super) fn refuse(&self, problem: Problem) -> CivilError {
        CivilError::new(self.text, problem)
    }

    /// Nothing may be left; `read` describes what came before.
    pub(super) fn end(&self, read: impl Into<String>) -> Result<(), CivilError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.unrecognised(read)) }
    }
}
