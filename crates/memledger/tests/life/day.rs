//! Slots of the day.

use std::collections::BTreeMap;

use memledger::format::{MemoryId, Verdict};
use memledger::{Command, ErrorKind, Status, Submission, Terms};
use proptest::prelude::*;

use crate::bench::{Bench, HOUR, NOON, by_terms, proposal, value};

#[test]
fn a_then_b_then_a_leaves_exactly_one_open() {
    let bench = Bench::new();
    for (hour, text) in ["green", "red", "green"].into_iter().enumerate() {
        bench.at(NOON + hour as i64 * 60_000_000);
        // A person in between: what a person closes stays closed, and this is no closing by hand.
        let by = if text == "red" { "person:priya" } else { "agent:coder" };
        let done = bench.write(value(text, by, None));
        assert_eq!(done.verdict, Verdict::Committed, "{done:?}");
        let open = bench.listed(None);
        assert_eq!(open, [done.id.unwrap()]);
        let again = bench.write(value(text, by, None));
        assert_eq!((again.verdict, again.id), (Verdict::Duplicate, done.id), "said again");
    }
}

#[test]
fn a_late_older_message_is_stored_closed_and_retires_nothing() {
    let bench = Bench::new();
    let at = |hours: i64| Some(NOON - 4 * HOUR + hours * HOUR);
    let first = bench.write(value("cloning", "agent:coder", at(0))).id.unwrap();
    let newest = bench.write(value("testing", "agent:coder", at(3))).id.unwrap();
    let late = bench.write(value("building", "agent:coder", at(1)));
    assert_eq!(late.verdict, Verdict::Committed);
    let late = late.id.unwrap();
    assert_eq!(bench.status(late), Status::Closed);
    assert_eq!(bench.listed(None), [newest]);
    let held = |hours: i64| bench.listed(at(hours));
    assert_eq!(
        (held(0), held(1), held(2), held(3)),
        (vec![first], vec![late], vec![late], vec![newest])
    );
    let bench = bench.reopened();
    assert_eq!(bench.listed(None), [newest]);
    assert_eq!(bench.write(value("done", "agent:coder", None)).superseded, [newest]);
}

#[test]
fn a_slot_belongs_to_its_scope_and_to_the_day() {
    let bench = Bench::new();
    let here = bench.write(value("green", "agent:coder", None)).id.unwrap();
    let mut there = value("red", "agent:coder", None);
    there.scope = "org/acme/project/api".parse().unwrap();
    let there = bench.write(there).id.unwrap();
    let mut lasting = value("blue", "agent:coder", None);
    lasting.layer = Some(memledger::format::Layer::Project);
    let lasting = bench.write(lasting).id.unwrap();
    assert_eq!(bench.listed(None), [here, there, lasting]);
    bench.at(NOON + 12 * HOUR);
    assert_eq!(bench.status(here), Status::Expired, "the day is over");
    let next = bench.write(value("yellow", "agent:coder", None));
    assert_eq!(next.superseded, [here]);
}

#[test]
fn two_values_of_one_slot_do_not_come_together() {
    let bench = Bench::new();
    let write = |text| Command::Write(Box::new(value(text, "agent:coder", None)));
    let commands = vec![write("green"), write("red")];
    let both = bench.ledger.submit(Submission { commands, terms: Terms::default() }).unwrap_err();
    assert_eq!(both.kind(), ErrorKind::Invalid);
    assert!(bench.listed(None).is_empty());
    let other = Command::Write(Box::new(proposal("Something else", "agent:coder")));
    bench.submit(vec![write("green"), other], "agent:coder");
    assert_eq!(bench.listed(None).len(), 2);
}

#[test]
fn what_a_person_closed_by_hand_stays_closed() {
    let bench = Bench::new();
    let first = bench.write(value("green", "agent:coder", None)).id.unwrap();
    let close = Command::Close {
        memory: first,
        kind: memledger::format::CloseKind::Changed,
        from: None,
        until: None,
        replaced_by: None,
        reason: Some("not so".to_owned()),
    };
    bench.ledger.submit(Submission::of(close, by_terms("person:priya"))).unwrap();
    let again = bench.write(value("green", "agent:coder", None));
    assert_eq!(again.verdict, Verdict::Refused, "{again:?}");
}

/// Values of a slot in any order of their times against the plain rule: at every instant the value with
/// the latest beginning holds, of those with the same beginning the one that came last.
fn slot_follows_the_plain_rule(begins: &[i64]) -> Result<(), TestCaseError> {
    let bench = Bench::new();
    let mut told: BTreeMap<i64, MemoryId> = BTreeMap::new();
    for (at, begin) in begins.iter().enumerate() {
        bench.at(NOON + at as i64 * 1_000);
        let begin = NOON - 10 * HOUR + begin * HOUR;
        let done = bench.write(value(&format!("value {at}"), "agent:coder", Some(begin)));
        told.insert(begin, done.id.unwrap());
        let newest = told.last_key_value().map(|(_, id)| *id);
        let open = bench.listed(None);
        prop_assert_eq!(open.as_slice(), newest.as_slice(), "after {:?}", &begins[..=at]);
    }
    for hour in 0..10 {
        let at = NOON - 10 * HOUR + hour * HOUR;
        let expected = told.range(..=at).next_back().map(|(_, id)| *id);
        let held = bench.listed(Some(at));
        prop_assert_eq!(held.as_slice(), expected.as_slice(), "at {} of {:?}", hour, begins);
    }
    prop_assert!(bench.ledger.verdicts_again().unwrap().differ.is_empty());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn property_a_late_value_never_retires_a_newer_one(begins in prop::collection::vec(0i64..10, 1..9)) {
        slot_follows_the_plain_rule(&begins)?;
    }
}
