//! Owns `backup.toml`: which head a backup holds, and each of its files with length and digest.
//!
//! Invariant: the text is checked as a whole before a word of it is believed, and one manifest has
//! one text. May not: touch a storage.

use std::fmt::Write as _;

use ledger_format::hash::FileHasher;
use ledger_format::{LedgerId, Micros, RecordHash, Seq, TreeRoot};

use super::BackupError;
use crate::storage::RelPath;

/// The format this program writes.
const FORMAT: &str = "1";
const HEADER: &str = "\
# A backup of a memory ledger. `memledger restore` makes a ledger of it again; nothing is written here
# but by `memledger backup`. The master key, without which nothing in it can be read, is not in it.
";
/// What ends the part that the check covers.
const CHECK: &str = "check = ";

/// What a backup is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The ledger.
    pub ledger: LedgerId,
    /// Its last record.
    pub last: Seq,
    /// The hash of that record.
    pub hash: RecordHash,
    /// Merkle root over all its records.
    pub root: TreeRoot,
    /// When that record was written.
    pub recorded_at: Micros,
    /// When the backup was taken.
    pub taken_at: Micros,
    /// The program that took it.
    pub program: String,
    /// The files, in the order of their paths.
    pub files: Vec<FileEntry>,
}

/// One file of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEntry {
    /// Its name, in a ledger directory as in the backup.
    pub path: RelPath,
    /// Its bytes.
    pub length: u64,
    /// The digest of them (SPEC section 15.1).
    pub digest: [u8; 32],
}

impl Manifest {
    /// The number of records.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.last.0.saturating_add(1)
    }

    /// The bytes of all files.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.length))
    }

    /// The entry of a file.
    #[must_use]
    pub fn entry(&self, path: &RelPath) -> Option<&FileEntry> {
        self.files.iter().find(|entry| entry.path == *path)
    }

    /// Whether both are of the same head of the same history.
    #[must_use]
    pub fn same_head(&self, other: &Self) -> bool {
        (self.ledger, self.last, self.hash) == (other.ledger, other.last, other.hash)
    }

    /// The text of the file.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::from(HEADER);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "format = {FORMAT}");
        let _ = writeln!(text, "ledger = \"{}\"", self.ledger);
        let _ = writeln!(text, "last = {}", self.last.0);
        let _ = writeln!(text, "hash = \"{}\"", self.hash);
        let _ = writeln!(text, "root = \"{}\"", self.root);
        let _ = writeln!(text, "# Microseconds since 1970-01-01T00:00:00Z.");
        let _ = writeln!(text, "recorded_at_micros = {}", self.recorded_at.0);
        let _ = writeln!(text, "taken_at_micros = {}", self.taken_at.0);
        let _ = writeln!(text, "program = \"{}\"", self.program);
        let _ = writeln!(text, "\n# Length and digest of every file.\n[files]");
        for FileEntry { path, length, digest } in &self.files {
            let _ = writeln!(text, "\"{path}\" = \"{length} {}\"", hex(digest));
        }
        let digest = digest(text.as_bytes());
        let _ = writeln!(text, "\n# Over everything before this line.\n[manifest]");
        let _ = writeln!(text, "{CHECK}\"{}\"", hex(&digest));
        text
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// [`BackupError::Damaged`] for anything that this program does not write,
    /// [`BackupError::Unsupported`] for a later format.
    pub fn parse(name: &RelPath, text: &str) -> Result<Self, BackupError> {
        let wrong =
            |what: &str| BackupError::Damaged { file: name.to_string(), what: what.to_owned() };
        let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let mut field = |key: &str| {
            let (found, value) = lines.next()?.split_once(" = ")?;
            (found == key).then_some(value)
        };
        let format = field("format").ok_or_else(|| wrong("it begins with no format"))?;
        if format != FORMAT {
            return Err(BackupError::Unsupported(format!(
                "{name} is of format {format}, and this program reads {FORMAT}: use a later version of memledger"
            )));
        }
        let missing = |key: &'static str| wrong(&format!("{key} is missing or not readable"));
        let manifest = Self {
            ledger: field("ledger")
                .and_then(|value| array(unquoted(value)?))
                .map(LedgerId)
                .ok_or_else(|| missing("ledger"))?,
            last: field("last")
                .and_then(|value| value.parse().ok())
                .map(Seq)
                .ok_or_else(|| missing("last"))?,
            hash: field("hash")
                .and_then(|value| array(unquoted(value)?))
                .map(RecordHash)
                .ok_or_else(|| missing("hash"))?,
            root: field("root")
                .and_then(|value| array(unquoted(value)?))
                .map(TreeRoot)
                .ok_or_else(|| missing("root"))?,
            recorded_at: field("recorded_at_micros")
                .and_then(|value| value.parse().ok())
                .map(Micros)
                .ok_or_else(|| missing("recorded_at_micros"))?,
            taken_at: field("taken_at_micros")
                .and_then(|value| value.parse().ok())
                .map(Micros)
                .ok_or_else(|| missing("taken_at_micros"))?,
            program: field("program")
                .and_then(|value| unquoted(value).map(str::to_owned))
                .ok_or_else(|| missing("program"))?,
            files: entries(&mut lines).ok_or_else(|| missing("a file"))?,
        };
        // Reading was lenient about comments and the check; writing is not.
        if manifest.render() == text { Ok(manifest) } else { Err(wrong("its check does not hold")) }
    }
}

/// The lines between `[files]` and `[manifest]`.
fn entries<'a>(lines: &mut impl Iterator<Item = &'a str>) -> Option<Vec<FileEntry>> {
    lines.next().filter(|line| *line == "[files]")?;
    let mut files = Vec::new();
    loop {
        let line = lines.next()?;
        if line == "[manifest]" {
            return Some(files);
        }
        let (path, value) = line.split_once(" = ")?;
        let (length, digest) = unquoted(value)?.split_once(' ')?;
        files.push(FileEntry {
            path: RelPath::new(unquoted(path)?).ok()?,
            length: length.parse().ok()?,
            digest: array(digest)?,
        });
    }
}

/// The digest of some bytes as a file.
pub(super) fn digest(bytes: &[u8]) -> [u8; 32] {
    let mut hasher = FileHasher::new();
    hasher.update(bytes);
    hasher.digest()
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unquoted(value: &str) -> Option<&str> {
    value.strip_prefix('"')?.strip_suffix('"').filter(|inner| !inner.contains(['"', '\\']))
}

/// Bytes from lower-case hex digits of exactly their number.
fn array<const N: usize>(text: &str) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(bytes)
}
