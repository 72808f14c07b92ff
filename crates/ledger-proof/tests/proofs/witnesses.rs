//! Cosignatures and policies over them.

use ledger_proof::{
    KeyKind, LedgerKey, MAX_AHEAD, ProofError, SignatureLine, SignedCheckpoint, VerifierKey,
    WitnessPolicy,
};

use crate::support::{self, key, signed, verifier};

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

fn line(number: u8) -> String {
    format!("witness w{number} {}\n", witness(number))
}

fn lines(numbers: impl IntoIterator<Item = u8>) -> String {
    numbers.into_iter().map(line).collect()
}

fn two_of_three() -> WitnessPolicy {
    format!("# two of three\n{}\ngroup trio 2 w11 w12 w13\nquorum trio\n", lines(11..14))
        .parse()
        .unwrap()
}

#[test]
fn n_of_m_witnesses_are_enough() {
    let policy = two_of_three();
    let vouched = policy.check(&cosigned(&[(11, NOW), (13, NOW - 5)]), NOW, None).unwrap();
    assert_eq!(vouched, [(name(11), NOW), (name(13), NOW - 5)]);
    cosigned(&[(11, NOW)]).verify(&[verifier(1)]).expect("the log's signature stays");
}

#[test]
fn too_few_strangers_and_repetitions_are_not() {
    let policy = two_of_three();
    let short = |vouched: &[&str]| {
        let vouched = vouched.iter().map(ToString::to_string).collect();
        Err(ProofError::QuorumMissed { rule: "2 of (w11, w12, w13)".to_owned(), vouched })
    };
    let ahead = NOW + MAX_AHEAD;
    assert_eq!(policy.check(&cosigned(&[]), NOW, None), short(&[]));
    assert_eq!(policy.check(&cosigned(&[(11, NOW), (99, NOW)]), NOW, None), short(&["w11"]));
    assert_eq!(policy.check(&cosigned(&[(11, NOW), (11, NOW - 1)]), NOW, None), short(&["w11"]));
    assert_eq!(policy.check(&cosigned(&[(11, NOW), (12, ahead + 1)]), NOW, None), short(&["w11"]));
    assert!(policy.check(&cosigned(&[(11, NOW), (12, ahead)]), NOW, None).is_ok());
    let old = cosigned(&[(11, NOW), (12, NOW - 9)]);
    assert_eq!(policy.check(&old, NOW, Some(NOW - 8)), short(&["w11"]));
}

/// The example of the specification: two of three here and one of three there.
#[test]
fn groups_hold_groups() {
    let policy: WitnessPolicy = format!(
        "log {}\n{}group x 2 w11 w12 w13\n{}\tgroup  y any w14 w15 w16 \ngroup both all x y\nquorum both",
        verifier(1),
        lines(11..14),
        lines(14..17),
    )
    .parse()
    .unwrap();
    let enough = |by_whom: &[u8]| {
        let by_whom: Vec<_> = by_whom.iter().map(|number| (*number, NOW)).collect();
        policy.check(&cosigned(&by_whom), NOW, None).is_ok()
    };
    for by_whom in [&[11, 12, 14][..], &[12, 13, 16], &[11, 12, 13, 14, 15, 16]] {
        assert!(enough(by_whom), "{by_whom:?}");
    }
    for by_whom in [&[][..], &[11, 12], &[11, 12, 13], &[14, 15, 16], &[11, 14, 15, 16]] {
        assert!(!enough(by_whom), "{by_whom:?}");
    }
    let missed = policy.check(&cosigned(&[(14, NOW)]), NOW, None).unwrap_err().to_string();
    assert!(missed.contains("2 of (2 of (w11, w12, w13), 1 of (w14, w15, w16))"), "{missed}");
}

#[test]
fn a_log_that_the_policy_names_has_to_have_signed() {
    let of = |number| format!("log {}\nquorum none", verifier(number));
    let policy: WitnessPolicy = of(1).parse().unwrap();
    assert!(!policy.asks());
    assert_eq!(policy.check(&signed(9), NOW, None), Ok(Vec::new()));
    let other: WitnessPolicy = of(2).parse().unwrap();
    let refused = other.check(&signed(9), NOW, None);
    assert!(matches!(refused, Err(ProofError::UnknownKey { .. })));
}

