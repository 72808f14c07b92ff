//! The foreign implementation: `tlog_tiles` and `signed_note`, the Rust versions of Go's sumdb
//! packages that a certificate transparency log is run with. It shares no code with this crate.

use ledger_proof::merkle::{check_consistency, check_inclusion};
use ledger_proof::{KeyKind, SignedCheckpoint, VerifierKey};
use signed_note::{Note, StandardSigner, StandardVerifier, VerifierList};
use tlog_tiles::tlog;

use crate::support::{SIZES, consistency, inclusion, key, record, root, signed, verifier};

struct Stored(Vec<tlog::Hash>);

impl tlog::HashReader for Stored {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<tlog::Hash>, tlog::Error> {
        let at = |index: &u64| self.0[usize::try_from(*index).unwrap()];
        Ok(indexes.iter().map(at).collect())
    }
}

/// The same log, kept by the foreign implementation.
fn stored(size: u64) -> Stored {
    let mut stored = Stored(Vec::new());
    for index in 0..size {
        let more = tlog::stored_hashes(index, &record(index), &stored).unwrap();
        stored.0.extend(more);
    }
    stored
}

fn theirs(proof: &[[u8; 32]]) -> Vec<tlog::Hash> {
    proof.iter().map(|hash| tlog::Hash(*hash)).collect()
}

fn ours(proof: &[tlog::Hash]) -> Vec<[u8; 32]> {
    proof.iter().map(|hash| hash.0).collect()
}

#[test]
fn roots_and_proofs_are_the_same_on_both_sides() {
    for size in SIZES {
        let stored = stored(size);
        assert_eq!(tlog::tree_hash(size, &stored).unwrap().0, root(size).0);
        for at in 0..size {
            let path = inclusion(at, size);
            assert_eq!(ours(&tlog::prove_record(size, at, &stored).unwrap()), path);
            let leaf = tlog::record_hash(&record(at));
            tlog::check_record(&theirs(&path), size, tlog::Hash(root(size).0), at, leaf).unwrap();
            check_inclusion(&record(at), at, size, &root(size), &path).unwrap();

            let (old, path) = (at + 1, consistency(at + 1, size));
            assert_eq!(ours(&tlog::prove_tree(size, old, &stored).unwrap()), path);
            let (old_root, new_root) = (tlog::Hash(root(old).0), tlog::Hash(root(size).0));
            tlog::check_tree(&theirs(&path), size, new_root, old, old_root).unwrap();
            check_consistency((old, &root(old)), (size, &root(size)), &path).unwrap();
        }
    }
}

#[test]
fn our_checkpoint_verifies_there_and_one_changed_byte_makes_it_fail() {
    let verify = |bytes: &[u8]| -> bool {
        let key = StandardVerifier::new(&verifier(1).to_string()).unwrap();
        let known = VerifierList::new(vec![Box::new(key)]);
        let Ok(note) = Note::from_bytes(bytes) else { return false };
        let Ok((verified, _)) = note.verify(&known) else { return false };
        let head = tlog_tiles::Checkpoint::from_bytes(note.text());
        verified.len() == 1 && head.is_ok_and(|head| head.size() == 9 && head.hash().0 == root(9).0)
    };
    let text = signed(9).to_string().into_bytes();
    assert!(verify(&text));
    for at in 0..text.len() {
        let mut changed = text.clone();
        changed[at] ^= 1;
        assert!(!verify(&changed), "byte {at} was changed and the checkpoint verified");
    }
}

#[test]
fn their_checkpoint_verifies_here() {
    // The skeleton key of Go's sumdb/note tests.
    let skey = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    let vkey = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    let head = tlog_tiles::Checkpoint::new("PeterNeumann", 9, tlog::Hash(root(9).0), "").unwrap();
    let mut note = Note::new(&head.to_bytes(), &[]).unwrap();
    note.add_sigs(&[&StandardSigner::new(skey).unwrap()]).unwrap();
    let read = SignedCheckpoint::parse(&note.to_bytes()).unwrap();
    let key: VerifierKey = vkey.parse().unwrap();
    assert_eq!(read.verify(std::slice::from_ref(&key)).unwrap(), &key);
    assert_eq!((read.checkpoint().size, read.checkpoint().root), (9, root(9)));
    assert_eq!(read.to_string().into_bytes(), note.to_bytes());
}

#[test]
fn both_sides_write_the_same_verifier_key() {
    let key = key(3).verifier("a.example/log", KeyKind::Note).unwrap();
    let again = StandardVerifier::new(&key.to_string()).unwrap();
    assert_eq!(signed_note::Verifier::key_id(&again), u32::from_be_bytes(key.id()));
}
