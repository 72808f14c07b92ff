//! Owns `repair`: the few things that may be mended, each planned first, done on request, and
//! recorded in the log.
//!
//! Invariants: a ledger with any damage outside of what was asked for is not touched; where a copy
//! of the head anchor is written again, the log was found whole up to what the other copy names; the
//! bytes that are taken out lie in quarantine before; the record of a repair is durable before it is
//! called done. May not: mend anything that was acknowledged. Views are thrown away and not kept:
//! they hold nothing that the log does not, and a copy would escape later erasures.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use ledger_format::event::ledger::Repaired;
use ledger_format::names::RepairKind;
use ledger_format::{Event, LedgerId, Seq};
use ledger_store::storage::{LockError, Storage};
use ledger_store::{
    LooseTail, LostCopy, MasterKey, StoreError, loose_tail, lost_copy, repair_anchor,
};

use crate::error::{Error, ErrorKind, Result};
use crate::ledger::{Ledger, OpenOptions};
use crate::verify::{
    Access, Check, CheckVerdict, VerifyLevel, VerifyReport, VerifyRequest, Watch, Watching,
    check_dir, identity,
};

/// What can be repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepairPart {
    /// An unfinished batch at the end of the log, which was never acknowledged.
    Tail,
    /// The views.
    Views,
    /// One copy of the head anchor, where the other one is whole.
    Anchor,
}

impl RepairPart {
    /// The claim of a verification that this part answers for.
    const fn claim(self) -> Option<&'static str> {
        match self {
            // An unfinished batch is what a stop leaves, and no damage.
            Self::Tail => None,
            Self::Views => Some("views"),
            Self::Anchor => Some("anchors"),
        }
    }

    const fn level(self) -> VerifyLevel {
        match self {
            Self::Views => VerifyLevel::Views,
            Self::Tail | Self::Anchor => VerifyLevel::Payloads,
        }
    }
}

impl fmt::Display for RepairPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tail => "tail",
            Self::Views => "views",
            Self::Anchor => "anchor",
        })
    }
}

/// What a repair would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepairPlan {
    /// The ledger.
    pub ledger: LedgerId,
    /// What is repaired.
    pub part: RepairPart,
    /// What is wrong.
    pub what: String,
    /// What is done about it, in order.
    pub steps: Vec<String>,
    found: FoundWrong,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum FoundWrong {
    Tail(LooseTail),
    Anchor(LostCopy),
    Views,
}

/// What a look at a ledger comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RepairNeed {
    /// Nothing is wrong: why.
    Nothing(String),
    /// This can be done.
    Plan(Box<RepairPlan>),
}

/// A repair that was done and recorded.
#[derive(Debug)]
pub struct RepairDone {
    /// The ledger, open and held: whoever called closes it.
    pub ledger: Ledger,
    /// The record that tells of it.
    pub seq: Seq,
}

impl Ledger {
    /// Looks whether a part needs repair and may be repaired. Changes nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`] when something else is damaged too, or the part itself is beyond
    /// repair; [`ErrorKind::Conflict`] while another process holds the ledger;
    /// [`ErrorKind::Unproven`] without the master key, which recording needs;
    /// [`ErrorKind::Invalid`] where no ledger is.
    pub fn plan_repair(
        dir: &Path,
        part: RepairPart,
        options: &OpenOptions,
        watch: Watch<'_>,
    ) -> Result<RepairNeed> {
        let storage = crate::ledger::open_storage(dir, false)?;
        let ledger = identity(&*storage, dir)?;
        crate::ledger::refuse_backup(&*storage, dir)?;
        let _lock = storage.try_lock().map_err(|error| held(dir, error))?;
        let look = Look { dir, storage: &storage, ledger, options, watch };
        look.refuse_other_damage(part)?;
        let found = match part {
            RepairPart::Tail => {
                loose_tail(&*storage, ledger).map_err(beyond)?.map(FoundWrong::Tail)
            }
            RepairPart::Anchor => {
                lost_copy(&*storage, ledger).map_err(beyond)?.map(FoundWrong::Anchor)
            }
            RepairPart::Views => look.wrong_views()?,
        };
        let Some(found) = found else {
            return Ok(RepairNeed::Nothing(nothing(part).to_owned()));
        };
        if MasterKey::load(&options.master, &ledger)?.is_none() {
            return Err(Error::new(
                ErrorKind::Unproven,
                "a repair is recorded in the log, and without the master key nothing can be recorded; put the key file back, or name it with MEMLEDGER_MASTER_KEY_FILE",
            ));
        }
        Ok(RepairNeed::Plan(Box::new(plan(ledger, part, found))))
    }

    /// Does what was planned and records it, with the reason. The ledger is looked at once more
    /// before: what is done is what was planned, or nothing.
    ///
    /// # Errors
    /// [`ErrorKind::Conflict`] when the ledger is not what it was when the plan was made; as
    /// [`Ledger::plan_repair`] and [`Ledger::open`].
    pub fn repair(
        dir: &Path,
        plan: &RepairPlan,
        reason: &str,
        options: &OpenOptions,
        watch: Watch<'_>,
    ) -> Result<RepairDone> {
        if reason.trim().is_empty() {
            return Err(Error::invalid("a repair needs a reason: it is recorded"));
        }
        match Self::plan_repair(dir, plan.part, options, watch)? {
            RepairNeed::Plan(now) if *now == *plan => {}
            _ => return Err(changed(dir)),
        }
        if plan.part == RepairPart::Anchor {
            let storage = crate::ledger::open_storage(dir, false)?;
            repair_anchor(&*storage, plan.ledger)?.ok_or_else(|| changed(dir))?;
        }
        let rebuild = plan.part == RepairPart::Views;
        let ledger = Self::open(dir, OpenOptions { rebuild, ..options.clone() })?;
        if let FoundWrong::Tail(tail) = &plan.found
            && ledger.dropped_tail().as_ref() != Some(tail)
        {
            return Err(changed(dir));
        }
        let event = event(&ledger, &plan.found)?;
        ledger.leave_telling_of_repairs();
        let done = ledger.own_because(Box::new(|_, _| Ok(Event::Repaired(event))), reason)?;
        Ok(RepairDone { ledger, seq: done.seq })
    }
}

