//! Owns the words of a report: claims with their counts, findings with their places.
//!
//! Invariants: a claim is [`Verdict::Ok`] only when everything expected was checked and nothing
//! was found; the list of findings is bounded and says how many it left out.

use std::fmt;

use ledger_format::Seq;

use super::digests::ByteMark;
use crate::head::Position;
use crate::storage::RelPath;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// Nothing is wrong, but it should be known.
    Note,
    /// An unclean stop or an erasure that goes on leaves this; the next open makes it good.
    Residue,
    /// It cannot be told whether something is wrong.
    CannotCheck,
    /// Something is wrong.
    Damage,
}

/// What is known about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// Everything expected was checked and is as it should be.
    Ok,
    /// The level of the check does not include it.
    NotChecked,
    /// Something that is needed to check it is not there.
    CannotCheck,
    /// Something is wrong.
    Damaged,
}

/// One thing that a whole ledger promises.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name: `anchors`, `head`, `segments`, `batches`, `records`, `tree`, `bytes`, `checkpoints`, `config`, `keys`,
    /// `payload files`, `payloads` or `content`.
    pub name: &'static str,
    /// How many of what it is about were found as they should be.
    pub checked: u64,
    /// How many there should be, by anchors and headers. Payloads are named by records: where
    /// records could not be checked, more are expected than this, and the verdict says so.
    pub expected: u64,
    /// What is known.
    pub verdict: Verdict,
}

/// One thing that is wrong, missing or worth knowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Name of the claim it is about.
    pub claim: &'static str,
    /// The file or directory.
    pub file: RelPath,
    /// Where in it, in bytes from its start.
    pub offset: Option<u64>,
    /// The record, or the first one concerned.
    pub seq: Option<Seq>,
    /// What it is about.
    pub what: String,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// Every claim, whether or not it was checked.
    pub claims: Vec<Claim>,
    /// What was found, by file and place.
    pub findings: Vec<Finding>,
    /// Findings that were left out of the list because a claim had too many.
    pub omitted: u64,
    /// The last batch that was checked, when everything before it was whole.
    pub head: Option<Position>,
    /// The first record that was looked at. What lies before it was taken from
    /// [`super::VerifyOptions::since`], and no claim counts it.
    pub from: Seq,
    /// The bytes that were read, when they were digested and nothing before the head was left out.
    pub mark: Option<ByteMark>,
}

impl VerifyReport {
    /// The worst verdict of the claims that the level includes.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let verdicts = self.claims.iter().map(|claim| claim.verdict);
        let checked = verdicts.filter(|verdict| *verdict != Verdict::NotChecked);
        checked.max().unwrap_or(Verdict::NotChecked)
    }

    /// The claim with this name.
    #[must_use]
    pub fn claim(&self, name: &str) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.name == name)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(offset) = self.offset {
            write!(f, " at byte {offset}")?;
        }
        if let Some(seq) = self.seq {
            write!(f, " (record {seq})")?;
        }
        write!(f, ": {}: expected {}, found {}", self.what, self.expected, self.found)
    }
}
