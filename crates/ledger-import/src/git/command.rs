//! Owns running git: which program, in which environment, with which configuration.
//!
//! Invariants: no pager, no prompt, no colours, no configuration of the user or the machine; nothing
//! that a repository configures is run; nothing is fetched.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use memledger::{Error, Result};

/// Variables that would make git look elsewhere or say something else.
const UNSET: &[&str] = &[
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_DEFAULT_HASH",
    "GIT_DIR",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    "GIT_EXTERNAL_DIFF",
    "GIT_GLOB_PATHSPECS",
    "GIT_GRAFT_FILE",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_LITERAL_PATHSPECS",
    "GIT_NAMESPACE",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE2_EVENT",
    "GIT_TRACE2_PERF",
    "GIT_WORK_TREE",
];

const SET: &[(&str, &str)] = &[
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// What a repository's own configuration may not decide.
const CONFIG: &[&str] = &[
    "color.ui=never",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "diff.renames=false",
    "i18n.logOutputEncoding=UTF-8",
    "log.follow=false",
    "log.showSignature=false",
    "protocol.allow=never",
];

/// A repository.
#[derive(Debug)]
pub(crate) struct Git {
    repo: PathBuf,
}

impl Git {
    /// Finds the repository.
    pub(crate) fn open(repo: &Path) -> Result<Self> {
        let git = Self { repo: repo.to_owned() };
        match git.output(&["rev-parse", "--git-dir"])? {
            Ok(_) => Ok(git),
            Err(message) => Err(Error::invalid(format!(
                "{} is no git repository that can be read: {message}",
                repo.display()
            ))),
        }
    }

    /// Whether its history is cut off.
    pub(crate) fn is_shallow(&self) -> Result<bool> {
        let answer = self.output(&["rev-parse", "--is-shallow-repository"])?;
        Ok(answer.is_ok_and(|answer| answer.starts_with(b"true")))
    }

    /// Runs git to its end: what it printed, or its message.
    pub(crate) fn output(
        &self,
        arguments: &[&str],
    ) -> Result<std::result::Result<Vec<u8>, String>> {
        let output = self.command().args(arguments).stdin(Stdio::null()).output();
        let output = output.map_err(|error| not_run(&error))?;
        if output.status.success() {
            return Ok(Ok(output.stdout));
        }
        let message = String::from_utf8_lossy(&output.stderr);
        let first = message.lines().next().unwrap_or("it gave no reason");
        Ok(Err(first.trim_start_matches("fatal: ").to_owned()))
    }

    /// A git command to add arguments to.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new("git");
        UNSET.iter().for_each(|name| {
            command.env_remove(name);
        });
        command.envs(SET.iter().copied()).arg("--no-pager").arg("-C").arg(&self.repo);
        CONFIG.iter().for_each(|setting| {
            command.args(["-c", setting]);
        });
        command
    }
}

/// Git could not be started.
pub(crate) fn not_run(error: &std::io::Error) -> Error {
    Error::invalid(match error.kind() {
        std::io::ErrorKind::NotFound => {
            "the program git was not found; install it, or import a folder of revisions with `import history`".to_owned()
        }
        _ => format!("git cannot be run: {error}"),
    })
}
