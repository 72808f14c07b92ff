//! Owns the import of fact tables: one fact a line, with the time it holds.
//!
//! A line that was imported already is the same fact, wherever it stands: its content is its key.
//! Lines are recorded one by one, so that a bad one stops nobody, and some hundred are on their way at
//! a time, so that they share the wait for the disk.

mod date;
mod line;

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use memledger::format::{JobId, Layer, SourceKind, Trust};
use memledger::{
    Actor, Command, Content, Error, ErrorKind, Ledger, Proposal, Result, Scope, Source, Submission,
    Terms, Ticket,
};

use crate::document::{one_line, refusal};
use crate::encoding::{digest, import_key};
use crate::quarantine::Quarantine;
use crate::{ImportReport, Progress, job};
use line::Fact;

/// Submissions on their way at a time.
const IN_FLIGHT: usize = 512;
/// Longest line that is read.
const LINE_BYTES: u64 = 64 * 1024;

/// Which facts to import, and where to.
#[derive(Clone, Debug)]
pub struct TriplesOptions {
    /// The file.
    pub file: PathBuf,
    /// Where the facts belong.
    pub scope: Scope,
    /// Who imports.
    pub by: Actor,
    /// The trust that whoever imports vouches for; none: as any file.
    pub trust: Option<Trust>,
    /// The file for lines that cannot be taken.
    pub quarantine: PathBuf,
}

/// Imports a table of facts.
///
/// # Errors
/// When the file cannot be read or the ledger cannot be written to. What was recorded before stays;
/// the next run goes on from there.
pub fn import(
    ledger: &Ledger,
    options: &TriplesOptions,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ImportReport> {
    let name =
        options.file.file_name().map_or_else(String::new, |name| one_line(&name.to_string_lossy()));
    let file = File::open(&options.file).map_err(|error| unreadable(options, 0, &error))?;
    let mut run = Run {
        ledger,
        options,
        name: &name,
        job: job()?,
        seen: HashSet::new(),
        probing: true,
        waiting: VecDeque::new(),
        quarantine: Quarantine::new(&options.quarantine)?,
        report: ImportReport { documents: 1, ..ImportReport::default() },
    };
    let mut lines = BufReader::new(file);
    let mut number = 0;
    while let Some(line) =
        next_line(&mut lines).map_err(|error| unreadable(options, number + 1, &error))?
    {
        number += 1;
        run.line(number, line)?;
        progress(Progress { done: number, total: None, what: &name });
    }
    while let Some(waiting) = run.waiting.pop_front() {
        run.settle(waiting)?;
    }
    progress(Progress { done: number, total: Some(number), what: &name });
    run.report.quarantine = run.quarantine.finish()?;
    Ok(run.report)
}

/// A line without its end, or with too much to be one; none at the end of the file. LF ends a line and
/// nothing else does.
fn next_line(from: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if std::io::Read::take(&mut *from, LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() as u64 == LINE_BYTES {
        from.skip_until(b'\n')?;
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(line))
}

fn unreadable(options: &TriplesOptions, line: u64, error: &std::io::Error) -> Error {
    let place = if line == 0 { String::new() } else { format!(":{line}") };
    Error::invalid(format!("{}{place} cannot be read: {error}", options.file.display()))
}

/// A line on its way.
struct Waiting {
    number: u64,
    raw: Vec<u8>,
    key: String,
    ticket: Ticket,
}

struct Run<'a> {
    ledger: &'a Ledger,
    options: &'a TriplesOptions,
    name: &'a str,
    job: JobId,
    /// Digests of the lines so far: an equal line is the same fact.
    seen: HashSet<[u8; 32]>,
    /// Whether the line before was there already: then this one is looked up before it is sealed.
    probing: bool,
    waiting: VecDeque<Waiting>,
    quarantine: Quarantine,
    report: ImportReport,
}

impl Run<'_> {
    fn line(&mut self, number: u64, mut raw: Vec<u8>) -> Result<()> {
        if number == 1 && raw.starts_with(b"\xef\xbb\xbf") {
            raw.drain(..3);
            self.report
                .note("the byte order mark at the start of the file is no part of the first name");
        }
        if raw.is_empty() {
            return Ok(());
        }
        if raw.len() as u64 >= LINE_BYTES - 1 {
            return self.refuse(number, &format!("longer than {LINE_BYTES} bytes"), &raw);
        }
        let fact = match line::parse(&raw) {
            Ok(fact) => fact,
            Err(reason) => return self.refuse(number, &reason, &raw),
        };
        if !self.seen.insert(digest(&raw)) {
            self.report.present += 1;
            return Ok(());
        }
        let text = String::from_utf8_lossy(&raw);
        let key = import_key(&["fact", &self.options.scope.to_string(), &text]);
        if self.probing && self.ledger.known_idempotency(&key)?.is_some() {
            self.report.present += 1;
            return Ok(());
        }
        self.probing = false;
        match self.ledger.enqueue(self.submission(number, fact, &key)) {
            Ok(ticket) => self.waiting.push_back(Waiting { number, raw, key, ticket }),
            Err(error) if is_refusal(&error) => {
                return self.refuse(number, &error.to_string(), &raw);
            }
            Err(error) => return Err(error),
        }
        match self.waiting.len() >= IN_FLIGHT {
            true => self.waiting.pop_front().map_or(Ok(()), |oldest| self.settle(oldest)),
            false => Ok(()),
        }
    }

    fn submission(&self, number: u64, fact: Fact, key: &str) -> Submission {
        let Fact { subject, predicate, object, from, until } = fact;
        let content = Content::Fact { subject, predicate, object };
        let mut proposal = Proposal::new(content, self.options.scope.clone());
        proposal.layer = Some(Layer::Semantic);
        proposal.trust = self.options.trust;
        proposal.by = Some(self.options.by.clone());
        proposal.source =
            Some(Source { kind: SourceKind::File, uri: format!("{}#L{number}", self.name) });
        (proposal.valid_from, proposal.valid_until) = (from, until);
        let terms = Terms {
            by: Some(self.options.by.clone()),
            idempotency_key: Some(key.to_owned()),
            job: Some(self.job),
            ..Terms::default()
        };
        Submission::of(Command::Write(Box::new(proposal)), terms)
    }

    /// Waits for a line and counts it.
    fn settle(&mut self, waiting: Waiting) -> Result<()> {
        let Waiting { number, raw, key, ticket } = waiting;
        match ticket.wait() {
            Ok(outcomes) => {
                if let Some(reason) = outcomes.iter().find_map(refusal) {
                    return self.refuse(number, &reason, &raw);
                }
                self.probing = outcomes.iter().any(|outcome| outcome.repeated);
                *if self.probing { &mut self.report.present } else { &mut self.report.appended } +=
                    1;
                Ok(())
            }
            // The same fact from another line of the file is recorded with that line as its source.
            Err(error) if error.kind() == ErrorKind::Conflict => {
                if self.ledger.known_idempotency(&key)?.is_none() {
                    return Err(error);
                }
                self.probing = true;
                self.report.present += 1;
                Ok(())
            }
            Err(error) if is_refusal(&error) => self.refuse(number, &error.to_string(), &raw),
            Err(error) => Err(error),
        }
    }

    fn refuse(&mut self, number: u64, reason: &str, raw: &[u8]) -> Result<()> {
        self.report.refused += 1;
        self.quarantine.put(&format!("{}:{number}", self.name), reason, Some(raw))
    }
}

/// Whether an error is about the line and not about the ledger.
fn is_refusal(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Invalid | ErrorKind::Refused)
}
