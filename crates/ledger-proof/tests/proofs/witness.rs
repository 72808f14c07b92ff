//! What a witness decides, status by status, and the key it decides with.

use ledger_format::TreeRoot;
use ledger_proof::{
    Checkpoint, ConsistencyFile, KeyKind, LedgerKey, ProofError, Refusal, SignedCheckpoint,
    VerifierKey, Vouched, WitnessKey, WitnessedLog,
};

use crate::support::{ORIGIN, SIZES, checkpoint, consistency, key, root, signed, verifier};

const NOW: u64 = 1_780_000_000;

fn witness() -> WitnessKey {
    WitnessKey::from_seed("witness.example", &[11; 32]).unwrap()
}

fn unseen() -> WitnessedLog {
    WitnessedLog::unseen(vec![verifier(1)]).unwrap()
}

fn request(old: u64, new: u64) -> ConsistencyFile {
    ConsistencyFile { old, path: consistency(old, new), checkpoint: signed(new) }
}

/// A tree of this size that is not the log's.
fn forked(size: u64) -> SignedCheckpoint {
    Checkpoint { root: TreeRoot([7; 32]), ..checkpoint(size) }.sign(&key(1)).unwrap()
}

fn take(log: &mut WitnessedLog, request: &ConsistencyFile) -> Result<Vouched, Refusal> {
    let vouched = log.judge(request)?.cosign(&witness(), NOW).unwrap();
    log.advance(&vouched);
    Ok(vouched)
}

fn status(log: &WitnessedLog, request: &ConsistencyFile) -> u16 {
    log.judge(request).err().map_or(200, |refusal| refusal.status())
}

#[test]
fn every_step_forward_is_cosigned() {
    let mut log = unseen();
    let mut old = 0;
    for size in SIZES {
        let vouched = take(&mut log, &request(old, size)).unwrap();
        let cosigned = signed(size).with(&[vouched.line]).unwrap();
        assert_eq!(witness().public().cosigned(&cosigned).unwrap().unwrap().at, NOW);
        assert_eq!(cosigned, vouched.kept);
        // The same once more is cosigned once more: an answer may be lost.
        take(&mut log, &request(size, size)).unwrap();
        assert_eq!(log.size(), size);
        old = size;
    }
}

#[test]
fn an_empty_log_has_one_root() {
    let mut log = unseen();
    let empty = ConsistencyFile { old: 0, path: Vec::new(), checkpoint: signed(0) };
    take(&mut log, &empty).unwrap();
    let other = ConsistencyFile { checkpoint: forked(0), ..empty };
    assert_eq!(log.judge(&other), Err(Refusal::Fork { size: 0 }));
    take(&mut log, &request(0, 9)).unwrap();
}

#[test]
fn another_log_is_404_and_another_signer_403() {
    let log = unseen();
    let stranger = Checkpoint { origin: "other.example".to_owned(), ..checkpoint(9) };
    let stranger = ConsistencyFile { checkpoint: stranger.sign(&key(1)).unwrap(), ..request(0, 9) };
    assert_eq!(status(&log, &stranger), 404);
    let forged = checkpoint(9).sign(&key(2)).unwrap();
    assert_eq!(status(&log, &ConsistencyFile { checkpoint: forged, ..request(0, 9) }), 403);
    // By its id it is the log's key, and the signature is of another head.
    let moved = format!("{}\n{}", checkpoint(9), signed(8).note().signatures()[0]);
    let moved = SignedCheckpoint::parse(format!("{moved}\n").as_bytes()).unwrap();
    assert_eq!(status(&log, &ConsistencyFile { checkpoint: moved, ..request(0, 9) }), 403);
}

#[test]
fn signatures_of_strangers_are_ignored_and_not_kept() {
    let strange = key(3).cosign("stranger.example", &signed(9), NOW).unwrap();
    let many = signed(9).with(&[strange]).unwrap();
    let vouched = take(&mut unseen(), &ConsistencyFile { checkpoint: many, ..request(0, 9) });
    let kept = vouched.unwrap().kept;
    let names: Vec<_> = kept.note().signatures().iter().map(|line| line.name()).collect();
    assert_eq!(names, [ORIGIN, "witness.example"]);
}

