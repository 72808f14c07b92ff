//! Owns the run over the revisions of one document: which come first, what is asked of the ledger
//! for each, and the count of what became of them.

use memledger::format::{BodyType, CloseKind, Layer, Micros, SourceKind, Trust};
use memledger::{Command, Content, Error, Interval, Proposal, Result, Source};

use super::port::{Bodies, Body, Book, Recorded, Revision};
use super::resume::{Past, start};
use super::texts::{Home, Texts};
use super::timeline::{Change, Row, Step, TextNo, Timeline};
use super::{Keys, Slot, keys, text_digest};
use crate::quarantine::Quarantine;
use crate::{ImportReport, Progress};

/// Records what the ledger does not have yet.
pub(crate) fn import(
    book: &dyn Book,
    slot: &Slot,
    revisions: &[Revision],
    bodies: &mut dyn Bodies,
    quarantine: &mut Quarantine,
    report: &mut ImportReport,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<()> {
    let scope = slot.scope.to_string();
    let document = [scope.as_str(), slot.document.as_str()];
    let start = start(book, &document, revisions, bodies)?;
    if start.differences > 0 {
        report.note(format!(
            "{}: the ledger differs from the source in {} places (changed by hand, or revisions that the source no longer has); they stand as the ledger has them",
            slot.document, start.differences
        ));
    }
    let mut run = Run { book, slot, timeline: start.timeline, texts: start.texts };
    // In the order of their claims each revision takes one step; any other order needs more.
    let mut order: Vec<(usize, &Revision)> = revisions.iter().enumerate().collect();
    order.sort_by_key(|(_, revision)| (revision.claim, revision.order));
    let total = Some(revisions.len() as u64);
    for (done, (index, revision)) in order.into_iter().enumerate() {
        progress(Progress { done: done as u64, total, what: &slot.document });
        match start.past.get(index) {
            Some(Past::Recorded) => {
                report.present += 1;
                continue;
            }
            Some(Past::Unchanged) => {
                report.unchanged += 1;
                continue;
            }
            Some(Past::Unknown) | None => {}
        }
        let body = bodies.body(index)?;
        match run.revision(revision, &keys(&document, revision), &body)? {
            Fate::Appended => report.appended += 1,
            Fate::Unchanged => report.unchanged += 1,
            Fate::Gone => {
                report.refused += 1;
                report.note(format!(
                    "{}: {} holds words that were forgotten or erased here; they do not come back",
                    slot.document, revision.name
                ));
            }
            Fate::Refused(reason) => {
                let raw = match &body {
                    Body::Bad { raw, .. } => raw.as_slice(),
                    Body::Text(text) => text.as_bytes(),
                    Body::Removed => &[],
                };
                quarantine.put(&format!("{} {}", slot.document, revision.name), &reason, raw)?;
                report.refused += 1;
            }
        }
    }
    progress(Progress { done: revisions.len() as u64, total, what: &slot.document });
    report.documents += 1;
    Ok(())
}

enum Fate {
    Appended,
    Unchanged,
    Gone,
    Refused(String),
}

struct Run<'a> {
    book: &'a dyn Book,
    slot: &'a Slot,
    timeline: Timeline,
    texts: Texts,
}

