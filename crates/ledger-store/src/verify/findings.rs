//! Owns findings while a check runs: which claim they are about, what would excuse them, and the
//! list that all threads add to.
//!
//! Whether the last holder closed the ledger, and whether an erasure goes on, is only known when
//! everything was read, so a finding carries what would excuse it and is settled at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use ledger_format::Seq;

use super::report::{Finding, Severity};
use crate::error::{Class, StoreError};
use crate::log::fault::{Fault, FaultKind};
use crate::storage::RelPath;

/// Findings kept of one claim.
const MOST: u64 = 1_000;

/// The claims, in the order of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Anchors,
    Head,
    Segments,
    Batches,
    Records,
    Tree,
    Bytes,
    Checkpoints,
    Config,
    Keys,
    PayloadFiles,
    Payloads,
    Content,
}

impl Topic {
    pub(super) const ALL: [Self; 13] = [
        Self::Anchors,
        Self::Head,
        Self::Segments,
        Self::Batches,
        Self::Records,
        Self::Tree,
        Self::Bytes,
        Self::Checkpoints,
        Self::Config,
        Self::Keys,
        Self::PayloadFiles,
        Self::Payloads,
        Self::Content,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Anchors => "anchors",
            Self::Head => "head",
            Self::Segments => "segments",
            Self::Batches => "batches",
            Self::Records => "records",
            Self::Tree => "tree",
            Self::Bytes => "bytes",
            Self::Checkpoints => "checkpoints",
            Self::Config => "config",
            Self::Keys => "keys",
            Self::PayloadFiles => "payload files",
            Self::Payloads => "payloads",
            Self::Content => "content",
        }
    }
}

/// What would make damage harmless, if it is the case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Excuse {
    None,
    /// The last holder did not close the ledger.
    UncleanStop,
    /// An erasure intent is not carried out yet.
    ErasureGoesOn,
}

/// Which excuses hold.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Circumstances {
    pub(super) unclean: bool,
    pub(super) erasing: bool,
}

impl Circumstances {
    fn settle(self, severity: Severity, excuse: Excuse) -> Severity {
        let excused = match excuse {
            Excuse::None => false,
            Excuse::UncleanStop => self.unclean,
            Excuse::ErasureGoesOn => self.erasing,
        };
        if excused { severity.min(Severity::Residue) } else { severity }
    }
}

/// A finding in the making.
#[derive(Clone, Debug)]
pub(super) struct Found {
    topic: Topic,
    severity: Severity,
    excuse: Excuse,
    file: RelPath,
    offset: Option<u64>,
    seq: Option<Seq>,
    what: String,
    expected: String,
    found: String,
}

impl Found {
    pub(super) fn damage(
        topic: Topic,
        file: &RelPath,
        what: impl Into<String>,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self {
            topic,
            severity: Severity::Damage,
            excuse: Excuse::None,
            file: file.clone(),
            offset: None,
            seq: None,
            what: what.into(),
            expected: expected.to_string(),
            found: found.to_string(),
        }
    }

    /// An error that ended a check. A file that is missing or too short is damage; a system that
    /// does not let it be read is none.
    pub(super) fn obstacle(topic: Topic, file: &RelPath, error: &StoreError) -> Self {
        let gone = matches!(error, StoreError::Storage(error)
            if error.is_not_found() || error.is_unexpected_end());
        let damaged = gone || matches!(error.class(), Class::Damaged | Class::Lost);
        let severity = if damaged { Severity::Damage } else { Severity::CannotCheck };
        Self { severity, ..Self::damage(topic, file, "reading", "its bytes", error) }
    }

    /// What a failing batch or segment is about.
    pub(super) fn fault(
        topic: Topic,
        file: &RelPath,
        begins: u64,
        seq: Seq,
        fault: &Fault,
    ) -> Self {
        let found = Self::damage(topic, file, fault.what, &fault.expected, &fault.found);
        let found = match fault.kind {
            FaultKind::Unsupported(_) => found.severity(Severity::CannotCheck),
            FaultKind::Torn | FaultKind::Broken => found,
        };
        found.at(begins.saturating_add(fault.at)).seq(fault.seq.unwrap_or(seq))
    }

    pub(super) const fn topic(&self) -> Topic {
        self.topic
    }

    pub(super) fn at(self, offset: u64) -> Self {
        Self { offset: Some(offset), ..self }
    }

    pub(super) fn seq(self, seq: Seq) -> Self {
        Self { seq: Some(seq), ..self }
    }

    pub(super) fn severity(self, severity: Severity) -> Self {
        Self { severity, ..self }
    }

    /// The damage is none under these circumstances. What was said first counts.
    pub(super) fn unless(self, excuse: Excuse) -> Self {
        if self.excuse == Excuse::None { Self { excuse, ..self } } else { self }
    }

    fn settle(self, circumstances: Circumstances) -> Finding {
        Finding {
            severity: circumstances.settle(self.severity, self.excuse),
            claim: self.topic.name(),
            file: self.file,
            offset: self.offset,
            seq: self.seq,
            what: self.what,
            expected: self.expected,
            found: self.found,
        }
    }
}

/// Takes findings from all threads.
#[derive(Debug, Default)]
pub(super) struct Collector(Mutex<Collected>);

#[derive(Debug, Default)]
struct Collected {
    /// Something is wrong, or may be, whatever would excuse it.
    bad: bool,
    kept: Vec<Found>,
    counts: BTreeMap<Topic, u64>,
    /// How bad the ones are that were not kept.
    left_out: BTreeSet<(Topic, Severity, Excuse)>,
}

/// Findings of which it is known how bad they are.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) findings: Vec<Finding>,
    pub(super) omitted: u64,
    worst: BTreeMap<Topic, Severity>,
}

impl Collector {
    pub(super) fn add(&self, found: Found) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = all.counts.entry(found.topic).or_default();
        *count += 1;
        let few = *count <= MOST;
        all.bad = all.bad || found.severity > Severity::Note;
        if few {
            all.kept.push(found);
        } else {
            all.left_out.insert((found.topic, found.severity, found.excuse));
        }
    }

    /// Whether nothing was found that is worse than a note.
    pub(super) fn is_clean(&self) -> bool {
        !self.0.lock().unwrap_or_else(PoisonError::into_inner).bad
    }

    pub(super) fn settle(self, circumstances: Circumstances) -> Settled {
        let all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        let omitted = all.counts.values().map(|count| count.saturating_sub(MOST)).sum();
        let kept = all.kept.iter().map(|found| (found.topic, found.severity, found.excuse));
        let mut worst = BTreeMap::new();
        for (topic, severity, excuse) in kept.chain(all.left_out.iter().copied()) {
            let settled = circumstances.settle(severity, excuse);
            let place = worst.entry(topic).or_insert(settled);
            *place = settled.max(*place);
        }
        let mut findings: Vec<Finding> =
            all.kept.into_iter().map(|found| found.settle(circumstances)).collect();
        findings.sort_by(|a, b| {
            (&a.file, a.offset, a.claim, &a.what).cmp(&(&b.file, b.offset, b.claim, &b.what))
        });
        Settled { findings, omitted, worst }
    }
}

impl Settled {
    /// The worst that was found about a claim.
    pub(super) fn worst(&self, topic: Topic) -> Option<Severity> {
        self.worst.get(&topic).copied()
    }
}
