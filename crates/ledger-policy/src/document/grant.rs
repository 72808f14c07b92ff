//! Owns rights: who may do what where.
//!
//! The grants of a document are asked in their order, and the first one that is about the actor, the act and
//! the place decides. Where none is, everybody may write and nobody may override: what a ledger does
//! without a word about rights is what it always did, and what outranks canonical clauses is given by name.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use ledger_format::ActorKind;
use serde::{Deserialize, Serialize};

use crate::error::PolicyError;

/// What a right is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Act {
    /// To propose memories.
    Write,
    /// That the own words outrank canonical clauses while the task is open.
    Override,
}

impl Act {
    /// What holds where no grant is about it.
    const fn without_grant(self) -> bool {
        matches!(self, Self::Write)
    }
}

/// Who may, or may not, do something in a scope and below.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Grant {
    /// `person:lead`, `agent:*` for every agent, or `*` for everybody.
    pub who: String,
    /// What they may do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may: Vec<Act>,
    /// What they may not do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub may_not: Vec<Act>,
    /// Where, and below; empty: everywhere.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
}

/// Whether somebody may do something, and the grant that says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right {
    /// Whether they may.
    pub may: bool,
    /// Number of the grant in the document, from 1; none: nothing in it is about this.
    pub grant: Option<u32>,
}

/// What the grants say. `who` is the authenticated actor, `kind:name`; `scope` the path of the place.
pub(crate) fn right(grants: &[Grant], act: Act, who: &str, scope: &str) -> Right {
    let about = |grant: &&Grant| grant.names(who) && grant.holds_in(scope) && grant.is_about(act);
    let found = grants.iter().zip(1_u32..).find(|(grant, _)| about(grant));
    match found {
        Some((grant, number)) => Right { may: grant.may.contains(&act), grant: Some(number) },
        None => Right { may: act.without_grant(), grant: None },
    }
}

impl Grant {
    fn names(&self, who: &str) -> bool {
        match self.who.strip_suffix('*') {
            Some("") => true,
            Some(kind) => who.starts_with(kind),
            None => self.who == who,
        }
    }

    /// Segment by segment, never as the beginning of a text.
    fn holds_in(&self, scope: &str) -> bool {
        self.scope.is_empty()
            || scope
                .strip_prefix(self.scope.as_str())
                .is_some_and(|below| below.is_empty() || below.starts_with('/'))
    }

    fn is_about(&self, act: Act) -> bool {
        self.may.contains(&act) || self.may_not.contains(&act)
    }

    pub(super) fn check(&self) -> Result<(), PolicyError> {
        let wrong = |what: String| Err(PolicyError::new(what));
        let kind = self.who.split_once(':').map(|(kind, name)| (ActorKind::from_name(kind), name));
        let known = match kind {
            Some((Some(_), name)) => name == "*" || !(name.is_empty() || name.ends_with('*')),
            Some((None, _)) => false,
            None => self.who == "*",
        };
        if !known {
            return wrong(format!(
                "a grant is about {:?}; write \"person:NAME\", \"agent:*\" for all of a kind, or \"*\" for everybody",
                self.who
            ));
        }
        if self.may.is_empty() && self.may_not.is_empty() {
            return wrong(format!(
                "the grant for {:?} says neither what it may nor what it may not do",
                self.who
            ));
        }
        if self.may.iter().any(|act| self.may_not.contains(act)) {
            return wrong(format!("the grant for {:?} says both may and may_not", self.who));
        }
        if self.scope.starts_with('/') || self.scope.ends_with('/') {
            return wrong(format!(
                "the scope {:?} of a grant begins or ends with a slash; write \"org/acme\"",
                self.scope
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::Policy;

    use super::*;

    const TEXT: &str = r#"
format = 1
[[grants]]
who = "agent:intern"
may_not = ["write"]
scope = "org/acme"
[[grants]]
who = "person:lead"
may = ["override"]
scope = "org/acme/project/web"
[[grants]]
who = "agent:*"
may = ["write"]
"#;

    fn asked(act: Act, who: &str, scope: &str) -> (bool, Option<u32>) {
        let right = Policy::parse(TEXT).expect("it is one").right(act, who, scope);
        (right.may, right.grant)
    }

    #[test]
    fn the_first_grant_that_is_about_it_decides() {
        assert_eq!(asked(Act::Write, "agent:intern", "org/acme/project/web"), (false, Some(1)));
        assert_eq!(asked(Act::Write, "agent:intern", "org/other"), (true, Some(3)));
        assert_eq!(asked(Act::Write, "person:ada", "org/acme"), (true, None));
    }

    #[test]
    fn to_override_is_given_by_name_and_place() {
        assert!(asked(Act::Override, "person:lead", "org/acme/project/web/task/7").0);
        assert_eq!(asked(Act::Override, "person:lead", "org/acme/project/website"), (false, None));
        assert_eq!(asked(Act::Override, "person:lead", "org/acme"), (false, None), "not above");
        assert_eq!(asked(Act::Override, "person:leader", "org/acme/project/web"), (false, None));
    }

    #[test]
    fn a_grant_that_says_nothing_clear_is_an_error() {
        for (grant, says) in [
            ("who = \"lead\"\nmay = [\"override\"]", "a grant is about \"lead\""),
            ("who = \"robot:x\"\nmay = [\"override\"]", "a grant is about \"robot:x\""),
            ("who = \"agent:co*\"\nmay = [\"write\"]", "a grant is about \"agent:co*\""),
            ("who = \"*\"", "neither what it may"),
            ("who = \"*\"\nmay = [\"write\"]\nmay_not = [\"write\"]", "both may and may_not"),
            ("who = \"*\"\nmay = [\"fly\"]", "unknown variant `fly`"),
            ("who = \"*\"\nmay = [\"write\"]\nscope = \"org/\"", "slash"),
        ] {
            let text = format!("format = 1\n[[grants]]\n{grant}\n");
            let error = Policy::parse(&text).expect_err(grant);
            assert!(alloc::string::ToString::to_string(&error).contains(says), "{grant}: {error}");
        }
    }
}
