//! Faults to inject and the trace of operations they are numbered by.
//!
//! Owns the plan; what a fault does to the stored bytes is decided where the operation is.

use std::collections::BTreeMap;
use std::fmt;

use crate::storage::{Op, RelPath};

/// What happens at one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// It fails with `EIO` and does nothing. A flush that fails loses its claim on what it
    /// covered, see [`MemStorage`](super::MemStorage).
    Io,
    /// It fails with `ENOSPC` and does nothing.
    NoSpace,
    /// A write of content does its first `bytes` bytes and fails with `ENOSPC`; a read returns at
    /// most so many bytes (and at least one) without an error. Other operations are not affected.
    Short {
        /// Bytes that are still written or read.
        bytes: u64,
    },
    /// The process dies before it: it does nothing and every later operation fails.
    Stop,
    /// The process dies inside it: a write of content does its first `bytes` bytes, any other
    /// operation nothing, and every later operation fails.
    StopInside {
        /// Bytes that are still written.
        bytes: u64,
    },
}

/// Which operations fail, by number. Numbers start at 0 and count every operation of the storage,
/// its files and its locks, reads included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultPlan {
    at: BTreeMap<u64, Fault>,
}

impl FaultPlan {
    /// Nothing fails.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Operation number `op` meets `fault`.
    #[must_use]
    pub fn at(op: u64, fault: Fault) -> Self {
        Self::none().and(op, fault)
    }

    /// The same plan with one more fault.
    #[must_use]
    pub fn and(mut self, op: u64, fault: Fault) -> Self {
        self.at.insert(op, fault);
        self
    }

    /// The process dies before operation number `op`.
    #[must_use]
    pub fn stop_before(op: u64) -> Self {
        Self::at(op, Fault::Stop)
    }

    /// The process dies after operation number `op`, which succeeds.
    #[must_use]
    pub fn stop_after(op: u64) -> Self {
        Self::at(op.saturating_add(1), Fault::Stop)
    }

    pub(super) fn fault(&self, op: u64) -> Option<Fault> {
        self.at.get(&op).copied()
    }
}

/// One operation that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceEntry {
    /// Its number.
    pub index: u64,
    /// Its name.
    pub op: Op,
    /// What it was on. A rename shows the name it was from.
    pub path: RelPath,
    /// The byte it started at, for operations on content.
    pub offset: Option<u64>,
    /// The bytes it was asked for, for operations on content.
    pub len: u64,
}

impl fmt::Display for TraceEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.index, self.op, self.path)?;
        match self.offset {
            Some(offset) => write!(f, " {offset}+{}", self.len),
            None => Ok(()),
        }
    }
}
