//! Owns `demo`: a guided real run in a fresh directory.

use std::path::PathBuf;

use crate::context::Context;
use crate::exit::{Code, Failure};

/// Runs the demonstration.
pub(crate) fn run(_ctx: &Context<'_>, _dir: Option<PathBuf>) -> Result<Code, Failure> {
    Err(Failure::usage("there is no demonstration in this build"))
}
