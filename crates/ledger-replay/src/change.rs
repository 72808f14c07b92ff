//! Owns what one event changed, as the views need it.

use alloc::vec::Vec;
use core::fmt;

use ledger_format::names::Job;
use ledger_format::{AliasId, JobId, MemoryId, Micros, RecordHash, Seq};

use crate::{Alias, Birth, Erasure, Lifecycle, Schedule, Task};

/// Everything one event changed. Each memory that was touched appears once, in its new version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The record.
    pub seq: Seq,
    /// Its hash.
    pub hash: RecordHash,
    /// Its time.
    pub recorded_at: Micros,
    /// What changed, in the order in which it happened.
    pub list: Vec<Change>,
    /// What was odd.
    pub anomalies: Vec<Anomaly>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// A memory exists. Its first version follows.
    Born(Birth),
    /// A memory has a new version.
    Version {
        /// Which memory.
        id: MemoryId,
        /// The record that wrote it.
        born: Seq,
        /// Its scope.
        scope: AliasId,
        /// Its slot, if it is keyed.
        key: Option<AliasId>,
        /// Whether it was listed without history before this event.
        was_live: bool,
        /// Whether it is now.
        live: bool,
        /// The version.
        lifecycle: Lifecycle,
    },
    /// An alias exists, or its name was erased.
    Alias(AliasId, Alias),
    /// A task began or ended.
    Task(AliasId, Task),
    /// A recurring job ran, or got another schedule.
    Schedule(Job, Schedule),
    /// An erasure advanced.
    Erasure(JobId, Erasure),
}

/// Something that a well-behaved writer does not record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anomaly {
    /// The record.
    pub seq: Seq,
    /// What is odd about it.
    pub oddity: Oddity,
}

/// What is odd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Oddity {
    /// The event names a memory that does not exist.
    NoSuchMemory(MemoryId),
    /// A memory with this id exists already.
    MemoryExists(MemoryId),
    /// A memory is superseded from another scope.
    OtherScope(MemoryId),
    /// The alias exists already.
    AliasExists(AliasId),
    /// The event names a record that is not what it should be.
    NoSuchRecord(Seq),
    /// A part of an erasure that does not fit the parts before it.
    ErasurePart(JobId),
    /// The record's time lies before the one before it.
    TimeBackwards,
    /// A critical event of a kind this version does not know.
    UnknownCritical(u16),
    /// Genesis elsewhere than at the beginning.
    SecondGenesis,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchMemory(id) => write!(f, "no memory {}", id.hyphenated()),
            Self::MemoryExists(id) => write!(f, "memory {} exists already", id.hyphenated()),
            Self::OtherScope(id) => {
                write!(f, "memory {} is superseded from another scope", id.hyphenated())
            }
            Self::AliasExists(alias) => write!(f, "alias {alias} exists already"),
            Self::NoSuchRecord(seq) => write!(f, "record {seq} is not what the event says"),
            Self::ErasurePart(id) => write!(f, "a part of erasure {id} does not fit"),
            Self::TimeBackwards => f.write_str("the time lies before the record before"),
            Self::UnknownCritical(kind) => write!(f, "critical event of unknown kind {kind}"),
            Self::SecondGenesis => f.write_str("genesis is not the first record"),
        }
    }
}
