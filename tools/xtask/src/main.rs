//! The checks of this repository and its one test command.
//!
//! Owns every rule that the compiler and clippy cannot hold: which crate may depend on what, what a
//! source file may touch, what the dependencies may be, and the order in which CI runs it all. Reads
//! the tree through git and cargo, changes nothing in it, and needs no network.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "this is a command-line tool: printing is its output"
)]

mod deps;
mod lexer;
mod metadata;
mod repo;
mod report;
mod room_table;
mod steps;
mod syntax;
mod tidy;

use std::process::ExitCode;

use repo::Repo;

const USAGE: &str = "usage: cargo run -p xtask -- COMMAND

  test    run every step of CI, in order, stopping at the first failure
  rooms   hold the dependency table in crates/README.md against cargo metadata
  tidy    sizes, dead files, banned words, module docs, and who may touch files, clocks and output
  deps    licences, sources, pins and duplicates of the dependencies, and the dated exceptions";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [command] = arguments.as_slice() else {
        return usage();
    };
    match Repo::open().and_then(|repo| run(command, &repo)) {
        Ok(code) => code,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &str, repo: &Repo) -> Result<ExitCode, String> {
    match command {
        "test" => return Ok(steps::run(repo)),
        "rooms" => room_table::run(repo)?,
        "tidy" => tidy::run(repo)?,
        "deps" => deps::run(repo)?,
        _ => return Ok(usage()),
    }
    Ok(ExitCode::SUCCESS)
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
