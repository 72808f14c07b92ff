//! The central promise: for every record of every log, the answer from the views is the answer from
//! replaying the raw archive to that record, and both are what the oracle says of the same records.
//!
//! Histories are lived through the facade, so everything between a command and an answer takes part.
//! The archive is asked in an opening of its own, which shares nothing in memory with the one that
//! has the views; now and then both ways are asked of one opening, while it writes too.

use std::collections::BTreeMap;

use ledger_format::Micros;
use memledger::Question;
use memledger::civil::When;
use replay_tests::oracle::Oracle;
use replay_tests::place::Place;
use replay_tests::player::{Manner, play};
use replay_tests::rng::Rng;
use replay_tests::witness::{Witness, at, events};
use replay_tests::workload::time;
use replay_tests::{seed, small, test_path};

const LIFE: Manner = Manner { steps: 60, claims: 4 };

#[test]
fn field_b51_both_ways_and_the_oracle_agree_at_every_record() {
    let path = test_path!(field_b51_both_ways_and_the_oracle_agree_at_every_record);
    seed::each(&path, 4, |seed| {
        let played = play(seed, LIFE, |_, _, _| ());
        let views = played.place.open();
        let archive = played.place.archive_at(&played.place.path()).unwrap();
        let mut witness = Witness::new(&views, &archive);
        let mut rng = Rng::part(seed, 5);
        for (seq, recorded) in witness.records() {
            let valid = When::Instant(witness.some_instant(&mut rng));
            let elsewhere = match rng.index(4) {
                0 => at(When::Instant(Micros(recorded.0 - 1)), Some(When::Head)),
                1 => at(When::Size(seq.0), Some(When::Instant(recorded))),
                2 => at(When::Instant(witness.some_instant(&mut rng)), Some(valid)),
                _ => {
                    let end = witness.some_lifetime(&mut rng).unwrap_or(recorded);
                    at(When::Instant(end), Some(When::Instant(recorded)))
                }
            };
            let here = at(When::Seq(seq.0), Some(valid));
            for question in [here, at(When::Instant(recorded), None), elsewhere] {
                witness.ask(&question, &mut rng);
            }
        }
        witness.compare_changes(&mut rng);
        assert!(witness.compared > 5_000, "{}", witness.compared);
        views.close().unwrap();
    });
}

#[test]
fn both_ways_and_the_oracle_agree_on_the_claimed_axis() {
    let path = test_path!(both_ways_and_the_oracle_agree_on_the_claimed_axis);
    seed::each(&path, 4, |seed| {
        let manner = Manner { claims: 2, ..LIFE };
        let played = play(seed, manner, |_, _, _| ());
        let views = played.place.open();
        let archive = played.place.archive_at(&played.place.path()).unwrap();
        let mut witness = Witness::new(&views, &archive);
        let mut rng = Rng::part(seed, 6);
        let claims = witness.events.iter().filter_map(|event| event.claimed_at);
        for claim in time::around(claims) {
            let valid = When::Instant(witness.some_instant(&mut rng));
            let question = Question { claimed: true, ..at(When::Instant(claim), Some(valid)) };
            witness.ask(&question, &mut rng);
        }
        assert!(witness.compared > 1_000, "{}", witness.compared);
        views.close().unwrap();
    });
}

/// The views follow the log by a moment and rows wait in memory: no answer shows it.
#[test]
fn one_opening_answers_both_ways_while_it_writes() {
    let path = test_path!(one_opening_answers_both_ways_while_it_writes);
    seed::each(&path, 14, |seed| {
        let mut compared = 0;
        let played = play(seed, LIFE, |_, ledger, rng| {
            let mut witness = Witness::new(ledger, ledger);
            let some = rng.index(witness.events.len()) as u64;
            let claimed =
                Question { claimed: true, ..at(When::Instant(witness.some_instant(rng)), None) };
            for question in [at(When::Head, None), at(When::Seq(some), None), claimed] {
                witness.ask(&question, rng);
            }
            compared += witness.compared;
        });
        assert!(played.openings > 1 && compared > 100, "{compared}");
    });
}

/// Ids that were made in one millisecond are in no order: those that came later lie between the others,
/// stored and waiting ones too.
#[test]
fn memories_of_one_millisecond_are_found_at_every_record() {
    let (place, mut ledger) = Place::new(Micros(time::BASE));
    let mut known = Vec::new();
    for round in 0..3 {
        for number in 0..30 {
            known.push(small::write(&ledger, &format!("memory {round} {number}"), None));
        }
        let size = ledger.status().unwrap().size;
        for seq in (0..size).step_by(7).chain([size - 1]) {
            let views = ledger.snapshot(&at(When::Seq(seq), None)).unwrap();
            let question = Question { from_archive: true, ..at(When::Seq(seq), None) };
            let archive = ledger.snapshot(&question).unwrap();
            for digits in [6, 11, 12, 13, 14, 32] {
                let name = known[seq as usize % known.len()].to_string();
                let found = views.find(&name[..digits]).unwrap();
                assert_eq!(found, archive.find(&name[..digits]).unwrap(), "{name} at {seq}");
            }
        }
        if round == 1 {
            ledger.close().unwrap();
            ledger = place.open();
        }
    }
    ledger.close().unwrap();
}

/// Without this the tests above could agree about nothing.
#[test]
fn lives_reach_every_status_and_every_command() {
    let (mut words, mut kinds) = (BTreeMap::new(), BTreeMap::new());
    let (mut accepted, mut refused, mut repeated) = (0, 0, 0);
    for seed in 0..5 {
        let played = play(seed, LIFE, |_, _, _| ());
        let ledger = played.place.open();
        let events = events(&ledger);
        let oracle = Oracle::new(events.clone());
        for event in &events {
            let kind = event.event.kind().map_or("unknown", ledger_format::Kind::name);
            *kinds.entry(kind).or_insert(0) += 1;
            let moment = oracle.at(event.seq());
            let now = event.header.recorded_at;
            let told = moment.memories().into_iter();
            for word in told.filter_map(|id| moment.status(id, now, now)) {
                *words.entry(word).or_insert(0) += 1;
            }
        }
        accepted += played.accepted;
        refused += played.refused;
        repeated += played.repeated;
        ledger.close().unwrap();
    }
    let found: Vec<&str> = words.keys().copied().collect();
    let wanted = ["closed", "contested", "expired", "forgotten", "open", "pushed_down"];
    assert_eq!(found, wanted, "{words:?}");
    // Genesis, epochs, names; of the twelve commands, pinning and ranking go both ways.
    assert_eq!(kinds.len(), 3 + 14, "{kinds:?}");
    assert!(
        accepted > 2 * refused && refused > 20 && repeated > 5,
        "{accepted} {refused} {repeated}"
    );
}
