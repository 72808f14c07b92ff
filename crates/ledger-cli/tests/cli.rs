//! The command line as a user meets it: the built program, run in a directory of its own.
//!
//! Every bench verifies its ledger at the end, so no test leaves one that does not verify unless it
//! says so.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice)]

#[path = "cli/answers.rs"]
mod answers;
#[path = "cli/backup.rs"]
mod backup;
#[path = "cli/bench.rs"]
mod bench;
#[path = "cli/bodies.rs"]
mod bodies;
#[path = "cli/checking.rs"]
mod checking;
#[path = "cli/context.rs"]
mod context;
#[path = "cli/demo.rs"]
mod demo;
#[path = "cli/durable.rs"]
mod durable;
#[path = "cli/durable_facade.rs"]
mod durable_facade;
#[path = "cli/exits.rs"]
mod exits;
#[path = "cli/facts.rs"]
mod facts;
#[path = "cli/foreign.rs"]
mod foreign;
#[path = "cli/help.rs"]
mod help;
#[path = "cli/input.rs"]
mod input;
#[path = "cli/life.rs"]
mod life;
#[path = "cli/lifecycle.rs"]
mod lifecycle;
#[path = "cli/odd_files.rs"]
mod odd_files;
#[path = "cli/policy.rs"]
mod policy;
#[path = "cli/proof.rs"]
mod proof;
#[path = "cli/readme.rs"]
mod readme;
#[path = "cli/repair.rs"]
mod repair;
#[path = "cli/result.rs"]
mod result;
#[path = "cli/scheduled.rs"]
mod scheduled;
#[path = "cli/sharing.rs"]
mod sharing;
#[path = "cli/skills.rs"]
mod skills;
#[path = "cli/sources.rs"]
mod sources;
#[path = "cli/stdin.rs"]
mod stdin;
#[path = "cli/summaries.rs"]
mod summaries;
#[path = "cli/tiles.rs"]
mod tiles;
#[path = "cli/time.rs"]
mod time;
#[path = "cli/tls.rs"]
mod tls;
#[path = "cli/transfer.rs"]
mod transfer;
#[path = "cli/whereabouts.rs"]
mod whereabouts;
#[path = "cli/witness.rs"]
mod witness;
