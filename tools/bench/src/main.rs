//! Benchmarks: the product beside a floor of the same shape and beside what a user would pick
//! instead, in one run, in alternating rounds.
//!
//! Every figure is a ratio with its median and spread. Absolute numbers belong to the machine and
//! its load; they are printed so that ratios can be checked. May not: be part of the tests.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::exit,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    missing_docs,
    reason = "a measuring program: it prints, reads the clock, and stops at the first surprise"
)]

mod append;
mod asof;
mod floor;
mod growth;
mod measure;
mod peers;
mod postgres;
mod rebuild;
mod size;
mod stages;
mod verify;
mod world;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default: u64| {
        args.get(at).map_or(default, |text| text.parse().unwrap_or_else(|_| usage()))
    };
    match args.first().map(String::as_str) {
        Some("append") => append::run(number(1, 7), args.get(2).map(String::as_str)),
        Some("growth") => growth::run(number(1, 1_000_000)),
        Some("verify") => verify::run(number(1, 1_000_000)),
        Some("rebuild") => rebuild::run(number(1, 1_000_000)),
        Some("asof") => asof::run(number(1, 1_000_000)),
        Some("size") => size::run(number(1, 100_000)),
        Some("all") => {
            append::run(7, None);
            size::run(100_000);
            for records in [10_000, 100_000, 1_000_000] {
                verify::run(records);
                rebuild::run(records);
                asof::run(records);
            }
            growth::run(1_000_000);
        }
        _ => usage(),
    }
}

fn usage() -> ! {
    eprintln!(
        "bench append [ROUNDS [one|many|batch]] | growth [RECORDS] | verify [RECORDS] | rebuild [RECORDS] | asof [RECORDS] | size [RECORDS] | all"
    );
    std::process::exit(2)
}
