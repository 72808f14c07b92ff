//! Owns the answer of a rule: its name and the place. The bytes found are never copied.

use alloc::vec::Vec;
use core::ops::Range;

/// Something that a rule saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The name of the rule, stable enough to count by.
    pub rule: &'static str,
    /// Bytes of the text that was given, on character boundaries, never empty.
    pub range: Range<usize>,
}

impl Finding {
    /// A finding whose ends are moved outwards to where characters of the text end.
    pub(crate) fn whole(text: &str, rule: &'static str, range: Range<usize>) -> Finding {
        let boundary = |at: &usize| text.is_char_boundary(*at);
        let start = (0..=range.start).rev().find(boundary).unwrap_or(0);
        let end = (range.end..text.len()).find(boundary).unwrap_or(text.len());
        Finding { rule, range: start..end }
    }
}

/// In the order of the text, without those that overlap one before: the earlier start wins, then the
/// longer one, then the one that was pushed first.
pub(crate) fn settle(mut found: Vec<Finding>) -> Vec<Finding> {
    found.sort_by_key(|finding| (finding.range.start, core::cmp::Reverse(finding.range.end)));
    let mut end = 0;
    found.retain(|finding| {
        let keep = finding.range.start >= end && !finding.range.is_empty();
        if keep {
            end = finding.range.end;
        }
        keep
    });
    found
}
