//! Owns how the revisions of a document become memories: one slot, one memory for each distinct
//! text, each in force while the source says so.
//!
//! Invariants: the second import of the same revisions records nothing; revisions that arrive late
//! take their place on both axes; a text that comes back is reopened, not written again; a revision
//! that cannot be kept is reported and never stops the others. May not: know where revisions come
//! from.
//!
//! What a person changed in between stands until the source says something else. A revision that only
//! repeats what its source said before leaves no record and undoes nothing; a revision with another text
//! is news and is recorded, whatever was done by hand; the report says that the two differ. Known limit:
//! where new revisions come to a history that was changed by hand, the run after the next may still
//! record a revision that the first found to be in force already; it ends with the second run.

mod import;
mod late;
mod ledger;
mod port;
mod resume;
mod revise;
mod spans;
#[cfg(test)]
mod tests;
mod texts;
mod timeline;

use memledger::format::JobId;
use memledger::{Actor, Scope};

use crate::encoding::{digest, import_key};

pub(crate) use import::{Desk, import};
pub(crate) use ledger::{LedgerBook, refusal};
pub(crate) use port::{Bodies, Body, Revision, one_line, read_body};

/// The slot that a document is imported to.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub(crate) scope: Scope,
    pub(crate) document: String,
    pub(crate) by: Actor,
    pub(crate) job: JobId,
}

/// The idempotency keys of one revision.
struct Keys {
    /// The revision is recorded in full.
    whole: String,
    /// Recording it has begun, where that takes more than one step.
    begun: String,
}

fn keys(slot: &Slot, revision: &Revision) -> Keys {
    let scope = slot.scope.to_string();
    let key = |last| import_key(&[&scope, &slot.document, &revision.name, last]);
    Keys { whole: key("whole"), begun: key("begun") }
}

/// The digest of the text in force after a revision; inner none: there is no text then, outer none:
/// the revision cannot be taken. A file of nothing but white space is no text: nothing in it can be in
/// force.
fn text_digest(body: &Body) -> Option<Option<[u8; 32]>> {
    match body {
        Body::Text(text) if text.trim().is_empty() => Some(None),
        Body::Text(text) => Some(Some(digest(text.as_bytes()))),
        Body::Removed => Some(None),
        Body::Bad { .. } => None,
    }
}
