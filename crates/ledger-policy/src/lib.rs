//! The write gate: agents propose, policy commits.
//!
//! Owns the policy document (what it may say, what it says when it is silent) and the verdict over a
//! proposal: [`decide`]. Invariants: pure and deterministic; no clock, no text, no float. The gate
//! never sees words, only [`Signals`] that were taken from them, and those are recorded, so that every
//! verdict can be given again after the words are erased. May not: look at a file, a name or a
//! payload, or change a state.
//!
//! ```
//! use ledger_format::{ActorKind, BodyType, Layer, Micros, SourceKind, Trust, Verdict};
//! use ledger_policy::{Case, Policy, Signals, decide};
//!
//! let policy = Policy::built_in();
//! let case = Case::new(ActorKind::Agent, BodyType::Note, Layer::Project, SourceKind::Model);
//! let decision = decide(&case, &policy, Micros(0));
//! assert_eq!(decision.verdict, Verdict::Committed);
//! assert_eq!(decision.trust, Trust::Unverified);
//! assert_eq!(decision.ttl_until, Some(Micros(7 * 24 * 3_600 * 1_000_000)), "an inference lives a week");
//! # let _ = Signals::default();
//! ```
#![no_std]
extern crate alloc;

mod authority;
mod case;
mod decay;
mod decide;
mod document;
mod error;
mod length;
mod parts;
mod rule;
mod settings;
mod signal;
mod trial;

pub use authority::{Authority, Class, Standing};
pub use case::{Case, Lineage};
pub use decay::{Fading, decay};
pub use decide::{Decision, decide};
pub use document::{
    Act, Approval, Deletion, Expiry, FactRule, Facts, Gate, Grant, LayerRule, Layers, OnFinding,
    Policy, Questions, Ranking, Resolution, Right, Skills, TrustOf, Unauthorised,
};
pub use error::PolicyError;
pub use length::Length;
pub use parts::Parts;
pub use rule::Rule;
pub use settings::Changed;
pub use signal::{Seen, Signals};
pub use trial::{Trial, Tried, usual_layer};
