//! Owns finding the policy that was in force at a record, and reading its document.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ledger_format::{Event, Role, Seq};
use ledger_policy::Policy;
use ledger_replay::State;

use crate::error::{Error, ErrorKind, Result};
use crate::vault::{Opened, Vault};

/// A policy and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyInForce {
    /// Its version; 0: the built-in one.
    pub version: u32,
    /// The record that put it in force; none for the built-in one.
    pub since: Option<Seq>,
    /// Its text as it was set.
    pub text: String,
    /// What it says.
    pub policy: Policy,
}

/// The policy in force in a state.
pub(crate) fn load(vault: &Vault, state: &State) -> Result<PolicyInForce> {
    match state.policy_since() {
        Some(seq) => read(vault, seq),
        None => Ok(built_in()),
    }
}

/// The policy in force after a record. Every record names the version that was in force before it,
/// and versions only rise, so the record that set one is found by halving.
pub(crate) fn at_record(vault: &Vault, seq: Seq) -> Result<PolicyInForce> {
    let here = vault.load(seq)?;
    if matches!(here.event.event, Event::PolicySet(_)) {
        return read(vault, seq);
    }
    let version = here.event.header.policy;
    if version == 0 {
        return Ok(built_in());
    }
    let (mut before, mut from) = (0, seq.0);
    while from - before > 1 {
        let middle = before + (from - before) / 2;
        if vault.load(Seq(middle))?.event.header.policy < version {
            before = middle;
        } else {
            from = middle;
        }
    }
    read(vault, Seq(before))
}

/// The policies that reads were made under, each read once.
#[derive(Debug, Default)]
pub(crate) struct Policies(Mutex<BTreeMap<u32, Arc<Policy>>>);

impl Policies {
    /// The policy in force after a record; none: nothing was recorded.
    pub(crate) fn at(&self, vault: &Vault, seq: Option<Seq>) -> Result<Arc<Policy>> {
        let version = match seq {
            Some(seq) => {
                let record = vault.load(seq)?.event;
                match record.event {
                    Event::PolicySet(set) => set.version,
                    _ => record.header.policy,
                }
            }
            None => 0,
        };
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = known().get(&version) {
            return Ok(Arc::clone(policy));
        }
        let policy = match seq {
            Some(seq) if version > 0 => Arc::new(at_record(vault, seq)?.policy),
            _ => Arc::new(Policy::built_in()),
        };
        known().insert(version, Arc::clone(&policy));
        Ok(policy)
    }
}

fn built_in() -> PolicyInForce {
    let text = Policy::built_in_text().to_owned();
    PolicyInForce { version: 0, since: None, text, policy: Policy::built_in() }
}

pub(super) fn read(vault: &Vault, seq: Seq) -> Result<PolicyInForce> {
    let loaded = vault.load(seq)?;
    let Event::PolicySet(set) = &loaded.event.event else {
        return Err(Error::new(
            ErrorKind::Unproven,
            format!("record {seq} should set the policy and does not; run verify"),
        ));
    };
    let text = match vault.open(&loaded, Role::Document)? {
        Some(Opened::Plain(bytes)) => String::from_utf8(bytes).ok(),
        _ => None,
    };
    let text = text.ok_or_else(|| {
        Error::new(
            ErrorKind::Unproven,
            format!("the policy document of record {seq} cannot be read here; give the master key"),
        )
    })?;
    let policy = Policy::parse(&text).map_err(|error| {
        Error::new(
            ErrorKind::Unproven,
            format!("policy version {} (record {seq}) cannot be read by this version of memledger: {error}; use the version that set it, or a newer one", set.version),
        )
    })?;
    Ok(PolicyInForce { version: set.version, since: Some(seq), text, policy })
}
