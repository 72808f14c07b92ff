//! Owns setting a policy and reading those that were in force.

use ledger_format::event::ledger::PolicySet;
use ledger_format::{Event, Role, Seq};
use ledger_policy::Policy;

use super::{PolicyInForce, at_record};
use crate::basis::Question;
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::{Ledger, OwnEvent};
use crate::outcome::Outcome;
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

    /// Puts a policy in force, from the next submission on.
    ///
    /// # Errors
    /// [`ErrorKind::Invalid`] when the text is no policy, [`ErrorKind::Conflict`] when it is the one in
    /// force; otherwise as [`Ledger::submit`].
    pub fn set_policy(
        &self,
        text: &str,
        by: Option<Actor>,
        reason: Option<&str>,
    ) -> Result<PolicySetDone> {
        let policy = Policy::parse(text).map_err(|error| Error::invalid(error.to_string()))?;
        let now = self.policy(&Question::now(self.zone()))?;
        if now.text == text {
            return Err(Error::new(
                ErrorKind::Conflict,
                format!("this is the policy in force already, version {}", now.version),
            ));
        }
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
        Ok(PolicySetDone { version, previous, outcome })
    }
}
