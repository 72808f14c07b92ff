//! Owns the command line of the fuzz targets.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use fuzz::campaign::{self, Failure, Until};
use fuzz::{TARGETS, Target, seeds, targets};

const USAGE: &str = "usage: cargo run --release -p fuzz -- COMMAND

  list                         the targets
  run TARGET|all SECONDS [N]   try inputs for some seconds each; N chooses them (default 0)
  try TARGET FILE              try one input again";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["list"] => {
            TARGETS.iter().for_each(|target| println!("{}", target.name));
            Ok(())
        }
        ["run", which, seconds] => run(which, seconds, "0"),
        ["run", which, seconds, seed] => run(which, seconds, seed),
        ["try", name, file] => again(name, &PathBuf::from(file)),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn run(which: &str, seconds: &str, seed: &str) -> Result<(), String> {
    let number = |text: &str| text.parse().map_err(|_| format!("{text} is not a number\n{USAGE}"));
    let (time, seed) = (Duration::from_secs(number(seconds)?), number(seed)?);
    let chosen: Vec<&Target> = match which {
        "all" => TARGETS.iter().collect(),
        name => vec![named(name)?],
    };
    for target in chosen {
        let seeds = seeds::read(target).map_err(|error| format!("{}: {error}", target.name))?;
        let seeds: Vec<Vec<u8>> = seeds.into_iter().map(|(_, bytes)| bytes).collect();
        match campaign::run(target, &seeds, seed, Until::Time(time)) {
            Ok(tried) => println!("{:<20} {tried:>9} inputs, nothing found", target.name),
            Err(failure) => return Err(keep(target, &failure)),
        }
    }
    Ok(())
}

/// Keeps the input of a failure in a file and says how to repeat it.
fn keep(target: &Target, failure: &Failure) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("failures");
    let hash = ledger_format::hash::check(&failure.input);
    let file = folder.join(format!("{}-{hash}", target.name));
    let kept =
        std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &failure.input));
    let place = match kept {
        Ok(()) => format!(
            "repeat it with\n  cargo run --release -p fuzz -- try {} {}\nand put the file into seeds/{0}/ when it is mended",
            target.name,
            file.display()
        ),
        Err(error) => format!("the input could not be kept: {error}"),
    };
    format!("{}: {failure}\n{place}", target.name)
}

fn again(name: &str, file: &std::path::Path) -> Result<(), String> {
    let input = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    (named(name)?.run)(&input);
    println!("{name}: everything holds for this input");
    Ok(())
}

fn named(name: &str) -> Result<&'static Target, String> {
    targets::named(name).ok_or_else(|| format!("there is no target {name:?}; see `list`"))
}
