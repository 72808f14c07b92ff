//! Owns whole ledgers as text: a header, then one object a line, exactly as the records are stored.
//!
//! Invariants: what is exported and imported again has the same bytes and hashes; a file that ends
//! early is found, because the header says how many records there are. Without `sealed` the content
//! is in the file in the clear: each payload comes with its key.

mod line;

use std::io::{BufRead, Write};
use std::path::Path;

use memledger::format::Seq;
use memledger::transfer::RawRecord;
use memledger::{Error, Ledger, OpenOptions, Result};

use crate::{ImportReport, Progress};
use line::Header;

/// Longest line that is read: a record may carry eight payloads of the longest kind, in hex.
const LINE_BYTES: u64 = 32 * 1024 * 1024;

/// What an export wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Records, one a line.
    pub records: u64,
}

/// Writes every record of a ledger.
///
/// # Errors
/// When a record cannot be read or the output cannot be written.
pub fn export(
    ledger: &Ledger,
    out: &mut dyn Write,
    sealed: bool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Exported> {
    let status = ledger.status()?;
    let header = Header {
        ledger: status.id,
        origin: status.origin,
        records: status.size,
        head: status.head.map(|(_, hash)| hash),
        sealed,
    };
    let unwritten =
        |error: std::io::Error| Error::invalid(format!("the export cannot be written: {error}"));
    writeln!(out, "{}", header.encode()).map_err(unwritten)?;
    let mut written = 0;
    // Records that come in meanwhile are not part of what the header promises.
    for record in ledger.records(Seq(0), !sealed) {
        if written == header.records {
            break;
        }
        writeln!(out, "{}", line::encode(&record?)).map_err(unwritten)?;
        written += 1;
        progress(Progress { done: written, total: Some(header.records), what: &header.origin });
    }
    out.flush().map_err(unwritten)?;
    if written < header.records {
        return Err(Error::invalid(format!(
            "only {written} of {} records could be read; run `memledger verify`",
            header.records
        )));
    }
    Ok(Exported { records: written })
}

/// Carries an export into a directory: a new ledger where there is none, else the continuation of the
/// same one. `name` is the file's name, for messages.
///
/// # Errors
/// With file and line: a line that is none of an export, a record that does not hash to what it says, a
/// file that ends early; with the place in the log: another ledger, another history.
pub fn import(
    dir: &Path,
    options: OpenOptions,
    from: &mut dyn BufRead,
    name: &str,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<ImportReport> {
    let mut lines = Lines { from, name, number: 0 };
    let header = match lines.next() {
        None => Err(Error::invalid(format!("{name} is empty; an export begins with a header"))),
        Some(line) => {
            line.and_then(|line| Header::decode(&line).map_err(|reason| lines.error(&reason)))
        }
    }?;
    if header.sealed {
        return Err(Error::invalid(format!(
            "{name} is a sealed export: it holds no keys, so no ledger can be made from it; export without --sealed"
        )));
    }
    let total = Some(header.records);
    let mut records = Records { lines, left: header.records, next: Seq(0) };
    let carried = Ledger::import_records(dir, options, &mut records, &mut |done| {
        progress(Progress { done, total, what: &header.origin });
    })?;
    Ok(ImportReport {
        appended: carried.appended,
        present: carried.present,
        documents: 1,
        ..ImportReport::default()
    })
}

/// The lines of a file.
struct Lines<'a> {
    from: &'a mut dyn BufRead,
    name: &'a str,
    number: u64,
}

impl Lines<'_> {
    fn error(&self, reason: &str) -> Error {
        Error::invalid(format!("{}:{}: {reason}", self.name, self.number))
    }
}

impl Iterator for Lines<'_> {
    type Item = Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.number += 1;
        let mut line = Vec::new();
        let read = std::io::Read::take(&mut *self.from, LINE_BYTES).read_until(b'\n', &mut line);
        match read {
            Err(error) => Some(Err(self.error(&format!("cannot be read: {error}")))),
            Ok(0) => None,
            Ok(_) if line.last() != Some(&b'\n') && line.len() as u64 == LINE_BYTES => {
                Some(Err(self.error("longer than any line of an export")))
            }
            Ok(_) => Some(Ok(line)),
        }
    }
}

/// The records of a file, in order and as many as its header says.
struct Records<'a> {
    lines: Lines<'a>,
    left: u64,
    next: Seq,
}

impl Iterator for Records<'_> {
    type Item = Result<RawRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = match self.lines.next() {
            None if self.left == 0 => return None,
            None => {
                let reason = format!("the file ends {} records early; export it again", self.left);
                self.left = 0;
                return Some(Err(self.lines.error(&reason)));
            }
            Some(Err(error)) => return Some(Err(error)),
            Some(Ok(line)) => line,
        };
        if self.left == 0 {
            return Some(Err(self.lines.error("more records than the header says")));
        }
        let record = line::decode(&line).and_then(|record| match record.seq == self.next {
            true => Ok(record),
            false => Err(format!("record {} where record {} belongs", record.seq, self.next)),
        });
        self.left -= 1;
        self.next = self.next.next();
        Some(record.map_err(|reason| self.lines.error(&reason)))
    }
}
