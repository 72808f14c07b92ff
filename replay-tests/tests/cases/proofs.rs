//! A ledger against heads that were kept elsewhere: what each answer is, and that they differ.

use std::path::Path;
use std::sync::Arc;

use ledger_format::event::ledger::{CheckpointSigned, KeyRotated, PublicKey};
use ledger_format::{Event, LedgerId, Micros, RecordHash, RecordHeader, Seq};
use ledger_store::storage::FsStorage;
use ledger_store::{Appender, NewRecord, StoreOptions};
use memledger::proof::{
    Compared, GivenCheckpoint, GivenHead, Heads, KeyKind, LedgerKey, ProofError, SignedCheckpoint,
    compare,
};
use memledger::verify::CheckVerdict;
use memledger::{Command, Content, Ledger, Proposal, Scope, Submission, Terms};
use replay_tests::place::{Place, copy_tree};
use replay_tests::workload::time;

fn write(ledger: &Ledger, text: &str) {
    let proposal = Proposal::new(Content::Text(text.to_owned()), Scope::root());
    let command = Command::Write(Box::new(proposal));
    ledger.submit(Submission::of(command, Terms::default())).unwrap();
}

/// A ledger with a key and three memories.
fn signing() -> (Place, Ledger) {
    let (place, ledger) = Place::new(Micros(time::BASE));
    ledger.rotate_signing_key().unwrap();
    ["one", "two", "three"].iter().for_each(|text| write(&ledger, text));
    (place, ledger)
}

fn against(path: &Path, signed: &SignedCheckpoint) -> Compared {
    let given = GivenCheckpoint { name: "kept".to_owned(), signed: signed.clone() };
    compare(path, &Heads { checkpoints: vec![given], ..Heads::default() }).unwrap()
}

#[track_caller]
fn says(compared: &Compared, claim: &str, verdict: CheckVerdict, what: &str) {
    let check = compared.checks.iter().find(|check| check.name == claim).unwrap();
    assert_eq!(check.verdict, verdict, "{check:?}");
    let said = check.findings.iter().any(|finding| finding.contains(what));
    assert!(said || what.is_empty(), "{check:?}");
}

/// Everything in the directory is of one piece, anchors and all; only the kept head tells.
#[test]
fn fault_12_a_cleanly_lost_tail_shows_against_a_kept_head() {
    let (place, ledger) = signing();
    ledger.close().unwrap();
    let older = place.copy("older");
    let ledger = place.open();
    write(&ledger, "four");
    let head = ledger.head_to_keep("mine").unwrap();
    ledger.close().unwrap();

    let heads = Heads { heads: vec![head.clone()], ..Heads::default() };
    says(&compare(&place.path(), &heads).unwrap(), "kept heads", CheckVerdict::Ok, "");
    says(&compare(&older, &heads).unwrap(), "kept heads", CheckVerdict::Damaged, "a rollback");
    let opened = place.open_at(&older).unwrap();
    assert!(opened.hold_to(&head).unwrap_err().to_string().contains("a rollback"));
    assert!(opened.hold_to(&GivenHead { size: 0, ..head }).is_ok());
    opened.close().unwrap();
}

#[test]
fn fault_20_rollback_fork_and_unknown_key_are_three_answers() {
    let (place, ledger) = signing();
    ledger.close().unwrap();
    let (older, fork) = (place.copy("older"), place.copy("fork"));
    let ledger = place.open();
    write(&ledger, "four");
    let signed = ledger.checkpoint().unwrap().signed;
    ledger.close().unwrap();
    // The same key signs another history of the same length: whoever holds it can.
    let forked = place.open_at(&fork).unwrap();
    ["other", "words"].iter().for_each(|text| write(&forked, text));
    forked.checkpoint().unwrap();
    forked.close().unwrap();

    let claim = "given checkpoints";
    says(&against(&place.path(), &signed), claim, CheckVerdict::Ok, "");
    says(&against(&older, &signed), claim, CheckVerdict::Damaged, "a rollback");
    says(&against(&fork, &signed), claim, CheckVerdict::Damaged, "a fork");
    let stranger = LedgerKey::from_seed(&[9; 32]);
    let by_stranger = signed.checkpoint().clone().sign(&stranger).unwrap();
    says(&against(&place.path(), &by_stranger), claim, CheckVerdict::CannotCheck, "trusted key");
    let given = GivenCheckpoint { name: "kept".to_owned(), signed: signed.clone() };
    let origin = &signed.checkpoint().origin;
    let keys = vec![stranger.verifier(origin, KeyKind::Note).unwrap()];
    let heads = Heads { checkpoints: vec![given], keys, ..Heads::default() };
    let compared = compare(&place.path(), &heads).unwrap();
    says(&compared, claim, CheckVerdict::CannotCheck, "trusted key");
}

