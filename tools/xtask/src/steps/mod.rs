//! The `test` command: every step of CI in order, stopping at the first failure.
//!
//! The last line is always `N passed, M failed`, over all tests of all steps. A step that fails without
//! a failed test counts as one failure, and a step of tests that ran none has failed: silence is no proof.

mod run;
mod table;
mod tally;

use std::process::ExitCode;
use std::time::Duration;

use crate::repo::Repo;
use run::Ended;
use tally::Tally;

/// What became of one step.
struct Outcome {
    name: &'static str,
    ended: Ended,
    tally: Tally,
    took: Duration,
}

/// Runs the command; says everything itself, so that nothing follows the closing line.
pub(crate) fn run(repo: &Repo) -> ExitCode {
    let mut outcomes: Vec<Outcome> = Vec::new();
    for step in table::STEPS {
        println!("==> {}: {}", step.name, step.action.words());
        let outcome = run::step(repo, step);
        println!("<== {}: {} in {:.1} s", step.name, outcome.ended, outcome.took.as_secs_f64());
        let failed = matches!(outcome.ended, Ended::Failed(_));
        outcomes.push(outcome);
        if failed {
            break;
        }
    }
    println!("{}", summary(&outcomes));
    if first_failure(&outcomes).is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// The step that ended the run, and why.
fn first_failure(outcomes: &[Outcome]) -> Option<String> {
    outcomes.iter().find_map(|outcome| match &outcome.ended {
        Ended::Failed(reason) => Some(format!("step `{}` failed: {reason}", outcome.name)),
        Ended::Passed | Ended::Skipped(_) => None,
    })
}

/// The table of steps and the closing line.
fn summary(outcomes: &[Outcome]) -> String {
    let mut lines =
        vec![String::new(), format!("{:<14} {:>8}  {:>6}  result", "step", "time", "tests")];
    let mut total = Tally::default();
    for Outcome { name, ended, tally, took } in outcomes {
        let tests = if tally.total() == 0 { "-".to_owned() } else { tally.total().to_string() };
        lines.push(format!("{name:<14} {:>6.1} s  {tests:>6}  {ended}", took.as_secs_f64()));
        total = total.plus(*tally);
        if matches!(ended, Ended::Failed(_)) && tally.failed == 0 {
            total.failed += 1;
        }
    }
    lines.extend(first_failure(outcomes));
    lines.push(total.to_string());
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(name: &'static str, ended: Ended, passed: usize, failed: usize) -> Outcome {
        let tally = Tally { passed, failed, skipped: 0 };
        Outcome { name, ended, tally, took: Duration::from_millis(1250) }
    }

    #[test]
    fn the_last_line_counts_all_tests() {
        let outcomes = [outcome("a", Ended::Passed, 3, 0), outcome("b", Ended::Passed, 4, 0)];
        assert_eq!(summary(&outcomes).lines().last(), Some("7 passed, 0 failed"));
        assert_eq!(first_failure(&outcomes), None);
    }

    #[test]
    fn a_step_that_fails_without_a_test_is_one_failure() {
        let outcomes =
            [outcome("a", Ended::Passed, 3, 0), outcome("b", Ended::Failed("x".into()), 0, 0)];
        assert_eq!(summary(&outcomes).lines().last(), Some("3 passed, 1 failed"));
        assert_eq!(first_failure(&outcomes), Some("step `b` failed: x".to_owned()));
        let counted = [outcome("a", Ended::Failed("x".into()), 3, 2)];
        assert_eq!(summary(&counted).lines().last(), Some("3 passed, 2 failed"));
    }
}