#[test]
fn a_key_that_follows_another_is_known_beside_it() {
    let mut log = WitnessedLog::unseen(vec![verifier(1), verifier(2)]).unwrap();
    take(&mut log, &request(0, 8)).unwrap();
    let next = checkpoint(9).sign(&key(2)).unwrap();
    take(&mut log, &ConsistencyFile { checkpoint: next, ..request(8, 9) }).unwrap();
}

#[test]
fn a_request_that_begins_elsewhere_is_409_and_names_the_size() {
    let mut log = unseen();
    take(&mut log, &request(0, 9)).unwrap();
    for (old, new) in [(0, 16), (8, 16), (8, 8), (0, 9), (15, 16), (0, 0)] {
        let refused = log.judge(&request(old, new));
        assert_eq!(refused, Err(Refusal::Elsewhere { asked: old, size: 9 }), "{old} {new}");
    }
    assert_eq!(log.judge(&request(0, 16)).unwrap_err().status(), 409);
}

#[test]
fn a_rollback_is_never_cosigned() {
    let mut log = unseen();
    take(&mut log, &request(0, 9)).unwrap();
    let back = |old| ConsistencyFile { old, path: Vec::new(), checkpoint: signed(8) };
    assert_eq!(status(&log, &back(9)), 400);
    assert_eq!(status(&log, &back(8)), 409);
    assert_eq!(log.size(), 9);
}

#[test]
fn a_fork_is_409_at_the_same_size_and_422_beyond() {
    let mut log = unseen();
    take(&mut log, &request(0, 9)).unwrap();
    let same = ConsistencyFile { old: 9, path: Vec::new(), checkpoint: forked(9) };
    assert_eq!(log.judge(&same), Err(Refusal::Fork { size: 9 }));
    assert_eq!(status(&log, &same), 409);
    let beyond = ConsistencyFile { checkpoint: forked(16), ..request(9, 16) };
    assert_eq!(status(&log, &beyond), 422);
}

#[test]
fn a_wrong_proof_is_422_hash_by_hash() {
    let mut log = unseen();
    take(&mut log, &request(0, 9)).unwrap();
    let good = request(9, 257);
    for at in 0..good.path.len() {
        let mut changed = good.clone();
        changed.path[at][0] ^= 1;
        assert_eq!(status(&log, &changed), 422, "hash {at}");
        let mut short = good.clone();
        short.path.remove(at);
        assert_eq!(status(&log, &short), 422, "without hash {at}");
    }
    let mut long = good.clone();
    long.path.push([0; 32]);
    assert_eq!(status(&log, &long), 422);
    // From nothing and to the same size, the proof is empty.
    let first = ConsistencyFile { path: vec![[0; 32]], ..request(0, 9) };
    assert_eq!(status(&unseen(), &first), 422);
    let same = ConsistencyFile { path: vec![root(9).0], ..request(9, 9) };
    assert_eq!(status(&log, &same), 422);
    assert_eq!(status(&log, &good), 200);
}

#[test]
fn a_witness_goes_on_where_its_own_note_says_and_nowhere_else() {
    let mut log = unseen();
    let kept = take(&mut log, &request(0, 9)).unwrap().kept;
    let me = witness();
    assert_eq!(unseen().resumed(&kept, me.public()).unwrap(), log);
    let refused = |note: &SignedCheckpoint| unseen().resumed(note, me.public()).unwrap_err();
    assert!(matches!(refused(&signed(8)), ProofError::UnknownKey { .. }), "never cosigned");
    let line = kept.note().signatures()[1].clone();
    let moved = signed(8).with(&[line]).unwrap();
    assert!(matches!(refused(&moved), ProofError::BadSignature { .. }), "another head");
    let other = LedgerKey::from_seed(&[1; 32]).verifier("other.example", KeyKind::Note).unwrap();
    let other = WitnessedLog::unseen(vec![other]).unwrap().resumed(&kept, me.public());
    assert!(matches!(other, Err(ProofError::WrongOrigin { .. })));
}

