//! Owns the one error of this crate: what does not hold, in words for the person who checks.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why something is not proven.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProofError {
    /// A text is not what it should be.
    Malformed {
        /// Which text.
        what: &'static str,
        /// Its line, from 1; 0 where the whole text is meant.
        line: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// A text or a number is above what is read.
    TooLarge {
        /// Which.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// None of the signatures is by a key that was named.
    UnknownKey {
        /// The keys that were looked for.
        wanted: String,
    },
    /// A signature that says it is by a known key is not.
    BadSignature {
        /// The key's name.
        name: String,
    },
    /// A checkpoint of another log.
    WrongOrigin {
        /// The log that was meant.
        expected: String,
        /// The log that it is of.
        found: String,
    },
    /// Those witnesses that a policy asks for do not vouch.
    QuorumMissed {
        /// Who has to, in words.
        rule: String,
        /// Who does, by the policy's names.
        vouched: Vec<String>,
    },
    /// The record is not where the proof says, or not this record.
    NotIncluded {
        /// Its place.
        index: u64,
        /// Size of the tree.
        size: u64,
    },
    /// The later tree does not hold the earlier one: a fork.
    Inconsistent {
        /// Size of the earlier tree.
        old: u64,
        /// Size of the later tree.
        new: u64,
    },
    /// No proof of this kind exists.
    OutOfRange {
        /// What was asked for.
        what: &'static str,
        /// The number that was given.
        found: u64,
        /// The size of the tree.
        size: u64,
    },
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { what, line: 0, why } => write!(f, "this is no {what}: {why}"),
            Self::Malformed { what, line, why } => {
                write!(f, "this is no {what}: line {line}: {why}")
            }
            Self::TooLarge { what, limit } => write!(f, "{what} is above the limit of {limit}"),
            Self::UnknownKey { wanted } => {
                write!(f, "it carries no signature by a trusted key (wanted: {wanted})")
            }
            Self::BadSignature { name } => write!(f, "the signature of {name} does not verify"),
            Self::WrongOrigin { expected, found } => {
                write!(f, "it is a checkpoint of {found:?}, and not of {expected:?}")
            }
            Self::QuorumMissed { rule, vouched } if vouched.is_empty() => {
                write!(f, "the quorum is {rule}, and nobody of it vouches")
            }
            Self::QuorumMissed { rule, vouched } => {
                let vouched = vouched.join(", ");
                write!(f, "the quorum is {rule}, and only {vouched} vouched")
            }
            Self::NotIncluded { index, size } => write!(
                f,
                "the record is not the one at {index} in the tree of {size} records of the checkpoint"
            ),
            Self::Inconsistent { old, new } => write!(
                f,
                "the tree of {new} records does not begin with the tree of {old} records: a fork"
            ),
            Self::OutOfRange { what, found, size } => {
                write!(f, "there is no {what} {found} in a tree of {size} records")
            }
        }
    }
}

impl core::error::Error for ProofError {}
