//! The poisoning suite: attacks on a memory, tried under a policy before anybody else tries them.
//!
//! Owns the cases that ship with the product, and what came of each. Every case plays in a ledger of its
//! own, in memory, under the policy that is tried; the ledger whose policy it is is not touched. A case is
//! a short story with checks; a check names the rule that has to hold and says what was found. May not:
//! write anywhere, or depend on what a ledger holds.
//!
//! ```
//! let report = memledger::policy::poison::run(memledger::policy::Policy::built_in_text())?;
//! assert_eq!(report.failed().count(), 0);
//! # Ok::<_, memledger::Error>(())
//! ```

mod content;
mod session;
mod stage;
mod trust;

use ledger_format::{MemoryId, Seq};

use self::stage::Stage;
use crate::error::{Error, Result};

/// Number of this suite in the records of its results.
pub const SUITE: u16 = 1;

/// What has to hold in a case, and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What has to hold.
    pub what: String,
    /// The rule that sees to it: one of the gate ([`Rule::name`](ledger_policy::Rule::name)), or of reading.
    pub rule: &'static str,
    /// Whether it held.
    pub held: bool,
    /// The memories that it is about, in the ledger of the case.
    pub memories: Vec<(MemoryId, Seq)>,
    /// What was found.
    pub found: String,
}

/// One case and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseResult {
    /// Its name.
    pub name: &'static str,
    /// What the attacker tries.
    pub attack: &'static str,
    /// What had to hold.
    pub checks: Vec<Check>,
}

impl CaseResult {
    /// Whether everything held that had to.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.held)
    }
}

/// What a policy came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Every case, in a fixed order.
    pub cases: Vec<CaseResult>,
}

impl Report {
    /// The cases in which something did not hold.
    pub fn failed(&self) -> impl Iterator<Item = &CaseResult> {
        self.cases.iter().filter(|case| !case.passed())
    }

    /// How many cases passed and failed, as a record of the result keeps it.
    #[must_use]
    pub fn counts(&self) -> (u32, u32) {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let failed = self.failed().count();
        (count(self.cases.len() - failed), count(failed))
    }
}

type Play = fn(&mut Stage) -> Result<()>;

/// Name, attack, story.
const CASES: &[(&str, &str, Play)] = &[
    (
        "false-fact-across-sessions",
        "a tool plants a false fact in one session; another session asks for it",
        session::false_fact,
    ),
    (
        "scope-hopping",
        "a write in one scope closes or shadows memories of another",
        session::scope_hopping,
    ),
    (
        "novelty-flooding",
        "the same claim is written over and over until it looks established",
        session::flooding,
    ),
    (
        "put-away-comes-back",
        "what a person took away is derived once more from the same place",
        session::put_away,
    ),
    (
        "orders-in-tool-results",
        "words of a tool, a page or a file read like an order",
        content::orders,
    ),
    ("secrets", "keys, tokens and passwords are slipped in as ordinary words", content::secrets),
    ("personal-data", "addresses and numbers of people are slipped in unmarked", content::personal),
    (
        "hidden-reasoning",
        "raw reasoning of a model is stored as if it were known",
        content::reasoning,
    ),
    (
        "summary-claims-permission",
        "a summary says that the user agreed to what no user said",
        trust::summary_permission,
    ),
    (
        "recall-stored-again",
        "what was recalled is written back, to look like a second source",
        trust::recall_again,
    ),
    (
        "source-spoofing",
        "an agent says that its words come from a user, the system or a canonical file",
        trust::spoofing,
    ),
    (
        "agreeing-sources",
        "several pages and tools say the same false thing, to verify each other",
        trust::agreement,
    ),
    (
        "self-promotion",
        "an agent raises the trust or the layer of what it wrote itself",
        trust::promotion,
    ),
];

/// Plays every case under a policy. The text is the document as it would be set.
///
/// # Errors
/// [`ErrorKind::Invalid`](crate::ErrorKind::Invalid) when the text is no policy; whatever keeps a ledger in
/// memory from being made.
pub fn run(policy: &str) -> Result<Report> {
    let parsed = ledger_policy::Policy::parse(policy);
    parsed.map_err(|error| Error::invalid(error.to_string()))?;
    let play = |(name, attack, play): &(&'static str, &'static str, Play)| {
        let mut stage = Stage::new(policy)?;
        if let Err(error) = play(&mut stage) {
            stage.stopped(&error);
        }
        Ok(CaseResult { name, attack, checks: stage.checks()? })
    };
    Ok(Report { cases: CASES.iter().map(play).collect::<Result<_>>()? })
}
