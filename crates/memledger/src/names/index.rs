//! Owns the saved index of names: which alias stands for a name, without the name.
//!
//! Names are sealed one by one, so finding one among a hundred thousand would open them all. The
//! index holds a digest of every name within its place, keyed by the ledger's pepper: whoever has
//! only the directory learns from it how many names there are, and nothing else.
//!
//! It is a shortcut and never a truth: a keyed check covers all of it, it counts only if the log
//! holds its record with its hash, names bound later are read from the log, and it lies among the
//! views, so that whoever deletes those deletes it too.

use std::collections::{HashMap, HashSet};

use ledger_format::bytes::{Reader as Bytes, Writer};
use ledger_format::{AliasId, AliasKind, Digest16, FormatError, LedgerId, RecordHash, Seq, hash};
use ledger_store::storage::{RelPath, Storage, StorageError};

const DIR: RelPath = RelPath::from_static("views");
const SAVED: RelPath = RelPath::from_static("views/names");
const FRESH: RelPath = RelPath::from_static("views/names.new");
const MAGIC: &[u8; 8] = b"MLNAMES\n";
const VERSION: u16 = 1;
const CHECK_BYTES: usize = 16;
/// Parts of the keyed digest; records use 1 and 2.
const NAME: u8 = 3;
const CHECK: u8 = 4;

/// Up to where an index is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Upto {
    pub(super) seq: Seq,
    pub(super) hash: RecordHash,
}

/// Aliases by the digests of their names.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) upto: Upto,
    pepper: [u8; 32],
    by_name: HashMap<Digest16, AliasId>,
}

impl Index {
    pub(super) fn new(upto: Upto, pepper: [u8; 32]) -> Self {
        Self { upto, pepper, by_name: HashMap::new() }
    }

    /// The alias of a name that was bound by then.
    pub(super) fn find(&self, kind: AliasKind, parent: AliasId, name: &str) -> Option<AliasId> {
        self.by_name.get(&digest(&self.pepper, kind, parent, name)).copied()
    }

    pub(super) fn insert(&mut self, kind: AliasKind, parent: AliasId, name: &str, id: AliasId) {
        self.by_name.insert(digest(&self.pepper, kind, parent, name), id);
    }

    /// Takes over what an older index knows.
    pub(super) fn extend(&mut self, older: &Self, erased: &HashSet<AliasId>) {
        let known = older.by_name.iter().filter(|(_, id)| !erased.contains(id));
        self.by_name.extend(known.map(|(digest, id)| (*digest, *id)));
    }

    /// Loads the saved index, if it reads and nobody changed it. The caller compares where it ends
    /// with the log.
    pub(super) fn load(storage: &dyn Storage, ledger: LedgerId, pepper: [u8; 32]) -> Option<Self> {
        let file = storage.open_read(&SAVED).ok()?;
        let mut bytes = vec![0; usize::try_from(file.len().ok()?).ok()?];
        file.read_exact_at(&mut bytes, 0).ok()?;
        Self::decode(&bytes, ledger, pepper)
    }

    fn decode(bytes: &[u8], ledger: LedgerId, pepper: [u8; 32]) -> Option<Self> {
        let (body, check) = bytes.split_at_checked(bytes.len().checked_sub(CHECK_BYTES)?)?;
        if hash::idempotency(&pepper, CHECK, body).0.as_slice() != check {
            return None;
        }
        Self::read(body, ledger, pepper).ok().flatten()
    }

    fn read(body: &[u8], ledger: LedgerId, pepper: [u8; 32]) -> Result<Option<Self>, FormatError> {
        let mut reader = Bytes::new("the index of names", body);
        reader.magic(MAGIC)?;
        if reader.u16()? != VERSION || LedgerId(reader.array()?) != ledger {
            return Ok(None);
        }
        let upto = Upto { seq: Seq(reader.u64()?), hash: RecordHash(reader.array()?) };
        let mut index = Self::new(upto, pepper);
        while !reader.rest().is_empty() {
            index.by_name.insert(Digest16(reader.array()?), AliasId(reader.array()?));
        }
        Ok(Some(index))
    }

