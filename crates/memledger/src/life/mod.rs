//! What happens to memories as work goes on: tasks and their end, slots of the day, lifetimes that ran
//! out, approvals, sources that are withdrawn, and taking back what was done.
//!
//! Owns the plans: what touches more than one memory is first a [`Plan`], made from the ledger as it
//! stands at one record, and carried out in one submission that is refused when another record came
//! in between. Invariants: a plan is a list of events and nothing else, so replay needs no rule of its
//! own for it; its records share one job, so that all of it can be taken back. May not: decide what is
//! trusted, which is the gate's, or change a memory without an event that names it.

pub use ledger_replay::Schedule;

pub use crate::command::Reason;

mod approval;
mod plan;
mod restore;
mod review;
mod revoke;
mod slot;
mod standing;
mod sweep;
mod task;
mod undo;

pub use self::approval::PendingItem;
pub use self::plan::{Plan, PlanKind, Planned, Step};
pub(crate) use self::plan::{compose, judge_plan};
pub use self::review::{Concern, ReviewItem};
pub use self::revoke::{RevokeHow, RevokeWhat};
pub(crate) use self::slot::{Slot, place, two_values};
pub use self::task::TaskItem;
pub(crate) use self::task::{no_task, under_way};
pub use self::undo::Batch;
