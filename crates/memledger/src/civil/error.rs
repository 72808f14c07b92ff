//! The error of this module: the text that was refused, and why.
//!
//! Owns quoting the text. The reasons are in [`Problem`].

use std::fmt;

use super::Problem;

/// How much of a refused text an error repeats; a text field can be a whole document.
const QUOTED_CHARS: usize = 80;

/// A text that could not be read as a time, a date or a zone.
///
/// Displays as one line: the text, what was understood, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CivilError {
    text: String,
    problem: Problem,
}

impl CivilError {
    pub(super) fn new(text: &str, problem: Problem) -> Self {
        Self { text: shortened(text), problem }
    }

    /// The refused text, cut after 80 characters.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is wrong with it.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }
}

impl fmt::Display for CivilError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Debug quoting keeps control characters and line breaks out of a one-line message.
        write!(f, "{:?}: {}", self.text, self.problem)
    }
}

impl std::error::Error for CivilError {}

/// At most [`QUOTED_CHARS`] characters of `text`, marked when something was cut.
pub(super) fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(QUOTED_CHARS).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
