//! Owns who chose the directory and the scope: flag, environment, or nobody.

use std::env;
use std::path::{Path, PathBuf};

use memledger::Scope;

use crate::args::Uses;
use crate::exit::Failure;

/// Names the ledger's directory.
pub(super) const VAR_DIR: &str = "MEMLEDGER_DIR";
/// Names the scope.
const VAR_SCOPE: &str = "MEMLEDGER_SCOPE";

/// Who chose a directory or a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A field of the line, with `--stdin`.
    Field,
    /// A flag.
    Flag,
    /// The environment.
    Environment,
    /// Nobody: the built-in choice.
    Fallback,
}

impl Step {
    /// The word used in JSON.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Field => "field",
            Self::Flag => "flag",
            Self::Environment => "environment",
            Self::Fallback => "fallback",
        }
    }
}

/// The directory of the ledger.
pub(super) fn directory(flag: Option<&Path>) -> Result<(PathBuf, Step), Failure> {
    if let Some(dir) = flag {
        return Ok((dir.to_path_buf(), Step::Flag));
    }
    match env::var_os(VAR_DIR) {
        Some(dir) if dir.is_empty() => Err(Failure::usage(format!("{VAR_DIR} is set and empty"))
            .hint("unset it, or name a directory")),
        Some(dir) => Ok((dir.into(), Step::Environment)),
        None => Ok((PathBuf::from("."), Step::Fallback)),
    }
}

/// The path from the root: what is said about a directory must not depend on where it is read.
///
/// # Errors
/// When there is no working directory any more.
pub(crate) fn whole(dir: &Path) -> Result<PathBuf, Failure> {
    let whole = std::path::absolute(dir)
        .map_err(|error| Failure::file(format!("'{}' leads nowhere: {error}", dir.display())))?;
    // The path of the working directory ends with a dot that nobody typed.
    Ok(whole.components().collect())
}

/// The scope, where the verb makes use of one.
pub(super) fn scope(flag: Option<&Scope>, uses: Uses) -> Result<(Scope, Step), Failure> {
    if let Some(scope) = flag {
        return Ok((scope.clone(), Step::Flag));
    }
    match env::var(VAR_SCOPE) {
        _ if !uses.scope => Ok((Scope::root(), Step::Fallback)),
        Ok(text) => text
            .parse()
            .map(|scope| (scope, Step::Environment))
            .map_err(|error: memledger::Error| Failure::from(error).within(VAR_SCOPE)),
        Err(env::VarError::NotPresent) => Ok((Scope::root(), Step::Fallback)),
        Err(env::VarError::NotUnicode(_)) => {
            Err(Failure::usage(format!("{VAR_SCOPE} is not valid UTF-8")))
        }
    }
}
