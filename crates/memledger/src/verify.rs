//! Owns verification of a whole ledger: what the store checks in the files, and that the views say
//! what the log says.
//!
//! Invariants: every claim says how much of how much was checked; a claim that was not checked says
//! so; damage, missing means and success are three different verdicts.

use std::fmt;

use ledger_format::Seq;
use ledger_replay::State;
use ledger_store::verify::{self, Claim, Finding, Verdict, VerifyOptions};
use ledger_views::Fold;

use crate::error::Result;
use crate::ledger::{Ledger, replay};

/// How much is checked. Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VerifyLevel {
    /// Segments, chain, batches, Merkle tree, anchors, key pages, configuration.
    Log,
    /// Also stored payloads against the digests in their records.
    Payloads,
    /// Also what is in them, against the commitments.
    Content,
    /// Also the views against a replay of the log.
    Views,
}

/// What is known about a claim, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckVerdict {
    /// As it should be.
    Ok,
    /// The level does not include it.
    NotChecked,
    /// Something needed to check it is missing.
    CannotCheck,
    /// Not as it should be.
    Damaged,
}

impl fmt::Display for CheckVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::NotChecked => "not checked",
            Self::CannotCheck => "cannot be checked",
            Self::Damaged => "DAMAGED",
        })
    }
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// How much was found as it should be.
    pub checked: u64,
    /// How much there should be.
    pub expected: u64,
    /// What is known.
    pub verdict: CheckVerdict,
    /// What was found wrong, with its place.
    pub findings: Vec<String>,
}

/// All claims.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyReport {
    /// The claims, in the order in which they rest on each other.
    pub checks: Vec<Check>,
    /// The last record that was reached.
    pub head: Option<Seq>,
}

impl VerifyReport {
    /// The worst verdict of what was checked.
    #[must_use]
    pub fn verdict(&self) -> CheckVerdict {
        let verdicts = self.checks.iter().map(|check| check.verdict);
        verdicts.filter(|verdict| *verdict != CheckVerdict::NotChecked).max().unwrap_or(CheckVerdict::NotChecked)
    }
}

impl Ledger {
    /// Checks the ledger against itself. `progress` gets a word, how much is done and of how much.
    /// Completeness is checked against the local anchor only: whoever rewinds the whole directory
    /// is found by a head that somebody else remembered.
    ///
    /// # Errors
    /// When the check itself cannot run. What it finds is in the report.
    pub fn verify(
        &self,
        level: VerifyLevel,
        progress: &dyn Fn(&str, u64, u64),
    ) -> Result<VerifyReport> {
        let replayed = replay(self.vault.reader(), State::default(), |_| Ok(())).ok();
        let erased = |id| replayed.as_ref().is_some_and(|state| state.erased().contains(id));
        let store_level = match level {
            VerifyLevel::Log => verify::VerifyLevel::Log,
            VerifyLevel::Payloads => verify::VerifyLevel::Payloads,
            VerifyLevel::Content | VerifyLevel::Views => verify::VerifyLevel::Content,
        };
        let options = VerifyOptions {
            level: store_level,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            upto: self.vault.reader().position(),
        };
        let report = verify::verify(
            &self.storage,
            self.id(),
            Some(self.vault.keys()),
            options,
            &erased,
            &|at| progress("log", at.bytes, at.total),
        );
        let mut checks: Vec<Check> =
            report.claims.iter().map(|claim| check(claim, &report.findings)).collect();
        checks.push(self.verify_views(level, progress)?);
        Ok(VerifyReport { checks, head: report.head.map(|position| position.head.seq) })
    }

    /// Replays the log into view rows without touching the views, and compares digests; then reads
    /// every stored row.
    fn verify_views(
        &self,
        level: VerifyLevel,
        progress: &dyn Fn(&str, u64, u64),
    ) -> Result<Check> {
        let head = self.vault.reader().head();
        let expected = head.map_or(0, |head| head.seq.0 + 1);
        let mut check = Check {
            name: "views".to_owned(),
            checked: 0,
            expected,
            verdict: CheckVerdict::NotChecked,
            findings: Vec::new(),
        };
        let (VerifyLevel::Views, Some(feed), Some(head)) = (level, &self.views, head) else {
            return Ok(check);
        };
        let views = match feed.wait_for(head.seq) {
            Ok(views) => views,
            Err(error) => {
                check.verdict = CheckVerdict::Damaged;
                check.findings.push(error.to_string());
                return Ok(check);
            }
        };
        let mut fold = Fold::new(self.id());
        let replayed = replay(self.vault.reader(), State::default(), |changes| {
            fold.push(&changes)?;
            check.checked += 1;
            if check.checked % 4_096 == 0 {
                progress("views", check.checked, expected);
            }
            Ok(())
        });
        if let Err(error) = replayed {
            check.verdict = CheckVerdict::CannotCheck;
            check.findings.push(format!("the log cannot be replayed: {error}"));
            return Ok(check);
        }
        let stored = views.check_rows();
        let same_head = views.applied().is_some_and(|applied| applied.seq == head.seq);
        match stored {
            Ok(stored) if stored.digest == fold.digest() && stored.rows == fold.rows() && same_head => {
                check.verdict = CheckVerdict::Ok;
            }
            Ok(stored) => {
                check.verdict = CheckVerdict::Damaged;
                check.findings.push(format!(
                    "the views differ from a replay of the log ({} rows stored, {} replayed); run `memledger rebuild`, the log is not concerned",
                    stored.rows,
                    fold.rows()
                ));
            }
            Err(error) => {
                check.verdict = CheckVerdict::Damaged;
                check.findings.push(format!("{error}; run `memledger rebuild`, the log is not concerned"));
            }
        }
        Ok(check)
    }
}

fn check(claim: &Claim, findings: &[Finding]) -> Check {
    let own = findings.iter().filter(|finding| finding.claim == claim.name);
    Check {
        name: claim.name.to_owned(),
        checked: claim.checked,
        expected: claim.expected,
        verdict: match claim.verdict {
            Verdict::Ok => CheckVerdict::Ok,
            Verdict::NotChecked => CheckVerdict::NotChecked,
            Verdict::CannotCheck => CheckVerdict::CannotCheck,
            _ => CheckVerdict::Damaged,
        },
        findings: own.map(ToString::to_string).collect(),
    }
}
