//! The command line of a memory ledger: `memledger`.
//!
//! Owns: what is typed ([`args`]), what it means here ([`context`]), what each verb does
//! ([`commands`]), what is printed ([`output`]), and the exit code ([`exit`]). The only crate that
//! reads the environment, prints and exits. May not: know how a ledger is stored, or decide what a
//! memory means; it calls the facade and shows what it says.

mod args;
mod commands;
mod context;
mod demo;
mod exit;
mod output;

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;

use crate::exit::{Code, Failure};
use crate::output::Out;

fn main() -> ExitCode {
    // Nothing is printed where a panic starts: the views are opened under a guard that catches
    // panics of their storage and rebuilds, and those are none of the user's business. What is not
    // caught there is caught here, or in the thread that joins.
    set_hook(Box::new(|_| {}));
    let typed: Vec<OsString> = std::env::args_os().collect();
    let mut out = Out::for_typed(&typed);
    let done = catch_unwind(AssertUnwindSafe(|| run(&typed, &mut out)))
        .unwrap_or_else(|_| Err(Failure::internal()));
    let code = match done.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => code,
        Err(failure) => {
            // What was answered before the failure is still an answer.
            let _ = out.flush();
            out.failure(&failure);
            failure.code()
        }
    };
    code.into()
}

fn run(typed: &[OsString], out: &mut Out) -> Result<Code, Failure> {
    match args::parse(typed)? {
        args::Parsed::Help(text) => {
            out.raw(&text)?;
            Ok(Code::Ok)
        }
        args::Parsed::Verb(cli) => {
            out.settle(cli.global.json, cli.global.quiet);
            // It explains what nobody else can go on with.
            if matches!(cli.verb, args::Verb::Where) {
                return commands::whereabouts(&cli.global, out);
            }
            let ctx = context::Context::new(&cli, out)?;
            commands::run(&ctx, &cli.verb)
        }
    }
}
