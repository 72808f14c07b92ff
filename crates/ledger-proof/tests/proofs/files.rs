//! Proof files and who signed them.

use ledger_proof::{Checkpoint, ConsistencyFile, ProofError, TlogProof};

use crate::support::{
    ORIGIN, SIZES, checkpoint, consistency, key, proof, record, root, signed, verifier,
};

#[test]
fn a_proof_file_is_enough_for_a_stranger_with_the_key() {
    for size in SIZES {
        for index in [0, size / 2, size - 1] {
            let text = proof(index, size).to_string();
            let read = TlogProof::parse(text.as_bytes()).unwrap();
            assert_eq!(read.to_string(), text);
            assert_eq!(read.extra, Some(record(index)));
            read.check(&record(index)).unwrap();
            read.checkpoint.verify(&[verifier(1)]).unwrap();
        }
    }
}

#[test]
fn a_proof_file_without_extra_data_asks_for_the_record() {
    let bare = TlogProof { extra: None, ..proof(3, 8) };
    let read = TlogProof::parse(bare.to_string().as_bytes()).unwrap();
    assert_eq!(read, bare);
    read.check(&record(3)).unwrap();
    assert_eq!(read.check(&record(4)), Err(ProofError::NotIncluded { index: 3, size: 8 }));
}

#[test]
fn an_unknown_key_another_log_and_a_re_signed_history_are_told_apart() {
    let good = signed(8);
    let unknown = good.verify(&[verifier(2)]).unwrap_err();
    assert!(matches!(unknown, ProofError::UnknownKey { .. }), "{unknown}");
    assert!(matches!(good.verify(&[]).unwrap_err(), ProofError::UnknownKey { .. }));

    let other = key(1).verifier("other.example", ledger_proof::KeyKind::Note).unwrap();
    let origin = good.verify(&[other]).unwrap_err();
    assert!(matches!(origin, ProofError::WrongOrigin { .. }), "{origin}");

    // The same size, another root, signed by the right key: only the root tells.
    let forged = Checkpoint { root: root(7), ..checkpoint(8) }.sign(&key(1)).unwrap();
    forged.verify(&[verifier(1)]).unwrap();
    let moved = TlogProof { checkpoint: forged, ..proof(3, 8) };
    assert_eq!(moved.check(&record(3)), Err(ProofError::NotIncluded { index: 3, size: 8 }));
}

#[test]
fn a_signature_that_names_a_known_key_must_be_right() {
    let line = signed(8).note().signatures()[0].clone();
    let foreign = checkpoint(9).sign(&key(1)).unwrap();
    // A good signature beside one of another text: the whole note is refused.
    let mixed = foreign.with(&[line]).unwrap();
    let refused = mixed.verify(&[verifier(1)]).unwrap_err();
    assert_eq!(refused, ProofError::BadSignature { name: ORIGIN.to_owned() });
}

#[test]
fn during_a_rotation_two_keys_may_sign_and_either_is_enough() {
    let by_new = checkpoint(8).sign(&key(2)).unwrap();
    let both = signed(8).with(by_new.note().signatures()).unwrap();
    for number in [1, 2] {
        assert_eq!(both.verify(&[verifier(number)]).unwrap(), &verifier(number));
    }
}

#[test]
fn a_consistency_file_shows_the_fork() {
    for new in SIZES {
        for old in [0, 1, new / 2, new - 1, new] {
            let file =
                ConsistencyFile { old, path: consistency(old, new), checkpoint: signed(new) };
            let read = ConsistencyFile::parse(file.to_string().as_bytes()).unwrap();
            assert_eq!(read, file);
            read.check(&root(old)).unwrap();
            let fork = read.check(&root(old + 1)).unwrap_err();
            assert_eq!(fork, ProofError::Inconsistent { old, new });
        }
    }
}