impl Run<'_> {
    fn revision(&mut self, revision: &Revision, keys: &Keys, body: &Body) -> Result<Fate> {
        let text = match (text_digest(body), body) {
            (Ok(digest), _) => digest.map(|digest| self.texts.number(digest)),
            (Err(()), Body::Bad { reason, .. }) => return Ok(Fate::Refused(reason.clone())),
            (Err(()), _) => return Ok(Fate::Refused("no text".to_owned())),
        };
        let gone = text.is_some_and(|number| self.texts.home(number) == Home::Gone);
        let Revision { author, claim, order, .. } = *revision;
        let row = Row { author, claim, order, text: text.filter(|_| !gone) };
        let steps = self.timeline.plan(&row);
        let words = match body {
            Body::Text(words) => words.as_str(),
            Body::Removed | Body::Bad { .. } => "",
        };
        let said = Said { revision, words };
        let newest = self.timeline.latest_claim().is_none_or(|latest| latest <= claim);
        let fate = match steps.as_slice() {
            [] => Fate::Unchanged,
            [Step { changes, .. }] if newest => self.in_order(&said, changes, keys)?,
            _ => self.late(&said, &steps, keys)?,
        };
        if !matches!(fate, Fate::Refused(_)) {
            self.timeline.count(row);
        }
        Ok(if gone { Fate::Gone } else { fate })
    }

    /// A revision with the latest claim so far: one text ends, another begins, in one submission.
    fn in_order(&mut self, said: &Said<'_>, changes: &[Change], keys: &Keys) -> Result<Fate> {
        let begins = changes.iter().find(|change| change.holds);
        let new = begins.filter(|change| self.texts.home(change.text) == Home::None);
        let commands: Vec<Command> = match new {
            Some(begin) => {
                let ended = changes.iter().filter(|change| !change.holds);
                let ended = ended.filter_map(|change| self.texts.memory(change.text)).collect();
                vec![self.write(said, begin.span, ended)]
            }
            None => changes.iter().filter_map(|change| self.command(said, change)).collect(),
        };
        if commands.is_empty() {
            return Ok(Fate::Unchanged);
        }
        let begun = new.map(|begin| begin.text);
        let recorded = self.book.record(commands, said.revision.claim, Some(&keys.whole))?;
        self.settle(recorded, begun)
    }

    /// A revision whose claim lies before others that are recorded. What is recorded now comes after
    /// theirs, so each of their claims that it disturbs is put right. An interrupted run is taken up:
    /// what holds already is not recorded again.
    fn late(&mut self, said: &Said<'_>, steps: &[Step], keys: &Keys) -> Result<Fate> {
        let mut changes: Vec<(Micros, Change)> = Vec::new();
        for step in steps {
            changes.extend(step.changes.iter().map(|change| (step.claim, *change)));
        }
        let mut begun = self.book.known(&keys.begun)?.is_some();
        let mut fate = Fate::Unchanged;
        let begins = changes.iter().position(|(_, change)| {
            change.holds && self.texts.home(change.text) == Home::None
        });
        if let Some(at) = begins {
            let (claim, begin) = changes.remove(at);
            let key = match (changes.is_empty(), begun) {
                (true, _) => Some(keys.whole.as_str()),
                (false, false) => Some(keys.begun.as_str()),
                (false, true) => None,
            };
            let commands = vec![self.write(said, begin.span, Vec::new())];
            let recorded = self.book.record(commands, claim, key)?;
            if let Fate::Refused(reason) = self.settle(recorded, Some(begin.text))? {
                return Ok(Fate::Refused(reason));
            }
            (begun, fate) = (true, Fate::Appended);
        }
        let last = changes.len().saturating_sub(1);
        for (at, (claim, change)) in changes.into_iter().enumerate() {
            let Some(memory) = self.texts.memory(change.text) else { continue };
            if holds_already(&self.book.validity(claim, memory)?, &change) {
                continue;
            }
            let begin = (!begun).then_some(keys.begun.as_str());
            let key = if at == last { Some(keys.whole.as_str()) } else { begin };
            self.force(said, claim, &change, key, begin)?;
            (begun, fate) = (true, Fate::Appended);
        }
        Ok(fate)
    }

    /// Records a change even where the present hides it: a later claim may have made the same change
    /// already, and then the ledger sees nothing to do. The opposite first makes it visible.
    fn force(
        &self,
        said: &Said<'_>,
        claim: Micros,
        change: &Change,
        key: Option<&str>,
        begin: Option<&str>,
    ) -> Result<()> {
        let record = |change: &Change, key| {
            let commands: Vec<Command> = self.command(said, change).into_iter().collect();
            self.book.record(commands, claim, key)
        };
        if let Recorded::Conflict(_) = record(change, key)? {
            taken(record(&Change { holds: !change.holds, ..*change }, begin)?)?;
            taken(record(change, key.filter(|key| Some(*key) != begin))?)?;
        }
        Ok(())
    }

    /// Remembers the memory of a text that was written.
    fn settle(&mut self, recorded: Recorded, begun: Option<TextNo>) -> Result<Fate> {
        match recorded {
            Recorded::Conflict(error) => Err(error),
            Recorded::Refused(reason) => Ok(Fate::Refused(reason)),
            Recorded::Taken(id) => {
                if let (Some(text), Some(id)) = (begun, id) {
                    self.texts.settle(text, Home::Memory(id));
                }
                Ok(Fate::Appended)
            }
        }
    }

    /// One change of a text that has its memory; none where it has none.
    fn command(&self, said: &Said<'_>, change: &Change) -> Option<Command> {
        let memory = self.texts.memory(change.text)?;
        let (from, until) = ends(change.span);
        let reason = Some(said.reason());
        Some(if change.holds {
            Command::Reopen { memory, from, until, reason }
        } else {
            let replaced_by = self.successor(change.successor);
            Command::Close { memory, kind: CloseKind::Changed, from, until, replaced_by, reason }
        })
    }

    fn successor(&self, text: Option<TextNo>) -> Option<memledger::format::MemoryId> {
        text.and_then(|text| self.texts.memory(text))
    }

    fn write(&self, said: &Said<'_>, span: Interval, ended: Vec<memledger::format::MemoryId>) -> Command {
        let (from, until) = ends(span);
        let content = Content::Text(said.words.to_owned());
        let mut proposal = Proposal::new(content, self.slot.scope.clone());
        proposal.body = Some(BodyType::Canonical);
        proposal.layer = Some(Layer::Canonical);
        proposal.trust = Some(Trust::Verified);
        proposal.key = Some(self.slot.document.clone());
        proposal.by = Some(self.slot.by.clone());
        proposal.source =
            Some(Source { kind: SourceKind::File, uri: said.revision.origin.clone() });
        (proposal.valid_from, proposal.valid_until) = (from, until);
        if !ended.is_empty() {
            (proposal.supersede_from, proposal.supersede_until) = (from, until);
        }
        proposal.supersedes = ended;
        Command::Write(Box::new(proposal))
    }
}

/// Closing and reopening are no proposals: no policy stands in their way.
fn taken(recorded: Recorded) -> Result<()> {
    match recorded {
        Recorded::Taken(_) => Ok(()),
        Recorded::Conflict(error) => Err(error),
        Recorded::Refused(reason) => Err(Error::invalid(reason)),
    }
}

/// A revision and its text.
struct Said<'a> {
    revision: &'a Revision,
    words: &'a str,
}

impl Said<'_> {
    fn reason(&self) -> String {
        let Revision { name, subject, .. } = self.revision;
        if subject.is_empty() { name.clone() } else { format!("{name}: {subject}") }
    }
}

fn ends(span: Interval) -> (Option<Micros>, Option<Micros>) {
    let end = |at: Micros| (at != Micros::MIN && at != Micros::MAX).then_some(at);
    (end(span.from), end(span.until))
}

fn holds_already(validity: &[Interval], change: &Change) -> bool {
    let span = change.span;
    if change.holds {
        validity.iter().any(|held| held.from <= span.from && span.until <= held.until)
    } else {
        validity.iter().all(|held| held.until <= span.from || span.until <= held.from)
    }
}
