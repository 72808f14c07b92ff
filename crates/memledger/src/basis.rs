//! Owns the basis of an answer: which record it rests on and which instants it is about.
//!
//! Invariant: every answer names its basis, so that it can be asked again and give the same.

use ledger_format::{Micros, RecordHash, Seq};
use ledger_replay::Instants;

use crate::civil::{When, Zone};

/// What a question is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// Known when.
    pub known: When,
    /// Valid when; none: at the instant of `known`.
    pub valid: Option<When>,
    /// The zone that dates are read in.
    pub zone: Zone,
    /// Whether imported events count from the time their source claims to have known them.
    pub claimed: bool,
    /// Whether to answer by replaying the raw archive instead of from the views.
    pub from_archive: bool,
}

impl Question {
    /// What is known now to hold now.
    #[must_use]
    pub const fn now(zone: Zone) -> Self {
        Self { known: When::Head, valid: None, zone, claimed: false, from_archive: false }
    }
}

/// What an answer rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Basis {
    /// The last instant of the known axis that counts.
    pub known_at: Micros,
    /// The instant on the valid axis.
    pub valid_at: Micros,
    /// The last record that counts; none: nothing had been recorded.
    pub seq: Option<Seq>,
    /// Its hash.
    pub hash: RecordHash,
    /// The head of the ledger when it was asked: erasures up to here are applied.
    pub head: Option<Seq>,
    /// The zone that dates were read in.
    pub zone: Zone,
    /// Whether known times are as imported sources claim them.
    pub claimed: bool,
    /// Whether the answer comes from the raw archive.
    pub from_archive: bool,
    /// `known before … (…)` or `known at …`: how the question was understood.
    pub phrase: String,
}

impl Basis {
    /// Both axes.
    #[must_use]
    pub const fn instants(&self) -> Instants {
        Instants { known: self.known_at, valid: self.valid_at }
    }

    /// The first line of every time-travel answer.
    #[must_use]
    pub fn line(&self) -> String {
        let Some(seq) = self.seq else {
            return format!("{} · before the first record", self.phrase);
        };
        let hash = self.hash.to_string();
        let head = hash.get(..12).unwrap_or_default();
        format!("{} · seq {seq} · head {head}…", self.phrase)
    }
}
