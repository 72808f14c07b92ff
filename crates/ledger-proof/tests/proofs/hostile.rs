//! Whatever is not exactly right is refused, and nothing panics.

use ledger_proof::{
    ConsistencyFile, MAX_NOTE_BYTES, Note, SignatureLine, SignedCheckpoint, TlogProof, VerifierKey,
    WitnessPolicy,
};
use proptest::prelude::*;

use crate::support::{key, proof, signed, verifier};

#[test]
fn a_text_that_is_no_note_is_refused() {
    let good = signed(5).to_string();
    for bad in [
        String::new(),
        "\n\n".to_owned(),
        good.trim_end().to_owned(),
        good.replace('\n', "\r\n"),
        good.replace("\n\n", "\n"),
        good.replace("\u{2014} ", "- "),
        good.replacen("support", "sup\u{7}port", 1),
        good.replace("\n5\n", "\n05\n"),
        good.replace("\n5\n", "\n+5\n"),
        good.replace("\n5\n", "\n5 \n"),
        good.replace("\n5\n", "\n\n5\n"),
        good.replace("\n5\n", "\n18446744073709551615\n"),
        format!("{good}\n"),
        format!("{good}more"),
        good.replace("=\n\n", "=\n\n\n"),
    ] {
        assert!(SignedCheckpoint::parse(bad.as_bytes()).is_err(), "{bad:?}");
    }
    assert!(SignedCheckpoint::parse(&[0xff, 0xfe]).is_err());
}

#[test]
fn a_note_has_a_greatest_length_and_a_greatest_number_of_signatures() {
    let line = signed(5).note().signatures()[0].to_string() + "\n";
    let text = signed(5).note().text().to_owned();
    assert!(Note::parse(format!("{text}\n{}", line.repeat(16)).as_bytes()).is_ok());
    assert!(Note::parse(format!("{text}\n{}", line.repeat(65)).as_bytes()).is_err());
    let long = "x".repeat(MAX_NOTE_BYTES);
    assert!(Note::parse(format!("{long}\n\n{line}").as_bytes()).is_err());
    assert!(SignatureLine::parse_all(long.as_bytes()).is_err());
}

#[test]
fn one_changed_byte_of_a_proof_file_makes_it_fail() {
    let proof = proof(11, 257);
    let good = proof.to_string().into_bytes();
    let holds = |bytes: &[u8]| -> bool {
        let Ok(read) = TlogProof::parse(bytes) else { return false };
        let record = read.extra.clone().unwrap_or_default();
        read.check(&record).is_ok() && read.checkpoint.verify(&[verifier(1)]).is_ok()
    };
    assert!(holds(&good));
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut changed = good.clone();
            changed[at] ^= 1 << bit;
            assert!(!holds(&changed), "bit {bit} of byte {at} was changed and the proof holds");
        }
        assert!(!holds(&good[..at]), "a proof cut at {at} holds");
    }
}

#[test]
fn a_weak_key_is_no_key() {
    // The neutral element: every message has a signature under it.
    let mut weak = [0; 32];
    weak[0] = 1;
    assert!(VerifierKey::new("a", ledger_proof::KeyKind::Note, &weak).is_err());
    assert!(VerifierKey::new("a b", ledger_proof::KeyKind::Note, &key(1).public()).is_err());
    assert!(VerifierKey::new("a+b", ledger_proof::KeyKind::Note, &key(1).public()).is_err());
}

proptest! {
    #[test]
    fn what_parses_prints_as_it_was(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(read) = SignedCheckpoint::parse(&bytes) {
            prop_assert_eq!(read.to_string().into_bytes(), bytes.clone());
        }
        let _ = (TlogProof::parse(&bytes), ConsistencyFile::parse(&bytes));
    }

    #[test]
    fn a_damaged_file_gives_an_error_or_the_same_file(
        at in 0_usize..600, with in any::<u8>(), cut in 0_usize..600,
    ) {
        let mut bytes = proof(11, 257).to_string().into_bytes();
        bytes.truncate(bytes.len().saturating_sub(cut));
        if let Some(byte) = bytes.get_mut(at) {
            *byte = with;
        }
        if let Ok(read) = TlogProof::parse(&bytes) {
            prop_assert_eq!(read.to_string().into_bytes(), bytes);
        }
    }

    #[test]
    fn keys_and_policies_never_panic(text in "\\PC{0,80}") {
        let _ = (text.parse::<VerifierKey>(), text.parse::<WitnessPolicy>());
    }
}
