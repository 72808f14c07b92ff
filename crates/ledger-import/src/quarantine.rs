//! Owns the quarantine file: rows that were not taken, one JSON object a line, with the reason and
//! the bytes as they came.
//!
//! Invariants: the file comes into being with the first bad row, for its owner alone; a file that is
//! not a quarantine file is never overwritten.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use memledger::{Error, Result};
use serde_json::json;

use crate::encoding::base64;

/// Longest row whose bytes are kept: the source still has a longer one.
pub(crate) const KEPT_BYTES: u64 = 8 * 1024 * 1024;
/// How every line of a quarantine file begins.
const MARK: &str = "{\"row\":";

/// The file of one run.
#[derive(Debug)]
pub(crate) struct Quarantine {
    path: PathBuf,
    file: Option<BufWriter<File>>,
}

impl Quarantine {
    /// A quarantine that will write to `path`; checks now that it may.
    pub(crate) fn new(path: &Path) -> Result<Self> {
        if path.exists() && !is_ours(path) {
            return Err(Error::invalid(format!(
                "{} exists and is not a quarantine file of an earlier import; name another file for the rows that cannot be taken",
                path.display()
            )));
        }
        Ok(Self { path: path.to_owned(), file: None })
    }

    /// Keeps a row that was not taken, with its bytes where they are at hand.
    pub(crate) fn put(&mut self, row: &str, reason: &str, raw: Option<&[u8]>) -> Result<()> {
        let path = self.path.clone();
        let failed = |error: std::io::Error| {
            Error::invalid(format!(
                "{} cannot be written: {error}; name another file",
                path.display()
            ))
        };
        let mut line = json!({ "row": row, "reason": reason });
        if let (Some(raw), Some(fields)) = (raw, line.as_object_mut()) {
            fields.insert("raw".to_owned(), base64(raw).into());
        }
        if self.file.is_none() {
            self.file = Some(BufWriter::new(create(&self.path).map_err(failed)?));
        }
        if let Some(file) = &mut self.file {
            writeln!(file, "{line}").map_err(failed)?;
        }
        Ok(())
    }

    /// Completes the file and names it, if there is one.
    pub(crate) fn finish(self) -> Result<Option<PathBuf>> {
        let Some(mut file) = self.file else { return Ok(None) };
        file.flush().map_err(|error| {
            Error::invalid(format!("{} cannot be written: {error}", self.path.display()))
        })?;
        Ok(Some(self.path))
    }
}

/// The rows hold texts that lie sealed in a ledger: nobody but their owner reads a new file of them.
fn create(path: &Path) -> std::io::Result<File> {
    File::options().write(true).create(true).truncate(true).mode(0o600).open(path)
}

fn is_ours(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let mut start: Vec<u8> = Vec::new();
    let mut begin = BufReader::new(file);
    match begin.fill_buf() {
        Ok(bytes) => start.extend(bytes.iter().take(MARK.len())),
        Err(_) => return false,
    }
    start.is_empty() || start == MARK.as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_back_and_no_foreign_file_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.ndjson");
        for round in 0..2 {
            let mut quarantine = Quarantine::new(&path).unwrap();
            quarantine.put("a.md:3", "not UTF-8", Some(&[0xff, round])).unwrap();
            quarantine.put("a.md:4", "too long", None).unwrap();
            assert_eq!(quarantine.finish().unwrap(), Some(path.clone()));
            let text = std::fs::read_to_string(&path).unwrap();
            let lines: Vec<serde_json::Value> =
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            assert_eq!(lines.len(), 2, "a later run starts the file afresh");
            assert_eq!(lines[0]["raw"], base64(&[0xff, round]));
            assert_eq!(lines[1]["reason"], "too long");
            assert!(lines[1].get("raw").is_none());
        }
        std::fs::write(&path, "my notes").unwrap();
        let refused = Quarantine::new(&path).unwrap_err();
        assert!(refused.to_string().contains("name another file"), "{refused}");
    }

    #[test]
    fn only_its_owner_reads_what_was_not_taken() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.ndjson");
        let mut quarantine = Quarantine::new(&path).unwrap();
        quarantine.put("a.md:3", "too long", Some(b"a secret")).unwrap();
        quarantine.finish().unwrap();
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }

    #[test]
    fn without_a_bad_row_there_is_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.ndjson");
        assert_eq!(Quarantine::new(&path).unwrap().finish().unwrap(), None);
        assert!(!path.exists());
    }
}