#[test]
fn a_log_is_known_by_keys_of_one_name_that_sign_notes() {
    let named = |name: &str, kind| key(2).verifier(name, kind).unwrap();
    assert!(WitnessedLog::unseen(Vec::new()).is_err());
    assert!(WitnessedLog::unseen(vec![named(ORIGIN, KeyKind::Cosignature)]).is_err());
    let two = vec![verifier(1), named("other.example", KeyKind::Note)];
    assert!(WitnessedLog::unseen(two).is_err());
}

/// Made by transparency-dev/formats v0.1.1 (`NewSignerForCosignatureV1`) and golang.org/x/mod.
#[test]
fn a_cosignature_of_go_is_ours_byte_by_byte() {
    let private = "PRIVATE+KEY+witness.example.com/vector+416f103d+BJEX3xv88eoQIKT4E+GkxZcXaJCYlQfi/GJ3NDFmZIW8";
    let public = "witness.example.com/vector+416f103d+BK/QmJFVP3SKJOqAMhFxBQPtylo3sjwWibyFDAlZKK8B";
    let log = "example.com/vector-log+4516a1da+ARGkVJ4QEa2MOOLGBO6i7NVSJ1FQ97tIX+w+Ku0RZ6Em";
    let text = "example.com/vector-log\n1234\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n";
    let of_log = "\u{2014} example.com/vector-log RRah2qlLrSlk6J8DA1HmNewppUM15Quhs5cAIb1KjBsV3otVirJTW8AFVsQtJkTW1Zny7GuoAxZpI6bUPcpM68QOIgE=\n";
    let of_witness = "\u{2014} witness.example.com/vector QW8QPQAAAABqwLUbDdj7sDNRIVjmjYgqFI6y4UJhPg/UAA8J8wAdqSd3q4PedRhkgXA4xFN/Jg5uWn7ZkBA+H/UHQs5d9hITdXmQAA==\n";
    let whole = format!("{text}\n{of_log}{of_witness}");
    let read = SignedCheckpoint::parse(whole.as_bytes()).unwrap();
    let log: VerifierKey = log.parse().unwrap();
    let key = WitnessKey::parse(private).unwrap();
    assert_eq!(key.public().to_string(), public);
    assert_eq!(key.public().cosigned(&read).unwrap().unwrap().at, 1_791_014_171);
    let request = ConsistencyFile {
        old: 0,
        path: Vec::new(),
        checkpoint: SignedCheckpoint::parse(format!("{text}\n{of_log}").as_bytes()).unwrap(),
    };
    let accepted = WitnessedLog::unseen(vec![log]).unwrap().judge(&request).unwrap();
    let vouched = accepted.cosign(&key, 1_791_014_171).unwrap();
    assert_eq!(format!("{}\n", vouched.line), of_witness);
    assert_eq!(vouched.kept.to_string(), whole);
}

#[test]
fn a_private_key_has_one_text_and_every_change_of_it_is_refused() {
    let seed = [11; 32];
    let text = witness().text(&seed);
    assert_eq!(WitnessKey::parse(&text).unwrap().public(), witness().public());
    for at in 0..text.len() {
        let mut changed = text.clone().into_bytes();
        changed[at] ^= 1;
        let changed = String::from_utf8(changed).unwrap();
        let error = WitnessKey::parse(&changed).expect_err(&changed);
        assert!(!error.to_string().contains(text.rsplit('+').next().unwrap()));
    }
    for text in ["", "PRIVATE+KEY+", "PRIVATE+KEY+a+b", "PRIVATE+KEY+a+00000000+AQ=="] {
        assert!(WitnessKey::parse(text).is_err(), "{text:?}");
    }
    assert!(!format!("{:?}", witness()).contains(&text));
}
