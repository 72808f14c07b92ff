//! Owns the head of an open ledger as others keep it, and holding the ledger to one that was kept.

use ledger_format::{RecordHash, Seq, TreeRoot};
use ledger_store::Head;

use super::given::GivenHead;
use super::history::History;
use super::rollback;
use super::roots::{self, size};
use crate::error::{Error, ErrorKind, Result};
use crate::ledger::Ledger;

impl Ledger {
    /// The durable head, as somebody else would keep it.
    #[must_use]
    pub fn head_to_keep(&self, name: &str) -> Option<GivenHead> {
        let Head { seq, hash, root, .. } = self.vault.reader().head()?;
        let size = seq.0.saturating_add(1);
        Some(GivenHead { name: name.to_owned(), size, root: Some(root), record: Some(hash) })
    }

    /// Checks that this ledger still has a head that was kept. Costs a point read where the record's
    /// hash is known, which binds all records before it.
    ///
    /// # Errors
    /// [`ErrorKind::Damaged`] when it was rolled back or forked.
    pub fn hold_to(&self, head: &GivenHead) -> Result<()> {
        let reader = self.vault.reader();
        let here = size(reader);
        if head.size > here {
            let restored = History::read(reader)?.restored_below(head.size);
            return Err(damaged(rollback::shorter(&head.name, here, head.size, restored)));
        }
        let Some(last) = head.size.checked_sub(1) else { return Ok(()) };
        let same = match (head.record, head.root) {
            (Some(hash), _) => reader.record(Seq(last))?.hash == hash,
            (None, Some(root)) => roots::root(&*self.storage, reader, head.size)? == Some(root),
            (None, None) => true,
        };
        if same {
            return Ok(());
        }
        let restored = History::read(reader)?.restored_below(head.size);
        Err(damaged(rollback::other(&head.name, head.size, restored)))
    }
}

/// A root, or the hash of a record, as people write it: 64 hex digits, or 32 bytes in base64.
#[must_use]
pub fn parse_root(text: &str) -> Option<TreeRoot> {
    if text.len() != 64 {
        return ledger_proof::parse_hash(text).map(TreeRoot);
    }
    let (pairs, _) = text.as_bytes().as_chunks::<2>();
    let mut root = RecordHash::ZERO.0;
    for (byte, pair) in root.iter_mut().zip(pairs) {
        let pair = std::str::from_utf8(pair).ok()?;
        let plain = pair.bytes().all(|digit| digit.is_ascii_hexdigit());
        *byte = u8::from_str_radix(pair, 16).ok().filter(|_| plain)?;
    }
    Some(TreeRoot(root))
}

fn damaged(message: String) -> Error {
    Error::new(ErrorKind::Damaged, message)
}