fn event(ledger: &Ledger, found: &FoundWrong) -> Result<Repaired> {
    Ok(match found {
        FoundWrong::Tail(tail) => {
            Repaired { kind: RepairKind::DroppedTail, from: tail.seq, bytes: tail.bytes }
        }
        FoundWrong::Anchor(lost) => {
            Repaired { kind: RepairKind::RecreatedAnchor, from: lost.end.next(), bytes: lost.bytes }
        }
        FoundWrong::Views => Repaired {
            kind: RepairKind::RebuiltViews,
            from: Seq(0),
            bytes: ledger.status()?.view_bytes.unwrap_or_default(),
        },
    })
}

/// What a look at a directory needs.
struct Look<'a> {
    dir: &'a Path,
    storage: &'a Arc<dyn Storage>,
    ledger: LedgerId,
    options: &'a OpenOptions,
    watch: Watch<'a>,
}

impl Look<'_> {
    fn verify(&self, level: VerifyLevel) -> Result<VerifyReport> {
        let request = VerifyRequest::from(level);
        let how = (self.ledger, Access::Ours);
        let watching = Watching::only(self.watch);
        check_dir(self.dir, self.storage, how, &self.options.master, &request, watching)
    }

    /// Nothing is repaired in a ledger that something else is wrong with.
    fn refuse_other_damage(&self, part: RepairPart) -> Result<()> {
        let level = if part == RepairPart::Views { VerifyLevel::Payloads } else { part.level() };
        let report = self.verify(level)?;
        let bad = |check: &&Check| {
            let verdict = check.verdict;
            verdict >= CheckVerdict::CannotCheck && Some(check.name.as_str()) != part.claim()
        };
        let Some(worst) = report.checks.iter().filter(bad).max_by_key(|check| check.verdict) else {
            return Ok(());
        };
        let kind = match worst.verdict {
            CheckVerdict::Damaged => ErrorKind::Damaged,
            _ => ErrorKind::Unproven,
        };
        let finding = worst.findings.first().map_or("", String::as_str);
        Err(Error::new(
            kind,
            format!(
                "`repair {part}` mends nothing here, because something else is wrong ({}): {finding}; nothing was touched: copy the directory, look at `memledger doctor`, and put what is damaged back from a backup",
                worst.name
            ),
        ))
    }

    fn wrong_views(&self) -> Result<Option<FoundWrong>> {
        let report = self.verify(VerifyLevel::Views)?;
        let views = report.checks.iter().find(|check| check.name == "views");
        let wrong = views.is_some_and(|views| views.verdict >= CheckVerdict::CannotCheck);
        Ok(wrong.then_some(FoundWrong::Views))
    }
}

fn plan(ledger: LedgerId, part: RepairPart, found: FoundWrong) -> RepairPlan {
    let (what, mut steps) = match &found {
        FoundWrong::Tail(tail) => (
            format!(
                "{} ends with batch {}, which was never acknowledged: {}",
                tail.file, tail.batch, tail.reason
            ),
            vec![format!(
                "copy {} bytes from byte {} of {} to quarantine, with a note, and cut them off",
                tail.bytes, tail.offset, tail.file
            )],
        ),
        FoundWrong::Anchor(lost) => (
            format!(
                "{} does not count: {}; the other copy names record {}, and the log is whole from there to its end, record {}",
                lost.file, lost.reason, lost.anchored, lost.end
            ),
            vec![
                format!(
                    "copy the {} bytes of {} to quarantine, with a note",
                    lost.bytes, lost.file
                ),
                format!(
                    "write {} again from the other copy: whether it named a record after {}, which is gone, only a head that was kept elsewhere can tell",
                    lost.file, lost.end
                ),
            ],
        ),
        FoundWrong::Views => (
            "the views are not what the log makes of them".to_owned(),
            vec!["make the views anew from the log; the old ones are not kept, they hold nothing that the log does not".to_owned()],
        ),
    };
    steps.push("record that, with the reason, and verify the whole ledger".to_owned());
    RepairPlan { ledger, part, what, steps, found }
}

const fn nothing(part: RepairPart) -> &'static str {
    match part {
        RepairPart::Tail => "the log ends with a whole batch",
        RepairPart::Anchor => "both copies of the head anchor are whole",
        RepairPart::Views => {
            "the views are what the log makes of them, or not there: then the next opening makes them"
        }
    }
}

/// The part itself is not to be mended: what the store says, and that nothing was done.
fn beyond(error: StoreError) -> Error {
    let error = Error::from(error);
    Error::new(error.kind(), format!("{error}; nothing was touched"))
}

fn changed(dir: &Path) -> Error {
    Error::new(
        ErrorKind::Conflict,
        format!(
            "{} is not what it was when the plan was made; look at `memledger log` and plan again",
            dir.display()
        ),
    )
}

fn held(dir: &Path, error: LockError) -> Error {
    let dir = dir.display();
    match error {
        LockError::Held { .. } => Error::new(
            ErrorKind::Conflict,
            format!("{dir} cannot be repaired now: {error}; wait until it is done"),
        ),
        other => Error::new(
            ErrorKind::Unavailable,
            format!("{dir} cannot be locked, and nothing is repaired without: {other}"),
        ),
    }
}
