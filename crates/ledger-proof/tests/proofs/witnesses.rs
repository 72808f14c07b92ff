//! Cosignatures and policies over them.

use ledger_proof::{
    KeyKind, LedgerKey, ProofError, SignatureLine, SignedCheckpoint, VerifierKey, WitnessPolicy,
};

use crate::support::{key, signed, verifier};

const NOW: u64 = 1_780_000_000;

fn name(number: u8) -> String {
    format!("witness{number}.example")
}

fn witness(number: u8) -> VerifierKey {
    key(number).verifier(&name(number), KeyKind::Cosignature).unwrap()
}

fn by(number: u8, checkpoint: &SignedCheckpoint, at: u64) -> SignatureLine {
    key(number).cosign(&name(number), checkpoint, at).unwrap()
}

fn cosigned(by_whom: &[(u8, u64)]) -> SignedCheckpoint {
    let bare = signed(9);
    let lines: Vec<_> = by_whom.iter().map(|(number, at)| by(*number, &bare, *at)).collect();
    bare.with(&lines).unwrap()
}

fn two_of_three() -> WitnessPolicy {
    let keys = [11, 12, 13].map(|number| format!("witness {}\n", witness(number))).concat();
    format!("# two of three\nquorum 2\n\n{keys}").parse().unwrap()
}

#[test]
fn n_of_m_witnesses_are_enough() {
    let policy = two_of_three();
    let quorum = policy.check(&cosigned(&[(11, NOW), (13, NOW - 5)]), NOW, None).unwrap();
    assert_eq!(quorum.witnesses, [(name(11), NOW), (name(13), NOW - 5)]);
    assert_eq!((quorum.needed, quorum.named), (2, 3));
    cosigned(&[(11, NOW)]).verify(&[verifier(1)]).expect("the log's signature stays");
}

#[test]
fn too_few_strangers_and_repetitions_are_not() {
    let policy = two_of_three();
    let short = |found| Err(ProofError::TooFewWitnesses { found, needed: 2 });
    assert_eq!(policy.check(&cosigned(&[]), NOW, None), short(0));
    assert_eq!(policy.check(&cosigned(&[(11, NOW), (99, NOW)]), NOW, None), short(1));
    assert_eq!(policy.check(&cosigned(&[(11, NOW), (11, NOW - 1)]), NOW, None), short(1));
    assert_eq!(policy.check(&cosigned(&[(11, NOW), (12, NOW + 1)]), NOW, None), short(1));
    assert_eq!(policy.check(&cosigned(&[(11, NOW), (12, NOW - 9)]), NOW, Some(NOW - 8)), short(1));
}

#[test]
fn a_witness_vouches_for_one_checkpoint_at_one_time() {
    let other = signed(8);
    let moved = signed(9).with(&[by(11, &other, NOW)]).unwrap();
    let refused = ProofError::BadSignature { name: name(11) };
    assert_eq!(two_of_three().check(&moved, NOW, None), Err(refused.clone()));
    let line = by(11, &signed(9), NOW);
    for at in 0..line.bytes().len() {
        let mut bytes = line.bytes().to_vec();
        bytes[at] ^= 1;
        let changed = SignatureLine::new(&name(11), line.key_id(), bytes).unwrap();
        let note = signed(9).with(&[changed]).unwrap();
        assert_eq!(witness(11).cosigned(&note), Err(refused.clone()), "byte {at}");
    }
}

#[test]
fn a_cosignature_is_no_signature_of_the_log_and_the_other_way_round() {
    let log = LedgerKey::from_seed(&[1; 32]);
    let origin = signed(9).checkpoint().origin.clone();
    let line = log.cosign(&origin, &signed(9), NOW).unwrap();
    let only = signed(9).to_string();
    let text = only.split("\n\n").next().unwrap().to_owned();
    let note = format!("{text}\n\n{line}\n");
    let read = SignedCheckpoint::parse(note.as_bytes()).unwrap();
    assert!(matches!(read.verify(&[verifier(1)]), Err(ProofError::UnknownKey { .. })));
}

#[test]
fn a_policy_that_nobody_can_fail_or_meet_is_none() {
    let (a, b) = (witness(11), witness(12));
    let twice = key(11).verifier("another.example", KeyKind::Cosignature).unwrap();
    assert!(WitnessPolicy::new(0, vec![a.clone()]).is_err());
    assert!(WitnessPolicy::new(3, vec![a.clone(), b]).is_err());
    assert!(WitnessPolicy::new(1, vec![a.clone(), twice]).is_err(), "one key under two names");
    assert!(WitnessPolicy::new(1, vec![verifier(1)]).is_err(), "a log's key does not cosign");
    for text in ["", "quorum 1", "quorum x", "quorum 1\nquorum 1\n", "witness x\nquorum 1", "hm"] {
        assert!(text.parse::<WitnessPolicy>().is_err(), "{text:?}");
    }
    assert!(format!("quorum 1\nwitness {a}").parse::<WitnessPolicy>().is_ok());
}
