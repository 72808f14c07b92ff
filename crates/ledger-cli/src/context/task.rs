//! Owns which task is in hand where no flag names one.

use std::env;

use crate::args::Verb;
use crate::exit::Failure;

/// Names the task in hand.
const VAR_TASK: &str = "MEMLEDGER_TASK";

/// The task in hand, where the environment names one and the verb writes memories.
pub(super) fn task(verb: &Verb) -> Result<Option<String>, Failure> {
    match env::var(VAR_TASK) {
        _ if !matches!(verb, Verb::Write(_)) => Ok(None),
        Ok(name) if name.is_empty() => Err(Failure::usage(format!("{VAR_TASK} is set and empty"))
            .hint("unset it, or name the task in hand")),
        Ok(name) => Ok(Some(name)),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => {
            Err(Failure::usage(format!("{VAR_TASK} is not valid UTF-8")))
        }
    }
}