#[test]
fn a_witness_may_have_a_url() {
    let text = format!("witness a {} http://w.example/a\nquorum a\n", witness(11));
    let policy: WitnessPolicy = text.parse().unwrap();
    let witness = &policy.witnesses()[0];
    assert_eq!((witness.name.as_str(), witness.url.as_deref()), ("a", Some("http://w.example/a")));
}

#[test]
fn a_key_that_signs_again_takes_its_own_place() {
    let first = cosigned(&[(11, NOW - 1), (12, NOW - 1)]);
    let again = first.renewed(&[by(11, &signed(9), NOW)]).unwrap();
    let names: Vec<_> = again.note().signatures().iter().map(|line| line.name()).collect();
    assert_eq!(names, [support::ORIGIN, &name(12), &name(11)]);
    assert_eq!(witness(11).cosigned(&again).unwrap().unwrap().at, NOW);
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
fn of_an_answer_only_verified_lines_by_known_keys_are_taken() {
    let (known, bare) = ([witness(11), witness(12)], signed(9));
    let good = [by(11, &bare, NOW), by(12, &bare, NOW)];
    let answer = [good[0].clone(), by(99, &bare, NOW), good[1].clone()];
    assert_eq!(bare.cosignatures(&answer, &known), Ok(good.to_vec()));
    let strangers = bare.cosignatures(&[by(99, &bare, NOW)], &known);
    assert!(matches!(strangers, Err(ProofError::UnknownKey { .. })));
    assert!(matches!(bare.cosignatures(&[], &known), Err(ProofError::UnknownKey { .. })));
    for at in 0..good[0].bytes().len() {
        let mut bytes = good[0].bytes().to_vec();
        bytes[at] ^= 1;
        let changed = SignatureLine::new(&name(11), good[0].key_id(), bytes).unwrap();
        let refused = bare.cosignatures(&[good[1].clone(), changed], &known);
        assert_eq!(refused, Err(ProofError::BadSignature { name: name(11) }), "byte {at}");
    }
    let moved = signed(8).cosignatures(&good, &known);
    assert_eq!(moved, Err(ProofError::BadSignature { name: name(11) }));
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
fn a_policy_that_cannot_be_met_or_means_two_things_is_none() {
    let (w, k) = (lines(11..14), witness(14));
    let twice = key(11).verifier("another.example", KeyKind::Cosignature).unwrap();
    for text in [
        String::new(),
        "quorum".to_owned(),
        "quorum 1".to_owned(),
        "quorum none\nquorum none".to_owned(),
        "quorum none\r\n".to_owned(),
        "witness a nonsense\nquorum a".to_owned(),
        format!("witness none {k}\nquorum none"),
        format!("witness a {}\nquorum a", verifier(1)),
        format!("log {k}\nquorum none"),
        format!("log {v}\nlog {v}\nquorum none", v = verifier(1)),
        format!("{w}witness w11 {k}\nquorum w11"),
        format!("{w}witness again {twice}\nquorum again"),
        format!("{w}group g 0 w11 w12\nquorum g"),
        format!("{w}group g 3 w11 w12\nquorum g"),
        format!("{w}group g all\nquorum g"),
        format!("{w}group g some w11\nquorum g"),
        format!("{w}group g any w11 w11\nquorum g"),
        format!("{w}group g any w11 none\nquorum g"),
        format!("{w}group g any w11\ngroup h any w11 w12\nquorum h"),
        format!("{w}group g any g w11\nquorum g"),
        format!("{w}quorum g\ngroup g any w11"),
        format!("{w}group g any w11"),
        format!("{w}witness\nquorum w11"),
        "hm".to_owned(),
    ] {
        assert!(text.parse::<WitnessPolicy>().is_err(), "{text:?}");
    }
    for good in [format!("{w}quorum w12"), format!(" # words\n{w}\n\tquorum\tw11 ")] {
        good.parse::<WitnessPolicy>().unwrap();
    }
}
