//! Owns heads that were written down elsewhere than in the anchors: the notes in `checkpoints/`,
//! and heads that the caller remembered. The root over so many records must be theirs.
//!
//! May not: check signatures; which key to trust is not a matter of the files.

use std::sync::atomic::{AtomicBool, Ordering};

use ledger_format::tree::{Frontier, Node};
use ledger_format::{Seq, TreeRoot};

use super::findings::{Collector, Excuse, Found, Topic};
use super::report::Severity;
use super::work::{Counts, Work};
use crate::error::StoreError;
use crate::layout;
use crate::storage::{RelPath, Storage};

/// Longest note that is read, in bytes.
const LONGEST: u64 = 64 * 1024;

/// A head kept elsewhere: how many records there were, and the Merkle root over them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RememberedHead {
    /// Number of records.
    pub size: u64,
    /// Root over them.
    pub root: TreeRoot,
}

/// A head to compare with, and where it was written down.
#[derive(Debug)]
pub(super) struct Watched {
    head: RememberedHead,
    file: RelPath,
    /// The log was followed to its size.
    met: AtomicBool,
}

/// All heads to compare with, by size.
#[derive(Debug, Default)]
pub(super) struct Heads {
    list: Vec<Watched>,
}

/// Reads the notes and adds what was remembered.
pub(super) fn read(
    storage: &dyn Storage,
    remembered: &[RememberedHead],
    from: Seq,
    findings: &Collector,
    counts: &Counts,
) -> Heads {
    let mut list = notes(storage, findings, counts);
    list.extend(remembered.iter().map(|head| Watched::new(*head, layout::LOG)));
    // What lies before the first record of the check is behind the head that it begins with.
    list.retain(|watched| from == Seq(0) || watched.head.size > from.0);
    counts.expected(Topic::Checkpoints, list.len() as u64);
    list.sort_by_key(|watched| watched.head.size);
    Heads { list }
}

fn notes(storage: &dyn Storage, findings: &Collector, counts: &Counts) -> Vec<Watched> {
    let dir = layout::CHECKPOINTS;
    let names = match storage.list(&dir) {
        Ok(names) => names,
        // Made with the first checkpoint.
        Err(error) if error.is_not_found() => Vec::new(),
        Err(error) => {
            let error = StoreError::Storage(error);
            findings.add(Found::obstacle(Topic::Checkpoints, &dir, &error));
            Vec::new()
        }
    };
    let mut list = Vec::new();
    for name in names {
        let Some(number) = name.strip_suffix(".note") else {
            let what = "only names that a ledger makes";
            let found = Found::damage(Topic::Checkpoints, &dir, "a name", what, &name);
            findings.add(found.severity(Severity::Note).unless(Excuse::None));
            continue;
        };
        let file = layout::inside(&dir, &name);
        let unread = || counts.expected(Topic::Checkpoints, 1);
        match note(storage, &file) {
            Ok(Some(head)) if head.size.to_string() == number => {
                list.push(Watched::new(head, file))
            }
            Ok(Some(head)) => {
                unread();
                let found = format!("one of {} records", head.size);
                let expected = format!("a checkpoint of {number} records");
                let what = "a checkpoint note";
                findings.add(Found::damage(Topic::Checkpoints, &file, what, expected, found).at(0));
            }
            Ok(None) => {
                unread();
                let (what, expected) = ("a checkpoint note", "a signed note over three lines");
                let found = "something else";
                findings.add(Found::damage(Topic::Checkpoints, &file, what, expected, found).at(0));
            }
            Err(error) => {
                unread();
                findings.add(Found::obstacle(Topic::Checkpoints, &file, &error));
            }
        }
    }
    list
}

fn note(storage: &dyn Storage, file: &RelPath) -> Result<Option<RememberedHead>, StoreError> {
    let open = storage.open_read(file)?;
    let length = open.len()?;
    if length > LONGEST {
        return Ok(None);
    }
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    open.read_exact_at(&mut bytes, 0)?;
    Ok(std::str::from_utf8(&bytes).ok().and_then(parse))
}

/// The head in a C2SP signed note whose text is origin, size and root, each in a line.
pub(crate) fn parse(text: &str) -> Option<RememberedHead> {
    let (body, signatures) = text.split_once("\n\n")?;
    let mut lines = body.split('\n');
    let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
    let number: u64 = size.parse().ok()?;
    let canonical = !origin.is_empty() && lines.next().is_none() && number.to_string() == size;
    let signed = signatures.strip_suffix('\n')?.split('\n').all(is_signature);
    let root = TreeRoot(base64(root)?.try_into().ok()?);
    (canonical && signed).then_some(RememberedHead { size: number, root })
}

/// An em dash, a name without spaces, and a key id of four bytes with a signature after it.
fn is_signature(line: &str) -> bool {
    let mut parts = line.split(' ');
    let dash = parts.next() == Some("\u{2014}");
    let name = parts.next().is_some_and(|name| !name.is_empty() && !name.contains('+'));
    let bytes = parts.next().and_then(base64);
    dash && name && bytes.is_some_and(|bytes| bytes.len() > 4) && parts.next().is_none()
}

