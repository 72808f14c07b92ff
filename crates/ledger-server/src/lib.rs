//! The async shell around the ledger: a witness that a customer or an auditor runs, and the client
//! that asks witnesses.
//!
//! Owns: sockets, HTTP, TLS, the files of a witness. Only this crate and the command line know tokio, and
//! no type of tokio or hyper leaves this one. May not: decide what may be cosigned; that is
//! [`ledger_proof::WitnessedLog`]. It takes the time as a function and prints nothing.

mod client;
mod error;
mod witness;

pub use client::{Asked, Prover, Unwitnessed, gather};
pub use error::{ServerError, ServerErrorKind};
pub use witness::{Decision, Limits, Reply, Seen, Witness, WitnessDir, WitnessView, serve};
