//! Owns the run over the revisions of one document: in which order they are taken, and the count of
//! what became of them.

use memledger::Result;

use super::port::{Bodies, Body, Book, Revision};
use super::resume::{Past, Start, start};
use super::revise::{Fate, Revise};
use super::{Slot, keys};
use crate::quarantine::Quarantine;
use crate::{ImportReport, Progress};

/// What a run counts and keeps beside the ledger.
pub(crate) struct Desk<'a> {
    pub(crate) quarantine: &'a mut Quarantine,
    pub(crate) report: &'a mut ImportReport,
    pub(crate) progress: &'a mut dyn FnMut(Progress<'_>),
}

/// Records what the ledger does not have yet.
pub(crate) fn import(
    book: &dyn Book,
    slot: &Slot,
    revisions: &[Revision],
    bodies: &mut dyn Bodies,
    desk: &mut Desk<'_>,
) -> Result<()> {
    let start = start(book, slot, revisions, bodies)?;
    if start.differences > 0 {
        desk.report.note(format!(
            "{}: the ledger differs from the source in {} places (changed by hand, or revisions that the source no longer has); they stand as the ledger has them",
            slot.document, start.differences
        ));
    }
    // In the order of their claims each revision takes one step; any other order needs more.
    let mut order: Vec<(usize, &Revision)> = revisions.iter().enumerate().collect();
    order.sort_by_key(|(_, revision)| (revision.claim, revision.order));
    let orderly = order.is_sorted_by_key(|(_, revision)| revision.author);
    let Start { timeline, source, texts, past, differences } = start;
    let source = (differences > 0).then_some(source);
    let mut revise = Revise { book, slot, timeline, source, texts, orderly };
    let total = Some(revisions.len() as u64);
    for (done, (index, revision)) in order.into_iter().enumerate() {
        (desk.progress)(Progress { done: done as u64, total, what: &slot.document });
        if past.get(index) == Some(&Past::Recorded) {
            desk.report.present += 1;
            continue;
        }
        let body = bodies.body(index)?;
        let fate = revise.revision(revision, &keys(slot, revision), &body)?;
        count(desk, slot, revision, &body, fate)?;
    }
    (desk.progress)(Progress { done: revisions.len() as u64, total, what: &slot.document });
    desk.report.documents += 1;
    Ok(())
}

fn count(
    desk: &mut Desk<'_>,
    slot: &Slot,
    revision: &Revision,
    body: &Body,
    fate: Fate,
) -> Result<()> {
    let report = &mut *desk.report;
    let counter = match &fate {
        Fate::Appended => &mut report.appended,
        Fate::Unchanged => &mut report.unchanged,
        Fate::Gone | Fate::Refused(_) => &mut report.refused,
    };
    *counter += 1;
    match fate {
        Fate::Appended | Fate::Unchanged => {}
        Fate::Gone => report.note(format!(
            "{}: {} holds words that were forgotten or erased here; they do not come back",
            slot.document, revision.label
        )),
        Fate::Refused(reason) => {
            let raw = match body {
                Body::Bad { raw, .. } => raw.as_deref(),
                Body::Text(text) => Some(text.as_bytes()),
                Body::Removed => None,
            };
            desk.quarantine.put(&format!("{} {}", slot.document, revision.label), &reason, raw)?;
        }
    }
    Ok(())
}
