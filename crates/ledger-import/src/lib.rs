//! Imports: the way of foreign records into a memory ledger.
//!
//! Owns: reading git histories, folders of dated texts, tables of facts, and exports of ledgers; what
//! the rows of each mean on the axes of valid and of claimed time. Invariants: a second import of the
//! same rows records nothing; every row read is counted in the report; a row that cannot be taken is
//! written to a quarantine file and stops nobody. May not: decide what is recorded (the ledger does),
//! read the clock or the environment. It is the only crate that reads foreign files and runs git.

mod document;
mod encoding;
mod quarantine;
mod report;

pub mod git;
pub mod history;
pub mod jsonl;
pub mod registered;
pub mod triples;

pub use report::{ImportReport, Progress};

/// A number for everything one run records.
fn job() -> memledger::Result<memledger::format::JobId> {
    use memledger::clock::Chance;
    let mut bytes = [0; 16];
    memledger::clock::SystemChance.fill(&mut bytes).map_err(memledger::Error::invalid)?;
    Ok(memledger::format::JobId(bytes))
}
