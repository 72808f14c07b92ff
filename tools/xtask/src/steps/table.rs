//! The steps of CI, in order: this is the place to edit them.
//!
//! Cheap checks first, so that a mistake shows early. All commands run from the repository root.

use super::tally::Counter;
use crate::repo::Repo;
use crate::{deps, room_table, tidy};

/// One step.
pub(crate) struct Step {
    pub(crate) name: &'static str,
    pub(crate) action: Action,
    pub(crate) needs: Needs,
    /// How to count the tests in its output; a step that has this must run at least one.
    pub(crate) counter: Option<Counter>,
}

/// What a step does.
pub(crate) enum Action {
    /// A check of this tool.
    Check(fn(&Repo) -> Result<(), String>),
    /// A command, split at its spaces; `cargo` is the one that runs this tool.
    Command(&'static str),
}

/// What must be there for a step to run; without it the step is skipped and says so.
pub(crate) enum Needs {
    Nothing,
    /// A cargo subcommand that not every toolchain has.
    Cargo(&'static str),
    /// A folder that git tracks or the work tree holds.
    Folder(&'static str),
}

pub(crate) const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        action: Action::Command("cargo fmt --all -- --check --color never"),
        needs: Needs::Cargo("fmt"),
        counter: None,
    },
    check("rooms", room_table::run),
    check("tidy", tidy::run),
    check("deps", deps::run),
    Step {
        name: "clippy",
        action: Action::Command("cargo clippy --workspace --all-targets --locked -- -D warnings"),
        needs: Needs::Cargo("clippy"),
        counter: None,
    },
    Step {
        name: "tests",
        action: Action::Command("cargo test --workspace --locked --no-fail-fast"),
        needs: Needs::Nothing,
        counter: Some(Counter::Cargo),
    },
    Step {
        name: "verifier",
        action: Action::Command("python3 -m unittest discover -s tools/verifier -p test_*.py"),
        needs: Needs::Folder("tools/verifier"),
        counter: Some(Counter::Unittest),
    },
    Step {
        name: "release build",
        action: Action::Command("cargo build --release --locked -p ledger-cli"),
        needs: Needs::Nothing,
        counter: None,
    },
    Step {
        name: "crash",
        action: Action::Command("python3 -m unittest discover -s tools/crash -p test_*.py"),
        needs: Needs::Folder("tools/crash"),
        counter: Some(Counter::Unittest),
    },
];

const fn check(name: &'static str, check: fn(&Repo) -> Result<(), String>) -> Step {
    Step { name, action: Action::Check(check), needs: Needs::Nothing, counter: None }
}

impl Action {
    /// The action as a person would type it.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Check(_) => "a check of this tool",
            Self::Command(line) => line,
        }
    }
}
