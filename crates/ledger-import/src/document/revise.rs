//! Owns one revision: what is asked of the ledger for it.

use memledger::format::{BodyType, CloseKind, Layer, MemoryId, Micros, SourceKind, Trust};
use memledger::{Command, Content, Error, Interval, Proposal, Result, Source};

use super::late::{Change, Late};
use super::port::{Body, Book, Recorded, Revision};
use super::texts::Texts;
use super::timeline::{Row, SaidBefore, Timeline, View};
use super::{Keys, Slot, text_digest};

/// What became of a revision.
pub(crate) enum Fate {
    /// It is recorded.
    Appended,
    /// It says nothing new.
    Unchanged,
    /// Its words were forgotten or erased here.
    Gone,
    /// It cannot be taken: why.
    Refused(String),
}

/// A document on its way into the ledger.
pub(crate) struct Revise<'a> {
    pub(crate) book: &'a dyn Book,
    pub(crate) slot: &'a Slot,
    pub(crate) timeline: Timeline,
    /// What the source alone says, where the ledger says otherwise.
    pub(crate) source: Option<Timeline>,
    pub(crate) texts: Texts,
    /// Whether the revisions come in one order on both axes.
    pub(crate) orderly: bool,
}

/// A revision and its words.
struct Said<'a> {
    revision: &'a Revision,
    words: &'a str,
    keys: &'a Keys,
}