/// Standard base64 with padding, RFC 4648 section 4, in its only form.
fn base64(text: &str) -> Option<Vec<u8>> {
    if text.is_empty() || !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0u32, 0u32);
    for digit in digits.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits).ok()?);
            held &= (1 << bits) - 1;
        }
    }
    // What is left over must be the zeros that the padding stands for.
    (padding < 3 && padding * 2 == bits as usize && held == 0).then_some(bytes)
}

impl Watched {
    const fn new(head: RememberedHead, file: RelPath) -> Self {
        Self { head, file, met: AtomicBool::new(false) }
    }
}

impl Heads {
    /// Compares the heads that end in a batch with its leaves. `before` is the tree up to it.
    pub(super) fn meet<'n>(
        &self,
        work: &Work<'_>,
        before: &Frontier,
        leaves: impl ExactSizeIterator<Item = &'n Node>,
    ) {
        let (begin, end) = (before.size(), before.size() + leaves.len() as u64);
        let first = self.list.partition_point(|watched| watched.head.size <= begin);
        let mut inside =
            self.list.iter().skip(first).take_while(|watched| watched.head.size <= end).peekable();
        if inside.peek().is_none() {
            return;
        }
        let mut tree = before.clone();
        for leaf in leaves {
            tree.push_leaf(*leaf);
            while let Some(watched) = inside.next_if(|one| one.head.size == tree.size()) {
                self.compare(work, watched, tree.root());
            }
        }
    }

    /// Compares the head that ends with a batch, by the root that the batch says. Heads that end
    /// inside it are left out: without the tree there is nothing to hold them against.
    pub(super) fn meet_end(&self, work: &Work<'_>, begin: u64, end: u64, root: TreeRoot) {
        let first = self.list.partition_point(|watched| watched.head.size <= begin);
        for watched in self.list.iter().skip(first).take_while(|one| one.head.size <= end) {
            if watched.head.size == end {
                self.compare(work, watched, root);
                continue;
            }
            watched.met.store(true, Ordering::Relaxed);
            let what = format!("the root over the first {} records", watched.head.size);
            let expected = "a batch that ends there, or the level `log`";
            let found = "a batch that goes on; it was not compared";
            let found = Found::damage(Topic::Checkpoints, &watched.file, what, expected, found);
            work.add(found.severity(Severity::CannotCheck));
        }
    }

    fn compare(&self, work: &Work<'_>, watched: &Watched, found: TreeRoot) {
        watched.met.store(true, Ordering::Relaxed);
        if watched.head.root == found {
            work.counts.checked(Topic::Checkpoints, 1);
            return;
        }
        let what = format!("the root over the first {} records: a fork", watched.head.size);
        let root = watched.head.root;
        work.add(Found::damage(Topic::Checkpoints, &watched.file, what, root, found));
    }

    /// Reports the heads that the log does not reach. `whole` says that no part of it was left out.
    pub(super) fn reached(&self, work: &Work<'_>, records: u64, whole: bool) {
        for watched in &self.list {
            let size = watched.head.size;
            if size == 0 {
                self.compare(work, watched, Frontier::new().root());
            }
            if watched.met.load(Ordering::Relaxed) {
                continue;
            }
            let what = "the size of the log: a rollback";
            let expected = format!("{size} records, as there once were");
            let found = format!("{records} records");
            let rollback = Found::damage(Topic::Checkpoints, &watched.file, what, expected, found);
            // Behind damage, or above the head of somebody who writes, it may still be there.
            work.add(if whole && work.options.upto.is_none() {
                rollback
            } else {
                rollback.severity(Severity::CannotCheck)
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_one_form() {
        assert_eq!(base64("AAECAw=="), Some(vec![0, 1, 2, 3]));
        assert_eq!(base64("AAEC"), Some(vec![0, 1, 2]));
        for wrong in ["", "AAECAw=", "AAECAw", "AAECAx==", "A===", "AAE!", "=AAA"] {
            assert_eq!(base64(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_note_is_three_lines_and_signatures() {
        let root = format!("{}=", "A".repeat(43));
        let note = format!("example.org/a\n7\n{root}\n\n\u{2014} example.org/a AAECAwQ=\n");
        let head = parse(&note).unwrap();
        assert_eq!((head.size, head.root), (7, TreeRoot([0; 32])));
        for (from, to) in [
            ("\n7\n", "\n07\n"),
            ("\n7\n", "\n+7\n"),
            ("\n\n", "\nmore\n\n"),
            ("\u{2014} ", "- "),
            ("AAECAwQ=", "AAECAw=="),
            ("AAECAwQ=\n", "AAECAwQ="),
            ("example.org/a\n7", "\n7"),
        ] {
            assert_eq!(parse(&note.replacen(from, to, 1)), None, "{from:?} as {to:?}");
        }
    }
}
