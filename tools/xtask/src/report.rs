//! What a check has to say: a place, the rule that was broken, and what to do about it.

use std::fmt;

/// One broken rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Path from the repository root.
    pub(crate) path: String,
    /// Line number, from 1.
    pub(crate) line: usize,
    /// The rule's short name.
    pub(crate) rule: &'static str,
    /// What is wrong and how to fix it.
    pub(crate) message: String,
}

impl Finding {
    pub(crate) fn new(
        path: impl Into<String>,
        line: usize,
        rule: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self { path: path.into(), line, rule, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.path, self.line, self.rule, self.message)
    }
}

/// Prints the findings in the order of the tree and turns them into the check's result.
pub(crate) fn conclude(check: &str, mut findings: Vec<Finding>) -> Result<(), String> {
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    match findings.len() {
        0 => Ok(()),
        1 => Err(format!("{check}: 1 finding")),
        n => Err(format!("{check}: {n} findings")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_opens_with_a_place_that_editors_can_follow() {
        let finding = Finding::new("a/b.rs", 7, "size", "too long: split it");
        assert_eq!(finding.to_string(), "a/b.rs:7: size: too long: split it");
    }

    #[test]
    fn any_finding_fails_the_check() {
        assert_eq!(conclude("tidy", Vec::new()), Ok(()));
        let one = vec![Finding::new("a", 1, "r", "m")];
        assert_eq!(conclude("tidy", one), Err("tidy: 1 finding".to_owned()));
    }
}