impl Revise<'_> {
    /// Records one revision, if it says anything new.
    pub(crate) fn revision(
        &mut self,
        revision: &Revision,
        keys: &Keys,
        body: &Body,
    ) -> Result<Fate> {
        let (digest, words) = match (text_digest(body), body) {
            (Some(digest), Body::Text(words)) => (digest, words.as_str()),
            (Some(digest), _) => (digest, ""),
            (None, Body::Bad { reason, .. }) => return Ok(Fate::Refused(reason.clone())),
            (None, _) => return Ok(Fate::Unchanged),
        };
        let text = digest.map(|digest| self.texts.number(digest));
        let gone = text.is_some_and(|number| self.texts.is_gone(number));
        let Revision { author, claim, order, .. } = *revision;
        let row = Row { author, claim, order, text: text.filter(|_| !gone) };
        let said_before = self.source.as_mut().map(|source| source.said_before(row));
        if said_before == Some(SaidBefore::TheSame) {
            return Ok(if gone { Fate::Gone } else { Fate::Unchanged });
        }
        let said = Said { revision, words, keys };
        let views = self.timeline.views(&row);
        let newest = self.timeline.is_newest(&row);
        let repeats = views.iter().all(|view| view.before == row.text);
        let fate = match views.as_slice() {
            [view] if repeats && newest && said_before.is_some() => {
                self.trace(&said, &row, view, said_before)?
            }
            // Only a history without late arrivals can be judged without asking the ledger: what said
            // nothing new left no record, and it may lie between.
            _ if repeats && (newest || self.orderly) => Fate::Unchanged,
            [view] if newest && !self.is_split(view) => self.newest(&said, &row, view)?,
            views => self.late(&said, &row, views)?,
        };
        if !matches!(fate, Fate::Refused(_)) {
            self.timeline.count(row);
        }
        Ok(if gone { Fate::Gone } else { fate })
    }

    /// Whether the text that ends is held by more than one memory.
    fn is_split(&self, view: &View) -> bool {
        view.before.is_some_and(|text| self.texts.is_split(text))
    }

    /// A revision with the latest claim so far: one text ends, another begins, in one submission.
    fn newest(&mut self, said: &Said<'_>, row: &Row, view: &View) -> Result<Fate> {
        let span = Interval { from: row.author, until: view.end };
        let ended = view.before.and_then(|text| self.texts.memory(text, row.claim));
        let begun = row.text.map(|text| (text, self.texts.memory(text, row.claim)));
        let commands: Vec<Command> = match begun {
            Some((_, None)) => vec![self.write(said, span, ended)],
            _ => {
                let begun = begun.and_then(|(_, memory)| memory);
                let close = ended.map(|memory| said.close(memory, span, begun));
                let reopen = begun.map(|memory| said.reopen(memory, span));
                close.into_iter().chain(reopen).collect()
            }
        };
        if commands.is_empty() {
            return Ok(Fate::Unchanged);
        }
        match self.book.record(commands, row.claim, Some(&said.keys.whole))? {
            Recorded::Refused(reason) => Ok(Fate::Refused(reason)),
            Recorded::Taken(id) => {
                if let (Some((text, None)), Some(id)) = (begun, id) {
                    self.texts.settle(text, row.claim, id);
                }
                Ok(Fate::Appended)
            }
        }
    }

    /// A revision whose source says something new that a person did here before: it is recorded all the
    /// same, though nothing changes, because without its record the next run would take it for news.
    fn trace(
        &self,
        said: &Said<'_>,
        row: &Row,
        view: &View,
        before: Option<SaidBefore>,
    ) -> Result<Fate> {
        let span = Interval { from: row.author, until: view.end };
        let memory = |text| self.texts.memory(text, row.claim);
        let command = match (row.text.and_then(memory), before) {
            (Some(memory), _) => said.reopen(memory, span),
            (None, Some(SaidBefore::Other(Some(text)))) => match memory(text) {
                Some(memory) => said.close(memory, span, None),
                None => return Ok(Fate::Unchanged),
            },
            (None, _) => return Ok(Fate::Unchanged),
        };
        match self.book.record(vec![command], row.claim, Some(&said.keys.whole))? {
            Recorded::Refused(reason) => Ok(Fate::Refused(reason)),
            Recorded::Taken(_) => Ok(Fate::Appended),
        }
    }

    /// A revision whose claim lies before others that are recorded.
    fn late(&mut self, said: &Said<'_>, row: &Row, views: &[View]) -> Result<Fate> {
        let mut begun = self.book.known(&said.keys.begun)?.is_some();
        let Self { book, timeline, texts, .. } = &*self;
        let late = Late { book: *book, timeline, texts, row, begun };
        let changes = late.changes(views)?;
        let last = changes.len().saturating_sub(1);
        for (at, change) in changes.iter().enumerate() {
            let begin = (!begun).then_some(said.keys.begun.as_str());
            let key = if at == last { Some(said.keys.whole.as_str()) } else { begin };
            match (change.memory, row.text) {
                (None, Some(text)) if self.texts.memory(text, row.claim).is_none() => {
                    let commands = vec![self.write(said, change.span, None)];
                    match self.book.record(commands, change.claim, key)? {
                        Recorded::Refused(reason) => return Ok(Fate::Refused(reason)),
                        Recorded::Taken(None) => {}
                        Recorded::Taken(Some(id)) => self.texts.settle(text, row.claim, id),
                    }
                }
                _ => self.change(said, row, change, key)?,
            }
            begun = true;
        }
        Ok(if changes.is_empty() { Fate::Unchanged } else { Fate::Appended })
    }

    /// A memory that is there begins or ceases to hold.
    fn change(&self, said: &Said<'_>, row: &Row, change: &Change, key: Option<&str>) -> Result<()> {
        let own = row.text.and_then(|text| self.texts.memory(text, row.claim));
        let Some(memory) = change.memory.or(own) else { return Ok(()) };
        let command = if change.holds {
            said.reopen(memory, change.span)
        } else {
            said.close(memory, change.span, own.filter(|own| *own != memory))
        };
        match self.book.record(vec![command], change.claim, key)? {
            Recorded::Taken(_) => Ok(()),
            // Closing and reopening are no proposals: no policy stands in their way.
            Recorded::Refused(reason) => Err(Error::invalid(reason)),
        }
    }

    fn write(&self, said: &Said<'_>, span: Interval, ended: Option<MemoryId>) -> Command {
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
        if ended.is_some() {
            (proposal.supersede_from, proposal.supersede_until) = (from, until);
        }
        proposal.supersedes = ended.into_iter().collect();
        Command::Write(Box::new(proposal))
    }
}

impl Said<'_> {
    fn close(&self, memory: MemoryId, span: Interval, replaced_by: Option<MemoryId>) -> Command {
        let (from, until) = ends(span);
        let reason = Some(self.reason());
        Command::Close { memory, kind: CloseKind::Changed, from, until, replaced_by, reason }
    }

    fn reopen(&self, memory: MemoryId, span: Interval) -> Command {
        let (from, until) = ends(span);
        Command::Reopen { memory, from, until, reason: Some(self.reason()) }
    }

    fn reason(&self) -> String {
        let Revision { label, subject, .. } = self.revision;
        if subject.is_empty() { label.clone() } else { format!("{label}: {subject}") }
    }
}

fn ends(span: Interval) -> (Option<Micros>, Option<Micros>) {
    let end = |at: Micros| (at != Micros::MIN && at != Micros::MAX).then_some(at);
    (end(span.from), end(span.until))
}
