//! Owns the crash sweep of a whole ledger: a fixed life is stopped before and inside every operation of
//! its disk, and whatever the medium may hold then is opened and has to keep the promises.
//!
//! Invariants: a stop is one number, so a failure is repeated by it; a state that was checked with the
//! same knowledge is not checked twice. May not: leave out a stop in silence, the report says how many
//! there were and how many were tried.

pub mod check;
pub mod lens;
pub mod life;
pub mod truth;

use std::collections::HashSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::{Duration, Instant};

use ledger_store::storage::{Fault, FaultPlan, MemStorage, Op, Survival, TraceEntry};

use self::check::Left;
use self::lens::Planted;
use self::life::{Told, live};
use self::truth::{Truth, stand_seen};

/// How much of the sweep is run.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// The stops are tried in so many rows, each of which goes through the whole life.
    pub rows: usize,
    /// Choices of survivors for each stop, beside nothing and everything.
    pub seeds: u64,
    /// One in so many states also gets views in a real directory; 0: none.
    pub views: u64,
    /// Whether stops before reads are tried too. They leave the disk as the next change finds it.
    pub reads: bool,
    /// When to stop, and to say so.
    pub within: Option<Duration>,
}

/// What was tried.
#[derive(Clone, Copy, Debug, Default)]
pub struct Report {
    /// Operations of the whole life.
    pub operations: usize,
    /// Stops before and inside operations.
    pub stops: usize,
    /// Stops that were tried.
    pub tried: usize,
    /// Disks that were left.
    pub states: usize,
    /// Disks that differed, or were left with other knowledge.
    pub distinct: usize,
    /// Of them with views.
    pub views: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { operations, stops, tried, states, distinct, views } = self;
        write!(
            f,
            "{operations} operations, {stops} stops, {tried} tried; {states} states left, {distinct} distinct, all opened and checked; views made for {views}"
        )
    }
}

/// Runs the sweep; with a mistake, it should fail.
///
/// # Errors
/// The first stop after which a promise does not hold, with what is needed to repeat it.
#[allow(clippy::disallowed_methods, reason = "a bound of the run, nothing that it computes")]
pub fn sweep(truth: &Truth, extent: Extent, planted: Option<Planted>) -> Result<Report, String> {
    let begun = Instant::now();
    let all = stops(&truth.trace, extent.reads);
    let mut report =
        Report { operations: truth.trace.len(), stops: all.len(), ..Report::default() };
    let mut seen = HashSet::new();
    for (op, fault) in spread(&all, extent.rows) {
        if extent.within.is_some_and(|within| begun.elapsed() > within) {
            break;
        }
        let (disk, told) = stopped(op, fault, planted);
        report.tried += 1;
        for how in survivals(op, extent.seeds) {
            report.states += 1;
            let disk = disk.crash(how);
            if !seen.insert(fingerprint(&disk, &told)) {
                continue;
            }
            report.distinct += 1;
            let left = Left { disk: &disk, told: &told, truth, planted };
            let wrong = |what| format!("operation {op} {fault:?} {how:?}: {what}");
            left.holds().map_err(wrong)?;
            let with_views =
                extent.views > 0 && (report.distinct as u64).is_multiple_of(extent.views);
            if with_views && told.made {
                left.views().map_err(wrong)?;
                report.views += 1;
            }
        }
    }
    Ok(report)
}

/// Lives until a stop.
fn stopped(op: u64, fault: Fault, planted: Option<Planted>) -> (MemStorage, Told) {
    let (mut stand, seen) = stand_seen(planted);
    stand.disk.set_fault(FaultPlan::at(op, fault));
    let mut told = Told::default();
    // A stop late in closing may go unnoticed by the life; its end is then as good as any.
    let _ = live(&mut stand, &mut told, |_, _| Ok(()));
    // What another process was shown counts as told.
    let seen = seen.lock().unwrap();
    told.answered.extend(seen.iter().copied());
    drop(seen);
    (stand.disk, told)
}

/// Where a life can be stopped: before every operation, and inside those that write content.
fn stops(trace: &[TraceEntry], reads: bool) -> Vec<(u64, Fault)> {
    let mut stops = Vec::new();
    for entry in trace {
        if reads || changes(entry.op) {
            stops.push((entry.index, Fault::Stop));
        }
        // An anchor is one sector, which a medium writes whole or not at all.
        let is_sector = entry.path.as_str().starts_with("anchor");
        if matches!(entry.op, Op::WriteAllAt) && !is_sector && entry.len > 1 {
            stops.push((entry.index, Fault::StopInside { bytes: (entry.len / 2).min(700) }));
        }
    }
    stops.push((trace.last().map_or(0, |last| last.index + 1), Fault::Stop));
    stops
}

const fn changes(op: Op) -> bool {
    !matches!(
        op,
        Op::OpenRead | Op::OpenWrite | Op::Exists | Op::List | Op::Len | Op::ReadAt | Op::TryLock
    )
}

/// All stops, in rows that go through the whole life each, so that a run cut short was everywhere.
fn spread(all: &[(u64, Fault)], rows: usize) -> impl Iterator<Item = (u64, Fault)> + '_ {
    let rows = rows.max(1);
    (0..rows).flat_map(move |row| all.iter().copied().skip(row).step_by(rows))
}

fn survivals(op: u64, seeds: u64) -> impl Iterator<Item = Survival> {
    let seeded = (op * seeds..op * seeds + seeds).map(Survival::Seeded);
    [Survival::Nothing, Survival::Everything].into_iter().chain(seeded)
}

fn fingerprint(disk: &MemStorage, told: &Told) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (path, bytes) in disk.snapshot() {
        path.as_str().hash(&mut hasher);
        bytes.hash(&mut hasher);
    }
    (told.made, told.closed, told.answered.len(), told.head.map(|(seq, _)| seq.0))
        .hash(&mut hasher);
    hasher.finish()
}
