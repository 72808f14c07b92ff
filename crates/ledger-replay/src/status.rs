//! Owns the one word that says how a memory stands at a pair of instants.

use core::fmt;

use ledger_format::{Micros, Reach};

use crate::Lifecycle;

/// The two axes of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instants {
    /// When it is asked on the known axis: lifetimes are judged by it.
    pub known: Micros,
    /// When it should hold.
    pub valid: Micros,
}

/// How a memory stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Status {
    /// In force.
    Open,
    /// Not in force at the valid time asked for.
    Closed,
    /// In force, but ranks after its alternatives.
    PushedDown,
    /// In force, but contradicted.
    Contested,
    /// May not be used for now.
    Restricted,
    /// Ran out.
    Expired,
    /// Gone from every ordinary read.
    Forgotten,
    /// Content destroyed.
    Erased,
    /// Waits for approval.
    Pending,
}

impl Status {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Closed => "closed",
            Self::PushedDown => "pushed_down",
            Self::Contested => "contested",
            Self::Restricted => "restricted",
            Self::Expired => "expired",
            Self::Forgotten => "forgotten",
            Self::Erased => "erased",
            Self::Pending => "pending",
        }
    }

    /// Whether a memory of this status is part of an ordinary answer.
    #[must_use]
    pub const fn in_force(self) -> bool {
        matches!(self, Self::Open | Self::PushedDown | Self::Contested)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Lifecycle {
    /// How this version stands. The gravest word wins: what is erased is not also called closed.
    #[must_use]
    pub fn status(&self, at: Instants) -> Status {
        if self.erased.is_some() {
            return Status::Erased;
        }
        if self.forgotten.is_some() {
            return Status::Forgotten;
        }
        if self.pending {
            return Status::Pending;
        }
        if self.rejected || !self.validity.contains(at.valid) {
            return Status::Closed;
        }
        if self.restricted {
            return Status::Restricted;
        }
        if self.expired || self.ttl_until.is_some_and(|end| end <= at.known) {
            return Status::Expired;
        }
        if self.contest.is_some() {
            return Status::Contested;
        }
        if self.pushed_down.iter().any(|push| push.reach == Reach::Everything) {
            return Status::PushedDown;
        }
        Status::Open
    }
}
