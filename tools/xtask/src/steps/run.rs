//! Runs one step: its command's output goes on as it comes and is counted on the way.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Instant;

use super::Outcome;
use super::table::{Action, Needs, Step};
use super::tally::{Counter, Tally};
use crate::metadata::cargo;
use crate::repo::Repo;

/// A path below a file.
const NOWHERE: &str = "/dev/null/no-test-writes-here";

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    Passed,
    /// With what was missing.
    Skipped(String),
    /// With the reason.
    Failed(String),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Passed => f.write_str("ok"),
            Self::Skipped(missing) => write!(f, "skipped: {missing}"),
            Self::Failed(reason) => write!(f, "FAILED: {reason}"),
        }
    }
}

/// Runs the step and times it.
#[allow(clippy::disallowed_methods, reason = "the time a step takes is only shown")]
pub(crate) fn step(repo: &Repo, step: &Step) -> Outcome {
    let start = Instant::now();
    let (ended, tally) = match missing(repo, &step.needs) {
        Err(reason) => (Ended::Failed(reason), Tally::default()),
        Ok(Some(missing)) => (Ended::Skipped(missing), Tally::default()),
        Ok(None) => act(repo, step),
    };
    Outcome { name: step.name, ended, tally, took: start.elapsed() }
}

/// What the step needs and does not have.
fn missing(repo: &Repo, needs: &Needs) -> Result<Option<String>, String> {
    match needs {
        Needs::Nothing => Ok(None),
        Needs::Cargo(subcommand) => {
            let probe = Command::new(cargo())
                .args([subcommand, "--version"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .map_err(|error| format!("cargo cannot be started: {error}"))?;
            Ok((!probe.success()).then(|| format!("cargo {subcommand} is not installed")))
        }
        Needs::Folder(folder) => {
            Ok((!repo.knows(folder)?).then(|| format!("there is no {folder}")))
        }
    }
}

fn act(repo: &Repo, step: &Step) -> (Ended, Tally) {
    let ran = match &step.action {
        Action::Check(check) => check(repo).map(|()| (Tally::default(), None)),
        Action::Command(line) => command(repo, line, step.counter),
    };
    judge(ran, step.counter)
}

/// A command's tally, and its exit status where it failed; an error where it could not run.
type Ran = Result<(Tally, Option<String>), String>;

fn judge(ran: Ran, counter: Option<Counter>) -> (Ended, Tally) {
    match ran {
        Err(reason) => (Ended::Failed(reason), Tally::default()),
        Ok((tally, Some(status))) => (Ended::Failed(status), tally),
        Ok((tally, None)) if tally.failed > 0 => {
            (Ended::Failed(format!("{} failed tests", tally.failed)), tally)
        }
        Ok((tally, None)) if counter.is_some() && tally.total() == 0 => {
            (Ended::Failed("it executed no test".to_owned()), tally)
        }
        Ok((tally, None)) => (Ended::Passed, tally),
    }
}

fn command(repo: &Repo, line: &str, counter: Option<Counter>) -> Ran {
    let mut words = line.split_whitespace();
    let program = words.next().ok_or("an empty command")?;
    let mut command = match program {
        "cargo" => Command::new(cargo()),
        program => Command::new(program),
    };
    command.args(words).current_dir(repo.root()).stdin(Stdio::null());
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    if counter.is_some() {
        // Where master keys go when nobody says otherwise: no directory can be made there, so a test
        // that leaves one among a person's own fails.
        command.env("XDG_DATA_HOME", NOWHERE);
        command.env_remove("MEMLEDGER_KEY_DIR");
    }
    let fail = |error: io::Error| format!("{program}: {error}");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(fail)?;
    let (out, err) = (child.stdout.take(), child.stderr.take());
    let counted = thread::scope(|scope| {
        let err = scope.spawn(|| pass_on(err, io::stderr(), counter));
        let out = pass_on(out, io::stdout(), counter);
        let err = err.join().unwrap_or_else(|_| Err(io::Error::other("its output was lost")));
        out.and_then(|out| Ok(out.plus(err?)))
    });
    let status = child.wait().map_err(fail)?;
    Ok((counted.map_err(fail)?, (!status.success()).then(|| status.to_string())))
}

/// Copies a stream line by line and counts the tests it tells of.
fn pass_on(
    from: Option<impl Read>,
    mut to: impl Write,
    counter: Option<Counter>,
) -> io::Result<Tally> {
    let mut tally = Tally::default();
    let Some(from) = from else { return Ok(tally) };
    let mut from = BufReader::new(from);
    let mut line = Vec::new();
    while from.read_until(b'\n', &mut line)? > 0 {
        to.write_all(&line)?;
        to.flush()?;
        if let Some(counter) = counter {
            tally.read(counter, String::from_utf8_lossy(&line).trim_end());
        }
        line.clear();
    }
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(tally: Tally, status: Option<&str>, counter: Option<Counter>) -> Ended {
        judge(Ok((tally, status.map(str::to_owned))), counter).0
    }

    #[test]
    fn a_step_of_tests_must_run_some() {
        let one = Tally { passed: 1, ..Tally::default() };
        let skipped = Tally { skipped: 3, ..Tally::default() };
        let none = Ended::Failed("it executed no test".to_owned());
        assert_eq!(ended(one, None, Some(Counter::Cargo)), Ended::Passed);
        assert_eq!(ended(skipped, None, Some(Counter::Cargo)), none);
        assert_eq!(ended(Tally::default(), None, None), Ended::Passed);
    }

    #[test]
    fn a_failed_command_or_test_fails_the_step() {
        let one = Tally { passed: 1, ..Tally::default() };
        assert_eq!(
            ended(one, Some("exit status: 1"), None),
            Ended::Failed("exit status: 1".to_owned())
        );
        let bad = Tally { failed: 2, ..one };
        assert_eq!(
            ended(bad, None, Some(Counter::Cargo)),
            Ended::Failed("2 failed tests".to_owned())
        );
    }

    #[test]
    fn output_passes_through_unchanged_and_counted() {
        let said = "a\ntest result: ok. 2 passed; 0 failed; 0 ignored\nno end of line \u{e9}";
        let mut heard = Vec::new();
        let tally =
            pass_on(Some(said.as_bytes()), &mut heard, Some(Counter::Cargo)).expect("memory");
        assert_eq!(heard, said.as_bytes());
        assert_eq!(tally.passed, 2);
    }

    #[test]
    fn a_command_that_is_not_there_or_fails_is_told_apart() {
        let repo = Repo::open().expect("the tests run inside the repository");
        assert!(command(&repo, "no-such-program-here", None).is_err());
        let (_, status) = command(&repo, "git no-such-verb", None).expect("git runs");
        assert_eq!(status, Some("exit status: 1".to_owned()));
    }
}
