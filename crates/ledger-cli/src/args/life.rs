//! Owns the flags of the verbs about work as it goes on: tasks, sweeps, and what is planned before it is
//! done.

use std::time::Duration;

use clap::{Args, Subcommand};
use memledger::format::Outcome;
use memledger::life::Batch;
use memledger::{Actor, Source};

use super::words;

/// `task`.
#[derive(Debug, Args)]
pub(crate) struct TaskArgs {
    #[command(subcommand)]
    pub(crate) verb: TaskVerb,
}

/// What to do about a task.
#[derive(Debug, Subcommand)]
pub(crate) enum TaskVerb {
    /// A task begins
    Start {
        /// Its name
        name: String,
        /// The task it is part of, which ends it too
        #[arg(long, value_name = "NAME")]
        parent: Option<String>,
        /// Who acts: person:NAME, agent:NAME, service:NAME
        #[arg(long, value_name = "KIND:NAME")]
        by: Option<Actor>,
    },
    /// A task ends: its session memories and instructions step aside
    End {
        /// Its name
        name: String,
        /// How it went: ok, failed, partial
        #[arg(long, value_parser = words::outcome)]
        outcome: Outcome,
        /// What there is to say about it
        #[arg(long)]
        reason: Option<String>,
        /// Who acts: person:NAME, agent:NAME, service:NAME
        #[arg(long, value_name = "KIND:NAME")]
        by: Option<Actor>,
    },
    /// The tasks, the first one first
    List {
        /// Those under way only
        #[arg(long)]
        open: bool,
    },
}

/// `sweep`.
#[derive(Debug, Args)]
pub(crate) struct SweepArgs {
    /// How often it will be run, such as 6h or 1d; 0: not any more
    #[arg(long, value_name = "SPAN", value_parser = words::span_or_zero)]
    pub(crate) every: Option<Duration>,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

/// What goes with everything that is planned first.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Who acts: person:NAME, agent:NAME, service:NAME
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Option<Actor>,
}

/// `undo`.
#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// A job id, or a record: all of its submission
    #[arg(value_name = "JOB|SEQ", value_parser = words::batch)]
    pub(crate) batch: Batch,
    /// Why
    #[arg(long)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

/// `revoke`.
#[derive(Debug, Args)]
pub(crate) struct RevokeArgs {
    /// The source, as kind:uri; every span of it goes too
    #[arg(value_name = "KIND:URI", required_unless_present = "policy", conflicts_with = "policy")]
    pub(crate) source: Option<Source>,
    /// What was let in under this version of the policy
    #[arg(long, value_name = "V")]
    pub(crate) policy: Option<u32>,
    /// Take it out of every ordinary read; else it stops applying from now on
    #[arg(long, conflicts_with = "wrong")]
    pub(crate) forget: bool,
    /// It was never true
    #[arg(long)]
    pub(crate) wrong: bool,
    /// Why
    #[arg(long)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) plan: PlanArgs,
}

/// `pending`.
#[derive(Debug, Args)]
pub(crate) struct PendingArgs {
    #[command(subcommand)]
    pub(crate) verb: PendingVerb,
}

/// What to do about what waits.
#[derive(Debug, Subcommand)]
pub(crate) enum PendingVerb {
    /// What waits for persons
    List,
    /// A person agrees: what it supersedes is closed now
    Approve(DecideArgs),
    /// A person turns it down
    Reject(DecideArgs),
}

/// `pending approve` and `pending reject`.
#[derive(Debug, Args)]
pub(crate) struct DecideArgs {
    /// Short name (m12), id, or its first 8 hex digits or more
    pub(crate) id: String,
    /// Who decides: person:NAME
    #[arg(long, value_name = "KIND:NAME")]
    pub(crate) by: Actor,
    /// Why (reject needs one)
    #[arg(long)]
    pub(crate) reason: Option<String>,
}

impl TaskVerb {
    /// The verb as it is typed.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Start { .. } => "task start",
            Self::End { .. } => "task end",
            Self::List { .. } => "task list",
        }
    }
}

impl PendingVerb {
    /// The verb as it is typed.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::List => "pending list",
            Self::Approve(_) => "pending approve",
            Self::Reject(_) => "pending reject",
        }
    }
}
