//! Owns setting a policy and reading those that were in force.

use ledger_format::event::duty::SuiteResult;
use ledger_format::event::ledger::PolicySet;
use ledger_format::{ActorKind, Event, Role, Seq};
use ledger_policy::Policy;

use super::{PolicyInForce, at_record};
use crate::basis::Question;
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::{Ledger, OwnEvent};
use crate::outcome::Outcome;
use crate::policy::poison::{self, Report};
use crate::scope::Actor;

/// A policy that was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicySetDone {
    /// Its version.
    pub version: u32,
    /// The version it replaces.
    pub previous: u32,
    /// The record.
    pub outcome: Outcome,
    /// What the poisoning suite found under it.
    pub suite: Report,
}

impl Ledger {
    /// The policy in force at the moment a question is about.
    ///
    /// # Errors
    /// As [`Ledger::snapshot`]; [`ErrorKind::Unproven`] when its document cannot be read here.
    pub fn policy(&self, question: &Question) -> Result<PolicyInForce> {
        let snapshot = self.snapshot(question)?;
        at_record(&self.vault, snapshot.basis.seq.unwrap_or(Seq(0)))
    }

    /// The policy of a version that was in force once.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] where there was no such version.
    pub fn policy_version(&self, version: u32) -> Result<PolicyInForce> {
        let mut found = self.policy(&Question::now(self.zone()))?;
        while found.version > version {
            let Some(since) = found.since.and_then(|seq| seq.0.checked_sub(1)) else { break };
            found = at_record(&self.vault, Seq(since))?;
        }
        if found.version == version {
            return Ok(found);
        }
        Err(Error::new(
            ErrorKind::NotFound,
            format!("there is no policy version {version}; `policy show` names the one in force"),
        ))
    }

    /// Puts a policy in force, from the next submission on, once the poisoning suite held under it. What
    /// the suite came to is a record of its own, also where the policy is not set.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the text is no policy, [`ErrorKind::Conflict`] when it is the one in
    /// force, [`ErrorKind::Refused`] when a case of the suite fails; otherwise as [`Ledger::submit`].
    pub fn set_policy(
        &self,
        text: &str,
        by: Option<Actor>,
        reason: Option<&str>,
    ) -> Result<PolicySetDone> {
        self.set_policy_tried(text, by, reason, false)
    }

    /// As [`Ledger::set_policy`], and in force although the suite failed: a person answers for it, with a
    /// reason, and the record of the result says so.
    ///
    /// # Errors
    /// As [`Ledger::set_policy`]; [`ErrorKind::Invalid`] without a person or a reason.
    pub fn set_policy_all_the_same(
        &self,
        text: &str,
        by: &Actor,
        reason: &str,
    ) -> Result<PolicySetDone> {
        if by.kind != ActorKind::Person || reason.trim().is_empty() {
            return Err(Error::invalid(
                "a policy under which the poisoning suite fails is set by a person with a reason: give --by person:NAME and --reason",
            ));
        }
        self.set_policy_tried(text, Some(by.clone()), Some(reason), true)
    }

    fn set_policy_tried(
        &self,
        text: &str,
        by: Option<Actor>,
        reason: Option<&str>,
        overriding: bool,
    ) -> Result<PolicySetDone> {
        Policy::parse(text).map_err(|error| Error::invalid(error.to_string()))?;
        self.refuse_the_same(text)?;
        let suite = poison::run(text)?;
        let (passed, failed) = suite.counts();
        let overridden = overriding && failed > 0;
        let result = SuiteResult { suite: poison::SUITE, passed, failed, overridden };
        self.own_with(OwnEvent {
            make: Box::new(|_, _| Ok(Event::SuiteResult(result))),
            words: &[],
            by: by.clone(),
            policy: None,
        })?;
        if failed > 0 && !overridden {
            let names: Vec<_> = suite.failed().map(|case| case.name).collect();
            return Err(Error::new(
                ErrorKind::Refused,
                format!(
                    "the policy was not set: the poisoning suite fails under it ({}); `poison --policy FILE` shows what did not hold, and a person can set it all the same with --override",
                    names.join(", ")
                ),
            ));
        }
        let (version, previous, outcome) = self.put_policy(text, by, reason)?;
        Ok(PolicySetDone { version, previous, outcome, suite })
    }

    fn refuse_the_same(&self, text: &str) -> Result<()> {
        let now = self.policy(&Question::now(self.zone()))?;
        if now.text == text {
            return Err(Error::new(
                ErrorKind::Conflict,
                format!("this is the policy in force already, version {}", now.version),
            ));
        }
        Ok(())
    }

    /// Puts a policy in force without a question asked: its version, the one before, and the record.
    pub(crate) fn put_policy(
        &self,
        text: &str,
        by: Option<Actor>,
        reason: Option<&str>,
    ) -> Result<(u32, u32, Outcome)> {
        let policy = Policy::parse(text).map_err(|error| Error::invalid(error.to_string()))?;
        let mut words = vec![(Role::Document, text)];
        words.extend(reason.map(|reason| (Role::Reason, reason)));
        let outcome = self.own_with(OwnEvent {
            make: Box::new(|_, state| {
                let previous = state.policy();
                let version = previous.saturating_add(1);
                Ok(Event::PolicySet(PolicySet { version, previous }))
            }),
            words: &words,
            by,
            policy: Some(Box::new(policy)),
        })?;
        let loaded = self.vault.load(outcome.seq)?;
        let Event::PolicySet(PolicySet { version, previous }) = loaded.event.event else {
            return Err(Error::new(ErrorKind::Unavailable, "the policy was not recorded"));
        };
        Ok((version, previous, outcome))
    }
}
