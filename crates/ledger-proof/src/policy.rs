//! Owns what is asked of witnesses: which of them have to vouch for a checkpoint, in the form of
//! c2sp.org/tlog-policy.
//!
//! Invariants: one key counts once, whatever it is called and however often it signed; a group can
//! be met, and names what stands before it, so that no group holds itself. May not: know the time or
//! fetch anything; URLs are carried for whoever does.

mod text;

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::checkpoint::SignedCheckpoint;
use crate::error::ProofError;
use crate::key::VerifierKey;

/// How far the clock of a witness may be ahead of the one that checks, in seconds: a cosignature of
/// a later time is from the future and does not count.
pub const MAX_AHEAD: u64 = 60;

/// Which logs and witnesses are known, and which of the witnesses have to vouch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessPolicy {
    logs: Vec<VerifierKey>,
    witnesses: Vec<PolicyWitness>,
    groups: Vec<Group>,
    /// None where nobody has to vouch.
    quorum: Option<Member>,
}

/// A witness of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyWitness {
    /// What the policy calls it.
    pub name: String,
    /// The key that it cosigns with.
    pub key: VerifierKey,
    /// Its submission prefix (c2sp.org/tlog-witness), as it was written.
    pub url: Option<String>,
}

/// So many of these.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Group {
    needed: usize,
    members: Vec<Member>,
}

/// Places in the lists of the policy. A group names earlier ones only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Witness(usize),
    Group(usize),
}

impl WitnessPolicy {
    /// The witnesses, in the order of the policy.
    #[must_use]
    pub fn witnesses(&self) -> &[PolicyWitness] {
        &self.witnesses
    }

    /// Whether anybody has to vouch: not with `quorum none`.
    #[must_use]
    pub const fn asks(&self) -> bool {
        self.quorum.is_some()
    }

    /// The witnesses that vouch for a checkpoint, by the names of their keys, each with its time in
    /// seconds since 1970. A cosignature counts when its time is at most [`MAX_AHEAD`] after `now`
    /// and, with `oldest`, not before that. Where the policy names logs, one of them has to have
    /// signed.
    ///
    /// # Errors
    /// [`ProofError::QuorumMissed`]; [`ProofError::BadSignature`] where a cosignature names one of
    /// the witnesses and is not by it; for the log as [`SignedCheckpoint::verify`].
    pub fn check(
        &self,
        checkpoint: &SignedCheckpoint,
        now: u64,
        oldest: Option<u64>,
    ) -> Result<Vec<(String, u64)>, ProofError> {
        if !self.logs.is_empty() {
            checkpoint.verify(&self.logs)?;
        }
        let latest = now.saturating_add(MAX_AHEAD);
        let mut times = Vec::with_capacity(self.witnesses.len());
        for witness in &self.witnesses {
            let at = witness.key.cosigned(checkpoint)?.map(|cosigned| cosigned.at);
            times.push(at.filter(|at| *at <= latest && oldest.is_none_or(|oldest| *at >= oldest)));
        }
        let vouched = || self.witnesses.iter().zip(&times).filter_map(|(w, at)| Some((w, (*at)?)));
        if self.met(&times) {
            return Ok(vouched().map(|(w, at)| (w.key.name().to_string(), at)).collect());
        }
        let vouched = vouched().map(|(witness, _)| witness.name.clone()).collect();
        Err(ProofError::QuorumMissed { rule: self.rule(), vouched })
    }

    /// Whether those who vouch are enough.
    fn met(&self, times: &[Option<u64>]) -> bool {
        let mut groups: Vec<bool> = Vec::with_capacity(self.groups.len());
        let counts = |member: &Member, groups: &[bool]| match *member {
            Member::Witness(at) => times.get(at).is_some_and(Option::is_some),
            Member::Group(at) => groups.get(at).copied().unwrap_or(false),
        };
        for group in &self.groups {
            let found = group.members.iter().filter(|member| counts(member, &groups)).count();
            groups.push(found >= group.needed);
        }
        self.quorum.as_ref().is_none_or(|quorum| counts(quorum, &groups))
    }
}