    fn encode(&self, ledger: LedgerId) -> Vec<u8> {
        let mut out = Writer::default();
        out.put(MAGIC).u16(VERSION).put(&ledger.0);
        out.u64(self.upto.seq.0).put(&self.upto.hash.0);
        for (digest, id) in &self.by_name {
            out.put(&digest.0).put(&id.0);
        }
        let check = hash::idempotency(&self.pepper, CHECK, out.as_slice());
        out.put(&check.0);
        out.into_vec()
    }

    /// Puts this index in the place of the saved one.
    pub(super) fn save(&self, storage: &dyn Storage, ledger: LedgerId) -> Result<(), StorageError> {
        if storage.exists(&FRESH)? {
            storage.remove_file(&FRESH)?;
        }
        storage.create_dir(&DIR)?;
        let file = storage.create_exclusive(&FRESH)?;
        file.write_all_at(&self.encode(ledger), 0)?;
        file.sync_all()?;
        storage.rename(&FRESH, &SAVED)?;
        storage.sync_dir(&DIR)
    }
}

/// Digest of a name in its place: names are unique within kind and parent.
fn digest(pepper: &[u8; 32], kind: AliasKind, parent: AliasId, name: &str) -> Digest16 {
    let mut bytes = Vec::with_capacity(17 + name.len());
    bytes.push(kind.number());
    bytes.extend_from_slice(&parent.0);
    bytes.extend_from_slice(name.as_bytes());
    hash::idempotency(pepper, NAME, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEDGER: LedgerId = LedgerId([5; 16]);

    fn index() -> Index {
        let upto = Upto { seq: Seq(7), hash: RecordHash([1; 32]) };
        let mut index = Index::new(upto, [9; 32]);
        index.insert(AliasKind::Person, AliasId::ZERO, "Ada", AliasId([1; 16]));
        index.insert(AliasKind::Tag, AliasId::ZERO, "Ada", AliasId([2; 16]));
        index
    }

    #[test]
    fn it_comes_back_and_finds_names_in_their_place_only() {
        let bytes = index().encode(LEDGER);
        assert!(!bytes.windows(3).any(|part| part == b"Ada"), "no name in it");
        let back = Index::decode(&bytes, LEDGER, [9; 32]).expect("reads");
        assert_eq!(back.upto, index().upto);
        let find = |kind, parent, name| back.find(kind, parent, name);
        assert_eq!(find(AliasKind::Person, AliasId::ZERO, "Ada"), Some(AliasId([1; 16])));
        assert_eq!(find(AliasKind::Tag, AliasId::ZERO, "Ada"), Some(AliasId([2; 16])));
        assert_eq!(find(AliasKind::Tag, AliasId([1; 16]), "Ada"), None);
        assert_eq!(find(AliasKind::Person, AliasId::ZERO, "ada"), None);
    }

    #[test]
    fn a_changed_byte_another_ledger_and_another_pepper_give_none() {
        let bytes = index().encode(LEDGER);
        for at in 0..bytes.len() {
            let mut bad = bytes.clone();
            bad[at] ^= 1;
            assert!(Index::decode(&bad, LEDGER, [9; 32]).is_none(), "byte {at}");
        }
        assert!(Index::decode(&bytes[..bytes.len() - 32], LEDGER, [9; 32]).is_none());
        assert!(Index::decode(&bytes, LedgerId([6; 16]), [9; 32]).is_none());
        assert!(Index::decode(&bytes, LEDGER, [8; 32]).is_none());
        assert!(Index::decode(&[], LEDGER, [9; 32]).is_none());
    }

    #[test]
    fn what_was_erased_is_not_taken_over() {
        let mut newer = Index::new(index().upto, [9; 32]);
        newer.extend(&index(), &HashSet::from([AliasId([1; 16])]));
        assert_eq!(newer.find(AliasKind::Person, AliasId::ZERO, "Ada"), None);
        assert!(newer.find(AliasKind::Tag, AliasId::ZERO, "Ada").is_some());
    }
}
