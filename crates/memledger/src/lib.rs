//! The facade of a memory ledger: everything a front end needs, nothing of how it is stored.
//!
//! Owns: the one writer thread, the clock and the random source, names and aliases, as-of answers
//! from two independent paths (views and raw archive), verification. Invariants: an acknowledged
//! submission is durable; every answer names its basis; both paths give the same answer. May not:
//! touch files (the store does) or know about terminals and networks.
//!
//! The root holds what every caller needs: open a [`Ledger`], [`submit`](Ledger::submit) a
//! [`Submission`], ask a [`Question`] and read from its [`Snapshot`]. What only some need lies in a
//! module of its own: the shapes of what comes back in [`answer`], dates and zones in [`civil`], time
//! and chance in [`clock`], the disk in [`machine`], whole records in and out in [`transfer`], copies and their return in [`backup`], checks in [`verify`], the words
//! of the log in [`format`]. `xtask tidy` holds the root to 40 names.
//!
//! ```no_run
//! use memledger::{Command, Content, Ledger, OpenOptions, Proposal, Question, Scope, Submission, Terms};
//!
//! # fn main() -> memledger::Result<()> {
//! let ledger = Ledger::open("support".as_ref(), OpenOptions::default())?;
//! let scope: Scope = "org/acme/project/web".parse()?;
//! let proposal = Proposal::new(Content::Text("Install with pnpm".into()), scope);
//! let outcomes = ledger.submit(Submission::of(Command::Write(Box::new(proposal)), Terms::default()))?;
//! let snapshot = ledger.snapshot(&Question::now(ledger.zone()))?;
//! for outcome in outcomes {
//!     if let Some(id) = outcome.id {
//!         println!("{:?}", snapshot.get(&id)?);
//!     }
//! }
//! ledger.close()
//! # }
//! ```

pub mod answer;
mod archive;
pub mod backup;
mod basis;
pub mod body;
pub mod civil;
pub mod clock;
mod command;
pub mod doctor;
mod error;
mod filter;
mod gate;
mod ledger;
pub mod life;
pub mod machine;
mod names;
mod outcome;
pub mod policy;
pub mod proof;
mod read;
pub mod repair;
mod scope;
mod skill;
mod summary;
pub mod transfer;
mod vault;
pub mod verify;
mod views;
mod writer;

pub use basis::{Basis, Question};
pub use command::{Command, Content, Deadline, Proposal, Submission, Terms};
pub use error::{Error, ErrorKind, Result};
pub use filter::Filter;
pub use ledger::{Created, InitOptions, Ledger, OpenOptions, StatusReport};
pub use ledger_format as format;
pub use ledger_replay::{Interval, Status};
pub use ledger_store::MasterEnv;
pub use outcome::Outcome;
pub use read::Snapshot;
pub use scope::{Actor, Scope, Source};
pub use writer::Ticket;
