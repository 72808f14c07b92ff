//! Owns what was meant: which ledger, which scope and who chose it, which basis, which zone.
//!
//! Invariants: a step that is set and wrong is an error, never passed over; results name the step
//! that chose the scope. May not: print answers or know single verbs.

mod asked;
mod open;
mod place;
mod remembered;
mod task;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use memledger::civil::Zone;
use memledger::clock::{Clock, SystemClock};
use memledger::format::{Micros, Seq};
use memledger::{Ledger, Scope};

use crate::args::{Cli, Reading};
use crate::exit::Failure;
use crate::output::Out;

pub(crate) use open::Opened;
use place::Places;
pub(crate) use place::{Said, Step, every_ledger, every_scope, whole};
pub(crate) use remembered::state_file;

/// How long to wait for whoever holds the ledger: many writers that each write once come through,
/// and one that stays is named soon enough.
const USUAL_WAIT: Duration = Duration::from_secs(10);

/// What was meant.
pub(crate) struct Context<'a> {
    /// The directory of the ledger.
    pub(crate) dir: PathBuf,
    /// Who chose it.
    pub(crate) dir_step: Step,
    /// The scope that writes go to and listings are limited to.
    pub(crate) scope: Scope,
    /// Who chose it.
    pub(crate) scope_step: Step,
    /// The task that the environment names, where the verb writes memories.
    pub(crate) task: Option<String>,
    /// The zone asked for.
    pub(crate) tz: Option<Zone>,
    /// The clock of this run.
    pub(crate) clock: Arc<dyn Clock>,
    /// Where answers go.
    pub(crate) out: &'a Out,
    /// The flags of reading verbs.
    pub(crate) reading: &'a Reading,
    confirm_clock: bool,
    /// How long to wait for whoever holds the ledger.
    wait: Duration,
    /// Whether a ledger that lacks the remembered head is accepted.
    pub(crate) accept_head: bool,
}

impl<'a> Context<'a> {
    /// Reads flags and environment.
    ///
    /// # Errors
    /// A usage failure when a flag means nothing for the verb, or the environment holds nonsense.
    pub(crate) fn new(cli: &'a Cli, out: &'a Out) -> Result<Self, Failure> {
        cli.verb.check(&cli.global)?;
        let global = &cli.global;
        let Places { dir, dir_step, scope, scope_step } =
            place::places(global.ledger.as_ref(), global.scope.as_ref(), cli.verb.uses().scope)?;
        Ok(Self {
            dir,
            dir_step,
            scope,
            scope_step,
            task: task::task(&cli.verb)?,
            tz: cli.global.tz,
            clock: Arc::new(SystemClock::default()),
            out,
            reading: &cli.global.reading,
            confirm_clock: cli.global.confirm_clock,
            wait: cli.global.wait.unwrap_or(USUAL_WAIT),
            accept_head: cli.global.accept_head,
        })
    }

    /// The present.
    pub(crate) fn now(&self) -> Micros {
        self.clock.now().wall
    }

    /// Whether answers are for programs.
    pub(crate) const fn json(&self) -> bool {
        self.out.json()
    }

    /// The zone that dates are read in.
    pub(crate) fn zone(&self, ledger: &Ledger) -> Zone {
        self.tz.unwrap_or_else(|| ledger.zone())
    }

    /// The scope that single memories must lie in: only one that was asked for now.
    pub(crate) fn scope_limit(&self) -> Option<&Scope> {
        (self.scope_step == Step::Flag).then_some(&self.scope)
    }

    /// Whether `-C` named the directory.
    pub(crate) fn dir_is_flag(&self) -> bool {
        self.dir_step == Step::Flag
    }

    /// How many at most; 0 for all.
    pub(crate) fn limit(&self, usual: usize) -> usize {
        self.reading.limit.unwrap_or(usual)
    }

    /// Where to go on.
    ///
    /// # Errors
    /// A usage failure for what no page ever gave.
    pub(crate) fn cursor(&self) -> Result<Option<Seq>, Failure> {
        self.reading
            .cursor
            .as_deref()
            .map(|text| {
                text.parse().map(Seq).map_err(|_| {
                    Failure::usage(format!("{text:?} is no cursor"))
                        .hint("write what the page before gave as `next`")
                })
            })
            .transpose()
    }
}
