//! The policy of a ledger: what the write gate lets through, how far it is trusted, how long it counts.
//!
//! Owns what is tried and tidied under a policy; beside that it gives the types of `ledger-policy` and of the gate a place where callers find
//! them. A document is set with [`Ledger::set_policy`](crate::Ledger::set_policy) and is a record of the
//! ledger like any other, so that the verdicts of a past moment are those of its policy.

pub mod compact;
pub mod poison;

pub use ledger_policy::{
    Approval, Case, Changed, Class, Decision, Deletion, Expiry, Gate, LayerRule, Layers, Length,
    Lineage, OnFinding, Parts, Policy, PolicyError, Ranking, Rule, Seen, Signals, Skills, Trial,
    Tried, TrustOf, Unauthorised, decide,
};

pub use crate::gate::{PolicyInForce, PolicySetDone, VerdictsAgain, seen_in};
