//! Signed statements: what was signed is what is read, and nothing else passes.

use ledger_proof::{Checkpoint, KeyKind, LedgerKey, ProofError, SignedCheckpoint, Statement};

const KIND: &str = "memledger verification v1";

#[test]
fn a_statement_says_what_was_signed_and_no_other_byte_does() {
    let key = LedgerKey::from_seed(&[5; 32]);
    let ours = key.verifier("support.example/log", KeyKind::Note).unwrap();
    let made = Statement::sign(KIND, "{\"verdict\":\"ok\"}", "support.example/log", &key).unwrap();
    let text = made.to_string();
    let read = Statement::parse(KIND, text.as_bytes()).unwrap();
    assert_eq!(read, made);
    assert_eq!(read.body(), "{\"verdict\":\"ok\"}");
    assert_eq!(read.verify(std::slice::from_ref(&ours)).unwrap(), &ours);
    let other = LedgerKey::from_seed(&[6; 32]);
    let other = other.verifier("support.example/log", KeyKind::Note).unwrap();
    assert!(matches!(read.verify(&[other]), Err(ProofError::UnknownKey { .. })));
    assert!(matches!(read.verify(&[]), Err(ProofError::UnknownKey { .. })));
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] ^= 1;
        let passes = Statement::parse(KIND, &bytes)
            .is_ok_and(|changed| changed.verify(std::slice::from_ref(&ours)).is_ok());
        assert!(!passes, "byte {at}");
    }
}

#[test]
fn a_statement_is_no_checkpoint_and_a_checkpoint_no_statement() {
    let key = LedgerKey::from_seed(&[5; 32]);
    let made = Statement::sign(KIND, "7", "support.example/log", &key).unwrap();
    assert!(SignedCheckpoint::parse(made.to_string().as_bytes()).is_err());
    let root = ledger_proof::parse_hash(&format!("{}=", "A".repeat(43))).unwrap();
    let origin = "support.example/log".to_owned();
    let head = Checkpoint { origin, size: 7, root: ledger_format::TreeRoot(root) };
    let note = head.sign(&key).unwrap().to_string();
    assert!(Statement::parse("support.example/log", note.as_bytes()).is_err());
    for (kind, line) in [("oneword", "x"), ("two words\n", "x"), (KIND, "x\ny")] {
        assert!(Statement::sign(kind, line, "support.example/log", &key).is_err(), "{kind:?}");
    }
}
