//! The async shell around the ledger: a witness that a customer or an auditor runs.
//!
//! Owns: sockets, HTTP, the files of a witness. Only this crate and the command line know tokio, and
//! no type of tokio or hyper leaves this one. May not: decide what may be cosigned; that is
//! [`ledger_proof::WitnessedLog`]. It takes the time as a function and prints nothing.

mod error;
mod witness;

pub use error::{ServerError, ServerErrorKind};
pub use witness::{Decision, Reply, Witness, WitnessDir, serve};