#[test]
fn field_l13_a_proof_holds_for_the_size_of_its_checkpoint_alone() {
    let (_place, ledger) = signing();
    let small = ledger.checkpoint().unwrap().signed;
    write(&ledger, "four");
    let large = ledger.checkpoint().unwrap().signed;
    let proof = ledger.prove(Seq(3), Some(small.clone())).unwrap();
    let record = proof.extra.clone().unwrap();
    proof.check(&record).unwrap();
    let moved = memledger::proof::TlogProof { checkpoint: large.clone(), ..proof };
    assert!(matches!(moved.check(&record), Err(ProofError::NotIncluded { index: 3, .. })));
    let grown = ledger.prove_consistency(small.checkpoint().size, Some(large)).unwrap();
    grown.check(&small.checkpoint().root).unwrap();
    let beyond = Seq(small.checkpoint().size);
    assert!(ledger.prove(beyond, Some(small)).is_err(), "a record after the checkpoint");
    ledger.close().unwrap();
}

/// A root that nobody trusted has signed says nothing: neither that the log is whole, nor that it
/// is not. A note of the ledger's own whose root is not the log's is damage.
#[test]
fn field_l14_a_root_counts_only_with_its_signature() {
    let (place, ledger) = signing();
    let signed = ledger.checkpoint().unwrap().signed;
    ledger.close().unwrap();
    let mut forged = signed.checkpoint().clone();
    forged.root.0[0] ^= 1;
    let forged = forged.sign(&LedgerKey::from_seed(&[9; 32])).unwrap();
    let given = "given checkpoints";
    says(&against(&place.path(), &forged), given, CheckVerdict::CannotCheck, "trusted key");

    let target = place.beside("target");
    copy_tree(&place.path(), &target);
    let size = signed.checkpoint().size;
    let note = target.join(format!("checkpoints/{size}.note"));
    let text = std::fs::read_to_string(&note).unwrap();
    let mut lines: Vec<&str> = text.split('\n').collect();
    let other = forged.to_string();
    lines[2] = other.split('\n').nth(2).unwrap();
    std::fs::write(&note, lines.join("\n")).unwrap();
    let compared = compare(&target, &Heads::default()).unwrap();
    says(&compared, "checkpoint notes", CheckVerdict::Damaged, "does not verify");
}

/// Appends an event as a forger with the right to write would: chain and tree fit.
fn forge(path: &Path, ledger: LedgerId, make: impl FnOnce(Seq) -> Event) {
    let storage = Arc::new(FsStorage::open(path).unwrap());
    let (mut appender, _) = Appender::open(storage, ledger, StoreOptions::default()).unwrap();
    let head = appender.head().unwrap();
    let event = make(head.seq.next());
    let kind = event.kind().unwrap();
    let header = RecordHeader::new(kind, Seq(0), RecordHash::ZERO, head.recorded_at);
    let (payloads, extensions) = (Vec::new(), Vec::new());
    let body = event.encode().unwrap();
    let mut batch = appender.begin();
    batch.push_all(vec![NewRecord { header, body, payloads, extensions }]).unwrap();
    appender.commit(batch).unwrap();
    appender.close().unwrap();
}

/// Whoever may write but does not hold the key cannot put another in force, or sign in its name.
#[test]
fn a_forged_rotation_and_a_forged_checkpoint_are_found() {
    let (place, ledger) = signing();
    let key = ledger.signing_keys().unwrap().pop().unwrap().key;
    let signed = ledger.checkpoint().unwrap().signed;
    ledger.close().unwrap();
    let public = |bytes: &[u8]| PublicKey { algorithm: 1, bytes: bytes.to_vec() };
    let stranger = LedgerKey::from_seed(&[9; 32]);
    let rotation = |seq, old: Option<PublicKey>| {
        let new = public(&stranger.public());
        let signature = stranger.sign(&KeyRotated::message(&new, &place.id, seq)).to_vec();
        let old_signature = old.is_some().then(|| signature.clone());
        Event::KeyRotated(KeyRotated { new, old, new_signature: signature, old_signature })
    };
    let old = public(key.bytes());
    let cases =
        [("the key before does not verify", Some(old)), ("was in force before was not", None)];
    for (at, (what, old)) in cases.into_iter().enumerate() {
        let target = place.copy(&format!("rotated{at}"));
        forge(&target, place.id, |seq| rotation(seq, old));
        let compared = compare(&target, &Heads::default()).unwrap();
        says(&compared, "signing keys", CheckVerdict::Damaged, what);
    }
    let head = signed.checkpoint();
    let mut root = head.root;
    root.0[0] ^= 1;
    for (at, (root, what)) in
        [(root, "another root"), (head.root, "does not verify")].into_iter().enumerate()
    {
        let target = place.copy(&format!("signed{at}"));
        let (size, signature) = (head.size, stranger.sign(b"another text").to_vec());
        let event = CheckpointSigned { size, root, views: None, algorithm: 1, signature };
        forge(&target, place.id, |_| Event::CheckpointSigned(event));
        let compared = compare(&target, &Heads::default()).unwrap();
        says(&compared, "checkpoint records", CheckVerdict::Damaged, what);
    }
}
