//! Owns `import` and `export`.

use super::Done;
use crate::args::ImportVerb;
use crate::context::{Context, Opened};
use crate::exit::Failure;

pub(crate) fn import(_ctx: &Context<'_>, _verb: &ImportVerb) -> Done {
    Err(Failure::internal())
}

pub(crate) fn export(_ctx: &Context<'_>, _opened: &Opened) -> Done {
    Err(Failure::internal())
}
